#include "report/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base64.h"
#include "json/compressed_file.h"
#include "report/explanation.h"
#include "report/explorer_columns.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

using PageJson = nlohmann::json;

constexpr std::size_t kFewestRows = 2;
constexpr std::size_t kMostExplainedRows = 24;  // of a device
constexpr double kPartsOfMedian = 10'000;

// Those that ran on the device.
std::vector<const StudyRow*> explored_rows(const DeviceStudy& device) {
  std::vector<const StudyRow*> rows = shown_rows(device, Explorer::kMostExplored, false);
  std::erase_if(rows, [&](const StudyRow* row) { return !device.ran_here(*row); });
  return rows;
}

PageJson ids_of(const std::vector<const StudyRow*>& rows) {
  PageJson ids = PageJson::array();
  for (const StudyRow* row : rows) ids.push_back(row->trial_id);
  return ids;
}

// Of one trial: all of them counted, and kMostSamples at most, evenly among them, first and last included.
PageJson samples_json(const std::vector<std::int64_t>& parts) {
  if (parts.empty()) return nullptr;
  const auto [low, high] = std::minmax_element(parts.begin(), parts.end());
  const std::size_t shown = std::min(parts.size(), Explorer::kMostSamples);
  PageJson thinned = PageJson::array();
  for (std::size_t i = 0; i < shown; ++i)
    thinned.push_back(parts[shown < 2 ? 0 : i * (parts.size() - 1) / (shown - 1)]);
  return {{"count", parts.size()}, {"low", *low}, {"high", *high}, {"parts", std::move(thinned)}};
}

PageJson samples_of(Database& database, const std::vector<const StudyRow*>& rows) {
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(rows[i]->trial_id, i);
  PageJson samples(rows.size(), nullptr);
  Statement statement = database.prepare(R"(
    SELECT trial_id, time_ns FROM sample
    WHERE trial_id IN (SELECT value FROM json_each(?)) AND dropped IS NULL ORDER BY trial_id, repetition, position)");
  statement.bind_all(ids_of(rows).dump());
  std::size_t place = rows.size();
  std::vector<std::int64_t> parts;  // of the trial at hand
  const auto end_trial = [&] {
    if (place < rows.size()) samples[place] = samples_json(parts);
    parts.clear();
  };
  while (statement.step()) {
    const std::size_t own = places.at(statement.integer(0));
    if (own != place) end_trial();
    place = own;
    const double median_ns = rows[place]->median_s.value_or(0) * 1e9;
    if (median_ns > 0) parts.push_back(std::llround(kPartsOfMedian * (statement.real(1) / median_ns - 1)));
  }
  end_trial();
  return samples;
}

// By configuration, where they are of the machine code that the row has: "" is not known, and may be.
std::map<std::string, ExplorerCounters> counters_of_code(
    Database& database, const std::vector<const StudyRow*>& rows,
    const std::map<std::string, ExplorerCounters>& counters) {
  std::map<std::int64_t, std::string> codes;
  Statement statement = database.prepare(R"(
    SELECT trial.id, coalesce(build.code_hash, '') FROM trial JOIN build ON build.id = build_id
    WHERE trial.id IN (SELECT value FROM json_each(?)))");
  statement.bind_all(ids_of(rows).dump());
  while (statement.step()) codes.emplace(statement.integer(0), statement.text(1));
  std::map<std::string, ExplorerCounters> own;
  for (const StudyRow* row : rows) {
    const auto found = counters.find(row->configuration);
    if (found == counters.end()) continue;
    const std::string &counted = found->second.code_hash, &ran = codes[row->trial_id];
    if (counted.empty() || ran.empty() || counted == ran) own.insert(*found);
  }
  return own;
}

PageJson options_of(Database& database, const std::vector<const StudyRow*>& rows) {
  std::map<std::int64_t, std::string> options;
  Statement statement = database.prepare(R"(
    SELECT trial.id, build.target || ', ' || build.compiler || ': ' || build.options
    FROM trial JOIN build ON build.id = build_id WHERE trial.id IN (SELECT value FROM json_each(?)))");
  statement.bind_all(ids_of(rows).dump());
  while (statement.step()) options.emplace(statement.integer(0), statement.text(1));
  std::vector<std::string> texts;
  for (const StudyRow* row : rows) texts.push_back(options[row->trial_id]);
  return coded_texts(texts);
}

// Rows worth a comparison with the best of their problem: the slowest, the best of each other variant, then the next ones.
std::vector<const StudyRow*> worth_explaining(std::vector<const StudyRow*> ranked, std::size_t most) {
  if (ranked.size() < 2) return {};
  std::vector<const StudyRow*> chosen{ranked.back()};
  std::set<std::string> variants{ranked.front()->variant};
  const auto take = [&](const StudyRow* row) {
    if (chosen.size() < most && std::find(chosen.begin(), chosen.end(), row) == chosen.end())
      chosen.push_back(row);
  };
  for (const StudyRow* row : ranked)
    if (variants.insert(row->variant).second) take(row);
  for (std::size_t i = 1; i < ranked.size(); ++i) take(ranked[i]);
  return chosen;
}

std::string paragraph_of(const Explanation& explanation) {
  std::string text = explanation.paragraph();
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text;
}

PageJson explanations_of(Database& database, const DeviceStudy& device,
                         const std::vector<const StudyRow*>& rows) {
  PageJson texts = PageJson::object();
  if (device.kind != DeviceKind::cuda) return texts;
  const auto place_of = [&](const StudyRow* row) {
    return std::to_string(std::find(rows.begin(), rows.end(), row) - rows.begin());
  };
  const std::vector<const StudyRow*> bests = device.best_of_problems();
  for (const StudyRow* best : bests) {
    std::vector<const StudyRow*> ranked;
    for (const StudyRow* row : rows)
      if (row->value && device.competes(*row) && row->problem == best->problem) ranked.push_back(row);
    std::stable_sort(ranked.begin(), ranked.end(), [&](const StudyRow* a, const StudyRow* b) {
      return device.maximise ? *a->value > *b->value : *a->value < *b->value;
    });
    const std::size_t most = std::max<std::size_t>(1, kMostExplainedRows / bests.size());
    const std::vector<const StudyRow*> others = worth_explaining(ranked, most);
    if (others.empty() || texts.size() >= kMostExplainedRows) continue;
    const ExplainedSide fastest = read_side(database, ranked.front()->trial_id);
    for (const StudyRow* row : others) {
      const ExplainedSide side = read_side(database, row->trial_id);
      texts[place_of(row)] = paragraph_of(explain(fastest, side, {"the best", "this one"}));
      if (row == others.front())
        texts[place_of(ranked.front())] = paragraph_of(explain(fastest, side, {"this one", "the slowest"}));
    }
  }
  return texts;
}

PageJson device_json(Database& database, const Study& study, const DeviceStudy& device,
                     const std::map<std::string, ExplorerCounters>& counters) {
  const std::vector<const StudyRow*> rows = explored_rows(device);
  if (rows.size() < kFewestRows) return nullptr;
  ExplorerColumns columns = explorer_columns(study, rows, counters_of_code(database, rows, counters));
  std::vector<std::string> names, details;
  for (const StudyRow* row : rows) {
    names.push_back(row->configuration);
    details.push_back(row->detail);
  }
  const auto ran = std::count_if(device.rows.begin(), device.rows.end(),
                                 [&](const StudyRow& row) { return device.ran_here(row); });
  return {{"name", device.device},
          {"rows", rows.size()},
          {"left_out", static_cast<std::size_t>(ran) - rows.size()},
          {"constant", columns.constant},
          {"columns", columns.columns},
          {"names", names},
          {"details", coded_texts(details)},
          {"options", options_of(database, rows)},
          {"samples", samples_of(database, rows)},
          {"explained", explanations_of(database, device, rows)}};
}

}  // namespace

Explorer::Explorer(Database& database) : database_(database) {
  // The main launch is the longest one; where a duration among several is not known, nothing tells which that is.
  Statement statement = database_.prepare(R"(
    SELECT counter_summary.device, configuration, coalesce(counter_run.code_hash, ''), hardest_unit, stall_reason,
      hardest_share, l2_share, dram_share, stall_share, any_doubt IS NULL, sum(duration_ns IS NULL), count(*),
      max(count * duration_ns)
    FROM counter_summary JOIN counter_run ON counter_run.id = counter_run_id
    WHERE age = 1 AND NOT partial GROUP BY counter_summary.device, configuration)");
  while (statement.step()) {
    const bool is_known = statement.integer(10) == 0 || statement.integer(11) == 1;
    if (statement.integer(9) == 0 || !is_known) continue;
    counters_[statement.text(0)][statement.text(1)] = {statement.text(2),          statement.text(3),
                                                       statement.text(4),          statement.optional_real(5),
                                                       statement.optional_real(6), statement.optional_real(7),
                                                       statement.optional_real(8)};
  }
}

std::string Explorer::json(const Study& study) const {
  static const std::map<std::string, ExplorerCounters> none;
  PageJson devices = PageJson::array();
  for (const DeviceStudy& device : study.devices) {
    const auto counters = counters_.find(device.device);
    PageJson one =
        device_json(database_, study, device, counters == counters_.end() ? none : counters->second);
    if (!one.is_null()) devices.push_back(std::move(one));
  }
  if (devices.empty()) return "";
  const PageJson page{{"experiment", study.name()}, {"maximise", study.maximise}, {"devices", devices}};
  // Text of a damaged database may not be UTF-8.
  return page.dump(-1, ' ', false, PageJson::error_handler_t::replace);
}

std::string explorer_figure(const std::string& json) {
  return fmt::format(
      "<div class=\"explorer\">\n<noscript><p>The explorer needs JavaScript; the tables have the same "
      "numbers.</p></noscript>\n<script type=\"application/octet-stream\">{}</script>\n</div>",
      base64(compressed(json)));
}

std::string explorer_script() {
  constexpr std::array kParts{"data",    "axes",  "colours", "parallel",
                              "scatter", "table", "details", "explorer"};
  std::string script = "\"use strict\";\n(() => {\n";
  for (const char* const part : kParts) script += analysis_file(fmt::format("html/explorer/{}.js", part));
  return script + "})();\n";
}

}  // namespace tailwave
