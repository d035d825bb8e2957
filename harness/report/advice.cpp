#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/advice_rule.h"
#include "report/labels.h"
#include "report/markdown.h"
#include "report/queries.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostAdvice = 3;
constexpr double kLeastGain = 1.02;
constexpr std::int64_t kFewMeasured = 5;  // below, a record says nothing
// Rows of a configuration that are looked at, of which most may be measured and slower.
constexpr int kRowsRead = 10;

// Columns by name, so that the query may have more of them in any order.
class Columns {
 public:
  explicit Columns(Statement& statement) : statement_(statement) {
    for (int i = 0; i < statement.column_count(); ++i) names_.push_back(statement.column_name(i));
  }
  [[nodiscard]] std::string text(std::string_view name) const { return statement_.text(index(name)); }
  [[nodiscard]] std::int64_t integer(std::string_view name) const { return statement_.integer(index(name)); }
  [[nodiscard]] std::optional<double> real(std::string_view name) const {
    return statement_.optional_real(index(name));
  }

 private:
  [[nodiscard]] int index(std::string_view name) const {
    return static_cast<int>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  Statement& statement_;
  std::vector<std::string> names_;
};

Advice advice_of(const Columns& row) {
  Advice advice{row.text("experiment"), row.text("device"),      row.text("configuration"),
                row.text("parameter"),  row.text("value"),       row.text("new_value"),
                row.integer("grid"),    row.integer("new_grid"), row.real("waves").value_or(0)};
  advice.new_waves = row.real("new_waves").value_or(0);
  advice.predicted_by = row.text("predicted_by");
  advice.predicted_gain = row.real("predicted_gain").value_or(1);
  advice.balance_gain = row.real("balance_gain").value_or(1);
  advice.lanes_gain = row.real("lanes_gain").value_or(1);
  advice.hiding_gain = row.real("hiding_gain").value_or(1);
  advice.measured_gain = row.real("measured_gain");
  const auto low = row.real("gain_low"), high = row.real("gain_high");
  if (low && high) advice.measured_interval = Interval{*low, *high};
  advice.measured = find_enum<Standing>(row.text("measured"));
  return advice;
}

// What the prediction rests on most.
std::string reason(const Advice& advice) {
  if (advice.predicted_by != Advice::kRule)
    return fmt::format("by the model {} of its grid curve", code(advice.predicted_by));
  const double most = std::max({advice.balance_gain, advice.lanes_gain, advice.hiding_gain});
  if (most == advice.balance_gain) return "blocks are spread more evenly over SMs and waves";
  if (most == advice.hiding_gain) return "SMs have more warps to hide latency with";
  return "warps have fewer lanes without work";
}

std::string outcome(const Advice& advice) {
  if (!advice.measured_gain) return "Not run in this experiment.";
  const auto& interval = advice.measured_interval;
  return fmt::format(
      "Measured: {} times{}.", format_number(*advice.measured_gain),
      interval ? fmt::format(" ({} to {})", format_number(interval->low), format_number(interval->high))
               : "");
}

std::string bullet(const Advice& advice, const std::string& label) {
  const std::string waves = format_number(advice.waves), new_waves = format_number(advice.new_waves);
  return fmt::format(
      "- From {}, {} {} instead of {}: predicted {} times as fast, since {} (blocks {} instead of {}, "
      "waves {}). {}\n",
      label, code(advice.parameter), advice.new_value, advice.value, format_number(advice.predicted_gain),
      reason(advice), advice.new_grid, advice.grid,
      waves == new_waves ? waves + " as before" : new_waves + " instead of " + waves, outcome(advice));
}

struct Shortlist {
  std::vector<const Advice*> best;  // of each parameter, the highest predicted gain first
  std::size_t refuted = 0;          // predicted to gain and measured not to
};

bool gained(const Advice& advice) {
  return advice.measured_gain && *advice.measured_gain >= kLeastGain && advice.measured != Standing::tied &&
         advice.measured != Standing::unclear;
}

Shortlist shortlist(std::vector<const Advice*> candidates, bool trusted) {
  // Equals, but for rounding, stay in the query's order.
  const auto rank = [](const Advice* advice) { return std::round(advice->predicted_gain * 1e9); };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Advice* a, const Advice* b) { return rank(a) > rank(b); });
  Shortlist list;
  std::set<std::string> parameters;
  for (const Advice* advice : candidates) {
    if (advice->measured_gain && !gained(*advice)) ++list.refuted;
    const bool good = advice->measured_gain ? gained(*advice) : trusted;
    if (good && list.best.size() < kMostAdvice && parameters.insert(advice->parameter).second)
      list.best.push_back(advice);
  }
  return list;
}

std::string counted_changes(std::int64_t count) {
  return fmt::format("{} change{}", count, count == 1 ? "" : "s");
}

std::string record_text(const AdviceRecord& record, std::size_t refuted) {
  std::string text;
  if (record.advised > 0)
    text +=
        fmt::format(" Of the {} from one measured configuration to another that it predicts to gain, {} did.",
                    counted_changes(record.advised), record.faster);
  if (refuted > 0)
    text += fmt::format(" Left out: {} from the best configurations, measured without a gain.",
                        counted_changes(static_cast<std::int64_t>(refuted)));
  return text;
}

// Sums up the parameters of an experiment.
void add_records(Statement& rows, std::vector<AdviceRecord>& records) {
  const Columns record(rows);
  while (rows.step()) {
    const std::string experiment = record.text("experiment"), device = record.text("device");
    auto known = std::find_if(records.begin(), records.end(), [&](const AdviceRecord& one) {
      return one.experiment == experiment && one.device == device;
    });
    if (known == records.end()) known = records.insert(known, AdviceRecord{experiment, device, 0, 0});
    known->advised += record.integer("advised");
    known->faster += record.integer("faster");
  }
}

}  // namespace

AllAdvice load_advice(Database& database, const std::vector<const Study*>& studies) {
  add_advice_functions(database.handle());
  AllAdvice all;
  Statement advice = database.prepare(find_query("advice").sql);
  Statement records = database.prepare(find_query("advice_record").sql);
  for (const Study* study : studies) {
    advice.reset();
    advice.bind(":limit", kRowsRead).bind(":experiment", study->name());
    const Columns row(advice);
    while (advice.step()) all.advice.push_back(advice_of(row));
    records.reset();
    records.bind(":experiment", study->name());
    add_records(records, all.records);
  }
  return all;
}

std::string advice_section(const Study& study, const DeviceStudy& device, const AllAdvice& all) {
  const auto is_here = [&](const auto& row) {
    return row.experiment == study.name() && row.device == device.device && device.kind == DeviceKind::cuda;
  };
  std::vector<const Advice*> candidates;
  for (const Advice& advice : all.advice)
    if (is_here(advice)) candidates.push_back(&advice);
  const auto found = std::find_if(all.records.begin(), all.records.end(), is_here);
  const AdviceRecord record = found == all.records.end() ? AdviceRecord{} : *found;
  const bool trusted = record.advised < kFewMeasured || 2 * record.faster > record.advised;
  const Shortlist list = shortlist(std::move(candidates), trusted);
  if (list.best.empty()) return "";
  const Labels labels(device, study.names);
  std::string text = fmt::format(
      "\n"
      "### Advice\n\n"
      "Predicted from waves and occupancy alone (`tailwave query advice`); of a grid, "
      "in blocks a second.{}\n\n"
      "",
      record_text(record, list.refuted));
  for (const Advice* advice : list.best)
    text += bullet(*advice, configuration_label(device, labels, advice->configuration));
  return text;
}

}  // namespace tailwave
