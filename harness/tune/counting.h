#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "device/counters.h"
#include "measure/tools.h"
#include "measure/worker.h"
#include "spec/experiment.h"

namespace tailwave {

struct CountingOptions {
  CounterSet set = CounterSet::all;
  std::vector<std::string> chosen;  // metrics, for CounterSet::chosen
  int most_passes = 40;
};

// What is counted, and how many executions of each launch that takes on the worker's device, asked before anything is.
// A metric that the chip lacks is replaced by its stand-in, or left out; of those that were chosen it is an error.
// Throws Error (bad usage) for that and for more passes than wanted, and what describe_obstacle() says where nothing
// can be counted.
CounterPlan plan_counters(Worker& counting, const CountingOptions& options);

// Counts each launch of a configuration's plan on its device, once for those of the same kernel, grid and block: as it
// is when it takes place for the first time, on the first draw's inputs, with whatever prepares it executed before. The
// configuration has to be known as correct. `time_ns`: what an execution takes without counters, where that is known.
// Throws Failure where it does not run, and Error as Worker::call() does.
CounterRun count_configuration(const Experiment& experiment, const Configuration& configuration,
                               const Tools& tools, Worker& counting, const CounterPlan& plan,
                               const CountingOptions& options, std::optional<double> time_ns);

// What these ask of a worker whose device was opened to count, which has to be started with these systems.
Tasks counting_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
