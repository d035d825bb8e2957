#include "cli/build_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/statistics.h"

namespace tailwave {
namespace {

using Numbers = std::vector<double>;

double mean(const Numbers& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

// Over the seeds; no value for a single one.
Cell deviation(const Numbers& numbers, double divisor = 1) {
  if (numbers.size() < 2) return {};
  const double middle = mean(numbers);
  double squares = 0;
  for (const double number : numbers) squares += (number - middle) * (number - middle);
  return std::sqrt(squares / static_cast<double>(numbers.size() - 1)) / divisor;
}

Numbers differences(const Numbers& numbers, const Numbers& others) {
  Numbers all;
  for (std::size_t i = 0; i < numbers.size(); ++i) all.push_back(numbers[i] - others[i]);
  return all;
}

// Of a simulation, or the means of several: by seed.
struct Scored {
  std::string space;
  const BuildSimulation* one = nullptr;  // of several: the first
  std::size_t spaces = 1, budget = 0;
  Numbers score, bounded, by_time, seconds;
  Cell best_over_optimum;
};

Scored scored(const BuildSimulation& simulation) {
  Scored row{.space = simulation.space, .one = &simulation, .budget = simulation.budget};
  Numbers best;
  for (const BuildSimulation::Seed& seed : simulation.seeds) {
    row.score.push_back(seed.by_evaluation.mean);
    row.bounded.push_back(seed.by_evaluation.bounded);
    row.by_time.push_back(seed.by_time.mean);
    row.seconds.push_back(seed.seconds);
    if (seed.best) best.push_back(*seed.best / simulation.optimum);
  }
  if (!best.empty()) row.best_over_optimum = median(best);
  return row;
}

void add(Numbers& sums, const Numbers& numbers) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
}

// The sums, of which the caller makes means.
void add(Scored& all, const Scored& row) {
  ++all.spaces;
  all.budget += row.budget;
  add(all.score, row.score);
  add(all.bounded, row.bounded);
  add(all.by_time, row.by_time);
  add(all.seconds, row.seconds);
}

using StrategyAndOrder = std::pair<std::string, TellingOrder>;

std::vector<Scored> over_all_spaces(const std::vector<Scored>& rows) {
  std::vector<Scored> all;
  std::map<StrategyAndOrder, std::size_t> places;
  for (const Scored& row : rows) {
    const auto [place, is_new] = places.try_emplace({row.one->strategy, row.one->order}, all.size());
    if (!is_new) {
      add(all[place->second], row);
      continue;
    }
    all.push_back(row);
    all.back().space = "all";
    all.back().best_over_optimum = {};
  }
  for (Scored& row : all)
    for (Numbers* numbers : {&row.score, &row.bounded, &row.by_time})
      for (double& number : *numbers) number /= static_cast<double>(row.spaces);
  return all;
}

// The same search in the order of asking.
const Scored* in_order(const Scored& row, const std::vector<Scored>& rows) {
  if (row.one->order == TellingOrder::asked) return nullptr;
  const auto found = std::ranges::find_if(rows, [&](const Scored& other) {
    return other.space == row.space && other.one->device == row.one->device &&
           other.one->strategy == row.one->strategy && other.one->order == TellingOrder::asked;
  });
  return found == rows.end() ? nullptr : &*found;
}

void add_row(Table& table, const Scored& row, const std::vector<Scored>& rows) {
  Cell difference, error, share_of_time;
  if (const Scored* const other = in_order(row, rows)) {
    const Numbers more = differences(row.score, other->score);
    difference = mean(more);
    error = deviation(more, std::sqrt(static_cast<double>(more.size())));
    share_of_time = mean(row.seconds) / mean(other->seconds);
  }
  const Cell times =
      row.space == "all" ? Cell{} : std::string(row.one->has_recorded_times ? "recorded" : "drawn");
  table.rows.push_back({row.space, row.space == "all" ? Cell{} : row.one->device, row.one->strategy,
                        std::string(to_string(row.one->order)), times, static_cast<std::int64_t>(row.budget),
                        static_cast<std::int64_t>(row.score.size()), mean(row.score), mean(row.bounded),
                        deviation(row.score), difference, error, mean(row.by_time), mean(row.seconds),
                        share_of_time, row.best_over_optimum});
}

}  // namespace

std::vector<TellingOrder> telling_orders(const std::vector<std::string>& names) {
  if (names.empty()) return {TellingOrder::built};
  std::vector<TellingOrder> orders;
  for (const std::string& name : names) {
    const auto order = from_string<TellingOrder>(name);
    if (std::ranges::find(orders, order) != orders.end())
      throw Error(
          Diagnostic{.cause = "--order names '" + name + "' twice", .hint = "asked, built or asked,built"});
    orders.push_back(order);
  }
  return orders;
}

Table build_scores(const std::vector<BuildSimulation>& simulations) {
  Table table{
      {"space", "device", "strategy", "order", "times", "budget", "seeds", "score", "bounded", "deviation",
       "more_than_asked", "error", "score_by_time", "seconds", "share_of_time", "best_over_optimum"},
      {}};
  std::vector<Scored> rows;
  for (const BuildSimulation& simulation : simulations) rows.push_back(scored(simulation));
  for (const Scored& row : rows) add_row(table, row, rows);
  const std::vector<Scored> all = over_all_spaces(rows);
  if (std::ranges::any_of(all, [](const Scored& row) { return row.spaces > 1; }))
    for (const Scored& row : all) add_row(table, row, all);
  return table;
}

}  // namespace tailwave
