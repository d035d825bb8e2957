#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tailwave {

struct JsonFile {
  nlohmann::json document;
  bool mended = false;  // it ended as a Kernel Tuner cachefile does while its run lasts
};

// A JSON file, compressed with gzip or not. A cachefile of a run in progress, whose closing braces are missing, is
// completed in memory. Throws Error (bad usage) that names the file and the place: for an empty file, one that is not
// JSON (NaN and Infinity are not), a name that an object has twice, nesting more than 100 deep, and a whole number beyond 64
// bits that a double would change; and what read_decompressed() throws.
JsonFile read_json_file(const std::filesystem::path& file);

}  // namespace tailwave
