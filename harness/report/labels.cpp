#include "report/labels.h"

#include <algorithm>

#include "report/markdown.h"

namespace tailwave {
namespace {

constexpr const char* kVariant = "variant";

std::string cell(const StudyRow& row, const std::string& heading) {
  if (heading == kVariant) return row.variant;
  for (const Values* values : {&row.parameters, &row.problem}) {
    if (const auto found = values->find(heading); found != values->end()) return to_shown(found->second);
  }
  return "";
}

// The variant, then what some row has.
std::vector<std::string> all_headings(const std::vector<const StudyRow*>& rows,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> headings{kVariant};
  for (const std::string& name : names) {
    const bool present = std::any_of(rows.begin(), rows.end(), [&](const StudyRow* row) {
      return row->parameters.contains(name) || row->problem.contains(name);
    });
    if (present && std::find(headings.begin(), headings.end(), name) == headings.end())
      headings.push_back(name);
  }
  return headings;
}

std::string line_of(const StudyRow& row, const std::vector<std::string>& headings) {
  std::string line;
  for (const std::string& heading : headings) {
    const std::string text = cell(row, heading);
    if (text.empty()) continue;
    if (!line.empty()) line += ", ";
    line += heading == kVariant ? text : heading + " " + text;
  }
  return line;
}

std::vector<const StudyRow*> all_rows(const DeviceStudy& device) {
  std::vector<const StudyRow*> rows;
  for (const StudyRow& row : device.rows) rows.push_back(&row);
  return rows;
}

}  // namespace

Labels::Labels(const DeviceStudy& device, const std::vector<std::string>& names)
    : Labels(all_rows(device), names) {}

Labels::Labels(const std::vector<const StudyRow*>& rows, const std::vector<std::string>& names) {
  for (const std::string& heading : all_headings(rows, names)) {
    const bool varies = std::any_of(rows.begin(), rows.end(), [&](const StudyRow* row) {
      return cell(*row, heading) != cell(*rows.front(), heading);
    });
    if (varies) {
      headings_.push_back(heading);
    } else if (!rows.empty()) {
      if (!common_.empty()) common_ += ", ";
      common_ += heading + " " + cell(*rows.front(), heading);
    }
  }
  if (headings_.empty()) headings_.emplace_back(kVariant);
  std::map<std::string, const StudyRow*> first;
  for (const StudyRow* row : rows) {
    const StudyRow& other = *first.emplace(row->variant, row).first->second;
    for (const std::string& heading : headings_)
      if (cell(*row, heading) != cell(other, heading)) varies_[row->variant].insert(heading);
  }
}

std::vector<std::string> Labels::cells(const StudyRow& row) const {
  std::vector<std::string> cells;
  for (const std::string& heading : headings_) cells.push_back(cell(row, heading));
  return cells;
}

std::string Labels::line(const StudyRow& row) const {
  return line_of(row, headings_);
}

std::string Labels::short_line(const StudyRow& row) const {
  return series(row, "");
}

std::string Labels::series(const StudyRow& row, const std::string& left_out) const {
  std::vector<std::string> shown;
  const auto varies = varies_.find(row.variant);
  for (const std::string& heading : headings_)
    if (heading != left_out &&
        (heading == kVariant || (varies != varies_.end() && varies->second.contains(heading))))
      shown.push_back(heading);
  const std::string line = line_of(row, shown);
  return line.empty() ? row.variant : line;
}

std::string configuration_label(const DeviceStudy& device, const Labels& labels,
                                const std::string& configuration) {
  for (const StudyRow& row : device.rows)
    if (row.configuration == configuration) return code(labels.line(row));
  return code(configuration);
}

}  // namespace tailwave
