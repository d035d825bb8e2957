#include "occupancy/wave_forecast.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <queue>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/random.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostWaves = 8;
constexpr std::int64_t kMostSlots = 8192;
constexpr std::int64_t kDraws = (kMostWaves + 1) * kMostSlots;

// Log-normal with mean 1; normal ones after Box & Muller, A note on the generation of random normal deviates, 1958.
std::vector<float> draw_block_times() {
  const double sigma = std::sqrt(std::log(1 + kAssumedSpread * kAssumedSpread));
  Generator random(1);
  std::vector<float> times(kDraws);
  for (float& time : times) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
    time = static_cast<float>(std::exp(sigma * normal - sigma * sigma / 2));
  }
  return times;
}

// Of that many blocks, in mean times of a block.
double simulate(std::span<const float> blocks, std::int64_t slots) {
  const auto first = std::min(blocks.size(), static_cast<std::size_t>(slots));
  std::vector<float> ends(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(first));
  float last = *std::max_element(ends.begin(), ends.end());
  if (first == blocks.size()) return last;
  std::priority_queue<float, std::vector<float>, std::greater<>> running({}, std::move(ends));
  for (const float block : blocks.subspan(first)) {
    const float end = running.top() + block;
    running.pop();
    running.push(end);
    last = std::max(last, end);
  }
  return last;
}

// The mean of up to 16 simulations, of fewer the more blocks there are.
double mean_time(std::int64_t blocks, std::int64_t slots) {
  static const std::vector<float> times = draw_block_times();
  const std::int64_t simulations = std::clamp<std::int64_t>(kDraws / 2 / blocks, 1, 16);
  double sum = 0;
  for (std::int64_t i = 0; i < simulations; ++i)
    sum += simulate(
        std::span(times).subspan(static_cast<std::size_t>(i * blocks), static_cast<std::size_t>(blocks)),
        slots);
  return sum / static_cast<double>(simulations);
}

double uneven_blocks(std::int64_t blocks, std::int64_t slots) {
  const double waves = static_cast<double>(blocks) / static_cast<double>(slots);
  if (blocks <= slots) return mean_time(std::min(blocks, kDraws), slots) / waves;
  const std::int64_t left_out = std::max<std::int64_t>(0, blocks / slots - kMostWaves);
  const double left_waves = waves - static_cast<double>(left_out);
  // The last wave keeps its number of blocks up to a whole number: one block more must not vanish.
  const std::int64_t fewer_slots = std::min(slots, kMostSlots);
  const auto simulated = static_cast<std::int64_t>(std::ceil(left_waves * static_cast<double>(fewer_slots)));
  return (mean_time(std::min(simulated, kDraws), fewer_slots) + static_cast<double>(left_out)) / waves;
}

}  // namespace

WaveForecast forecast_even_waves(std::int64_t blocks, int sms, int blocks_per_sm) {
  if (blocks < 1 || sms < 1 || blocks_per_sm < 1)
    throw std::invalid_argument("forecast_waves: blocks, SMs and blocks an SM must be positive");
  const std::int64_t slots = std::int64_t{sms} * blocks_per_sm;
  const std::int64_t full = blocks / slots;
  const std::int64_t rest = blocks % slots;
  const double waves = static_cast<double>(blocks) / static_cast<double>(slots);
  WaveForecast forecast;
  forecast.staircase = static_cast<double>(full + (rest > 0 ? 1 : 0)) / waves;
  const std::int64_t rest_of_sm = (rest + sms - 1) / sms;
  const double last_wave = static_cast<double>(rest_of_sm) / blocks_per_sm;
  forecast.partial_wave = (static_cast<double>(full) + last_wave) / waves;
  forecast.uneven_blocks = forecast.staircase;
  return forecast;
}

WaveForecast forecast_waves(std::int64_t blocks, int sms, int blocks_per_sm) {
  WaveForecast forecast = forecast_even_waves(blocks, sms, blocks_per_sm);
  forecast.uneven_blocks = uneven_blocks(blocks, std::int64_t{sms} * blocks_per_sm);
  return forecast;
}

}  // namespace tailwave
