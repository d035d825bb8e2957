#include "occupancy/lift.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

BlockNeeds with_registers(BlockNeeds needs, std::int64_t registers) {
  needs.kernel.registers = static_cast<int>(registers);
  return needs;
}

BlockNeeds with_shared_bytes(BlockNeeds needs, std::int64_t bytes) {
  needs.kernel.static_shared_bytes = std::min(needs.kernel.static_shared_bytes, bytes);
  needs.dynamic_shared_bytes = bytes - needs.kernel.static_shared_bytes;
  return needs;
}

BlockNeeds with_barriers(BlockNeeds needs, std::int64_t barriers) {
  needs.kernel.barriers = static_cast<int>(barriers);
  return needs;
}

using WithAmount = BlockNeeds (*)(BlockNeeds needs, std::int64_t amount);

// The largest amount from `least` to `most` with which an SM holds at least `blocks` blocks, or least - 1. Halves the
// range, since a block that needs less never fits an SM fewer times.
std::int64_t largest_amount(const DeviceSpec& device, const BlockNeeds& needs, WithAmount with,
                            std::int64_t least, std::int64_t most, int blocks) {
  std::int64_t fits = least - 1, does_not = most + 1;
  while (does_not - fits > 1) {
    const std::int64_t middle = fits + (does_not - fits) / 2;
    const bool enough = compute_occupancy(device, with(needs, middle)).blocks_per_sm >= blocks;
    (enough ? fits : does_not) = middle;
  }
  return fits;
}

class LiftSearch {
 public:
  LiftSearch(const DeviceSpec& device, const BlockNeeds& now)
      : device_(device), now_(now), occupancy_now_(compute_occupancy(device, now)) {}

  std::vector<Lift> run() {
    reduce(Lift::Change::registers, with_registers, 1, now_.kernel.registers);
    reduce(Lift::Change::shared_memory, with_shared_bytes, 0, now_.shared_bytes());
    if (lifts_.empty()) reduce_both();
    reduce(Lift::Change::barriers, with_barriers, 0, now_.kernel.barriers);
    resize_block();
    return std::move(lifts_);
  }

 private:
  void add(Lift::Change change, const BlockNeeds& needs) {
    lifts_.push_back({change, needs, compute_occupancy(device_, needs)});
  }

  // To `least` or more.
  void reduce(Lift::Change change, WithAmount with, std::int64_t least, std::int64_t amount) {
    if (amount <= least) return;
    const int most_blocks = compute_occupancy(device_, with(now_, least)).blocks_per_sm;
    if (most_blocks <= occupancy_now_.blocks_per_sm) return;
    const auto largest = [&](int blocks) {
      return largest_amount(device_, now_, with, least, amount, blocks);
    };
    const std::int64_t first = largest(occupancy_now_.blocks_per_sm + 1);
    const std::int64_t last = largest(most_blocks);
    add(change, with(now_, first));
    if (last != first) add(change, with(now_, last));
  }

  void reduce_both() {
    const int blocks = occupancy_now_.blocks_per_sm + 1;
    const std::int64_t registers =
        largest_amount(device_, with_shared_bytes(now_, 0), with_registers, 1, now_.kernel.registers, blocks);
    if (registers < 1) return;
    const BlockNeeds leaner = with_registers(now_, registers);
    const std::int64_t bytes =
        largest_amount(device_, leaner, with_shared_bytes, 0, now_.shared_bytes(), blocks);
    if (bytes < 0 || bytes == now_.shared_bytes()) return;
    add(Lift::Change::registers_and_shared_memory, with_shared_bytes(leaner, bytes));
  }

  [[nodiscard]] std::vector<Lift> better_blocks() const {
    std::vector<Lift> better;
    for (std::int64_t threads = device_.warp_size; threads <= device_.max_threads_per_block;
         threads += device_.warp_size) {
      BlockNeeds needs = now_;
      needs.block = {threads};
      const Occupancy occupancy = compute_occupancy(device_, needs);
      if (occupancy.occupancy > occupancy_now_.occupancy)
        better.push_back({Lift::Change::block_size, needs, occupancy});
    }
    return better;
  }

  void resize_block() {
    const std::vector<Lift> better = better_blocks();
    const std::int64_t threads = now_.block.count();
    const auto larger = std::find_if(better.begin(), better.end(),
                                     [&](const Lift& lift) { return lift.needs.block.x > threads; });
    const auto best = std::max_element(better.begin(), better.end(), [&](const Lift& a, const Lift& b) {
      if (a.occupancy.occupancy != b.occupancy.occupancy)
        return a.occupancy.occupancy < b.occupancy.occupancy;
      return std::abs(a.needs.block.x - threads) > std::abs(b.needs.block.x - threads);
    });
    for (auto lift = better.begin(); lift != better.end(); ++lift)
      if (lift + 1 == larger || lift == larger || lift == best) lifts_.push_back(*lift);
  }

  const DeviceSpec& device_;
  const BlockNeeds& now_;
  Occupancy occupancy_now_;
  std::vector<Lift> lifts_;
};

}  // namespace

Occupancy compute_occupancy(const DeviceSpec& device, const BlockNeeds& needs) {
  return compute_occupancy(device, needs.kernel, needs.block, needs.dynamic_shared_bytes);
}

std::vector<Lift> find_lifts(const DeviceSpec& device, const BlockNeeds& now) {
  return LiftSearch(device, now).run();
}

FullGrids find_full_grids(std::int64_t blocks, std::int64_t slots) {
  const std::int64_t below = (blocks - 1) / slots * slots;
  FullGrids grids{.above = (blocks / slots + 1) * slots};
  if (below > 0) grids.below = below;
  return grids;
}

}  // namespace tailwave
