#pragma once

#include <cstdint>
#include <string>

#include "store/result_store.h"

namespace tailwave {

// The rows behind ResultStore and the import. None of these opens a transaction: the caller does.

// The row with the same fields, or a new one.
std::int64_t find_or_insert_device(Database& database, const DeviceDescription& device);

std::int64_t find_or_insert_configuration(Database& database, const Configuration& configuration);

// Reports are files named after systems and experiments: no name may lead elsewhere, or be more than a line.
bool names_a_file(const std::string& name);
// Throws Error (bad usage) for a name that is a path.
void require_file_names(const std::string& system, const std::string& experiment);

// Throws Error (bad usage) for a system or experiment whose name is a path.
std::int64_t insert_run(Database& database, std::int64_t device, const RunRecord& run);

std::int64_t insert_trial(Database& database, std::int64_t run, std::int64_t device, const Trial& trial);

}  // namespace tailwave
