#pragma once

#include <cstdint>
#include <string>

#include "store/result_store.h"

namespace tailwave {

// The rows behind ResultStore and the import. None of these opens a transaction: the caller does.

// {"BLOCK_SIZE": 128, "FAST_MATH": true}, sorted by name, on one line.
std::string to_json(const Values& values);

// The row with the same fields, or a new one.
std::int64_t find_or_insert_device(Database& database, const DeviceRecord& device);

std::int64_t find_or_insert_configuration(Database& database, const Configuration& configuration);

std::int64_t insert_run(Database& database, std::int64_t device, const RunRecord& run);

std::int64_t insert_trial(Database& database, std::int64_t run, std::int64_t device, const Trial& trial);

}  // namespace tailwave
