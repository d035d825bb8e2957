#pragma once

#include <optional>
#include <vector>

#include "core/trial.h"
#include "device/executor.h"
#include "measure/workspace.h"

namespace tailwave {

// One launch of a plan, to be executed alone.
struct LoneLaunch {
  std::vector<Launch> before;  // in the plan; loops are not left
  Launch launch;               // in stream 0; it waits for nothing else and ends no loop
};

// Whether two launches have the same kernel, grid, block, SMs and, as far as both tell, clusters.
bool same_shape(const LaunchRecord& one, const LaunchRecord& other);

// The first launch of a plan on the first GPU that has the kernel, grid, block, SMs and clusters of `record`; none
// where the plan has no such launch.
std::optional<LoneLaunch> lone_launch(std::vector<Launch> plan, const LaunchRecord& record);

// Gives the buffers the first draw's inputs and the program's variables what they held when it was loaded, executes
// what prepares the plan and what comes before the launch, and waits. Throws as Executor::repeat() does.
void run_before(const LoneLaunch& lone, Executor& executor, Program& program, const Workspace& workspace);

}  // namespace tailwave
