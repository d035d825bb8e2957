#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/configuration.h"
#include "core/enum_names.h"
#include "core/members.h"

namespace tailwave {

// What a GPU does on its own account: a kernel, a copy between memories, memory filled with one value.
enum class ActivityKind { kernel, copy, fill };
template <>
struct EnumNames<ActivityKind> {
  static constexpr std::string_view noun = "kind of activity";
  static constexpr std::array<std::string_view, 3> names{"kernel", "copy", "fill"};
};

// One of these in an execution of a plan.
struct TimelineRecord {
  std::int64_t number = 0;  // in the order of their begins, from 0
  ActivityKind kind = ActivityKind::kernel;
  std::string name;  // of a kernel the manifest's, or else its function's; of a copy "host to device"
  // In the manifest's plan, of the first launch with this kernel, grid and block; none: the plan has none such.
  std::optional<int> position;
  int gpu = 0;  // of those that the plan uses, the first is 0; of a processing element its number
  // The manifest's number, unless the timeline's remark says otherwise: then those of each GPU count from 0.
  int stream = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  // since the first of all began
  std::optional<std::int64_t> bytes;      // of a copy or a fill

  static constexpr auto members() {
    return std::tuple{
        member("number", &TimelineRecord::number),     member("kind", &TimelineRecord::kind),
        member("name", &TimelineRecord::name),         member("position", &TimelineRecord::position),
        member("gpu", &TimelineRecord::gpu),           member("stream", &TimelineRecord::stream),
        member("begin_ns", &TimelineRecord::begin_ns), member("end_ns", &TimelineRecord::end_ns),
        member("bytes", &TimelineRecord::bytes)};
  }

  bool operator==(const TimelineRecord&) const = default;
};

// What one execution of a configuration's plan did over time. Never a time that counts: nothing is held back until all of
// the plan is queued, so that gaps may be the host's.
struct Timeline {
  Configuration configuration;
  std::string compiler;
  std::string code_hash;  // of the machine code that ran; empty: not known
  double time_ns = 0;     // median of executions that were timed, not recorded
  int executions = 1;     // that were recorded; this is the one of median length
  std::int64_t found =
      0;  // records that it has; of more than kMostRecords only so many are kept, those that began first
  std::string remark;  // what else a reader has to know
  std::vector<TimelineRecord> records;

  static constexpr std::size_t kMostRecords = 10'000;

  static constexpr auto members() {
    // The configuration as in a trial; records have a table of their own, and in JSON an array a column.
    return std::tuple{member<kNotRow | kNotJson>("configuration", &Timeline::configuration),
                      member("compiler", &Timeline::compiler),
                      member<kMayBeAbsent>("code_hash", &Timeline::code_hash),
                      member("time_ns", &Timeline::time_ns),
                      member("executions", &Timeline::executions),
                      member("found", &Timeline::found),
                      member<kMayBeAbsent>("remark", &Timeline::remark),
                      member<kNotRow | kNotJson>("records", &Timeline::records)};
  }
};

}  // namespace tailwave
