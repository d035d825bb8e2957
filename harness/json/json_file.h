#pragma once

#include <filesystem>

#include "json/json.h"

namespace tailwave {

struct JsonFile {
  Json document;
  bool mended = false;  // it ended as a Kernel Tuner cachefile does while its run lasts
};

// A JSON file that a program wrote, compressed with gzip or not. A cachefile of a run in progress, whose closing braces
// are missing, is completed in memory. Throws Error (bad usage): the first that parse_json() finds wrong, and what
// read_decompressed() throws.
JsonFile read_json_file(const std::filesystem::path& file);

}  // namespace tailwave
