#include "core/over_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailwave {
namespace {

// The results as a table, with what the answer says of each size.
class SizeTable {
 public:
  SizeTable(const std::vector<SizeResult>& results, const OverSizesOptions& options) {
    for (const SizeResult& one : results) {
      columns_.try_emplace(one.configuration.problem, columns_.size());
      const auto [row, is_new] =
          rows_.try_emplace(without_problem(one.configuration), configurations_.size());
      if (is_new) configurations_.push_back(row->first);
    }
    std::size_t next = 0;
    for (auto& [problem, column] : columns_) {
      column = next++;
      weights_.push_back(options.weight_of(problem));
    }
    best_.resize(columns_.size(), nullptr);
    ratios_.resize(configurations_.size(), SizeRatios(columns_.size(), kNotAtSize));
    for (const SizeResult& one : results) {
      const SizeResult*& best = best_[column_of(one)];
      if (one.cost && (best == nullptr || *one.cost < *best->cost)) best = &one;
    }
    for (const SizeResult& one : results) {
      const SizeResult* const best = best_[column_of(one)];
      ratios_[rows_.at(without_problem(one.configuration))][column_of(one)] =
          one.cost ? *one.cost / *best->cost : kFailedAtSize;
    }
  }

  [[nodiscard]] OverSizes choose(const OverSizesOptions& options) const {
    OverSizes answer;
    count(answer);
    for (const auto& [problem, column] : columns_) {
      answer.sizes.push_back({.problem = problem, .weight = weights_[column]});
      if (best_[column] == nullptr) continue;
      answer.sizes.back().best = best_[column]->configuration;
      answer.sizes.back().best_cost = *best_[column]->cost;
    }
    answer.choice = choose_over_sizes(ratios_, weights_, options.keep, options.goal);
    answer.single_choice = choose_over_sizes(ratios_, weights_, 1, options.goal);
    if (!answer.single_choice.chosen.empty())
      answer.single = configurations_[answer.single_choice.chosen.front()];
    for (const std::size_t row : answer.choice.chosen) answer.kept.push_back(configurations_[row]);
    if (answer.kept.empty())
      answer.why_none = why_none(answer, options);
    else
      say_of_sizes(answer);
    return answer;
  }

 private:
  [[nodiscard]] std::size_t column_of(const SizeResult& one) const {
    return columns_.at(one.configuration.problem);
  }

  void count(OverSizes& answer) const {
    for (const SizeRatios& row : ratios_) {
      if (std::ranges::any_of(row, [](double ratio) { return std::isnan(ratio); })) {
        ++answer.failed;
        continue;
      }
      ++answer.compared;
      if (std::ranges::none_of(row, [](double ratio) { return ratio == kNotAtSize; })) ++answer.everywhere;
    }
  }

  void say_of_sizes(OverSizes& answer) const {
    for (std::size_t i = 0; i < answer.sizes.size(); ++i) {
      OverSizes::Size& size = answer.sizes[i];
      const std::size_t row = answer.choice.serving[i];
      size.serving = static_cast<std::size_t>(std::ranges::find(answer.choice.chosen, row) -
                                              answer.choice.chosen.begin());
      size.ratio = ratios_[row][i];
      size.single_ratio = kNotAtSize;
      if (answer.single) size.single_ratio = ratios_[answer.single_choice.chosen.front()][i];
    }
  }

  [[nodiscard]] static std::string why_none(const OverSizes& answer, const OverSizesOptions& options) {
    if (answer.sizes.empty()) return "nothing was measured";
    for (const OverSizes::Size& size : answer.sizes)
      if (size.best_cost == 0)
        return fmt::format("nothing ran correctly{}",
                           answer.sizes.size() > 1 ? " with " + answer.words(size) : "");
    return options.keep == 1
               ? fmt::format("no configuration ran correctly at all {} sizes", answer.sizes.size())
               : fmt::format("no {} configurations that failed nowhere serve all {} sizes", options.keep,
                             answer.sizes.size());
  }

  std::map<Values, std::size_t> columns_;
  std::map<Configuration, std::size_t> rows_;
  std::vector<Configuration> configurations_;  // by row
  std::vector<double> weights_;
  std::vector<const SizeResult*> best_;
  std::vector<SizeRatios> ratios_;
};

}  // namespace

double OverSizesOptions::weight_of(const Values& problem) const {
  const auto weight = weights.find(problem);
  return weight == weights.end() ? 1 : weight->second;
}

std::string OverSizes::words(const Size& size) const {
  std::string text;
  for (const auto& [name, value] : size.problem) {
    const auto is_same = [&, &quantity = name, &own = value](const Size& other) {
      const auto found = other.problem.find(quantity);
      return found != other.problem.end() && found->second == own;
    };
    if (sizes.size() > 1 && std::ranges::all_of(sizes, is_same)) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, to_string(value));
  }
  return text;
}

OverSizes over_sizes(const std::vector<SizeResult>& results, const OverSizesOptions& options) {
  return SizeTable(results, options).choose(options);
}

Configuration without_problem(Configuration configuration) {
  configuration.problem.clear();
  return configuration;
}

}  // namespace tailwave
