#pragma once

#include <algorithm>
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
  Resampler(const Series& series, std::uint64_t seed) : generator_(seed) {
    std::vector<std::vector<double>> blocks;
    for (const std::vector<double>& repetition : series.repetitions) {
      if (!repetition.empty()) blocks.push_back(repetition);
      order_.insert(order_.end(), repetition.begin(), repetition.end());
    }
    std::sort(order_.begin(), order_.end());
    counts_.resize(order_.size());
    if (blocks.size() < kFewestRepetitions) return;
    for (const std::vector<double>& block : blocks) {
      std::vector<std::uint32_t>& ranks = blocks_.emplace_back();
      for (const double sample : block) {
        const auto place = std::lower_bound(order_.begin(), order_.end(), sample) - order_.begin();
        ranks.push_back(static_cast<std::uint32_t>(place));
      }
    }
  }

  // The median of the next resample.
  double next() {
    std::fill(counts_.begin(), counts_.end(), 0);
    const std::size_t drawn = blocks_.empty() ? draw_samples() : draw_repetitions();
    std::size_t rank = 0;
    std::size_t seen = counts_[0];
    const auto advance = [&](std::size_t place) {
      while (seen <= place) seen += counts_[++rank];
      return order_[rank];
    };
    const double lower = advance((drawn - 1) / 2);
    return (lower + advance(drawn / 2)) / 2;
  }

  // Draws that are independent of each other.
  [[nodiscard]] std::size_t units() const { return blocks_.empty() ? order_.size() : blocks_.size(); }
  [[nodiscard]] const std::vector<double>& order() const { return order_; }

 private:
  std::size_t draw_samples() {
    const auto size = static_cast<std::uint32_t>(order_.size());
    for (std::uint32_t i = 0; i < size; ++i) ++counts_[generator_.below(size)];
    return size;
  }

  std::size_t draw_repetitions() {
    std::size_t drawn = 0;
    const auto size = static_cast<std::uint32_t>(blocks_.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::vector<std::uint32_t>& block = blocks_[generator_.below(size)];
      const auto samples = static_cast<std::uint32_t>(block.size());
      for (std::uint32_t j = 0; j < samples; ++j) ++counts_[block[generator_.below(samples)]];
      drawn += samples;
    }
    return drawn;
  }

  Generator generator_;
  std::vector<double> order_;                       // all samples, ascending
  std::vector<std::vector<std::uint32_t>> blocks_;  // ranks in order_ by repetition; empty: draw samples
  std::vector<std::uint32_t> counts_;               // how often the current resample has each rank
};

}  // namespace tailwave
