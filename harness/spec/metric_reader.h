#pragma once

#include <string>
#include <vector>

#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// What an expression of a metric may name besides problem, parameters, work, rates of the device and its counters. Of an
// execution: time (s). Of its verification: error, the largest difference in any comparison, in that one's norm. Of the
// main launch: registers and spill_bytes (a thread), shared_bytes (a block, static and dynamic), blocks_per_sm,
// occupancy (0 to 1), waves. Where it was measured (tune/energy.h): energy (J of an execution), power (W),
// sustained_time (s).
const std::vector<std::string>& measured_names();
bool is_of_energy(const std::string& measured_name);

// `metric` or `metrics`, the time without either, into experiment.metric and further_metrics; `objectives`, which are
// names of these; and `energy`, which a metric that names it implies. Needs its system.
void read_metrics(const Json& root, Experiment& experiment, Reporter& reporter);

// Reports a `name` that is no metric of the system ("time" or "<work>_per_second") and none of the others.
void check_metric(const std::string& name, const System& system, const std::string& pointer,
                  Reporter& reporter, const std::vector<std::string>& others = {});

// One of these, or what programs report. Reports what is neither.
Metric metric_named(const std::string& name, const System& system, const std::string& pointer,
                    Reporter& reporter);

// The metric that is optimised and then the further ones.
std::vector<Metric> all_metrics(const Experiment& experiment);

// Whether a metric is more than the time or the rate that the experiment optimises: then trials have MetricRecords.
bool has_own_metrics(const Experiment& experiment);

}  // namespace tailwave
