#include "interchange/wave_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/statistics.h"

namespace tailwave {
namespace {

using Logs = std::vector<std::optional<double>>;  // by problem

// Where a problem is predicted from its neighbours: log(predicted / measured).
double off_at(const Between& one, const auto& value) {
  return (1 - one.above) * value(one.low) + one.above * value(one.high) - value(one.middle);
}

std::vector<Between> measured_ones(const std::vector<Between>& all, const Logs& logs) {
  std::vector<Between> result;
  for (const Between& one : all)
    if (logs[one.low] && logs[one.middle] && logs[one.high]) result.push_back(one);
  return result;
}

double error_of(const std::vector<double>& off) {
  return off.empty() ? 0 : root_mean_square(off);
}

// Sums of least squares of what is off over what the overhang is.
struct PowerSums {
  double square = 0, product = 0;

  void add(double of_overhang, double off) {
    square += of_overhang * of_overhang;
    product += of_overhang * off;
  }
};

// The power of least squares, and what is off with it: at each problem with the power of what that problem is no part of.
// The power is 0 where there is none.
std::pair<double, std::vector<double>> with_power(const std::vector<Between>& all,
                                                  const std::vector<double>& off,
                                                  const std::vector<double>& of_overhang) {
  PowerSums sums;
  std::map<std::size_t, PowerSums> with_problem;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums.add(of_overhang[i], off[i]);
    for (const std::size_t problem : {all[i].low, all[i].middle, all[i].high})
      with_problem[problem].add(of_overhang[i], off[i]);
  }
  if (!(sums.product > 0)) return {0, off};
  std::vector<double> rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    constexpr double kLeast = 0.25;  // of what the power rests on has to be left without a problem
    const PowerSums& own = with_problem[all[i].middle];
    if (sums.square - own.square < kLeast * sums.square) return {0, off};
    rest.push_back(off[i] - (sums.product - own.product) / (sums.square - own.square) * of_overhang[i]);
  }
  return {sums.product / sums.square, rest};
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

// Takes one fit after the other and keeps the best.
class Fitter {
 public:
  Fitter(const SizeAxes& axes, const Logs& logs, const Logs& blocks, const std::vector<double>& overhangs)
      : all_(measured_ones(all_between(axes), logs)), logs_(logs), blocks_(blocks) {
    for (const Between& one : all_)
      of_overhang_.push_back(off_at(one, [&](std::size_t problem) { return std::log(overhangs[problem]); }));
    best_.error = error_of(off_with([](double) { return 1.0; }));
  }

  [[nodiscard]] bool predicts_enough() const { return all_.size() >= kFewestPredicted; }

  void try_without_waves() {
    keep_better(0, off_with([](double) { return 1.0; }));
  }

  void try_waves(const WaveSlots& slots, double filling) {
    keep_better(filling, off_with([&](double blocks) { return wave_time(blocks, slots, filling); }));
  }

  [[nodiscard]] const WaveFit& best() const { return best_; }

 private:
  // `waves`: of a number of blocks.
  [[nodiscard]] std::vector<double> off_with(const auto& waves) const {
    std::vector<double> off;
    for (const Between& one : all_)
      off.push_back(off_at(one, [&](std::size_t problem) {
        return *logs_[problem] - std::log(waves(blocks_[problem].value_or(1)));
      }));
    return off;
  }

  void keep_better(double filling, const std::vector<double>& off) {
    for (const auto& [power, rest] : {std::pair(0.0, off), with_power(all_, off, of_overhang_)}) {
      const double error = error_of(rest);
      if (error < best_.error) best_ = {filling, power, error};
    }
  }

  std::vector<Between> all_;
  const Logs& logs_;
  const Logs& blocks_;
  std::vector<double> of_overhang_;
  WaveFit best_;
};

}  // namespace

double wave_time(double blocks, const WaveSlots& slots, double filling) {
  const double full = std::floor(blocks / slots.slots), rest = blocks - full * slots.slots;
  const double last = rest > 0 ? std::max(1.0, std::ceil(rest / slots.sms) / filling) : 0;
  return full * std::max(1.0, slots.slots / slots.sms / filling) + last;
}

WaveFit fit_waves(const SizeAxes& axes, const std::vector<std::optional<double>>& costs,
                  const std::vector<std::optional<double>>& blocks, const std::vector<double>& overhangs,
                  const std::optional<WaveSlots>& slots) {
  Logs logs;
  for (const std::optional<double>& cost : costs)
    logs.push_back(cost ? std::optional(std::log(*cost)) : cost);
  Fitter fitter(axes, logs, blocks, overhangs);
  if (!fitter.predicts_enough()) return fitter.best();
  fitter.try_without_waves();
  bool all_known = slots.has_value();
  for (std::size_t i = 0; i < costs.size(); ++i) all_known = all_known && (!costs[i] || blocks[i]);
  if (all_known)
    for (const double filling : fillings(*slots)) fitter.try_waves(*slots, filling);
  return fitter.best();
}

}  // namespace tailwave
