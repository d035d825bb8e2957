#pragma once

#include "compile/cache.h"
#include "core/trace.h"
#include "measure/measurer.h"
#include "spec/experiment.h"

namespace tailwave {

struct TraceOptions {
  double most_slower = 0.03;  // share of the plain time by which tracing may change a configuration's
  int turns = 5;              // of each build, one after the other, each with the experiment's samples
};

// Traces one configuration of a cuda variant on the measurer's device: verifies and times it as the experiment says,
// in turn as it is and with blocks noting their SM, start and end (on a GPU: add_block_trace on the PTX of the same
// build, assembled by the driver; the templates know nothing of it), then executes its plan for every launch that is
// traced, which those on other GPUs than the first are not. On a GPU several ways to note are tried until one changes the
// time by no more than half of most_slower; the one that changed it least counts. `cache`: where changed builds are kept.
//
// Trace::disturbed says which limits the tracing broke: other blocks an SM, more local memory, or a time that differs by
// more than most_slower (describe_change()). Throws Failure when the configuration does not run correctly, plain or traced, or has no launch on the
// first GPU, and Error as measuring does.
Trace trace_configuration(const Experiment& experiment, const Configuration& configuration,
                          Measurer& measurer, const ArtifactCache& cache, const TraceOptions& options);

// What of a trace cannot be trusted where tracing changed the configuration's time by more than a share of `most`; ""
// where it did not. The shares of the slots' time are of the traced time, so that all that came or went may stand in one.
std::string describe_change(double plain_ns, double traced_ns, double most);

// What trace_configuration() asks of the worker of that device, which has to be started with these systems.
Tasks tracing_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
