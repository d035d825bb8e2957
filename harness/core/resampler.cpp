#include "core/resampler.h"

#include <algorithm>

namespace tailwave {
namespace {

// Counts of so few samples fit into one word, four bits each.
constexpr std::size_t kMostPacked = 15;

// How many of the counts are at most `place`: eight at a time, each in a byte whose highest bit says so.
std::size_t rank_of(std::uint64_t place, std::uint64_t seen) {
  constexpr std::uint64_t kEach = 0x0101010101010101U;
  constexpr std::uint64_t kLow = 0x0F * kEach;
  const std::uint64_t limits = (0x80 + place) * kEach;
  const std::uint64_t even = (limits - (seen & kLow)) & (0x80 * kEach);
  const std::uint64_t odd = (limits - ((seen >> 4U) & kLow)) & (0x80 * kEach);
  return (((even >> 7U) + (odd >> 7U)) * kEach) >> 56U;
}

}  // namespace

Resampler::Resampler(const Series& series, std::uint64_t seed) : generator_(seed) {
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

double Resampler::next() {
  if (blocks_.empty() && order_.size() <= kMostPacked) return next_of_few();
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

// The same numbers with all counts in one word, and without a branch that depends on them.
double Resampler::next_of_few() {
  const auto size = static_cast<std::uint32_t>(order_.size());
  std::uint64_t counts = 0;
  for (std::uint32_t i = 0; i < size; ++i) counts += std::uint64_t{1} << (4 * generator_.below(size));
  // Each with all below it: none is more than `size`, which four bits can hold.
  const std::uint64_t seen = counts * 0x1111111111111111U;
  return (order_[rank_of((size - 1) / 2, seen)] + order_[rank_of(size / 2, seen)]) / 2;
}

std::size_t Resampler::draw_samples() {
  const auto size = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t i = 0; i < size; ++i) ++counts_[generator_.below(size)];
  return size;
}

std::size_t Resampler::draw_repetitions() {
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

}  // namespace tailwave
