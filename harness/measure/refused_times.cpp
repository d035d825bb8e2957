#include "measure/refused_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"
#include "measure/least_time.h"

namespace tailwave {
namespace {

// Of what the two times of an execution say.
std::string other_work(DeviceKind kind) {
  return fmt::format("{}; {}",
                     kind == DeviceKind::cuda
                         ? "they do not do the same work"
                         : "they do not do the same work, or the CPU has learned the branches of one input",
                     kIsolate);
}

}  // namespace

void refuse_work_that_fades(const BackToBack& times, DeviceKind device_kind, Candidate& candidate) {
  if (times.repeated_ns >= times.least_ns) return;
  candidate.fail(
      Outcome::wrong_result,
      fmt::format(
          "an execution takes {:.4g} us on inputs of its own ({}, back to back) and {:.4g} us on what the one "
          "before left ({}): {}",
          times.own_ns / 1e3, times.own, times.repeated_ns / 1e3, times.repeated, other_work(device_kind)));
}

void refuse_work_that_fades(double fresh_ns, DeviceKind device_kind, Candidate& candidate) {
  constexpr double kShare = 0.25;
  const double latency_ns = device_kind == DeviceKind::cuda ? 5e3 : 2e5;
  const double time_ns = median_ns(candidate.trial);
  if (time_ns >= kShare * (fresh_ns - latency_ns)) return;
  candidate.fail(
      Outcome::wrong_result,
      fmt::format("an execution on fresh inputs takes {:.4g} us, executions back to back {:.4g} us each: {}",
                  fresh_ns / 1e3, time_ns / 1e3, other_work(device_kind)));
}

void refuse_what_is_faster_than_possible(std::int64_t written_bytes, const DeviceDescription& device,
                                         const MemoryRates& rates, Candidate& candidate) {
  const double time_ns = median_ns(candidate.trial);
  const double least_ns = least_write_ns(written_bytes, l2_bytes(device), rates);
  if (time_ns < least_ns)
    return candidate.fail(
        Outcome::faster_than_possible,
        fmt::format("{:.4g} us for results of {} bytes, which this device writes in {:.4g} us at least: it "
                    "copies {:.3g} TB/s and reads {:.3g} TB/s of memory, {:.3g} TB/s of L2",
                    time_ns / 1e3, written_bytes, least_ns / 1e3, rates.copy / 1e12, rates.read / 1e12,
                    std::max(rates.l2_read, rates.l2_write) / 1e12));
  for (const LimitRecord& limit : candidate.trial.limits) {
    if (!candidate.system->limits.at(limit.name).hard || time_ns >= limit.time_ns) continue;
    return candidate.fail(Outcome::faster_than_possible,
                          fmt::format("{:.4g} us, less than the {:.4g} us of the hard limit '{}'",
                                      time_ns / 1e3, limit.time_ns / 1e3, limit.name));
  }
}

std::string doubt_of(const RepetitionResult& result, DeviceKind kind) {
  const auto timed = std::find_if(result.looks.rbegin(), result.looks.rend(),
                                  [](const Look& look) { return look.time_ns.has_value(); });
  if (result.samples.empty() || timed == result.looks.rend()) return "";
  const double time_ns = median(counted_times_ns(result.samples));
  if (!is_in_doubt(time_ns, *timed->time_ns, kind)) return "";
  return fmt::format("the sample that was verified took {:.4g} us, the median sample {:.4g} us",
                     *timed->time_ns / 1e3, time_ns / 1e3);
}

}  // namespace tailwave
