#include "tune/tracer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "build/block_trace.h"
#include "core/hash.h"
#include "measure/inputs.h"
#include "measure/launch_plan.h"
#include "measure/lone_launch.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

// The smallest difference between two times of any launch; 1 where all are equal.
std::int64_t clock_step(const std::vector<TracedLaunch>& launches) {
  std::int64_t step = 0;
  for (const TracedLaunch& launch : launches) {
    std::set<std::int64_t> times;
    for (const BlockTime& block : launch.traced.blocks) times.insert({block.start_ns, block.end_ns});
    std::int64_t before = -1;
    for (const std::int64_t time : times) {
      if (before >= 0 && (step == 0 || time - before < step)) step = time - before;
      before = time;
    }
  }
  return std::max<std::int64_t>(step, 1);
}

bool same_shape(const LaunchRecord& one, const LaunchRecord& other) {
  return one.kernel == other.kernel && one.grid == other.grid && one.block == other.block;
}

class Tracer {
 public:
  Tracer(const Experiment& experiment, const Configuration& configuration, const Toolchain& tools,
         ReferenceProvider& reference, const ArtifactCache& cache, const TraceOptions& options)
      : experiment_(experiment),
        configuration_(configuration),
        tools_(tools),
        reference_(reference),
        cache_(cache),
        options_(options),
        variant_(*experiment.system.find_variant(configuration.variant)),
        on_gpu_(tools.device->description().kind == "cuda") {}

  Trace trace() {
    plain_ = job(tools_.kernels->build(request()));
    traced_ = on_gpu_ ? job(traced_build()) : plain_;
    time_both();
    Trace trace;
    trace.configuration = configuration_;
    trace.method = on_gpu_ ? "ptx" : "workers";
    trace.compiler = tools_.kernels->version();
    trace.plain_time_ns = median_ns(plain_trial_);
    trace.traced_time_ns = median_ns(traced_trial_);
    trace.launches = trace_launches();
    trace.clock_step_ns = clock_step(trace.launches);
    trace.disturbed = disturbance(trace);
    return trace;
  }

 private:
  [[nodiscard]] BuildRequest request() const { return {&experiment_.system, &variant_, configuration_}; }

  [[nodiscard]] Job job(Artifact artifact) const {
    return make_job(experiment_, configuration_, std::move(artifact), tools_.occupancy_device);
  }

  // Entries with the number of blocks of their largest launch.
  [[nodiscard]] std::map<std::string, std::int64_t> blocks_by_entry(const Ptx& ptx) const {
    std::map<std::string, std::int64_t> blocks;
    for (const auto& [position, shape, count] : launch_shapes(variant_.launches, configuration_.scope())) {
      std::int64_t& most = blocks[ptx.symbols.at(shape.kernel)];
      most = std::max(most, shape.grid.count());
    }
    return blocks;
  }

  // As many as the plain build's, as the device hands them out: where more would cost a block an SM.
  [[nodiscard]] std::map<std::string, int> plain_registers(const Ptx& ptx) const {
    constexpr int kUnit = 8;  // cuda_occupancy.h: a warp gets its registers by 256
    constexpr int kFewest = 24;
    std::map<std::string, int> registers;
    for (const KernelResources& kernel : plain_.artifact.resources)
      registers[ptx.symbols.at(kernel.kernel)] =
          std::max(kFewest, (kernel.registers + kUnit - 1) / kUnit * kUnit);
    return registers;
  }

  Artifact traced_build() {
    const std::optional<Ptx> ptx = tools_.kernels->ptx(request());
    if (!ptx) throw Failure(Outcome::compile_error, "this compiler gives no PTX to trace");
    const std::string text = add_block_trace(ptx->text, blocks_by_entry(*ptx));
    Artifact free = ptx_artifact(text, *ptx);
    if (residency(free) == residency(plain_.artifact)) return free;
    return ptx_artifact(limit_registers(text, plain_registers(*ptx)), *ptx);
  }

  [[nodiscard]] Artifact ptx_artifact(const std::string& text, const Ptx& ptx) const {
    Artifact artifact = plain_.artifact;
    artifact.kind = Artifact::Kind::ptx;
    artifact.symbols = ptx.symbols;
    artifact.record.key = content_hash(text);
    cache_.store(artifact, text);
    return artifact;
  }

  // Blocks an SM of every launch, as the driver says.
  [[nodiscard]] std::vector<std::optional<int>> residency(const Artifact& artifact) const {
    const std::unique_ptr<Program> program = tools_.device->load(artifact);
    std::vector<Launch> launches;
    for (const auto& [position, shape, count] : launch_shapes(variant_.launches, configuration_.scope()))
      launches.push_back({shape.kernel, shape.grid, shape.block, shape.dynamic_shared_bytes, {}});
    return tools_.device->blocks_per_sm(*program, launches);
  }

  void time_both() {
    Measurer measurer(*tools_.device, reference_);
    plain_trial_ = new_trial(plain_);
    traced_trial_ = new_trial(traced_);
    for (int turn = 0; turn < options_.turns; ++turn) {
      const Turn one{.repetition = turn, .first = turn == 0, .last = turn == options_.turns - 1};
      take(measurer, plain_, plain_trial_, one, "");
      take(measurer, traced_, traced_trial_, one, "with its blocks traced: ");
    }
  }

  static void take(Measurer& measurer, const Job& job, Trial& trial, const Turn& turn,
                   const std::string& which) {
    measurer.take_turn(job, trial, turn);
    if (trial.outcome != Outcome::correct) throw Failure(trial.outcome, which + trial.detail);
  }

  std::vector<TracedLaunch> trace_launches() {
    const Values scope = configuration_.scope();
    const std::unique_ptr<Program> program = tools_.device->load(traced_.artifact);
    Workspace workspace(*tools_.device, experiment_.system, variant_, scope);
    workspace.upload(make_inputs(experiment_.system, variant_, scope, 0));
    std::vector<TracedLaunch> traced;
    for (const LaunchRecord& record : plain_trial_.launches) {
      const bool known = std::any_of(traced.begin(), traced.end(), [&](const TracedLaunch& before) {
        return same_shape(before.launch, record);
      });
      if (known) continue;
      const std::optional<LoneLaunch> lone = lone_launch(workspace.launches(), record);
      if (!lone) continue;  // on another GPU
      run_before(*lone, *tools_.device, *program, workspace);
      traced.push_back(trace_launch(*program, lone->launch, record));
    }
    if (traced.empty()) throw Failure(Outcome::launch_failed, "the plan has no launch on the first GPU");
    return traced;
  }

  TracedLaunch trace_launch(Program& program, const Launch& launch, const LaunchRecord& record) {
    TracedLaunch traced{.launch = record, .sms = tools_.device->description().sms, .blocks_per_sm = 1};
    traced.traced = tools_.device->trace(program, launch);
    if (!on_gpu_) return traced;
    for (const LaunchRecord& with : traced_trial_.launches) {
      if (with.position != record.position) continue;
      traced.traced_blocks_per_sm = with.driver_blocks_per_sm;
    }
    if (record.occupancy) traced.limiter = record.occupancy->limiter;
    traced.blocks_per_sm =
        record.occupancy ? record.occupancy->blocks_per_sm : record.driver_blocks_per_sm.value_or(1);
    return traced;
  }

  [[nodiscard]] std::string disturbance(const Trace& trace) const {
    std::vector<std::string> reasons;
    for (const TracedLaunch& launch : trace.launches) {
      const int plain_blocks = launch.launch.driver_blocks_per_sm.value_or(launch.blocks_per_sm);
      if (launch.traced_blocks_per_sm && *launch.traced_blocks_per_sm != plain_blocks)
        reasons.push_back(fmt::format("{}: {} blocks an SM instead of {}", launch.launch.kernel,
                                      *launch.traced_blocks_per_sm, plain_blocks));
      const LaunchRecord& plain = launch.launch;
      const int local =
          plain.resources ? std::max(plain.resources->stack_bytes, plain.resources->spill_bytes) : 0;
      if (launch.traced.local_bytes > local)
        reasons.push_back(fmt::format("{}: {} bytes of local memory a thread instead of {}", plain.kernel,
                                      launch.traced.local_bytes, local));
    }
    const double change = trace.traced_time_ns / trace.plain_time_ns - 1;
    if (std::abs(change) > options_.most_slower)
      reasons.push_back(fmt::format("{:.1f} % {}, more than {:g} %", std::abs(change) * 100,
                                    change > 0 ? "slower" : "faster", options_.most_slower * 100));
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  const Experiment& experiment_;
  const Configuration& configuration_;
  const Toolchain& tools_;
  ReferenceProvider& reference_;
  const ArtifactCache& cache_;
  const TraceOptions& options_;
  const VariantSpec& variant_;
  bool on_gpu_;
  Job plain_, traced_;
  Trial plain_trial_, traced_trial_;
};

}  // namespace

Trace trace_configuration(const Experiment& experiment, const Configuration& configuration,
                          const Toolchain& tools, ReferenceProvider& reference, const ArtifactCache& cache,
                          const TraceOptions& options) {
  return Tracer(experiment, configuration, tools, reference, cache, options).trace();
}

}  // namespace tailwave
