#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/configuration.h"
#include "core/members.h"
#include "core/outcome.h"

namespace tailwave {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;

  static constexpr auto members() {
    return std::tuple{member("x", &Dim3::x), member("y", &Dim3::y), member("z", &Dim3::z)};
  }

  [[nodiscard]] std::int64_t count() const { return x * y * z; }
  // Of a block of so many threads, 32 a warp on every GPU so far.
  [[nodiscard]] std::int64_t warps() const { return (count() + 31) / 32; }
  bool operator==(const Dim3&) const = default;
};

constexpr std::int64_t kMostClusterBlocks = 16;  // of a thread block cluster; more than 8 not on every GPU

// What the compiler gave one kernel. Bytes are per thread except static_shared_bytes (per block).
struct KernelResources {
  std::string kernel;  // the name the manifest uses
  int registers = 0;   // per thread
  int spill_bytes = 0;
  int stack_bytes = 0;
  int barriers = 0;
  int max_threads = 0;  // from __launch_bounds__; 0: not given
  std::int64_t static_shared_bytes = 0;
  std::optional<Dim3> cluster;  // from __cluster_dims__: blocks of a cluster; absent: not given

  static constexpr auto members() {
    // In a row kernel and cluster are those of the launch.
    return std::tuple{member<kNotRow>("kernel", &KernelResources::kernel),
                      member("registers", &KernelResources::registers),
                      member("spill_bytes", &KernelResources::spill_bytes),
                      member("stack_bytes", &KernelResources::stack_bytes),
                      member("barriers", &KernelResources::barriers),
                      member("max_threads", &KernelResources::max_threads),
                      member("static_shared_bytes", &KernelResources::static_shared_bytes),
                      member<kNotRow>("required_cluster_", &KernelResources::cluster)};
  }

  bool operator==(const KernelResources&) const = default;
};

// Blocks that fit an SM at once, by what limits them. Formulas: occupancy/occupancy.h.
struct Occupancy {
  int blocks_per_sm = 0;  // 0: the kernel cannot launch
  double occupancy = 0;   // resident warps / the SM's warp slots, 0..1
  std::string limiter;  // "registers", "shared_memory", "warps", "blocks", "barriers", joined by "+" if tied
  int limit_registers = 0;  // blocks that each resource alone would allow
  int limit_shared_memory = 0;
  int limit_warps = 0;
  int limit_blocks = 0;

  static constexpr auto members() {
    return std::tuple{member("blocks_per_sm", &Occupancy::blocks_per_sm),
                      member("occupancy", &Occupancy::occupancy),
                      member<kMayBeAbsent>("limiter", &Occupancy::limiter),
                      member("limit_registers", &Occupancy::limit_registers),
                      member("limit_shared_memory", &Occupancy::limit_shared_memory),
                      member("limit_warps", &Occupancy::limit_warps),
                      member("limit_blocks", &Occupancy::limit_blocks)};
  }

  bool operator==(const Occupancy&) const = default;
};

// A grid seen as waves: so many blocks run together, the slots. SMs * blocks_per_sm, or with clusters active clusters *
// blocks of one.
struct Waves {
  double waves = 0;                    // grid / slots
  std::int64_t full_waves = 0;         // floor(waves)
  double tail_fraction = 0;            // how full the last, partial wave is, 0..1; 0: no partial wave
  double quantisation_efficiency = 0;  // waves / ceil(waves), 0..1: slot-time that has a block
  std::int64_t active_sms = 0;         // min(grid, slots, SMs)

  static constexpr auto members() {
    return std::tuple{member("waves", &Waves::waves), member("full_waves", &Waves::full_waves),
                      member("tail_fraction", &Waves::tail_fraction),
                      member("quantisation_efficiency", &Waves::quantisation_efficiency),
                      member("active_sms", &Waves::active_sms)};
  }

  bool operator==(const Waves&) const = default;
};

// One kernel launch of a configuration's plan, with what is known of it. A launch in a loop is one record, as it is
// when it takes place for the first time.
struct LaunchRecord {
  int position = 0;  // in the manifest's plan
  std::string kernel;
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<KernelResources> resources;  // absent: not a CUDA kernel, or it did not compile
  std::optional<Occupancy> occupancy;        // computed offline for `occupancy_device`
  std::optional<Waves> waves;
  std::string occupancy_device;             // e.g. "h200" or, for a plan on a CPU run, the planned-for device
  std::optional<int> driver_blocks_per_sm;  // what the driver answered on the device that ran it
  // SMs that the manifest has it run on, and those that the device gave it for that; absent: it has all, not known.
  std::optional<int> sms_asked, sms_granted;
  std::optional<Dim3>
      cluster;  // blocks of a cluster, as the manifest or the code has it; absent: there are none
  // Clusters that run at once: computed offline for `occupancy_device` (occupancy/clusters.h), and the driver's answer.
  std::optional<int> active_clusters, driver_active_clusters;
  std::int64_t count = 1;  // launches in one execution; in a loop that ends on a value at most

  static constexpr auto members() {
    return std::tuple{member("position", &LaunchRecord::position),
                      member("kernel", &LaunchRecord::kernel),
                      member("grid_", &LaunchRecord::grid),
                      member("block_", &LaunchRecord::block),
                      member("dynamic_shared_bytes", &LaunchRecord::dynamic_shared_bytes),
                      member<kMayBeAbsent>("count", &LaunchRecord::count),
                      member("", &LaunchRecord::resources),
                      member<kMayBeAbsent>("occupancy_device", &LaunchRecord::occupancy_device),
                      member("", &LaunchRecord::occupancy),
                      member("", &LaunchRecord::waves),
                      member("driver_blocks_per_sm", &LaunchRecord::driver_blocks_per_sm),
                      member("sms_asked", &LaunchRecord::sms_asked),
                      member("sms_granted", &LaunchRecord::sms_granted),
                      member("cluster_", &LaunchRecord::cluster),
                      member("active_clusters", &LaunchRecord::active_clusters),
                      member("driver_active_clusters", &LaunchRecord::driver_active_clusters)};
  }
};

// The launch that speaks for a configuration, as in the view main_launch. Of the launches of `main_kernels` (see
// VariantSpec), or of all where there are none of those, the first, unless another has at least twice its warps in
// one execution; then the one with the most. Launches of which nothing but the shape is known do not count; null
// without any other.
const LaunchRecord* main_launch(const std::vector<LaunchRecord>& launches,
                                const std::vector<std::string>& main_kernels);

// One timed sample: nanoseconds per execution of the launch plan.
struct Sample {
  int repetition = 0;
  int position = 0;           // order within the repetition, warm-up excluded
  double time_ns = 0;         // per execution
  int executions = 1;         // executions between the two time stamps
  std::string dropped;        // why it does not count; empty: it does
  std::int64_t sequence = 0;  // order among all samples of the run
  // Right after the executions, where the device tells.
  std::optional<double> sm_clock_mhz, temperature_c;
  std::string throttle_reasons;  // "none", "sw_power_cap+hw_thermal"; empty: not known
  // Others than tailwave's that have the GPU open, and so may have been in its way; of the CPU device, how many ran in the
  // place of its threads, in the mean and at least 1, if those waited long for a core. Nothing where that is not known.
  std::optional<std::int64_t> other_processes;
  // Of the CPU device: how long its threads were ready and waited for a core, all together, if that is long. Not stored.
  double waited_ns = 0;
  // Of the experiment's metric, where that is an expression; see store/metric_store.h.
  std::optional<double> metric_value;
  Values reported;  // real numbers that a program said of it beside its time, see System::reported

  static constexpr auto members() {
    // The process that stores samples counts them.
    return std::tuple{member("repetition", &Sample::repetition),
                      member("position", &Sample::position),
                      member("time_ns", &Sample::time_ns),
                      member("executions", &Sample::executions),
                      member<kMayBeAbsent>("dropped", &Sample::dropped),
                      member<kNotWire | kMayBeAbsent>("sequence", &Sample::sequence),
                      member("sm_clock_mhz", &Sample::sm_clock_mhz),
                      member("temperature_c", &Sample::temperature_c),
                      member<kMayBeAbsent>("throttle_reasons", &Sample::throttle_reasons),
                      member<kMayBeAbsent>("other_processes", &Sample::other_processes),
                      member<kNotJson | kNotRow>("waited_ns", &Sample::waited_ns),
                      member<kNotWire | kMayBeAbsent>("metric_value", &Sample::metric_value),
                      member<kMayBeAbsent>("reported", &Sample::reported)};
  }
};

// Where a run's wall-clock time went, in seconds.
struct PhaseTimes {
  double wait = 0;     // for builds, which go on in other processes
  double load = 0;     // code and buffers onto the device
  double verify = 0;   // reference, inputs, executions and comparison
  double measure = 0;  // warm-up and samples
  double store = 0;    // transactions

  static constexpr auto members() {
    return std::tuple{member("wait", &PhaseTimes::wait), member("load", &PhaseTimes::load),
                      member("verify", &PhaseTimes::verify), member("measure", &PhaseTimes::measure),
                      member("store", &PhaseTimes::store)};
  }
};
PhaseTimes& operator+=(PhaseTimes& times, const PhaseTimes& more);
PhaseTimes& operator-=(PhaseTimes& times, const PhaseTimes& less);

// One buffer compared with the reference.
struct Verification {
  // "before", "while" (what a sample left) or "after" timing; "again": after it, on draws that were looked at.
  std::string phase;
  std::string other_problem;  // "N = 1": of another problem, in what it differs; empty: of the trial's own
  std::string buffer;
  std::string norm;  // as the manifest calls it: "relative_l2", "max_abs", ...
  double error = 0;
  double tolerance = 0;
  bool passed = false;
  std::string detail;  // first bad element, guard words, NaN count

  static constexpr auto members() {
    return std::tuple{member("phase", &Verification::phase),
                      member<kMayBeAbsent>("other_problem", &Verification::other_problem),
                      member("buffer", &Verification::buffer),
                      member("norm", &Verification::norm),
                      member<kMayBeAbsent>("error", &Verification::error),
                      member("tolerance", &Verification::tolerance),
                      member("passed", &Verification::passed),
                      member<kMayBeAbsent>("detail", &Verification::detail)};
  }
};

// The least time of an execution by one limit of the device; see RooflineBound in spec/system.h.
struct LimitRecord {
  std::string name;
  double time_ns = 0;

  static constexpr auto members() {
    return std::tuple{member("name", &LimitRecord::name), member("time_ns", &LimitRecord::time_ns)};
  }
};

// The compiled artifact behind a trial.
struct BuildRecord {
  std::string key;       // content hash of everything that went into it
  std::string compiler;  // "NVRTC 13.0", "g++ 12.2.0"
  std::string target;    // "sm_90"; "cpu" for kernels compiled for the CPU device; "host" and "library"
  std::string options;
  std::string code_hash;  // hash of the machine code
  std::string log;
  double seconds = 0;  // 0 when it came from the cache
  bool from_cache = false;

  static constexpr auto members() {
    // A build is one row however often it is used; how long that took is the trial's: build_seconds, build_from_cache.
    return std::tuple{member("key", &BuildRecord::key),
                      member("compiler", &BuildRecord::compiler),
                      member("target", &BuildRecord::target),
                      member("options", &BuildRecord::options),
                      member("code_hash", &BuildRecord::code_hash),
                      member("log", &BuildRecord::log),
                      member<kNotRow>("seconds", &BuildRecord::seconds),
                      member<kNotRow>("from_cache", &BuildRecord::from_cache)};
  }
};

// The result of one configuration on one device in one run. time_ns is absent unless outcome is correct.
struct Trial {
  std::string key;  // identity; see tune/trial_key.h
  Configuration configuration;
  Outcome outcome = Outcome::correct;
  std::string detail;
  std::string unverified;  // why nothing says whether its results are right; empty: they were verified
  // "cuda_event" or "steady_clock"; of programs "process" (from its start to its end) or "self-reported"; empty when not timed
  std::string timer;
  // to_string(mode) of the settings, then ", cold" or ", rotate" unless the cache is hot, then of programs the timer
  std::string mode;
  std::string stopped_by;  // "samples" or the cap that ended sampling
  std::optional<BuildRecord> build;
  std::vector<LaunchRecord> launches;
  std::vector<Sample> samples;
  std::vector<Verification> verifications;
  std::vector<LimitRecord> limits;
  Values work;                        // the manifest's work quantities per execution, e.g. interactions
  std::optional<double> at_least_ns;  // given_up: what an execution takes at least, which is never ranked
  // What its verification (with loading code and inputs) and its measurement took, over all repetitions; none: it did
  // not get that far, or nobody noted it.
  std::optional<double> verify_seconds, measure_seconds;
  std::string same_as;  // skipped_identical: the configuration whose machine code and launches are the same
  // What the code that ran printed, as people may see it (core/printable.h): the beginning, and how much followed. Of
  // the repetition that failed, or of the first that printed anything.
  std::string kernel_output;
  std::string regime;  // in which it was measured again (spec/regime.h); empty: of the experiment itself

  static constexpr auto members() {
    // What has a table of its own has a list or an object of its own in JSON, too.
    return std::tuple{member("key", &Trial::key),
                      member<kNotRow | kNotJson>("configuration", &Trial::configuration),
                      member("outcome", &Trial::outcome),
                      member<kMayBeAbsent>("detail", &Trial::detail),
                      member<kMayBeAbsent>("unverified", &Trial::unverified),
                      member<kMayBeAbsent>("timer", &Trial::timer),
                      member<kMayBeAbsent>("mode", &Trial::mode),
                      member<kMayBeAbsent>("stopped_by", &Trial::stopped_by),
                      member<kNotRow | kNotJson>("build", &Trial::build),
                      member<kNotRow | kNotJson>("launches", &Trial::launches),
                      member<kNotRow | kNotJson>("samples", &Trial::samples),
                      member<kNotRow | kNotJson>("verifications", &Trial::verifications),
                      member<kNotRow | kNotJson>("limits", &Trial::limits),
                      member("work", &Trial::work),
                      member("at_least_ns", &Trial::at_least_ns),
                      member("verify_seconds", &Trial::verify_seconds),
                      member("measure_seconds", &Trial::measure_seconds),
                      member<kMayBeAbsent>("same_as", &Trial::same_as),
                      member<kMayBeAbsent>("kernel_output", &Trial::kernel_output),
                      member<kMayBeAbsent>("regime", &Trial::regime)};
  }
};

// Of the samples that are not dropped.
std::vector<double> counted_times_ns(const std::vector<Sample>& samples);
double median_ns(const Trial& trial);  // 0 without a sample

}  // namespace tailwave
