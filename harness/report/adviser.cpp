#include "report/adviser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/standing.h"
#include "store/trial_costs.h"

namespace tailwave {
namespace {

Cell value_cell(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return to_string(value);
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&cell);
  return real == nullptr ? std::nullopt : std::optional(*real);
}

// What the prediction of the rule rests on most.
std::string reason(const LaunchChange& change) {
  const double most = std::max({change.balance_gain, change.lanes_gain, change.hiding_gain});
  if (most == change.balance_gain) return "blocks are spread more evenly over SMs and waves";
  if (most == change.hiding_gain) return "SMs have more warps to hide latency with";
  return "warps have fewer lanes without work";
}

std::string error_text(double share) {
  return fmt::format("{:.2g} %", 100 * share);
}

// Of the slower one over the faster one; none where the samples do not show it to be slower.
std::optional<Interval> shown_gain(Database& database, std::int64_t slower, std::int64_t faster,
                                   double margin) {
  const std::vector<Series> both{costs_of_trial(database, slower), costs_of_trial(database, faster)};
  if (both[0].repetitions.empty() || both[1].repetitions.empty()) return std::nullopt;
  const BesideBest beside = compare_with_best(both, {true, true}, {.margin = margin}).front();
  return beside.standing == Standing::slower ? beside.interval : std::nullopt;
}

// How many times as fast a trial could be at the tightest of its limits; none without one.
std::optional<double> room_of(Database& database, std::int64_t trial) {
  Statement row = database.prepare(
      "SELECT (SELECT median_ns FROM trial_time WHERE trial_time.trial_id = ?1) / nullif(max(time_ns), 0) "
      "FROM time_limit WHERE trial_id = ?1");
  row.bind_all(trial);
  return row.step() ? row.optional_real(0) : std::nullopt;
}

// How many times as fast a trial could be by its latest counters, with the unit that was driven hardest at all it can;
// none where nothing was counted, and of a plan with several launches.
std::optional<double> counted_room_of(Database& database, std::int64_t trial) {
  Statement row = database.prepare(R"(
    SELECT max(1 / unit.share)
    FROM trial
      JOIN device ON device.id = trial.device_id
      JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
        AND counter_launch.device = device.name AND counter_launch.kind = device.kind AND age = 1 AND NOT partial
      LEFT JOIN counter_speed_of_light AS unit ON unit.counter_run_id = counter_launch.counter_run_id
        AND unit.position = counter_launch.position AND place = 1 AND unit.doubt IS NULL AND unit.share > 0
    WHERE trial.id = ? HAVING count(*) = 1)");
  row.bind_all(trial);
  return row.step() ? row.optional_real(0) : std::nullopt;
}

// What a launch is cut into does not change what its threads do.
bool keeps_work(const Advice& advice) {
  return advice.source == AdviceSource::rule || advice.source == AdviceSource::curve;
}

}  // namespace

std::vector<Advice> Adviser::advise(std::size_t point, const std::vector<LaunchChange>& launches) const {
  std::vector<Advice> all;
  add_measured(point, all);
  for (const LaunchChange& change : launches) add_launch(point, change, all);
  add_untried(point, all);
  const std::int64_t trial = problem_.points.points[point].id;
  const auto room = all.empty() ? std::nullopt : room_of(database_, trial);
  const bool any_keeps_work = std::any_of(all.begin(), all.end(), keeps_work);
  const auto counted_room = any_keeps_work ? counted_room_of(database_, trial) : std::nullopt;
  std::erase_if(all, [&](const Advice& one) {
    return one.gain < options_.least || (room && one.source != AdviceSource::measured && one.gain > *room) ||
           (counted_room && keeps_work(one) && one.gain > *counted_room);
  });
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    return std::tuple(a.source, b.gain) < std::tuple(b.source, a.gain);
  });
  std::set<std::string> parameters;
  std::erase_if(all, [&](const Advice& one) { return !parameters.insert(one.parameter).second; });
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  all.resize(std::min(all.size(), options_.limit));
  return all;
}

Advice Adviser::advice_for(std::size_t point) const {
  Advice advice;
  advice.experiment = problem_.experiment;
  advice.device = problem_.device;
  advice.configuration = problem_.configurations[point];
  return advice;
}

Advice Adviser::advice_for(const NeighbourChange& change, AdviceSource source, double log_gain) const {
  Advice advice = advice_for(change.point);
  const auto& values = problem_.values[change.parameter];
  const std::uint32_t own = problem_.points.points[change.point].values[change.parameter];
  advice.parameter = problem_.parameters[change.parameter];
  if (own < values.size()) advice.value = value_cell(values[own]);
  advice.new_value = value_cell(values.at(change.value));
  advice.source = source;
  advice.gain = std::exp(log_gain);
  return advice;
}

// The best measured point that differs in one parameter, if it is faster beyond noise.
void Adviser::add_measured(std::size_t point, std::vector<Advice>& all) const {
  const auto& points = problem_.points.points;
  std::optional<NeighbourChange> best;
  double most = std::log(options_.least);
  for (const NeighbourChange& change : model_.changes_of(point)) {
    const auto end = model_.measured_end(change);
    if (!end || points[*end].log_speed - points[point].log_speed < most) continue;
    most = points[*end].log_speed - points[point].log_speed;
    best = change;
  }
  // A parameter that the configuration got is no change of a value.
  if (!best || best->value >= problem_.values[best->parameter].size()) return;
  const std::size_t end = *model_.measured_end(*best);
  const auto interval = shown_gain(database_, points[point].id, points[end].id, options_.margin);
  if (!interval) return;
  Advice advice = advice_for(*best, AdviceSource::measured, most);
  advice.interval = interval;
  advice.evidence = "measured";
  all.push_back(std::move(advice));
}

std::optional<Advice> Adviser::by_neighbours(const NeighbourChange& change) const {
  const auto prediction = model_.predict(change);
  if (!prediction || !model_.trust().in(prediction->log_gain, prediction->margin)) return std::nullopt;
  const auto elsewhere = surface_.predict(change, -std::numeric_limits<double>::infinity());
  if (elsewhere && elsewhere->log_gain <= 0) return std::nullopt;
  Advice advice = advice_for(change, AdviceSource::neighbours, prediction->log_gain);
  advice.evidence = fmt::format("the same change was faster in {} of {} configurations like this one",
                                prediction->faster, prediction->pairs);
  return advice;
}

std::optional<Advice> Adviser::by_surface(const NeighbourChange& change) const {
  const auto prediction = surface_.predict(change, std::log(options_.least));
  if (!prediction || !surface_.trust().in(prediction->log_gain, prediction->margin)) return std::nullopt;
  const auto elsewhere = model_.predict(change);
  if (elsewhere && elsewhere->log_gain <= 0) return std::nullopt;
  Advice advice = advice_for(change, AdviceSource::surface, prediction->log_gain);
  advice.evidence =
      fmt::format("a surface through {} measured configurations, {:.1f} standard errors above this one",
                  surface_.size(), prediction->margin);
  return advice;
}

// To points that were not tried, whatever came of it.
void Adviser::add_untried(std::size_t point, std::vector<Advice>& all) const {
  for (const NeighbourChange& change : model_.changes_of(point)) {
    if (change.value >= problem_.values[change.parameter].size() ||
        problem_.tried.contains(problem_.end_of(change)) || !model_.seen_together(change) ||
        !problem_.rules.allow(problem_.values_at(change)))
      continue;
    auto advice = by_neighbours(change);
    if (!advice) advice = by_surface(change);
    if (advice) all.push_back(std::move(*advice));
  }
}

// As a change to a value that some configuration has.
std::optional<NeighbourChange> Adviser::as_neighbour(std::size_t point, const LaunchChange& change) const {
  const auto& names = problem_.parameters;
  const auto name = std::find(names.begin(), names.end(), change.parameter);
  if (name == names.end()) return std::nullopt;
  const auto parameter = static_cast<std::size_t>(name - names.begin());
  const auto& values = problem_.values[parameter];
  for (std::size_t i = 0; i < values.size(); ++i)
    if (value_cell(values[i]) == change.new_value)
      return NeighbourChange{point, parameter, static_cast<std::uint32_t>(i)};
  return std::nullopt;
}

// Whether a measured configuration, whose value lies between the two or is the new one, is no faster.
bool Adviser::slower_on_the_way(std::size_t point, const LaunchChange& change) const {
  const auto& points = problem_.points.points;
  const auto from = number_of(change.value), to = number_of(change.new_value);
  const std::vector<NeighbourChange> steps = model_.changes_of(point);
  return std::any_of(steps.begin(), steps.end(), [&](const NeighbourChange& step) {
    const auto end = model_.measured_end(step);
    const auto& values = problem_.values[step.parameter];
    if (problem_.parameters[step.parameter] != change.parameter || !end || step.value >= values.size())
      return false;
    const auto at = number_of(value_cell(values[step.value]));
    const bool between = from && to && at && *at >= std::min(*from, *to) && *at <= std::max(*from, *to);
    return between && points[*end].log_speed <= points[point].log_speed;
  });
}

// Whether what was measured speaks against it.
bool Adviser::contradicted(std::size_t point, const LaunchChange& change) const {
  if (slower_on_the_way(point, change)) return true;
  const auto neighbour = as_neighbour(point, change);
  if (!neighbour) return false;
  const auto elsewhere = model_.predict(*neighbour);
  const auto around = surface_.predict(*neighbour, -std::numeric_limits<double>::infinity());
  return (elsewhere && elsewhere->log_gain <= 0) || (around && around->log_gain <= 0);
}

bool Adviser::stays_in_space(std::size_t point, const LaunchChange& change) const {
  if (change.parameter == "grid") return true;
  Values values = problem_.values_of(problem_.points.points[point].values);
  if (const auto* whole = std::get_if<std::int64_t>(&change.new_value)) values[change.parameter] = *whole;
  if (const auto* real = std::get_if<double>(&change.new_value)) values[change.parameter] = *real;
  return problem_.rules.allow(values);
}

// Fills in what a change that was not measured rests on.
bool Adviser::is_believed(std::size_t point, const LaunchChange& change, Advice& advice) const {
  if (!stays_in_space(point, change)) return false;
  if (!change.model.empty()) {
    advice.source = AdviceSource::curve;
    advice.evidence = fmt::format("the model {} of its grid curve, which was off by at most {}", change.model,
                                  error_text(change.worst_error));
    return beyond_error(change.predicted_gain, change.worst_error);
  }
  const auto record = records_.trusted(change);
  if (!record || contradicted(point, change)) return false;
  advice.source = AdviceSource::rule;
  advice.evidence = fmt::format("{}; that was right in {} of {} such changes", reason(change), record->first,
                                record->second);
  return true;
}

void Adviser::add_launch(std::size_t point, const LaunchChange& change, std::vector<Advice>& all) const {
  Advice advice = advice_for(point);
  advice.parameter = change.parameter;
  advice.value = change.value;
  advice.new_value = change.new_value;
  advice.gain = change.measured_gain.value_or(change.predicted_gain);
  if (!change.measured_gain) {
    if (!is_believed(point, change, advice)) return;
  } else {
    if (change.measured != "faster") return;
    advice.source = AdviceSource::measured;
    if (change.gain_low && change.gain_high) advice.interval = Interval{*change.gain_low, *change.gain_high};
    advice.evidence = "measured";
  }
  all.push_back(std::move(advice));
}

}  // namespace tailwave
