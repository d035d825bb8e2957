#include "report/answer_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "report/baseline.h"
#include "report/labels.h"

namespace tailwave {
namespace {

using RowsJson = nlohmann::ordered_json;

// What values of the metric are multiplied by, and how an axis names them.
struct AxisUnit {
  double factor = 1;
  std::string title, format;
};

AxisUnit axis_unit(const Study& study, const std::vector<const StudyRow*>& rows) {
  if (!is_time(study.metric.name))
    return {1, metric_heading(study.metric), study.metric.own ? ".4~g" : ".3~s"};
  double most = 0;
  for (const StudyRow* row : rows) most = std::max(most, *row->value);
  if (most >= 2) return {1, "Time (s)", ".3~g"};
  if (most >= 2e-3) return {1e3, "Time (ms)", ".3~g"};
  return {1e6, "Time (us)", ".3~g"};
}

// Of the metric. Its work is the same in all samples, so that a rate has the interval of its times turned over.
Interval interval_of(const Study& study, const StudyRow& row) {
  if (study.metric.own) {
    const MetricRecord* const own = row.metric(study.metric.name);
    return own != nullptr && own->low && own->high ? Interval{*own->low, *own->high}
                                                   : Interval{*row.value, *row.value};
  }
  if (!row.median_s) return {*row.value, *row.value};
  if (is_time(study.metric.name)) return row.interval_s;
  const double work = *row.value * *row.median_s;
  return {work / row.interval_s.high, work / row.interval_s.low};
}

// A value of the metric at a time that is `share` of the row's, where the metric goes by the time alone.
std::optional<double> at_share(const Study& study, const StudyRow& row, double share) {
  if (study.metric.own || !(share > 0)) return std::nullopt;
  return is_time(study.metric.name) ? *row.value * share : *row.value / share;
}

std::optional<double> published_value(const Study& study, const DeviceStudy& device, const StudyRow& row) {
  for (const PublishedFigure& figure : device.published)
    if (figure.trial_id == row.trial_id && figure.invalid.empty() && figure.ratio)
      return at_share(study, row, *figure.ratio);
  return std::nullopt;
}

// What the rows of a problem share.
struct OneProblem {
  std::string name;
  std::size_t place = 0;
  StudyRows all, shown, steps;  // with a time; in the chart; of the ladder
  const StudyRow *baseline = nullptr, *best = nullptr, *host = nullptr;
  std::optional<Labels> labels;
};

void set_number(RowsJson& json, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) json[name] = *value;
}

// How good a step of a ladder is beside the baseline and the step before. A GPU's first one comes after the host.
void set_step(RowsJson& json, const DeviceStudy& device, const OneProblem& problem, const StudyRow& row) {
  const auto found = std::find(problem.steps.begin(), problem.steps.end(), &row);
  const bool is_host = &row == problem.host;
  if (found == problem.steps.end() && !is_host) return;
  const StudyRow* const before = is_host                          ? nullptr
                                 : found == problem.steps.begin() ? problem.host
                                                                  : *std::prev(found);
  json["baseline"] = problem.labels->short_line(*problem.baseline);
  json["steps"] = problem.steps.size();
  json["best"] = &row == problem.best ? 1 : 0;
  set_number(json, "times", times_better(device, *row.value, *problem.baseline->value));
  if (before != nullptr) set_number(json, "gained", times_better(device, *row.value, *before->value));
}

// Of each problem the best kMostRanked.
std::vector<const StudyRow*> best_ones(const DeviceStudy& device, std::vector<const StudyRow*> rows) {
  constexpr std::size_t kMostRanked = 30;
  rows = best_first(device, std::move(rows));
  std::map<Values, std::size_t> shown;
  std::erase_if(rows, [&](const StudyRow* row) { return ++shown[row->problem] > kMostRanked; });
  return rows;
}

// "tuned, THIRD_LAW true": what these rows have in common and all rows do not.
std::string in_common(const Labels& all, const Labels& labels, const StudyRow& row) {
  const std::vector<std::string>& names = all.headings();
  const std::vector<std::string> values = all.cells(row);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!values[i].empty() && !row.problem.contains(names[i]) &&
        std::find(labels.headings().begin(), labels.headings().end(), names[i]) == labels.headings().end())
      text += (text.empty() ? "" : ", ") + (names[i] == "variant" ? values[i] : names[i] + " " + values[i]);
  return text;
}

// What labels in the chart tell apart: all that a table of the problem has, and the host's.
StudyRows labelled(const DeviceStudy& device, const OneProblem& problem) {
  StudyRows rows = rows_beside(device, *problem.all.front());
  for (const StudyRow* row : problem.shown)
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  return rows;
}

std::map<Values, OneProblem> problems_of(const Study& study, const DeviceStudy& device,
                                         const Question& question, const StudyRows& contenders,
                                         const StudyRows& shown) {
  std::map<Values, OneProblem> problems;
  for (const StudyRow* row : contenders) problems[row->problem].all.push_back(row);
  for (const StudyRow* row : shown) problems[row->problem].shown.push_back(row);
  const std::set<std::string> varying = varying_quantities(shown);
  std::size_t place = problems.size();
  for (auto& [values, problem] : problems) {
    problem.name = quantities_text(values, varying);
    problem.place = place--;
    problem.labels.emplace(labelled(device, problem), study.names);
    if (question.asks != Asks::steps) continue;
    problem.steps = steps_of(device, problem.all);
    problem.baseline = baseline_of(problem.all).row;
    problem.best = best_first(device, problem.all).front();
    if (device.competes(*problem.best)) problem.host = best_on_host(device, values);
  }
  return problems;
}

RowsJson row_json(const Study& study, const DeviceStudy& device, const Question& question,
                  const OneProblem& problem, const Labels& all, const AxisUnit& unit, const StudyRow& row) {
  const Interval interval = interval_of(study, row);
  const std::string label = problem.labels->short_line(row);
  RowsJson json{{"problem", problem.name},
                {"problem_place", problem.place},
                {"label", &row == problem.host ? label + " (on the CPU)" : label},
                {"series", all.series(row, question.axis)},
                {"variant", row.variant},
                {"common", in_common(all, *problem.labels, row)},
                {"configurations", problem.all.size()},
                {"standing", row.standing ? std::string(to_string(*row.standing)) : ""},
                {"tied", row.tied}};
  set_step(json, device, problem, row);
  set_number(json, "x", number_on(row, question.axis));
  set_number(json, "value", *row.value * unit.factor);
  set_number(json, "low", interval.low * unit.factor);
  set_number(json, "high", interval.high * unit.factor);
  const auto scaled = [&](std::optional<double> value) {
    return value ? std::optional(*value * unit.factor) : value;
  };
  if (row.limit_share) set_number(json, "limit", scaled(at_share(study, row, *row.limit_share)));
  set_number(json, "published", scaled(published_value(study, device, row)));
  return json;
}

}  // namespace

std::string answer_rows(const Study& study, const DeviceStudy& device, const Question& question) {
  const StudyRows contenders = device.contenders();
  const StudyRows rows = question.asks == Asks::tuning ? best_ones(device, contenders) : contenders;
  const AxisUnit unit = axis_unit(study, rows);
  const Labels all(contenders, study.names);
  RowsJson facts{{"device", device.device},
                 {"axis", question.axis},
                 {"metric", metric_heading(study.metric)},
                 {"y_title", unit.title},
                 {"y_format", unit.format},
                 {"maximise", study.maximise ? 1 : 0},
                 {"as", is_speed(study) ? "fast" : "good"},
                 {"limit", ""},
                 {"rows", RowsJson::array()}};
  const std::map<Values, OneProblem> problems = problems_of(study, device, question, contenders, rows);
  if (!problems.empty()) facts["limit"] = device.best_of_problems().back()->limit;
  const auto add = [&](const OneProblem& problem, const StudyRow& row) {
    facts["rows"].push_back(row_json(study, device, question, problem, all, unit, row));
  };
  for (const auto& [values, problem] : problems)
    if (problem.host != nullptr) add(problem, *problem.host);
  for (const StudyRow* row : rows) add(problems.at(row->problem), *row);
  return facts.dump(-1, ' ', false, RowsJson::error_handler_t::replace);
}

}  // namespace tailwave
