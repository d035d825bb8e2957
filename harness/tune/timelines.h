#pragma once

#include <vector>

#include "core/timeline.h"
#include "measure/tools.h"
#include "measure/worker.h"
#include "spec/experiment.h"

namespace tailwave {

// Records what a configuration's plan does over time on the worker's device, which was opened to count: after a few
// executions for nothing several ones are recorded, each on the first draw's inputs, with its streams as in a run, and the
// one of median length is the timeline. Of processing elements each one's records are there, from when all have met to
// when the last one is done. Where the experiment times a graph, it is one; nothing is held back or flushed.
// The configuration has to be known as correct. `time_ns`: the median of its timed executions. Throws Failure where it
// does not run or does nothing that the device notes, and Error as Worker::call() does.
Timeline record_timeline(const Experiment& experiment, const Configuration& configuration, const Tools& tools,
                         Worker& counting, double time_ns);

// What record_timeline() asks of a worker whose device was opened to count, which has to be started with these systems.
Tasks timeline_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
