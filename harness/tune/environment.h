#pragma once

#include <filesystem>
#include <string>

#include "store/result_store.h"

namespace tailwave {

// Now as "2026-05-04T12:00:00Z".
std::string utc_now();

// CPU model, usable cores and operating system of this machine, one line.
std::string host_description();

// The commit checked out in `project_root`, with "-dirty" appended when tracked files differ; empty when git
// or the repository is missing.
std::string project_commit(const std::filesystem::path& project_root);

// What of a run's record does not depend on the experiment or the device.
RunRecord describe_environment(const std::filesystem::path& project_root);

}  // namespace tailwave
