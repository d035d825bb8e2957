#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "core/enum_names.h"
#include "core/error.h"
#include "core/members.h"
#include "core/timeline.h"
#include "core/trial.h"

namespace tailwave {

// Why a device's counters cannot be read.
enum class CounterObstacle { no_library, too_old, not_permitted, in_use, not_supported, failed };
template <>
struct EnumNames<CounterObstacle> {
  static constexpr std::string_view noun = "obstacle of counters";
  static constexpr std::array<std::string_view, 6> names{"no library", "too old",       "not permitted",
                                                         "in use",     "not supported", "failed"};
};

// "counters: not permitted: <cause>", and in a second line what to do about it.
std::string describe_obstacle(CounterObstacle obstacle, const std::string& cause);

// What a device makes of metrics that are asked for.
struct CounterPlan {
  std::string chip;                  // "GH100"
  std::vector<std::string> metrics;  // that it has
  std::vector<std::string> unknown;  // that it lacks
  int passes = 0;                    // executions that counting takes; 0 without metrics

  static constexpr auto members() {
    return std::tuple{member("chip", &CounterPlan::chip), member("metrics", &CounterPlan::metrics),
                      member("unknown", &CounterPlan::unknown), member("passes", &CounterPlan::passes)};
  }
};

// What a device did, and when, as it noted that itself.
struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;          // of a kernel its symbol; of a copy "host to device"; of a fill "fill"
  int gpu = 0;               // counted from the executor's own as 0; of a processing element its number
  std::uint64_t stream = 0;  // by the device's own numbers, which say nothing but that streams differ
  std::uint64_t order = 0;   // of the calls of a process; the same for all that one call has done
  Dim3 grid, block;          // of a kernel
  std::int64_t begin_ns = 0, end_ns = 0;  // by a clock of the device's
  std::int64_t bytes = 0;                 // of a copy or a fill

  static constexpr auto members() {
    return std::tuple{member("kind", &Activity::kind),     member("name", &Activity::name),
                      member("gpu", &Activity::gpu),       member("stream", &Activity::stream),
                      member("order", &Activity::order),   member("grid", &Activity::grid),
                      member("block", &Activity::block),   member("begin_ns", &Activity::begin_ns),
                      member("end_ns", &Activity::end_ns), member("bytes", &Activity::bytes)};
  }
};

// The hardware counters of a device, and its own notes of what it does when, in the process that has it open. Seam: tests
// use a fake. Throws Failure, whose text is that of describe_obstacle() where that tells.
class CounterSource {
 public:
  virtual ~CounterSource() = default;

  // Names that are there twice are one.
  virtual CounterPlan plan(const std::vector<std::string>& metrics) = 0;

  // Counts what `work` does on the device, which has to be one launch: once a pass, each after `prepare`, which is not
  // counted and has to leave the device idle. The values are in the order of the plan's metrics.
  virtual std::vector<CounterValue> count(const CounterPlan& plan, const std::function<void()>& prepare,
                                          const std::function<void()>& work) = 0;

  // What the device does in `work`, which has to leave it idle: kernels, copies and fills on all GPUs of this process, or
  // of all processing elements, as they overlap, in no particular order.
  virtual std::vector<Activity> record(const std::function<void()>& work) = 0;

  // False after what only another process helps against.
  [[nodiscard]] virtual bool usable() const { return true; }
};

// One that records and counts nothing: Failure(unavailable), with this text.
class RecordingSource : public CounterSource {
 public:
  explicit RecordingSource(std::string why_not_counted) : why_not_counted_(std::move(why_not_counted)) {}

  CounterPlan plan(const std::vector<std::string>& metrics) final;
  std::vector<CounterValue> count(const CounterPlan& plan, const std::function<void()>& prepare,
                                  const std::function<void()>& work) final;

 private:
  std::string why_not_counted_;
};

}  // namespace tailwave
