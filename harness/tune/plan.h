#pragma once

#include "build/artifact.h"
#include "core/table.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"

namespace tailwave {

// Everything but time, one row per configuration and launch: compiles with `compiler` in `processes` processes and
// computes occupancy and waves for `device`. Host variants have no row. Columns: configuration, kernel, outcome
// (planned, compile_error, exceeds_device_limit, launch_failed), registers, spill_bytes, shared_bytes (static +
// dynamic), grid and block (threads), blocks_per_sm, limiter, occupancy, waves, full_waves, tail_fraction,
// efficiency (waves / ceil(waves)), obstacle (why it cannot launch, or the compiler's first line).
Table plan_table(const Experiment& experiment, Compiler& compiler, const DeviceSpec& device,
                 unsigned processes);

}  // namespace tailwave
