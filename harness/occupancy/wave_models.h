#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tailwave {

// What a kernel's time is predicted from, beside times: W = blocks / slots waves. Of a launch of clusters, slots are the
// blocks of those that run at once, and sms those that they fill (filled_sms(), occupancy/launch_speed.h).
struct WaveShape {
  int sms = 1;
  int blocks_per_sm = 1;
  std::int64_t block_threads = 1;
  std::int64_t slots = std::int64_t{sms} * blocks_per_sm;
};

// A grid and the time it took.
struct GridTime {
  std::int64_t blocks = 0;
  double time_ns = 0;
};

// Time in ns of a grid of `blocks` blocks, at least 1.
using TimeModel = std::function<double(std::int64_t blocks)>;

// How long r blocks take that share an SM, from the grids of at most one wave; of the grids with the same r, the
// fullest counts. Linear between the r that were measured, but for the steps that an SM's schedulers make: warps are
// dealt out to four of them (as on all GPUs since Maxwell but the P100), so times change where ceil(r * warps of a
// block / 4) does, and an r takes after measured ones with the same number if there are any. Without a grid of at
// most one wave, the smallest stands for one.
class ResidencyCurve {
 public:
  ResidencyCurve(const WaveShape& shape, const std::vector<GridTime>& ascending);
  [[nodiscard]] double operator()(
      std::int64_t blocks_of_sm) const;  // ns; constant beyond 1 and blocks_per_sm

 private:
  std::vector<double> times_ns_;  // of 1, 2, ... blocks
};

struct FittedModel {
  std::string name;
  TimeModel time_ns;
  // Mean |predicted / measured - 1| when each grid but the first and the last is left out in turn, the model fitted
  // to the others and asked for that one.
  double left_out_error = 0;
};

inline constexpr std::size_t kFewestFittedGrids = 3;

// All models, fitted to these grids; the last one is `selected`. With t(r) the residency curve, k = blocks_per_sm, and
// coefficients that minimise the sum of squared relative errors and are not negative:
// - staircase: ceil(W) * t(k). The textbook model (NVIDIA, Deep Learning Performance: Matrix Multiplication, "Wave
//   Quantization").
// - partial_wave: floor(W) * t(k) + t(ceil(rest / sms)) with the rest that does not fill a wave. After the repetitions
//   of Hong & Kim, An analytical model for a GPU architecture, ISCA 2009, with a last one of its own.
// - variance_aware: partial waves whose start-up o is paid once instead of in each of them: less o * (ceil(W) - 1).
//   Blocks that take different times drift apart, and their variances add up with the waves: the time for each block is
//   a mean over grids that are spread about this one normally, by s * sqrt(floor(W)) waves, s one of 0, 5, 10, 20,
//   40 %.
// - sm_load: a + b * ceil(blocks / sms): the busiest SM works through its blocks at a constant rate.
// - device_load: a + b * blocks: all share one resource, such as memory or an atomic counter.
// - interpolated: linear between the measured grids. No model, but what a model must beat.
// - calibrated_wave, calibrated_load: variance_aware and sm_load times measured / predicted, which is interpolated
//   linearly over blocks and over ceil(blocks / sms).
// - selected: that of all these whose left_out_error is least, the first of equals.
// Grids may come in any order, but none twice. Throws Error for fewer than kFewestFittedGrids with a time above 0
// (the others are left out) and std::invalid_argument for a shape with a number below 1.
std::vector<FittedModel> fit_wave_models(const WaveShape& shape, std::vector<GridTime> grids);

}  // namespace tailwave
