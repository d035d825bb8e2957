#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "capture/captured_launch.h"

namespace tailwave {

// A source of the kernel that was captured, as a variant with parameters that does the same launch.
struct SourceVariant {                // NOLINT(bugprone-exception-escape): JSON only asserts when it is moved
  nlohmann::ordered_json variant;     // without the arguments of its launch, which are the captured ones
  nlohmann::ordered_json parameters;  // by name, the values to try
  std::vector<std::string> constraints;
  std::vector<std::pair<std::filesystem::path, std::string>>
      files;                         // of the system's folder, and their texts
  std::vector<std::string> remarks;  // what was guessed of the source, or is to be written by hand
  std::vector<std::string> shapes;   // for people: "grid ceil_div(4001, BLOCK_X) x 375 x 1 is 126 x 375 x 1"
};

// Takes parameters, grid and block from how the source itself launches the kernel (adopt/adopt.h), with the values that the
// captured arguments have in place of the quantities; where that gives another shape than was captured, a block is a parameter
// of that value, and the extent of a grid is sought among whole numbers of the arguments and their products. What nothing
// explains stays the number that it was. So with the parameters as the source has them, grid, block and dynamic shared
// memory are those of each launch, which are alike.
//
// Throws Error (bad usage) where adopt() does, and where the kernel takes other arguments than those captured.
SourceVariant source_variant(const std::vector<CapturedLaunch>& launches,
                             const std::filesystem::path& source);

}  // namespace tailwave
