#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/compare_pairs.h"

namespace tailwave {
namespace {

Obstacle between_kinds(DeviceKind a, DeviceKind b) {
  if (a == b) return Obstacle::none;
  return a == DeviceKind::recorded || b == DeviceKind::recorded ? Obstacle::recorded_and_measured
                                                                : Obstacle::cpu_and_gpu;
}

// "interactions is 100 in A, 50 in B": a quantity that both sides have, or that the metric needs. Empty: there is none.
std::string work_difference(const SideTrial& a, const SideTrial& b) {
  const auto of = [](const Values& work, const std::string& quantity) {
    const auto found = work.find(quantity);
    return found == work.end() ? std::optional<double>() : to_double(found->second);
  };
  const auto text = [](std::optional<double> amount) {
    return amount ? fmt::format("{}", *amount) : "unknown";
  };
  std::set<std::string> quantities;
  for (const auto& [quantity, amount] : a.work)
    if (b.work.contains(quantity) || a.metric == quantity + "_per_second") quantities.insert(quantity);
  for (const auto& [quantity, amount] : b.work)
    if (b.metric == quantity + "_per_second") quantities.insert(quantity);
  for (const std::string& quantity : quantities) {
    const std::optional<double> in_a = of(a.work, quantity), in_b = of(b.work, quantity);
    if (in_a != in_b) return fmt::format("{} is {} in A, {} in B", quantity, text(in_a), text(in_b));
  }
  return "";
}

void find_obstacle(ComparedRow& row) {
  const SideTrial &a = *row.a, &b = *row.b;
  row.obstacle = between_kinds(a.kind, b.kind);
  if (row.obstacle != Obstacle::none) return;
  if (a.timer != b.timer && !a.timer.empty() && !b.timer.empty()) {
    row.obstacle = Obstacle::timer;
    row.obstacle_detail = fmt::format("{} in A, {} in B", a.timer, b.timer);
  } else if (a.metric != b.metric) {
    row.obstacle = Obstacle::metric;
    row.obstacle_detail = fmt::format("{} in A, {} in B", a.metric, b.metric);
  } else if (a.maximise != b.maximise) {
    row.obstacle = Obstacle::goal;
    row.obstacle_detail =
        fmt::format("{} is better in A, {} in B", a.maximise ? "more" : "less", b.maximise ? "more" : "less");
  } else if (row.obstacle_detail = work_difference(a, b); !row.obstacle_detail.empty()) {
    row.obstacle = Obstacle::work;
  }
}

ComparedAs by_outcome(ComparedRow& row) {
  if (!row.b) return ComparedAs::only_a;
  if (!row.a) return ComparedAs::only_b;
  const bool correct_a = row.a->outcome == Outcome::correct, correct_b = row.b->outcome == Outcome::correct;
  if (correct_a && correct_b) {
    find_obstacle(row);
    return row.obstacle == Obstacle::none ? ComparedAs::unclear : ComparedAs::not_comparable;
  }
  // No time of it counts, on whatever side, and nothing is wrong with it.
  const bool is_any_given_up = row.a->outcome == Outcome::given_up || row.b->outcome == Outcome::given_up;
  if (is_any_given_up && (correct_a || correct_b)) return ComparedAs::other_outcome;
  if (correct_a) return ComparedAs::failed;
  if (correct_b) return ComparedAs::fixed;
  return row.a->outcome == row.b->outcome ? ComparedAs::same : ComparedAs::other_outcome;
}

void add_rows(Database& database_a, const Side& a, Database& database_b, const Side& b,
              SideComparison& comparison) {
  std::map<std::string, ComparedRow> rows;
  for (auto& [name, trial] : load_trials(database_a, a)) rows[name].a = std::move(trial);
  for (auto& [name, trial] : load_trials(database_b, b)) rows[name].b = std::move(trial);
  for (auto& [name, row] : rows) {
    row.experiment = a.name();
    row.configuration = name;
    row.obstacle = between_kinds(a.kind, b.kind);
    row.compared = row.obstacle == Obstacle::none ? by_outcome(row) : ComparedAs::not_comparable;
    comparison.rows.push_back(std::move(row));
  }
}

ComparedAs compared_as(Change change) {
  switch (change) {
    case Change::faster:
      return ComparedAs::faster;
    case Change::same:
      return ComparedAs::same;
    case Change::slower:
      return ComparedAs::slower;
    case Change::unclear:
      break;
  }
  return ComparedAs::unclear;
}

void judge_rows(SideComparison& comparison) {
  std::vector<SeriesPair> pairs;
  std::vector<ComparedRow*> judged;
  for (ComparedRow& row : comparison.rows) {
    if (row.compared != ComparedAs::unclear || !row.a->median_s || !row.b->median_s) continue;
    pairs.push_back({row.a->costs, row.b->costs});
    judged.push_back(&row);
  }
  const std::vector<RatioVerdict> verdicts = compare_pairs(pairs, {.margin = comparison.margin});
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->ratio = verdicts[i].ratio;
    judged[i]->interval = verdicts[i].interval;
    judged[i]->tested = verdicts[i].tested;
    judged[i]->compared = compared_as(verdicts[i].change);
  }
  std::stable_sort(
      comparison.rows.begin(), comparison.rows.end(), [](const ComparedRow& x, const ComparedRow& y) {
        return std::pair(x.compared, -x.ratio.value_or(0)) < std::pair(y.compared, -y.ratio.value_or(0));
      });
}

void add_differences(const Environment& a, const Environment& b, SideComparison& comparison) {
  for (const auto& [what, values] : a) {
    const std::set<std::string>& others = b.at(what);
    if (values != others)
      comparison.differences.push_back(
          {what, fmt::format("{}", fmt::join(values, ", ")), fmt::format("{}", fmt::join(others, ", "))});
  }
}

void add_modes(SideComparison& comparison) {
  std::set<std::string> a, b;
  for (const ComparedRow& row : comparison.rows) {
    if (!row.a || !row.b || !row.a->median_s || !row.b->median_s) continue;
    a.insert(row.a->mode);
    b.insert(row.b->mode);
  }
  if (a != b)
    comparison.differences.push_back(
        {"mode", fmt::format("{}", fmt::join(a, ", ")), fmt::format("{}", fmt::join(b, ", "))});
}

}  // namespace

SideComparison compare_sides(Database& database_a, const std::vector<Side>& a, Database& database_b,
                             const std::vector<Side>& b, double margin) {
  SideComparison comparison{describe_sides(database_a, a), describe_sides(database_b, b), margin};
  std::vector<Side> both_a, both_b;
  for (const Side& side : a) {
    const auto other =
        std::find_if(b.begin(), b.end(), [&](const Side& one) { return one.name() == side.name(); });
    if (other == b.end()) {
      comparison.only_a.push_back(side.name());
      continue;
    }
    both_a.push_back(side);
    both_b.push_back(*other);
    add_rows(database_a, side, database_b, *other, comparison);
  }
  for (const Side& side : b)
    if (std::none_of(both_b.begin(), both_b.end(),
                     [&](const Side& one) { return one.name() == side.name(); }))
      comparison.only_b.push_back(side.name());
  judge_rows(comparison);
  add_differences(load_environment(database_a, both_a), load_environment(database_b, both_b), comparison);
  add_modes(comparison);
  return comparison;
}

}  // namespace tailwave
