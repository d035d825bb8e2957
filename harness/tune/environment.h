#pragma once

#include <filesystem>
#include <string>

#include "measure/tools.h"
#include "spec/experiment.h"
#include "store/result_store.h"

namespace tailwave {

// Now as "2026-05-04T12:00:00Z".
std::string utc_now();
// As the machine calls itself in the network.
std::string machine_name();

// CPU model, usable cores and operating system of this machine, one line.
std::string host_description();

// The commit checked out in `project_root`, with "-dirty" appended when tracked files differ; empty when git
// or the repository is missing.
std::string project_commit(const std::filesystem::path& project_root);

// Of the manifest, and of the sources, with the project's headers, of what the experiment measures and of what says what is
// right.
std::string system_hash(const Experiment& experiment);

// What of a run's record does not depend on the experiment or the device.
RunRecord describe_environment(const std::filesystem::path& project_root);

// The run's environment with what the experiment says of itself.
RunRecord describe_experiment(RunRecord environment, const Experiment& experiment, const Tools& tools);

// Stores what reports need to know of an experiment besides its runs: published figures in SI units, main kernels.
void store_what_reports_need(const Experiment& experiment, ResultStore& store);

}  // namespace tailwave
