#include "core/choose_over_sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace tailwave {
namespace {

constexpr double kSame = 1e-12;  // of logarithms: rounding

// Of the logarithms of the ratios of a choice. Sizes that nothing serves count before all else.
struct Score {
  std::size_t unserved = 0;
  double first = 0, second = 0;  // the goal, and what decides where that is equal

  [[nodiscard]] bool is_better_than(const Score& other) const {
    if (unserved != other.unserved) return unserved < other.unserved;
    if (std::fabs(first - other.first) > kSame) return first < other.first;
    return second < other.second - kSame;
  }
};

struct Row {
  std::size_t number;        // in the table
  std::vector<double> logs;  // of the ratios
};

bool is_as_good(const Row& candidate, const Row& row) {
  return std::ranges::equal(candidate.logs, row.logs, std::less_equal<>());
}

// Those that no other one is as good as everywhere. Sorted: those that serve most sizes first, then by the sum, so that
// nothing is beaten by what comes after it.
std::vector<Row> rows_that_count(std::span<const SizeRatios> ratios) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (std::ranges::any_of(ratios[i], [](double one) { return std::isnan(one); })) continue;
    Row& row = rows.emplace_back(Row{i, {}});
    for (const double ratio : ratios[i]) row.logs.push_back(std::log(ratio));
  }
  const auto rank = [](const Row& row) {
    std::pair<std::size_t, double> unserved_and_sum;
    for (const double log : row.logs)
      if (std::isinf(log))
        ++unserved_and_sum.first;
      else
        unserved_and_sum.second += log;
    return unserved_and_sum;
  };
  std::ranges::stable_sort(rows, {}, rank);
  std::vector<Row> kept;
  for (Row& row : rows)
    if (std::ranges::none_of(kept, [&](const Row& candidate) { return is_as_good(candidate, row); }))
      kept.push_back(std::move(row));
  return kept;
}

class Chooser {
 public:
  Chooser(std::vector<Row> rows, std::span<const double> weights, std::size_t keep, SizesGoal goal,
          std::size_t most_steps)
      : rows_(std::move(rows)),
        weights_(weights),
        total_weight_(std::accumulate(weights.begin(), weights.end(), 0.0)),
        keep_(std::min(keep, rows_.size())),
        goal_(goal),
        steps_left_(most_steps) {}

  // Places in the rows that count.
  std::vector<std::size_t> choose() {
    order_by_score();
    take_greedily();
    exchange();
    std::vector<std::size_t> picked;
    branch(0, std::vector<double>(weights_.size(), kNotAtSize), picked);
    drop_what_adds_nothing();
    return best_;
  }
  [[nodiscard]] bool is_exact() const { return steps_left_ > 0; }
  [[nodiscard]] const Row& row(std::size_t place) const { return rows_[place]; }

 private:
  [[nodiscard]] Score score(const std::vector<double>& logs) const {
    Score score;
    double mean = 0, worst = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (std::isinf(logs[i])) {
        ++score.unserved;
        continue;
      }
      mean += weights_[i] * logs[i] / total_weight_;
      worst = std::max(worst, logs[i]);
    }
    score.first = goal_ == SizesGoal::worst_case ? worst : mean;
    score.second = goal_ == SizesGoal::worst_case ? mean : worst;
    return score;
  }

  static std::vector<double> least_of(const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<double> least(one.size());
    std::ranges::transform(one, other, least.begin(), [](double a, double b) { return std::min(a, b); });
    return least;
  }
  [[nodiscard]] Score score_of(const std::vector<std::size_t>& places) const {
    std::vector<double> logs(weights_.size(), kNotAtSize);
    for (const std::size_t place : places) logs = least_of(logs, rows_[place].logs);
    return score(logs);
  }

  // So that good choices are found early; and the least that rows from each on have.
  void order_by_score() {
    std::ranges::stable_sort(rows_, [&](const Row& one, const Row& other) {
      return score(one.logs).is_better_than(score(other.logs));
    });
    least_from_.assign(rows_.size() + 1, std::vector<double>(weights_.size(), kNotAtSize));
    for (std::size_t i = rows_.size(); i-- > 0;) least_from_[i] = least_of(least_from_[i + 1], rows_[i].logs);
  }

  void take_if_better(const std::vector<std::size_t>& places) {
    const Score its = score_of(places);
    if (best_score_ && !its.is_better_than(*best_score_)) return;
    best_ = places;
    best_score_ = its;
  }

  void take_greedily() {
    for (std::size_t size = 1; size <= keep_; ++size) {
      const std::vector<std::size_t> so_far = best_;
      if (so_far.size() + 1 < size) return;  // another one betters nothing
      for (std::size_t place = 0; place < rows_.size(); ++place) {
        std::vector<std::size_t> more = so_far;
        more.push_back(place);
        take_if_better(more);
      }
    }
  }

  void exchange() {
    for (std::vector<std::size_t> before; before != best_;) {
      before = best_;
      for (std::size_t i = 0; i < before.size(); ++i)
        for (std::size_t place = 0; place < rows_.size(); ++place) {
          std::vector<std::size_t> other = before;
          other[i] = place;
          take_if_better(other);
        }
    }
  }

  // Whether so many more rows from `next` on may give something better than what is known. A row gains no more beside
  // others than alone, so that the mean cannot fall by more than the largest single gains together.
  [[nodiscard]] bool may_better(std::size_t next, const std::vector<double>& logs, std::size_t more) const {
    if (!score(least_of(logs, least_from_[next])).is_better_than(*best_score_)) return false;
    if (goal_ == SizesGoal::worst_case || more < 2 || score(logs).unserved > 0) return true;
    std::vector<double> gains;
    for (std::size_t place = next; place < rows_.size(); ++place)
      gains.push_back(score(logs).first - score(least_of(logs, rows_[place].logs)).first);
    std::ranges::sort(gains, std::greater<>());
    gains.resize(std::min(more, gains.size()));
    return score(logs).first - std::accumulate(gains.begin(), gains.end(), 0.0) <= best_score_->first + kSame;
  }

  // All choices that have `picked` and rows from `next` on.
  void branch(std::size_t next, const std::vector<double>& logs, std::vector<std::size_t>& picked) {
    const std::size_t more = keep_ - picked.size();
    if (more == 0 || !may_better(next, logs, more)) return;
    for (std::size_t place = next; place < rows_.size() && steps_left_ > 0; ++place) {
      steps_left_ -= std::min(steps_left_, weights_.size());
      if (!score(least_of(logs, least_from_[place])).is_better_than(*best_score_)) return;
      const std::vector<double> with = least_of(logs, rows_[place].logs);
      picked.push_back(place);
      if (const Score its = score(with); its.is_better_than(*best_score_)) {
        best_ = picked;
        best_score_ = its;
      }
      branch(place + 1, with, picked);
      picked.pop_back();
    }
  }

  void drop_what_adds_nothing() {
    for (std::size_t i = 0; i < best_.size() && best_.size() > 1;) {
      std::vector<std::size_t> without = best_;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (best_score_->is_better_than(score_of(without)))
        ++i;
      else
        best_ = without;
    }
  }

  std::vector<Row> rows_;
  std::span<const double> weights_;
  double total_weight_;
  std::size_t keep_;
  SizesGoal goal_;
  std::size_t steps_left_;
  std::vector<std::vector<double>> least_from_;
  std::vector<std::size_t> best_;
  std::optional<Score> best_score_;
};

void serve(SizesChoice& choice, std::span<const SizeRatios> ratios, std::span<const double> weights) {
  double sum = 0, total = 0;
  for (std::size_t size = 0; size < weights.size(); ++size) {
    choice.serving.push_back(
        *std::ranges::min_element(choice.chosen, {}, [&](std::size_t row) { return ratios[row][size]; }));
    const double ratio = ratios[choice.serving.back()][size];
    sum += weights[size] * std::log(ratio);
    total += weights[size];
    choice.worst_case = std::max(choice.worst_case, ratio);
  }
  choice.geometric_mean = std::exp(sum / total);
}

}  // namespace

SizesChoice choose_over_sizes(std::span<const SizeRatios> ratios, std::span<const double> weights,
                              std::size_t keep, SizesGoal goal, std::size_t most_steps) {
  std::vector<Row> rows = rows_that_count(ratios);
  SizesChoice choice;
  for (std::size_t size = 0; size < weights.size(); ++size)
    if (std::ranges::all_of(rows, [&](const Row& row) { return std::isinf(row.logs[size]); })) return choice;
  if (rows.empty()) return choice;
  Chooser chooser(std::move(rows), weights, keep, goal, most_steps);
  for (const std::size_t place : chooser.choose()) choice.chosen.push_back(chooser.row(place).number);
  choice.exact = chooser.is_exact();
  std::ranges::sort(choice.chosen);
  const auto is_served = [&](std::size_t size) {
    return std::ranges::any_of(choice.chosen,
                               [&](std::size_t row) { return std::isfinite(ratios[row][size]); });
  };
  bool serves_all = true;
  for (std::size_t size = 0; size < weights.size(); ++size) serves_all = serves_all && is_served(size);
  if (serves_all)
    serve(choice, ratios, weights);
  else
    choice.chosen.clear();
  return choice;
}

}  // namespace tailwave
