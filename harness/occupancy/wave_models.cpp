#include "occupancy/wave_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "core/error.h"

namespace tailwave {
namespace {

using Grids = std::vector<GridTime>;  // ascending
using Fit = TimeModel (*)(const WaveShape&, const Grids&);

std::int64_t ceil_div(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

struct Point {
  double x = 0, y = 0;
};

// Through ascending points; constant beyond them.
double interpolate(const std::vector<Point>& points, double x) {
  if (x <= points.front().x) return points.front().y;
  if (x >= points.back().x) return points.back().y;
  const auto above = std::lower_bound(points.begin(), points.end(), x,
                                      [](const Point& point, double at) { return point.x < at; });
  const Point& high = *above;
  const Point& low = *(above - 1);
  return low.y + (high.y - low.y) * (x - low.x) / (high.x - low.x);
}

double squared_error(const TimeModel& model, const Grids& grids) {
  double sum = 0;
  for (const GridTime& grid : grids) {
    const double error = model(grid.blocks) / grid.time_ns - 1;
    sum += error * error;
  }
  return sum;
}

TimeModel fit_staircase(const WaveShape& shape, const Grids& grids) {
  const double wave_ns = ResidencyCurve(shape, grids)(shape.blocks_per_sm);
  return [wave_ns, slots = shape.slots](std::int64_t blocks) {
    return static_cast<double>(ceil_div(blocks, slots)) * wave_ns;
  };
}

TimeModel fit_partial_wave(const WaveShape& shape, const Grids& grids) {
  return [shape, residency = ResidencyCurve(shape, grids)](std::int64_t blocks) {
    const std::int64_t full = blocks / shape.slots;
    const std::int64_t rest = blocks % shape.slots;
    const double full_ns = static_cast<double>(full) * residency(shape.blocks_per_sm);
    return rest == 0 ? full_ns : full_ns + residency(ceil_div(rest, shape.sms));
  };
}

// The mean of what `model` says for each block, over grids about each one of a wave or more.
TimeModel blurred(const WaveShape& shape, const TimeModel& model, double spread) {
  if (spread == 0) return model;
  return [slots = shape.slots, model, spread](std::int64_t blocks) {
    const std::int64_t full = blocks / slots;
    if (full == 0) return model(blocks);
    const double deviation = spread * std::sqrt(static_cast<double>(full)) * static_cast<double>(slots);
    double sum = 0;
    double weights = 0;
    for (int step = -8; step <= 8; ++step) {
      const double z = step / 4.0;
      const double weight = std::exp(-z * z / 2);
      const std::int64_t near =
          std::max<std::int64_t>(1, std::llround(static_cast<double>(blocks) + z * deviation));
      sum += weight * model(near) / static_cast<double>(near);
      weights += weight;
    }
    return sum / weights * static_cast<double>(blocks);
  };
}

// `waves` less the start-up that fits best, at most the least time of a grid, for each wave but the first.
TimeModel less_start_up(const TimeModel& waves, const TimeModel& further, const Grids& grids) {
  double product = 0;
  double square = 0;
  double least_ns = grids.front().time_ns;
  for (const GridTime& grid : grids) {
    const double share = further(grid.blocks) / grid.time_ns;
    product += (waves(grid.blocks) / grid.time_ns - 1) * share;
    square += share * share;
    least_ns = std::min(least_ns, grid.time_ns);
  }
  const double start_up_ns = square > 0 ? std::clamp(product / square, 0.0, least_ns) : 0;
  return [=](std::int64_t blocks) { return waves(blocks) - start_up_ns * further(blocks); };
}

TimeModel fit_variance_aware(const WaveShape& shape, const Grids& grids) {
  const TimeModel waves = fit_partial_wave(shape, grids);
  const TimeModel further = [slots = shape.slots](std::int64_t blocks) {
    return static_cast<double>(ceil_div(blocks, slots) - 1);
  };
  TimeModel best;
  double least = 0;
  for (const double spread : {0.0, 0.05, 0.1, 0.2, 0.4}) {
    TimeModel model = less_start_up(blurred(shape, waves, spread), blurred(shape, further, spread), grids);
    const double error = squared_error(model, grids);
    if (best && error >= least) continue;
    best = std::move(model);
    least = error;
  }
  return best;
}

// a + b * load; with the one of them that fits better, where both would need one to be negative.
TimeModel fit_load(const TimeModel& load, const Grids& grids) {
  double ones = 0, loads = 0, squares = 0, one_sum = 0,
         load_sum = 0;  // of the normal equations, all over time
  for (const GridTime& grid : grids) {
    const double one = 1 / grid.time_ns;
    const double share = load(grid.blocks) / grid.time_ns;
    ones += one * one;
    loads += one * share;
    squares += share * share;
    one_sum += one;
    load_sum += share;
  }
  const auto line = [&](double start, double slope) -> TimeModel {
    return [=](std::int64_t blocks) { return start + slope * load(blocks); };
  };
  const double determinant = ones * squares - loads * loads;
  if (determinant > 1e-12 * ones * squares) {
    const double start = (one_sum * squares - load_sum * loads) / determinant;
    const double slope = (ones * load_sum - loads * one_sum) / determinant;
    if (start >= 0 && slope >= 0) return line(start, slope);
  }
  TimeModel constant = line(one_sum / ones, 0);
  TimeModel proportional = line(0, load_sum / squares);
  return squared_error(constant, grids) <= squared_error(proportional, grids) ? constant : proportional;
}

TimeModel busiest_sm(const WaveShape& shape) {
  return [sms = shape.sms](std::int64_t blocks) { return static_cast<double>(ceil_div(blocks, sms)); };
}

double count_blocks(std::int64_t blocks) {
  return static_cast<double>(blocks);
}

TimeModel fit_sm_load(const WaveShape& shape, const Grids& grids) {
  return fit_load(busiest_sm(shape), grids);
}

TimeModel fit_device_load(const WaveShape&, const Grids& grids) {
  return fit_load(count_blocks, grids);
}

// `model` times measured / predicted, the mean of those with the same x and linear in between.
TimeModel calibrated(const TimeModel& model, const TimeModel& x, const Grids& grids) {
  std::map<double, std::vector<double>> ratios;
  for (const GridTime& grid : grids) ratios[x(grid.blocks)].push_back(grid.time_ns / model(grid.blocks));
  std::vector<Point> points;
  for (const auto& [at, values] : ratios) {
    double sum = 0;
    for (const double value : values) sum += value;
    points.push_back({at, sum / static_cast<double>(values.size())});
  }
  return [=](std::int64_t blocks) { return model(blocks) * interpolate(points, x(blocks)); };
}

TimeModel fit_interpolated(const WaveShape&, const Grids& grids) {
  return calibrated([](std::int64_t) { return 1.0; }, count_blocks, grids);
}

TimeModel fit_calibrated_wave(const WaveShape& shape, const Grids& grids) {
  return calibrated(fit_variance_aware(shape, grids), count_blocks, grids);
}

TimeModel fit_calibrated_load(const WaveShape& shape, const Grids& grids) {
  return calibrated(fit_sm_load(shape, grids), busiest_sm(shape), grids);
}

struct NamedFit {
  const char* name;
  Fit fit;
};

constexpr std::array kModels{NamedFit{"staircase", fit_staircase},
                             NamedFit{"partial_wave", fit_partial_wave},
                             NamedFit{"variance_aware", fit_variance_aware},
                             NamedFit{"sm_load", fit_sm_load},
                             NamedFit{"device_load", fit_device_load},
                             NamedFit{"interpolated", fit_interpolated},
                             NamedFit{"calibrated_wave", fit_calibrated_wave},
                             NamedFit{"calibrated_load", fit_calibrated_load}};

double left_out_error(Fit fit, const WaveShape& shape, const Grids& grids) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < grids.size(); ++i) {
    Grids others = grids;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sum += std::abs(fit(shape, others)(grids[i].blocks) / grids[i].time_ns - 1);
  }
  return sum / static_cast<double>(grids.size() - 2);
}

}  // namespace

ResidencyCurve::ResidencyCurve(const WaveShape& shape, const std::vector<GridTime>& ascending) {
  std::vector<Point> points;
  for (const GridTime& grid : ascending) {
    const std::int64_t blocks_of_sm = ceil_div(grid.blocks, shape.sms);
    if (blocks_of_sm > shape.blocks_per_sm) break;
    if (!points.empty() && points.back().x == static_cast<double>(blocks_of_sm)) points.pop_back();
    points.push_back({static_cast<double>(blocks_of_sm), grid.time_ns});
  }
  if (points.empty()) points.push_back({1, ascending.front().time_ns});
  const auto warps_of_a_scheduler = [warps = ceil_div(shape.block_threads, 32)](double blocks_of_sm) {
    constexpr int kSchedulers = 4;
    return ceil_div(static_cast<std::int64_t>(blocks_of_sm) * warps, kSchedulers);
  };
  for (int blocks = 1; blocks <= shape.blocks_per_sm; ++blocks) {
    std::vector<Point> alike;
    for (const Point& point : points)
      if (warps_of_a_scheduler(point.x) == warps_of_a_scheduler(blocks)) alike.push_back(point);
    times_ns_.push_back(interpolate(alike.empty() ? points : alike, blocks));
  }
}

double ResidencyCurve::operator()(std::int64_t blocks_of_sm) const {
  const auto last = static_cast<std::int64_t>(times_ns_.size()) - 1;
  return times_ns_[static_cast<std::size_t>(std::clamp<std::int64_t>(blocks_of_sm - 1, 0, last))];
}

std::vector<FittedModel> fit_wave_models(const WaveShape& shape, std::vector<GridTime> grids) {
  if (shape.sms < 1 || shape.blocks_per_sm < 1 || shape.block_threads < 1 || shape.slots < 1)
    throw std::invalid_argument("fit_wave_models: a shape with a number below 1");
  std::erase_if(grids, [](const GridTime& grid) { return !(grid.time_ns > 0); });
  std::sort(grids.begin(), grids.end(),
            [](const GridTime& one, const GridTime& other) { return one.blocks < other.blocks; });
  if (grids.size() < kFewestFittedGrids)
    throw Error(Diagnostic{.cause = fmt::format("{} grids to fit wave models to, they need at least {}",
                                                grids.size(), kFewestFittedGrids),
                           .hint = "take a problem with more blocks"});
  std::vector<FittedModel> fitted;
  for (const NamedFit& model : kModels)
    fitted.push_back({model.name, model.fit(shape, grids), left_out_error(model.fit, shape, grids)});
  FittedModel selected = *std::min_element(
      fitted.begin(), fitted.end(),
      [](const auto& one, const auto& other) { return one.left_out_error < other.left_out_error; });
  selected.name = "selected";
  fitted.push_back(std::move(selected));
  return fitted;
}

}  // namespace tailwave
