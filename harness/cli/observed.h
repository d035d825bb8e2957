#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/session.h"
#include "measure/measurer.h"
#include "spec/experiment.h"
#include "store/observation_store.h"
#include "store/result_store.h"

namespace tailwave {

// What `trace`, `curve`, `counters` and `timeline` have in common: they look closely at configurations of an experiment,
// one after the other.
struct ObservationArguments {
  std::string spec;
  std::string selection;
  SessionOptions session;
  std::shared_ptr<const OutputOptions> output = std::make_shared<OutputOptions>();
};

void add_observation_options(Command& command, ObservationArguments& arguments);

struct Observation {
  const Experiment& experiment;
  Measurer& measurer;  // of all configurations
  ResultStore& store;
  const Session& session;
  const Console& console;
  DeviceDescription device;
  ObservationRecord record;
};

// The median, in ns, of executions of the configuration that are verified and neither counted nor recorded. Throws Failure
// where it is not correct.
double plain_time_ns(const Observation& seen, const Configuration& configuration);

// Calls look() for each configuration of a cuda variant that is selected. A Failure is said and is the end of that
// configuration alone; throws Error when that is all of them, and when it is interrupted.
void observe(const ObservationArguments& arguments,
             const std::function<void(const Observation&, const Configuration&)>& look);

}  // namespace tailwave
