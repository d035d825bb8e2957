#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// An error of NVRTC's log: "k.cu(3): error: identifier "x" is undefined" and the line of the source that follows.
struct NvrtcError {
  std::string_view file;
  int line = 0;
  std::string_view message;
  std::string_view source_line;
};

// In order; they point into the log.
std::vector<NvrtcError> errors_in(std::string_view log);

// What stands between the first `before` and the `after` that follows; empty where there is no such.
std::string_view between(std::string_view text, std::string_view before, std::string_view after);

// With the warnings before the first error behind all else.
std::string errors_first(const std::string& log);

// "f(double)" of "ptxas fatal : Unresolved extern function '_Z1fd'"; empty where it is about something else.
std::string undefined_function(std::string_view log);

// NVRTC looks a kernel's name up in a source of its own. When all errors are there, the template itself is fine and lacks
// the kernel: its name and the cause.
struct MissingKernel {
  std::string name, cause;
};
std::optional<MissingKernel> missing_kernel(std::string_view log);

}  // namespace tailwave
