#pragma once

#include <filesystem>
#include <string>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// What a buffer begins with, as manifests and the regimes of experiments say it. Files are named relative to `folder`.
// Everything wrong is reported; zeros where there is no place, or nothing of it can be read.
Fill read_fill(const Json& place, const std::filesystem::path& folder, Reporter& reporter);

// A file whose first bytes become elements, as it is now. Reported where it cannot be read.
Fill fill_from_file(const std::filesystem::path& file, const std::string& pointer, Reporter& reporter);

// Reports a file that is too short for the buffer in this scope. A count that cannot be evaluated is reported
// elsewhere.
void check_fill_file(const std::string& name, const BufferSpec& buffer, const Values& scope,
                     const std::string& pointer, Reporter& reporter);

// Reports values that the buffer's type cannot hold; `high` itself is never reached. `pointer`: of the fill.
void check_fill_range(const BufferSpec& buffer, const std::string& pointer, Reporter& reporter);

// "zeros", "all 3", "uniform 0 to 1, seed 7", "i % 2", "file heights.bin".
std::string describe(const Fill& fill);

}  // namespace tailwave
