#include "analysis/labels.h"

#include <algorithm>
#include <set>

namespace tailwave {
namespace {

constexpr const char* kVariant = "variant";

std::string cell(const StudyRow& row, const std::string& heading) {
  if (heading == kVariant) return row.variant;
  for (const Values* values : {&row.parameters, &row.problem}) {
    if (const auto found = values->find(heading); found != values->end()) return to_string(found->second);
  }
  return "";
}

// The variant, then every parameter, then every problem quantity that some row has.
std::vector<std::string> all_headings(const std::vector<const StudyRow*>& rows) {
  std::set<std::string> parameters;
  std::set<std::string> problem;
  for (const StudyRow* row : rows) {
    for (const auto& [name, value] : row->parameters) parameters.insert(name);
    for (const auto& [name, value] : row->problem) problem.insert(name);
  }
  std::vector<std::string> headings{kVariant};
  headings.insert(headings.end(), parameters.begin(), parameters.end());
  headings.insert(headings.end(), problem.begin(), problem.end());
  return headings;
}

}  // namespace

Labels::Labels(const std::vector<const StudyRow*>& rows) {
  for (const std::string& heading : all_headings(rows)) {
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
}

std::vector<std::string> Labels::cells(const StudyRow& row) const {
  std::vector<std::string> cells;
  for (const std::string& heading : headings_) cells.push_back(cell(row, heading));
  return cells;
}

std::string Labels::line(const StudyRow& row) const {
  std::string line;
  for (const std::string& heading : headings_) {
    const std::string text = cell(row, heading);
    if (text.empty()) continue;
    if (!line.empty()) line += ", ";
    line += heading == kVariant ? text : heading + " " + text;
  }
  return line;
}

}  // namespace tailwave
