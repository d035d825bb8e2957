#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bootstrap.h"
#include "core/random.h"

namespace tailwave {

// One series, ready to be resampled. Samples are drawn by their rank, so that a resample is a list of counts whose
// middle is found without sorting.
class Resampler {
 public:
  Resampler(const Series& series, std::uint64_t seed);

  // The median of the next resample.
  double next();

  // Draws that are independent of each other.
  [[nodiscard]] std::size_t units() const { return blocks_.empty() ? order_.size() : blocks_.size(); }
  [[nodiscard]] const std::vector<double>& order() const { return order_; }

 private:
  double next_of_few();
  std::size_t draw_samples();
  std::size_t draw_repetitions();

  Generator generator_;
  std::vector<double> order_;                       // all samples, ascending
  std::vector<std::vector<std::uint32_t>> blocks_;  // ranks in order_ by repetition; empty: draw samples
  std::vector<std::uint32_t> counts_;               // how often the current resample has each rank
};

}  // namespace tailwave
