#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace tailwave {

// What is minimised of the ratios of a choice, one for each size; the other one decides between choices that are equal
// in it.
enum class SizesGoal { geometric_mean, worst_case };

// A row for each configuration: for each size its time over the best time there. A row with kFailedAtSize is out
// altogether; one with kNotAtSize serves other sizes only.
using SizeRatios = std::vector<double>;
inline constexpr double kNotAtSize = std::numeric_limits<double>::infinity();
inline constexpr double kFailedAtSize = std::numeric_limits<double>::quiet_NaN();

struct SizesChoice {
  std::vector<std::size_t> chosen;   // rows, ascending; empty: no so many of them serve all sizes
  std::vector<std::size_t> serving;  // by size: the row of `chosen` that is best there
  double geometric_mean = 0;         // weighted, of the ratios of `serving`
  double worst_case = 0;             // their maximum
  bool exact = true;  // nothing better exists; else greedy, bettered by exchange as far as was tried

  [[nodiscard]] double objective(SizesGoal goal) const {
    return goal == SizesGoal::worst_case ? worst_case : geometric_mean;
  }
};

// Of some 10 ns each.
inline constexpr std::size_t kMostChoiceSteps = 50'000'000;

// At most `keep` (from 1 on) of the rows, each size served by the best of them; no more than it takes. Rows that another
// one is as good as everywhere are left out, and of the others a branch and bound finds the best choice, unless that
// takes more than `most_steps`. `weights`: above 0, one for each size; the worst case has none.
SizesChoice choose_over_sizes(std::span<const SizeRatios> ratios, std::span<const double> weights,
                              std::size_t keep, SizesGoal goal, std::size_t most_steps = kMostChoiceSteps);

}  // namespace tailwave
