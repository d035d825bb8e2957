#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/timeline.h"
#include "core/trial.h"
#include "device/counters.h"
#include "device/executor.h"
#include "measure/tools.h"
#include "measure/worker.h"
#include "spec/experiment.h"

namespace tailwave {

// Records what a configuration's plan does over time on the worker's device, which was opened to count: after a few
// executions for nothing several ones are recorded, each on the first draw's inputs, with its streams as in a run, and the
// one of median length is the timeline. Where the experiment times a graph, it is one; nothing is held back or flushed.
// The configuration has to be known as correct. `time_ns`: the median of its timed executions. Throws Failure where it
// does not run or does nothing that the device notes, and Error as Worker::call() does.
Timeline record_timeline(const Experiment& experiment, const Configuration& configuration, const Tools& tools,
                         Worker& counting, double time_ns);

// An execution's records in the order of their begins.
struct ReadActivities {
  std::vector<TimelineRecord> records;  // all
  bool streams_as_planned = false;      // else streams are numbered in the order in which they appear
};

// Streams are the plan's where the calls, in their order, did the plan's launches one for one. `symbols`: those of the
// Artifact; a kernel of another name has that of its function. `shapes`: those of launch_shapes(), for positions.
ReadActivities read_activities(std::vector<Activity> activities, std::span<const Launch> plan,
                               const std::map<std::string, std::string>& symbols,
                               const std::vector<LaunchRecord>& shapes);

// What record_timeline() asks of a worker whose device was opened to count, which has to be started with these systems.
Tasks timeline_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
