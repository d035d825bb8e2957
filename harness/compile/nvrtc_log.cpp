#include "compile/nvrtc_log.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace tailwave {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Without the line of the source, which follows.
std::optional<NvrtcError> error_of_line(std::string_view line) {
  constexpr std::array<std::string_view, 2> kKinds{"): error: ", "): catastrophic error: "};
  for (const std::string_view kind : kKinds) {
    const auto end = line.find(kind);
    if (end == std::string_view::npos) continue;
    const auto open = line.rfind('(', end);
    if (open == std::string_view::npos) continue;
    NvrtcError error{.file = line.substr(0, open),
                     .line = 0,
                     .message = line.substr(end + kind.size()),
                     .source_line = {}};
    const auto [rest, failed] = std::from_chars(line.data() + open + 1, line.data() + end, error.line);
    if (failed == std::errc() && rest == line.data() + end) return error;
  }
  return std::nullopt;
}

}  // namespace

std::vector<NvrtcError> errors_in(std::string_view log) {
  std::vector<NvrtcError> errors;
  while (!log.empty()) {
    std::optional<NvrtcError> error = error_of_line(take_line(log));
    if (!error) continue;
    error->source_line = log.substr(0, log.find('\n'));
    errors.push_back(*error);
  }
  return errors;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(after));
}

std::string errors_first(const std::string& log) {
  std::size_t begin = 0;
  for (std::string_view rest = log; !rest.empty();) {
    begin = log.size() - rest.size();
    if (error_of_line(take_line(rest))) break;
    if (rest.empty()) return log;  // there is none
  }
  if (begin == 0) return log;
  std::string warnings = log.substr(0, begin);
  warnings.pop_back();
  return log.substr(begin) + '\n' + warnings;
}

std::string undefined_function(std::string_view log) {
  const std::string symbol(between(log, "Unresolved extern function '", "'"));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name != nullptr ? name.get() : symbol;
}

std::optional<MissingKernel> missing_kernel(std::string_view log) {
  const std::vector<NvrtcError> errors = errors_in(log);
  const bool all_in_names = std::all_of(
      errors.begin(), errors.end(), [](const NvrtcError& error) { return error.file == "__nv_name_map"; });
  if (errors.empty() || !all_in_names) return std::nullopt;
  std::string_view name = between(errors.front().source_line, "nv_mangled_name ", "\n");
  while (name.ends_with(' ')) name.remove_suffix(1);
  return MissingKernel{std::string(name), std::string(errors.front().message)};
}

}  // namespace tailwave
