#include "tune/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/launch_description.h"
#include "occupancy/clusters.h"
#include "occupancy/launch_speed.h"
#include "occupancy/lift.h"
#include "occupancy/occupancy.h"
#include "occupancy/sm_share.h"
#include "tune/compile_pool.h"

namespace tailwave {
namespace {

constexpr int kLabelWidth = 16;

// "1 block", "2 blocks".
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string dimensions(const Dim3& size) {
  if (size.y == 1 && size.z == 1) return std::to_string(size.x);
  return fmt::format("{} x {} x {} = {}", size.x, size.y, size.z, size.count());
}

std::string percent(double share) {
  return fmt::format("{:.4g} %", 100 * share);
}

class LaunchExplanation {
 public:
  LaunchExplanation(const LaunchRecord& launch, const DeviceSpec& device)
      : launch_(launch),
        whole_(device),
        device_(device_of(device, launch)),
        kernel_(launch.resources.value()),
        needs_{kernel_, launch.block, launch.dynamic_shared_bytes} {}

  std::string text() {
    text_ = fmt::format("\n{}: grid {}, block {}{}\n", launch_.kernel, dimensions(launch_.grid),
                        dimensions(launch_.block),
                        launch_.count == 1 ? "" : fmt::format(", {} launches", launch_.count));
    add_resources();
    if (launch_.sms_asked) add_sms();
    if (launch_.cluster) add_cluster();
    const std::string obstacle = launch_obstacle(launch_, whole_);
    if (!occupancy_available(device_)) {
      add("occupancy", "not known: " + why_no_occupancy(device_));
    } else if (launch_.waves && obstacle.empty()) {
      add_occupancy();
      add_waves();
      add_lifts();
      add_grids();
    } else {
      add("cannot run", obstacle);
      if (launch_.occupancy->blocks_per_sm == 0) add_lifts();
    }
    return std::move(text_);
  }

 private:
  // Lines without a label continue the one before.
  void add(std::string_view label, std::string_view line) {
    text_ += fmt::format("  {:<{}}  {}\n", label, kLabelWidth, line);
  }

  void add_resources() {
    std::string bounds;
    if (kernel_.max_threads > 0) bounds = fmt::format(", __launch_bounds__ {}", kernel_.max_threads);
    const std::string spills =
        kernel_.spill_bytes > 0 ? fmt::format("{} bytes of spills", kernel_.spill_bytes) : "no spills";
    add("a thread", fmt::format("{}, {}", counted(kernel_.registers, "register"), spills));
    const std::int64_t warps = (launch_.block.count() + device_.warp_size - 1) / device_.warp_size;
    const std::int64_t idle = warps * device_.warp_size - launch_.block.count();
    add("a block",
        fmt::format("{}{}, {} bytes of shared memory ({} static, {} dynamic), {}{}", counted(warps, "warp"),
                    idle > 0 ? fmt::format(" ({} idle)", counted(idle, "lane")) : "", needs_.shared_bytes(),
                    kernel_.static_shared_bytes, launch_.dynamic_shared_bytes,
                    counted(kernel_.barriers, "barrier"), bounds));
  }

  void add_sms() {
    add("SMs", fmt::format("{} asked for, {} to expect of {}", *launch_.sms_asked, device_.sms, whole_.sms));
  }

  void add_cluster() {
    const std::vector<int> gpcs = sms_of_gpcs(device_);
    std::string where;
    for (std::size_t i = 0; i < gpcs.size(); ++i)
      if (const auto alike = std::count(gpcs.begin(), gpcs.end(), gpcs[i]); i == 0 || gpcs[i] != gpcs[i - 1])
        where += fmt::format("{}{} of {} SMs", where.empty() ? "" : ", ", alike, gpcs[i]);
    add("a cluster", fmt::format("{} blocks on one GPC{}", dimensions(*launch_.cluster),
                                 where.empty() ? "" : ", taken to be " + where));
    if (launch_.active_clusters)
      add("clusters", fmt::format("{} at once, {} in the grid", *launch_.active_clusters,
                                  launch_.grid.count() / launch_.cluster->count()));
  }

  // With so many blocks an SM.
  [[nodiscard]] std::int64_t slots(int blocks_per_sm) const {
    LaunchRecord launch;
    launch.cluster = launch_.cluster;
    launch.occupancy = Occupancy{.blocks_per_sm = blocks_per_sm};
    return slots_of(device_, launch);
  }

  void add_occupancy() {
    const Occupancy& occupancy = *launch_.occupancy;
    add("blocks an SM by",
        fmt::format("registers {}, shared memory {}, warps {}, block slots {}", occupancy.limit_registers,
                    occupancy.limit_shared_memory, occupancy.limit_warps, occupancy.limit_blocks));
    add("limited by", occupancy.limiter);
    add("occupancy", fmt::format("{} an SM, {} of its warp slots", counted(occupancy.blocks_per_sm, "block"),
                                 percent(occupancy.occupancy)));
  }

  void add_waves() {
    const Waves& waves = *launch_.waves;
    const std::string tail = waves.tail_fraction > 0
                                 ? fmt::format("and a last one that is {} full", percent(waves.tail_fraction))
                                 : "and no tail";
    add("waves", fmt::format("{:.4g} of {}: {} {}", waves.waves,
                             counted(slots(launch_.occupancy->blocks_per_sm), "block"),
                             counted(waves.full_waves, "full wave"), tail));
    const double lanes = lane_share({.block = launch_.block.count()});
    add("quantisation",
        fmt::format("{} of the waves' slots have a block{}", percent(waves.quantisation_efficiency),
                    lanes < 1 ? fmt::format(", {} of their lanes a thread", percent(lanes)) : ""));
    add("active SMs", fmt::format("{} of {}", waves.active_sms, device_.sms));
  }

  std::string change_text(const Lift& lift) const {
    const auto registers = [&] {
      const int now = kernel_.registers, then = lift.needs.kernel.registers;
      return fmt::format("{} fewer ({})", counted(now - then, "register"), then);
    };
    const auto bytes = [&] {
      return fmt::format("{} of shared memory fewer ({})",
                         counted(needs_.shared_bytes() - lift.needs.shared_bytes(), "byte"),
                         lift.needs.shared_bytes());
    };
    switch (lift.change) {
      case Lift::Change::registers:
        return registers();
      case Lift::Change::shared_memory:
        return bytes();
      case Lift::Change::registers_and_shared_memory:
        return registers() + " and " + bytes();
      case Lift::Change::barriers:
        return fmt::format("{} fewer ({})", counted(kernel_.barriers - lift.needs.kernel.barriers, "barrier"),
                           lift.needs.kernel.barriers);
      case Lift::Change::block_size:
        return fmt::format("block size {}", lift.needs.block.x);
    }
    return "";
  }

  void add_lifts() {
    const std::vector<Lift> lifts = find_lifts(device_, needs_);
    const std::string label = "what lifts it";
    bool first = true;
    for (const Lift& lift : lifts) {
      std::string line =
          fmt::format("{}: {} an SM ({})", change_text(lift), counted(lift.occupancy.blocks_per_sm, "block"),
                      percent(lift.occupancy.occupancy));
      if (lift.change != Lift::Change::block_size)
        line += fmt::format(
            ", {:.4g} waves",
            waves_of_slots(device_, launch_.grid.count(), slots(lift.occupancy.blocks_per_sm)).waves);
      add(first ? label : "", line);
      first = false;
    }
    if (lifts.empty())
      add(label, launch_.occupancy->occupancy >= 1
                     ? fmt::format("nothing: all {} warps of an SM are resident",
                                   device_.max_threads_per_sm / device_.warp_size)
                     : "nothing: neither fewer registers, less shared memory nor another block size");
    else if (launch_.waves && launch_.waves->waves <= 1)
      add("", "but the grid has no more blocks than run at once already");
  }

  void add_grids() {
    const std::int64_t grid = launch_.grid.count();
    const std::string label = "full waves";
    const FullGrids grids = find_full_grids(grid, slots(launch_.occupancy->blocks_per_sm));
    if (launch_.waves->tail_fraction == 0) {
      add(label, fmt::format("at the grid of {} as it is", grid));
    } else if (grids.below) {
      add(label, fmt::format("at a grid of {} or {} (now {})", *grids.below, grids.above, grid));
    } else {
      add(label, fmt::format("at a grid of {} (now {})", grids.above, grid));
    }
    if (launch_.waves->active_sms < device_.sms)
      add("all SMs", fmt::format("from a grid of {} (now {})", device_.sms, grid));
  }

  const LaunchRecord& launch_;
  const DeviceSpec& whole_;
  const DeviceSpec device_;  // with the SMs that the launch may use
  const KernelResources& kernel_;
  BlockNeeds needs_;
  std::string text_;
};

std::string explain_launches(const System& system, const Configuration& configuration, const Built& built,
                             const DeviceSpec& device) {
  std::string text;
  try {
    const VariantSpec& variant = *system.find_variant(configuration.variant);
    for (const LaunchRecord& launch :
         describe_launches(variant, configuration.scope(), built.artifact->resources, device)) {
      text += LaunchExplanation(launch, device).text();
    }
  } catch (const Failure& failure) {
    text = fmt::format("\n{}: {}\n", to_string(failure.outcome()), failure.what());
  }
  return text;
}

}  // namespace

std::string explain(const System& system, const Configuration& configuration, const PlannedDevice& device) {
  const VariantSpec* const variant = system.find_variant(configuration.variant);
  const Built built =
      build_elsewhere(*device.compiler, {&system, variant, configuration}, [] { return false; });
  std::string text =
      fmt::format("{}\non {}, {}, compiled for sm_{} by {}\n", configuration.name(), device.spec.title,
                  counted(device.spec.sms, "SM"), device.target, device.compiler->version());
  if (!device.has_own_code())
    text += fmt::format("registers, and what follows from them, are those of code for sm_{}, not sm_{}\n",
                        device.target, device.spec.compute_capability);
  if (built.artifact) return text + explain_launches(system, configuration, built, device.spec);
  return text + fmt::format("\n{}: {}\n", to_string(built.outcome), built.detail);
}

}  // namespace tailwave
