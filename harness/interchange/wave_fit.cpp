#include "interchange/wave_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tailwave {
namespace {

// A problem between two others that differ from it on one axis alone, and how far it is from the first to the second.
struct Between {
  std::size_t low, middle, high, axis;
  double above;
};

double coordinate(const SizeAxis& axis, std::size_t place) {
  return size_coordinate(to_double(axis.places[place].front()));
}

std::vector<Between> all_between(const SizeAxes& sizes) {
  std::map<std::vector<std::size_t>, std::size_t> problems;
  for (std::size_t i = 0; i < sizes.points.size(); ++i) problems.emplace(sizes.points[i], i);
  std::vector<Between> all;
  for (std::size_t middle = 0; middle < sizes.points.size(); ++middle) {
    for (std::size_t axis = 0; axis < sizes.axes.size(); ++axis) {
      const std::size_t place = sizes.points[middle][axis];
      if (!sizes.axes[axis].between || place == 0) continue;
      std::vector<std::size_t> low = sizes.points[middle], high = low;
      --low[axis];
      ++high[axis];
      const auto lower = problems.find(low), higher = problems.find(high);
      if (lower == problems.end() || higher == problems.end()) continue;
      const double from = coordinate(sizes.axes[axis], place - 1),
                   to = coordinate(sizes.axes[axis], place + 1);
      all.push_back({lower->second, middle, higher->second, axis,
                     (coordinate(sizes.axes[axis], place) - from) / (to - from)});
    }
  }
  return all;
}

// With these waves.
WaveFit fit_of(const SizeAxes& axes, const std::vector<Between>& all,
               const std::vector<std::optional<double>>& logs, double filling,
               const std::vector<double>& waves) {
  WaveFit fit{filling, 0, std::vector<Residuals>(logs.size(), Residuals(axes.axes.size()))};
  double sum = 0;
  std::size_t count = 0;
  for (const Between& one : all) {
    if (!logs[one.low] || !logs[one.middle] || !logs[one.high]) continue;
    const auto smooth = [&](std::size_t problem) { return *logs[problem] - waves[problem]; };
    const double off = (1 - one.above) * smooth(one.low) + one.above * smooth(one.high) - smooth(one.middle);
    fit.residuals[one.middle][one.axis] = off;
    sum += off * off;
    ++count;
  }
  if (count > 0) fit.error = std::sqrt(sum / static_cast<double>(count));
  return fit;
}

std::size_t count_of(const WaveFit& fit) {
  std::size_t count = 0;
  for (const Residuals& one : fit.residuals)
    count +=
        static_cast<std::size_t>(std::ranges::count_if(one, [](const auto& off) { return off.has_value(); }));
  return count;
}

// 1, 2, 3, ..., by and by in larger steps, and all.
std::vector<double> fillings(const WaveSlots& slots) {
  constexpr double kStep = 1.15;
  const double all = std::max(1.0, slots.slots / slots.sms);
  std::vector<double> result;
  for (double filling = 1; filling < all; filling = std::max(filling + 1, std::floor(filling * kStep)))
    result.push_back(filling);
  result.push_back(all);
  return result;
}

}  // namespace

double wave_time(double blocks, const WaveSlots& slots, double filling) {
  const double full = std::floor(blocks / slots.slots), rest = blocks - full * slots.slots;
  const double last = rest > 0 ? std::max(1.0, std::ceil(rest / slots.sms) / filling) : 0;
  return full * std::max(1.0, slots.slots / slots.sms / filling) + last;
}

WaveFit fit_waves(const SizeAxes& axes, const std::vector<std::optional<double>>& costs,
                  const std::vector<std::optional<double>>& blocks, const std::optional<WaveSlots>& slots) {
  std::vector<std::optional<double>> logs;
  for (const std::optional<double>& cost : costs)
    logs.push_back(cost ? std::optional(std::log(*cost)) : cost);
  const std::vector<Between> all = all_between(axes);
  WaveFit best = fit_of(axes, all, logs, 0, std::vector<double>(costs.size(), 0));
  bool all_known = slots && count_of(best) >= kFewestPredicted;
  for (std::size_t i = 0; i < costs.size(); ++i) all_known = all_known && (!costs[i] || blocks[i]);
  if (!all_known) return best;
  for (const double filling : fillings(*slots)) {
    std::vector<double> waves;
    for (const std::optional<double>& one : blocks)
      waves.push_back(one ? std::log(wave_time(*one, *slots, filling)) : 0);
    WaveFit fit = fit_of(axes, all, logs, filling, waves);
    if (fit.error < best.error) best = std::move(fit);
  }
  return best;
}

}  // namespace tailwave
