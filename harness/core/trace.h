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
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  // of its last warp
  std::int64_t left_ns =
      0;  // when its warps had left on average: what a block leaves to the next one is counted from here
  std::int64_t block = 0;  // its number, x fastest
  double weight = 1;       // blocks that it stands for, itself included
  std::int64_t sm = 0;     // a core of a CPU

  static constexpr auto members() {
    return std::tuple{member("block", &BlockTime::block),       member("sm", &BlockTime::sm),
                      member("start_ns", &BlockTime::start_ns), member("end_ns", &BlockTime::end_ns),
                      member("left_ns", &BlockTime::left_ns),   member("weight", &BlockTime::weight)};
  }

  bool operator==(const BlockTime&) const = default;
};

// From the first start to the last end of these blocks; 0 of none.
std::int64_t seen_duration_ns(const std::vector<BlockTime>& blocks);

// What a device tells of one traced launch.
struct LaunchTrace {
  std::vector<BlockTime> blocks;  // by number; those that note
  // From the first block's start to the last one's end, whether these note or not.
  std::int64_t duration_ns = 0;
  int registers = 0;    // of the build that ran, as the driver says; 0 on the CPU device
  int local_bytes = 0;  // a thread: stack and spills

  static constexpr auto members() {
    return std::tuple{
        member("blocks", &LaunchTrace::blocks), member("duration_ns", &LaunchTrace::duration_ns),
        member("registers", &LaunchTrace::registers), member("local_bytes", &LaunchTrace::local_bytes)};
  }
};

// The build that was traced, as the driver says.
struct TracedBuild {
  int blocks_per_sm = 0;
  int registers = 0;
  int local_bytes = 0;  // a thread

  static constexpr auto members() {
    return std::tuple{member("blocks_per_sm", &TracedBuild::blocks_per_sm),
                      member("registers", &TracedBuild::registers),
                      member("local_bytes", &TracedBuild::local_bytes)};
  }
};

// A launch of a trace: what is known of it, and what the device told.
struct TracedLaunch {
  int position = 0;  // as in LaunchRecord
  std::string kernel;
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0, count = 1;
  int sms = 0;            // of the device
  int blocks_per_sm = 0;  // predicted for the plain build
  std::string limiter;
  std::optional<int> registers, local_bytes;  // of the plain build; absent: not known
  std::optional<TracedBuild> traced;          // absent on the CPU device
  std::int64_t noted_one_in = 1;              // blocks, but for the last ones, which all note; 1: all do
  std::int64_t duration_ns = 0;               // as in LaunchTrace
  std::optional<std::int64_t> cluster_slots;  // see slots_of()
  std::vector<BlockTime> blocks;

  static constexpr auto members() {
    // Blocks have a table of their own, and in JSON an array a column.
    return std::tuple{member("position", &TracedLaunch::position),
                      member("kernel", &TracedLaunch::kernel),
                      member("grid_", &TracedLaunch::grid),
                      member("block_", &TracedLaunch::block),
                      member("dynamic_shared_bytes", &TracedLaunch::dynamic_shared_bytes),
                      member<kMayBeAbsent>("count", &TracedLaunch::count),
                      member("sms", &TracedLaunch::sms),
                      member("blocks_per_sm", &TracedLaunch::blocks_per_sm),
                      member<kMayBeAbsent>("limiter", &TracedLaunch::limiter),
                      member("registers", &TracedLaunch::registers),
                      member("local_bytes", &TracedLaunch::local_bytes),
                      member("traced_", &TracedLaunch::traced),
                      member("noted_one_in", &TracedLaunch::noted_one_in),
                      member("duration_ns", &TracedLaunch::duration_ns),
                      member("cluster_slots", &TracedLaunch::cluster_slots),
                      member<kNotRow | kNotJson>("blocks", &TracedLaunch::blocks)};
  }
};

// Blocks that run at once: of a launch of clusters its cluster_slots, active clusters x blocks of one; else SMs x blocks an
// SM.
std::int64_t slots_of(const TracedLaunch& launch);

// Share of the time of all its slots in which they held warps: sum of (left - start) x weight / (slots x duration). 0 of a launch without blocks.
double busy_share(const TracedLaunch& launch);

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

  static constexpr auto members() {
    // Each time is a row of its own.
    return std::tuple{member("blocks", &GridSample::blocks), member("fitted", &GridSample::fitted),
                      member<kNotRow | kNotJson>("times_ns", &GridSample::times_ns)};
  }
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
  // Of the launch whose grid is cut.
  int position = 0;
  std::string kernel;
  std::int64_t full_grid = 1, block_threads = 1;
  int sms = 0, blocks_per_sm = 0;
  std::optional<std::int64_t> cluster_slots;  // as of a TracedLaunch
  // Where the code had to be changed for it (compile/grid_cut.h): by which share that changes the time of the full grid.
  std::optional<double> cut_change;
  std::vector<GridSample> samples;
  std::vector<GridPrediction> predictions;

  static constexpr auto members() {
    // As in a trial.
    return std::tuple{member<kNotRow | kNotJson>("configuration", &GridCurve::configuration),
                      member("compiler", &GridCurve::compiler),
                      member("position", &GridCurve::position),
                      member("kernel", &GridCurve::kernel),
                      member("full_grid", &GridCurve::full_grid),
                      member("block_threads", &GridCurve::block_threads),
                      member("sms", &GridCurve::sms),
                      member("blocks_per_sm", &GridCurve::blocks_per_sm),
                      member("cluster_slots", &GridCurve::cluster_slots),
                      member("cut_change", &GridCurve::cut_change),
                      member<kNotRow | kNotJson>("samples", &GridCurve::samples),
                      member<kNotRow | kNotJson>("predictions", &GridCurve::predictions)};
  }
};

// The executions of a plan whose launches may use some of the SMs.
struct SmSample {
  int sms_asked = 0;  // 0: the device as a whole
  int sms = 0;        // granted; on the CPU device, cores
  std::vector<double> times_ns;
  std::optional<std::int64_t> cluster_slots = {};  // as of a TracedLaunch, on these

  static constexpr auto members() {
    // As of a GridSample.
    return std::tuple{member("sms_asked", &SmSample::sms_asked), member("sms", &SmSample::sms),
                      member("cluster_slots", &SmSample::cluster_slots),
                      member<kNotRow | kNotJson>("times_ns", &SmSample::times_ns)};
  }
};

// A configuration timed on several numbers of SMs, each verified.
struct SmCurve {
  Configuration configuration;
  std::string compiler;
  // Of the main launch.
  int position = 0;
  std::string kernel;
  std::int64_t grid = 1, block_threads = 1;
  int blocks_per_sm = 0;
  std::vector<SmSample> samples;

  static constexpr auto members() {
    // As in a trial.
    return std::tuple{member<kNotRow | kNotJson>("configuration", &SmCurve::configuration),
                      member("compiler", &SmCurve::compiler),
                      member("position", &SmCurve::position),
                      member("kernel", &SmCurve::kernel),
                      member("grid", &SmCurve::grid),
                      member("block_threads", &SmCurve::block_threads),
                      member("blocks_per_sm", &SmCurve::blocks_per_sm),
                      member<kNotRow | kNotJson>("samples", &SmCurve::samples)};
  }
};

}  // namespace tailwave
