#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// What a buffer begins with, as manifests and the regimes of experiments say it. Files are named relative to `folder`;
// `names`: what amounts may name. Everything wrong is reported; zeros where there is no place, or nothing of it can be
// read.
Fill read_fill(const Json& place, const std::filesystem::path& folder, const std::vector<std::string>& names,
               Reporter& reporter);

// A file whose first bytes become elements, as it is now. Reported where it cannot be read.
Fill fill_from_file(const std::filesystem::path& file, const std::string& pointer, Reporter& reporter);

// Reports what makes no sense in this scope: amounts that cannot be evaluated or that the buffer's type cannot hold,
// names that the reference does not have, a file that is too short or has other elements. `pointer`: of the fill. A count
// that cannot be evaluated is reported elsewhere.
void check_fill(const std::string& name, const System& system, const Values& scope,
                const std::string& pointer, Reporter& reporter);

// Of that the file alone, at `pointer`: too short, or of other elements.
void check_fill_file(const std::string& name, const BufferSpec& buffer, const Values& scope,
                     const std::string& pointer, Reporter& reporter);

// Adds what fills name of the reference's parameters to those by which it is computed.
void name_parameters_of_fills(System& system);

// "zeros", "all 3", "uniform 0 to 1, seed 7", "normal, mean 0, deviation N", "i % 2", "file heights.bin".
std::string describe(const Fill& fill);

}  // namespace tailwave
