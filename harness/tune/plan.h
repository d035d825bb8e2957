#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "core/table.h"
#include "core/trial.h"
#include "occupancy/device_spec.h"
#include "space/large_space.h"
#include "spec/experiment.h"

namespace tailwave {

// A device that a plan is for, and where its kernels' resources come from.
struct PlannedDevice {
  DeviceSpec spec;
  Compiler* compiler = nullptr;  // devices with the same one share its builds
  int target = 0;                // of its code: 75 for sm_75

  [[nodiscard]] bool has_own_code() const { return target == spec.compute_capability; }
};

// The configurations of an experiment that a plan is about: those of cuda variants that a person means
// (spec/select.h); all with an empty text. Throws Error as select_from().
std::vector<Configuration> planned_configurations(const Experiment& experiment,
                                                  const std::string& filter = "");

// The one that a person means (select_configuration()); of a large experiment only what is wanted is enumerated. Throws
// Error as both.
Configuration planned_configuration(const Experiment& experiment, const std::string& wanted);

// Some of them, without going through all.
struct PlanSample {
  std::vector<Configuration> configurations;
  Count all;  // that they are taken from
};
// The first `count` in the order of the spec, problem by problem: where a problem has fewer, the next one has the
// others.
PlanSample first_configurations(const Experiment& experiment, std::size_t count);
// `count` different ones at random, as equally likely as can be, the same number of each problem; all where there are
// no more.
PlanSample random_configurations(const Experiment& experiment, std::size_t count, std::uint64_t seed);
// The main launch (see main_launch) of each configuration on a device, in their order.
struct PlannedLaunch {
  std::string configuration;
  std::string outcome;   // planned, compile_error, compile_timeout, exceeds_device_limit, launch_failed
  std::string obstacle;  // why it is not planned, or why nothing is known of its waves
  std::optional<LaunchRecord> launch;

  [[nodiscard]] bool is_planned() const { return outcome == "planned"; }
};
std::vector<PlannedLaunch> planned_launches(const Experiment& experiment,
                                            const std::vector<Configuration>& configurations,
                                            const PlannedDevice& device, unsigned processes);

// What a plan of all would be too long for; then first_configurations() says more at once.
inline constexpr std::size_t kMostPlanned = 100'000;
Count count_planned(const Experiment& experiment);

// Everything but time, one row per configuration and launch: compiles in `processes` processes and computes occupancy
// and waves. Columns: configuration, kernel, outcome (planned, compile_error, compile_timeout, exceeds_device_limit,
// launch_failed), registers, spill_bytes, shared_bytes (static + dynamic), grid and block (threads), lanes (share
// of its warps' lanes that have a thread), blocks_per_sm, limiter, occupancy, waves, full_waves, tail_fraction,
// quantisation_efficiency (waves / ceil(waves): slots of the waves that have a block, with however many threads; 1 over it is how
// much longer than with even waves the staircase model says it takes), active_sms, staircase, partial_wave and
// uneven_blocks (how much longer than with full waves alone: occupancy/wave_forecast.h), sms_asked and sms (of a launch
// that asks for some of the device's, and those to expect: occupancy/sm_share.h), cluster (blocks of one) and
// active_clusters (that run at once: occupancy/clusters.h), obstacle (why it cannot launch, why
// nothing is known of its waves, or the compiler's first line).
Table plan_table(const Experiment& experiment, const std::vector<Configuration>& configurations,
                 const PlannedDevice& device, unsigned processes);

// The same for several devices: one row per configuration and device, of the main launch (see main_launch). Builds
// every configuration once per compiler. Further columns after `kernel`: device, and code: "sm_90", or "sm_75 for
// sm_61" where registers are those of another capability's code.
Table plan_table(const Experiment& experiment, const std::vector<Configuration>& configurations,
                 const std::vector<PlannedDevice>& devices, unsigned processes);

}  // namespace tailwave
