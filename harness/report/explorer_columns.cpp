#include "report/explorer_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/enum_names.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

using ExplorerJson = nlohmann::json;
using CellOfRow = std::function<ExplorerJson(const StudyRow&)>;

constexpr int kDigits = 6;

ExplorerJson text_or_null(const std::string& text) {
  return text.empty() ? ExplorerJson() : ExplorerJson(text);
}

ExplorerJson count_or_null(const std::optional<std::int64_t>& value) {
  return value ? ExplorerJson(*value) : ExplorerJson();
}

ExplorerJson cell_of_value(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return nullptr;
  if (const auto* real = std::get_if<double>(&found->second)) return short_number(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return *whole;
  return to_string(found->second);
}

std::string plain(const ExplorerJson& cell) {
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

class ColumnList {
 public:
  explicit ColumnList(const std::vector<const StudyRow*>& rows) : rows_(rows) {}

  // Leaves out what no row has. What all have alike is said once, but for `role` "metric" and "outcome".
  void add(const ExplorerJson& about, const CellOfRow& cell) {
    std::vector<ExplorerJson> cells;
    for (const StudyRow* row : rows_) cells.push_back(cell(*row));
    const auto is_null = [](const ExplorerJson& one) { return one.is_null(); };
    if (std::all_of(cells.begin(), cells.end(), is_null)) return;
    const bool kept = about.at("role") == "metric" || about.at("role") == "outcome";
    const auto is_first = [&](const ExplorerJson& one) { return one == cells.front(); };
    if (!kept && std::all_of(cells.begin(), cells.end(), is_first)) {
      found.constant.emplace_back(about.at("label"), plain(cells.front()));
      return;
    }
    ExplorerJson column = about;
    const auto is_number = [](const ExplorerJson& one) { return one.is_null() || one.is_number(); };
    if (std::all_of(cells.begin(), cells.end(), is_number)) {
      column["data"] = std::move(cells);
    } else {
      std::vector<std::string> texts;
      for (const ExplorerJson& one : cells) texts.push_back(one.is_null() ? "" : plain(one));
      column.update(coded_texts(texts));
    }
    found.columns.push_back(std::move(column));
  }

  void add(const char* label, const char* role, const char* format, const CellOfRow& cell) {
    add({{"label", label}, {"role", role}, {"format", format}}, cell);
  }

  ExplorerColumns found;

 private:
  const std::vector<const StudyRow*>& rows_;
};

void add_parameters(const Study& study, ColumnList& list) {
  list.add("variant", "parameter", "number", [](const StudyRow& row) { return text_or_null(row.variant); });
  for (const std::string& name : study.names)
    list.add(name.c_str(), "parameter", "number", [&](const StudyRow& row) {
      return row.parameters.contains(name) ? cell_of_value(row.parameters, name)
                                           : cell_of_value(row.problem, name);
    });
}

void add_results(const Study& study, const std::vector<const StudyRow*>& rows, ColumnList& list) {
  list.add("outcome", "outcome", "number",
           [](const StudyRow& row) { return ExplorerJson(outcome_text(row)); });
  const bool time = is_time(study.metric.name);
  const char* format = study.metric.own ? "number" : time ? "time" : "si";
  list.add({{"label", metric_heading(study.metric)},
            {"role", "metric"},
            {"format", format},
            {"unit", study.metric.own ? study.metric.unit : ""}},
           [](const StudyRow& row) { return short_number(row.value); });
  if (!time)
    list.add("median time", "result", "time", [](const StudyRow& row) { return short_number(row.median_s); });
  for (const MetricRecord& metric : further_metrics(rows))
    list.add({{"label", metric.name}, {"role", "result"}, {"format", "number"}, {"unit", metric.unit}},
             [&](const StudyRow& row) {
               const MetricRecord* found = row.metric(metric.name);
               return short_number(found == nullptr ? std::nullopt : found->value);
             });
  list.add("beside the best", "result", "number", [](const StudyRow& row) {
    return row.standing ? ExplorerJson(to_string(*row.standing)) : ExplorerJson();
  });
  list.add("share of the limit", "result", "share",
           [](const StudyRow& row) { return short_number(row.limit_share); });
  list.add("interval from", "result", "time", [](const StudyRow& row) {
    return short_number(row.median_s ? std::optional(row.interval_s.low) : std::nullopt);
  });
  list.add("interval to", "result", "time", [](const StudyRow& row) {
    return short_number(row.median_s ? std::optional(row.interval_s.high) : std::nullopt);
  });
  list.add("unverified", "result", "number",
           [](const StudyRow& row) { return text_or_null(row.unverified); });
}

void add_resources(ColumnList& list) {
  const auto add = [&](const char* label, const char* format, auto cell) {
    list.add(label, "resource", format, [cell](const StudyRow& row) -> ExplorerJson {
      return row.waves ? ExplorerJson(cell(*row.waves)) : ExplorerJson();
    });
  };
  add("kernel", "number", [](const WaveFacts& waves) { return text_or_null(waves.kernel); });
  add("blocks", "number", [](const WaveFacts& waves) { return ExplorerJson(waves.grid); });
  add("threads a block", "number", [](const WaveFacts& waves) { return ExplorerJson(waves.block); });
  add("registers", "number", [](const WaveFacts& waves) { return count_or_null(waves.registers); });
  add("spilled bytes", "number", [](const WaveFacts& waves) { return count_or_null(waves.spill_bytes); });
  add("blocks/SM", "number", [](const WaveFacts& waves) { return count_or_null(waves.blocks_per_sm); });
  add("limiter", "number", [](const WaveFacts& waves) { return text_or_null(waves.limiter); });
  add("occupancy", "share", [](const WaveFacts& waves) { return short_number(waves.occupancy); });
  add("waves", "number", [](const WaveFacts& waves) { return short_number(waves.waves); });
  add("last wave", "share", [](const WaveFacts& waves) {
    return waves.tail_fraction && *waves.tail_fraction > 0 ? short_number(waves.tail_fraction)
                                                           : ExplorerJson();
  });
}

void add_counters(const std::map<std::string, ExplorerCounters>& counters, ColumnList& list) {
  const auto add = [&](const char* label, const char* format, auto cell) {
    list.add(label, "counter", format, [&counters, cell](const StudyRow& row) -> ExplorerJson {
      const auto found = counters.find(row.configuration);
      return found == counters.end() ? ExplorerJson() : ExplorerJson(cell(found->second));
    });
  };
  add("hardest driven", "number", [](const ExplorerCounters& one) { return text_or_null(one.hardest_unit); });
  add("its share of the peak", "share", [](const auto& one) { return short_number(one.hardest_share); });
  add("L2", "share", [](const ExplorerCounters& one) { return short_number(one.l2_share); });
  add("DRAM", "share", [](const ExplorerCounters& one) { return short_number(one.dram_share); });
  add("warps wait for", "number", [](const ExplorerCounters& one) { return text_or_null(one.stall_reason); });
  add("share of their time", "share", [](const auto& one) { return short_number(one.stall_share); });
}

}  // namespace

nlohmann::json coded_texts(const std::vector<std::string>& texts) {
  std::map<std::string, int> known;
  std::vector<std::string> values;
  std::vector<int> codes;
  for (const std::string& text : texts) {
    if (text.empty()) {
      codes.push_back(-1);
      continue;
    }
    const auto [at, added] = known.emplace(text, static_cast<int>(values.size()));
    if (added) values.push_back(text);
    codes.push_back(at->second);
  }
  return {{"values", std::move(values)}, {"codes", std::move(codes)}};
}

nlohmann::json short_number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::strtod(fmt::format("{:.{}g}", *value, kDigits).c_str(), nullptr);
}

ExplorerColumns explorer_columns(const Study& study, const std::vector<const StudyRow*>& rows,
                                 const std::map<std::string, ExplorerCounters>& counters) {
  ColumnList list(rows);
  add_parameters(study, list);
  add_results(study, rows, list);
  add_resources(list);
  add_counters(counters, list);
  return std::move(list.found);
}

}  // namespace tailwave
