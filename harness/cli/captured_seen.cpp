#include "cli/captured_seen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "cli/captured_said.h"
#include "core/error.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostNamed = 10;

bool matches(const std::string& pattern, const KernelTimes& one) {
  regex_t expression{};
  if (regcomp(&expression, pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) return false;
  const auto fits = [&](const std::string& text) {
    return regexec(&expression, text.c_str(), 0, nullptr, 0) == 0;
  };
  const bool any = fits(one.kernel) || fits(one.demangled);
  regfree(&expression);
  return any;
}

}  // namespace

std::string how_it_ended(const ApplicationEnd& end) {
  if (end.signal != 0) return fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal));
  return fmt::format("ended with status {}", end.exit_status);
}

Seen gather(const fs::path& folder) {
  Seen seen;
  for (const Injected& process : injected_processes(folder)) {
    ++seen.processes;
    seen.launches.insert(seen.launches.end(), process.launches.begin(), process.launches.end());
    seen.refused.insert(seen.refused.end(), process.refused.begin(), process.refused.end());
    if (!process.obstacle.empty()) seen.obstacle = process.obstacle;
    try {
      add_times(seen.times, read_kernel_times(process.folder / "kernels.json"));
    } catch (const Error&) {
      seen.refused.emplace_back("the times of a process of the application are lost");
    }
  }
  return seen;
}

void cannot_capture(const std::string& cause, const std::string& hint) {
  throw Error({.cause = cause, .hint = hint}, Error::kRunFailed);
}

void require_cuda(const Seen& seen, const ApplicationEnd& end, const std::string& program) {
  if (!seen.launches.empty()) return;
  if (!seen.obstacle.empty()) cannot_capture("the launches cannot be seen: " + seen.obstacle);
  if (seen.processes > 0) return;
  cannot_capture(
      fmt::format("'{}' did not begin to use CUDA, and {}", program, how_it_ended(end)),
      "a program that sets CUDA_INJECTION64_PATH itself, or runs under a profiler, cannot be captured");
}

// Nothing was captured: why, as far as it is known.
void require_launch(const Injection& injection, const Seen& seen, const ApplicationEnd& end) {
  if (!seen.launches.empty()) return;
  if (!seen.refused.empty())
    cannot_capture(fmt::format("the launch cannot be captured: {}", seen.refused.front()));
  std::int64_t launches = 0;
  for (const KernelTimes& one : seen.times)
    if (matches(injection.kernel, one)) launches += one.launches;
  if (injection.nth && launches > 0 && launches <= static_cast<std::int64_t>(*injection.nth))
    cannot_capture(fmt::format("'{}' fits {} launches, and --nth asks for number {}, from 0",
                               injection.kernel, launches, *injection.nth));
  if (launches > 0)
    cannot_capture(
        fmt::format("'{}' fits {} launches, and none could be captured{}", injection.kernel, launches,
                    end.signal != 0 || end.exit_status != 0 ? ": the application " + how_it_ended(end) : ""),
        "while a stream is captured into a graph nothing is; launches of child graphs are not looked for");
  const std::vector<ApplicationKernel> kernels = kernels_of(seen.times);
  std::vector<std::string> names;
  for (const ApplicationKernel& one : kernels)
    if (names.size() < kMostNamed) names.push_back(base_name(one.name));
  const std::string ended = end.signal != 0 || end.exit_status != 0 ? ", and it " + how_it_ended(end) : "";
  if (names.empty())
    cannot_capture(fmt::format("no launch of '{}' was seen{}", injection.kernel, ended),
                   "nothing is known of the kernels that it launched");
  cannot_capture(fmt::format("no launch of '{}' was seen{}", injection.kernel, ended),
                 fmt::format("it launched {}{}; 'tailwave capture --profile' lists them",
                             fmt::join(names, ", "), kernels.size() > names.size() ? ", ..." : ""));
}

}  // namespace tailwave
