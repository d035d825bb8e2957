#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/members.h"
#include "core/trial.h"

namespace tailwave {

// One block of a launch. Times of one launch share a clock; when it began does not matter.
struct BlockTime {
  std::int64_t start_ns = 0, end_ns = 0;
  int sm = 0;  // a core of a CPU

  bool operator==(const BlockTime&) const = default;
};

// What a device tells of one traced launch.
struct LaunchTrace {
  std::vector<BlockTime> blocks;  // in their order, x fastest
  int registers = 0;              // of the build that ran, as the driver says; 0 on the CPU device
  int local_bytes = 0;            // a thread: stack and spills
};

// A launch of a trace: what is known of it, and what the device told.
struct TracedLaunch {
  LaunchRecord launch;    // of the plain build
  int sms = 0;            // of the device
  int blocks_per_sm = 0;  // predicted for the plain build
  std::string limiter;
  std::optional<int> traced_blocks_per_sm;  // as the driver says; absent on the CPU device
  LaunchTrace traced;
};

// One execution of a configuration's plan, each launch traced the first time it takes place.
struct Trace {
  Configuration configuration;
  std::string method;              // "ptx" or "workers"
  std::string compiler;            // of the plain build
  std::int64_t clock_step_ns = 0;  // the smallest step between two times of the trace
  double plain_time_ns = 0;        // medians of executions in turn, without and with tracing
  double traced_time_ns = 0;
  std::string disturbed;  // why these are not the blocks of the plain build; empty: they are
  std::vector<TracedLaunch> launches;

  static constexpr auto members() {
    // As in a trial.
    return std::tuple{member<kNotRow | kNotJson>("configuration", &Trace::configuration),
                      member("method", &Trace::method),
                      member("compiler", &Trace::compiler),
                      member("clock_step_ns", &Trace::clock_step_ns),
                      member("plain_time_ns", &Trace::plain_time_ns),
                      member("traced_time_ns", &Trace::traced_time_ns),
                      member<kMayBeAbsent>("disturbed", &Trace::disturbed),
                      member<kNotRow | kNotJson>("launches", &Trace::launches)};
  }
};

// A kernel timed with its grid cut to some numbers of blocks.
struct GridSample {
  std::int64_t blocks = 0;
  bool fitted = false;  // models may be fitted to it; else it is held out
  std::vector<double> times_ns;
};

struct GridPrediction {
  std::string model;
  std::int64_t blocks = 0;
  double time_ns = 0;

  static constexpr auto members() {
    return std::tuple{member("model", &GridPrediction::model), member("blocks", &GridPrediction::blocks),
                      member("time_ns", &GridPrediction::time_ns)};
  }
};

struct GridCurve {
  Configuration configuration;
  std::string compiler;
  LaunchRecord launch;
  int sms = 0, blocks_per_sm = 0;
  std::vector<GridSample> samples;
  std::vector<GridPrediction> predictions;
};

}  // namespace tailwave
