#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <queue>
#include <tuple>
#include <vector>

#include "core/random.h"

namespace tailwave::fakes {

struct SimulatedBlock {
  std::int64_t sm, start_ns, end_ns;
};

// A device that gives the next block to whichever slot is free first, as GPUs do. What is left out does not vary.
struct SimulatedDevice {
  std::int64_t sms = 1;
  std::int64_t slots_per_sm = 1;
  std::function<double(Generator&)> block_ns = [](Generator&) { return 100'000.0; };
  std::function<double(std::int64_t sm)> slowness = [](std::int64_t) { return 1.0; };
  std::function<double(std::int64_t sm, std::int64_t slot)> first_start_ns = [](std::int64_t, std::int64_t) {
    return 0.0;
  };
  double hand_over_ns = 0;  // from the end of a block to the start of the next in its slot
  std::uint64_t seed = 1;
};

// One launch of `blocks` blocks, in their order; one of the slots' first starts should be 0.
inline std::vector<SimulatedBlock> simulate(const SimulatedDevice& device, std::int64_t blocks) {
  using Slot = std::tuple<double, std::int64_t, std::int64_t>;  // free from, slot, SM: SMs take turns
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> free;
  for (std::int64_t slot = 0; slot < device.slots_per_sm; ++slot)
    for (std::int64_t sm = 0; sm < device.sms; ++sm) free.emplace(device.first_start_ns(sm, slot), slot, sm);
  Generator random(device.seed);
  std::vector<SimulatedBlock> done;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto [start, slot, sm] = free.top();
    free.pop();
    const double end = start + device.block_ns(random) * device.slowness(sm);
    done.push_back({sm, std::llround(start), std::llround(end)});
    free.emplace(end + device.hand_over_ns, slot, sm);
  }
  return done;
}

// Standard normal (Box & Muller, A note on the generation of random normal deviates, 1958).
inline double normal(Generator& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Block times with this mean and coefficient of variation.
inline std::function<double(Generator&)> log_normal(double mean_ns, double variation) {
  const double sigma = std::sqrt(std::log(1 + variation * variation));
  return [=](Generator& random) { return mean_ns * std::exp(sigma * normal(random) - sigma * sigma / 2); };
}

}  // namespace tailwave::fakes
