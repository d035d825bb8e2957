#pragma once

#include <filesystem>

namespace tailwave::injected {

// Records how long each kernel of the application runs, by CUPTI's activity records, and writes it to `file` when the process
// ends (write()): what has no time of its own is left out. Returns what keeps it from doing so; null: nothing.
const char* begin_kernel_times();
void write_kernel_times(const std::filesystem::path& file);

}  // namespace tailwave::injected
