#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/timeline.h"
#include "core/trial.h"
#include "device/counters.h"
#include "device/executor.h"

namespace tailwave {

// What is known of the plan that was recorded.
struct RecordedPlan {
  std::span<const Launch> launches;            // of all processing elements one after another
  std::map<std::string, std::string> symbols;  // of the Artifact
  // Those of launch_shapes(), for positions: of each processing element; one where there are none.
  std::vector<std::vector<LaunchRecord>> shapes;

  [[nodiscard]] int pes() const { return static_cast<int>(shapes.size()); }
};

// An execution's records in the order of their begins.
struct ReadActivities {
  std::vector<TimelineRecord> records;  // all
  bool streams_as_planned = false;  // else those of each GPU are numbered in the order in which they appear
  // Processing elements end no collective before all of them have begun it. So much, in ns, their clocks are apart at
  // least, where one does in these records; 0 also where streams are not as planned.
  std::int64_t clocks_apart_ns = 0;
};

// Streams are the plan's where the calls of each process, in their order, did its launches one for one, and whatever NVSHMEM
// does for a collective. A kernel of another name than the symbols has that of its function.
ReadActivities read_activities(std::vector<Activity> activities, const RecordedPlan& plan);

// What processing elements do to begin and to end together, which is no part of an execution: as `meeting` has it, a
// recording without launches, half of it before and half of it after. Leaves that out of each execution's activities.
std::vector<Activity> without_meeting(std::vector<Activity> execution, const std::vector<Activity>& meeting);

}  // namespace tailwave
