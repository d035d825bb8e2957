#include "tune/tracer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compile/block_trace.h"
#include "compile/ptx_text.h"
#include "core/hash.h"
#include "device/wire.h"
#include "measure/launch_description.h"
#include "measure/launch_plan.h"
#include "measure/lone_launch.h"
#include "measure/workspace.h"
#include "occupancy/clusters.h"
#include "tune/noted_entries.h"

namespace tailwave {
namespace {

// The smallest difference between two times of any launch; 1 where all are equal.
std::int64_t clock_step(const std::vector<TracedLaunch>& launches) {
  std::int64_t step = 0;
  for (const TracedLaunch& launch : launches) {
    std::set<std::int64_t> times;
    for (const BlockTime& block : launch.blocks) times.insert({block.start_ns, block.end_ns});
    std::int64_t before = -1;
    for (const std::int64_t time : times) {
      if (before >= 0 && (step == 0 || time - before < step)) step = time - before;
      before = time;
    }
  }
  return std::max<std::int64_t>(step, 1);
}

constexpr const char* kResidency = "residency";
constexpr const char* kTrace = "trace";

const LaunchRecord* launch_at(int position, const std::vector<LaunchRecord>& launches) {
  const auto found = std::find_if(launches.begin(), launches.end(),
                                  [&](const LaunchRecord& launch) { return launch.position == position; });
  return found == launches.end() ? nullptr : &*found;
}

std::vector<std::optional<int>> ask_residency(DeviceData& data, const Repetition& subject) {
  const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
  const std::unique_ptr<Program> program = data.device().load(subject.artifact);
  return resident_blocks(data.device(), *program, variant, subject.configuration.scope());
}

// A launch that is to be traced, and which of its blocks note.
struct WantedTrace {
  LaunchRecord launch;
  NotedEntry noted;

  static constexpr auto members() {
    return std::tuple{member("launch", &WantedTrace::launch), member("noted", &WantedTrace::noted)};
  }
};

// Of each launch that the plan has on the first GPU: the second time that it runs. The first time its code comes from
// memory, and its longest blocks are not known (Executor::trace).
std::vector<std::optional<LaunchTrace>> trace_in_worker(DeviceData& data, Watch& watch,
                                                        const Repetition& subject,
                                                        const std::vector<WantedTrace>& wanted) {
  const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
  Executor& device = data.device();
  device.set_deadline_s(subject.settings.deadline_s);
  const std::unique_ptr<Program> program = device.load(subject.artifact);
  const Workspace workspace(data, *subject.system, variant, subject.configuration.scope());
  std::vector<std::optional<LaunchTrace>> traces;
  for (const WantedTrace& one : wanted) {
    std::optional<LaunchTrace>& trace = traces.emplace_back();
    const std::optional<LoneLaunch> lone = lone_launch(workspace.launches(), one.launch);
    if (!lone) continue;
    for (int turn = 0; turn < 2; ++turn) {
      {
        const Watch::Scope watched(watch, Watch::Doing::kernels,
                                   kLongestInputsS + 2 * subject.settings.deadline_s);
        run_before(*lone, device, *program, workspace);
      }
      const Watch::Scope watched(watch, Watch::Doing::kernels, subject.settings.deadline_s);
      trace = device.trace(*program, lone->launch, one.noted);
    }
  }
  return traces;
}

int used_sms(const TracedLaunch& launch) {
  std::set<std::int64_t> sms;
  for (const BlockTime& block : launch.blocks) sms.insert(block.sm);
  return static_cast<int>(sms.size());
}

class Tracer {
 public:
  Tracer(const Experiment& experiment, const Configuration& configuration, Measurer& measurer,
         const ArtifactCache& cache, const TraceOptions& options)
      : experiment_(experiment),
        configuration_(configuration),
        measurer_(measurer),
        tools_(measurer.tools()),
        cache_(cache),
        options_(options),
        variant_(*experiment.system.find_variant(configuration.variant)),
        on_gpu_(tools_.device->description().kind == DeviceKind::cuda) {}

  Trace trace() {
    time_least_disturbed(tools_.kernels->build(request()));
    Trace trace;
    trace.configuration = configuration_;
    trace.method = on_gpu_ ? "ptx" : "workers";
    trace.compiler = tools_.kernels->version();
    trace.plain_time_ns = median_ns(plain_.trial);
    trace.traced_time_ns = median_ns(traced_.trial);
    trace.launches = trace_launches();
    trace.clock_step_ns = clock_step(trace.launches);
    trace.disturbed = disturbance(trace);
    return trace;
  }

 private:
  [[nodiscard]] BuildRequest request() const { return {&experiment_.system, &variant_, configuration_}; }

  [[nodiscard]] Candidate candidate(Artifact artifact) const {
    Candidate one{
        .system = &experiment_.system, .settings = &experiment_.measure, .repetitions = options_.turns};
    one.trial.configuration = configuration_;
    one.take(std::move(artifact));
    return one;
  }

  // How notes are taken: some kernels bear one way, some another.
  struct Way {
    StartKept kept = StartKept::in_register;
    int sparser = 0;  // see choose_noted()
  };

  // With the way that changes the configuration's time least, or the first that changes it by no more than half of what it
  // may.
  void time_least_disturbed(const Artifact& plain) {
    if (!on_gpu_) return time_both(plain, plain);
    constexpr std::array<Way, 6> kWays{{{StartKept::in_register, kAllNote},
                                        {StartKept::in_memory, kAllNote},
                                        {StartKept::in_register, 0},
                                        {StartKept::in_memory, 0},
                                        {StartKept::in_register, 3},
                                        {StartKept::in_memory, 3}}};
    struct Timed {
      Candidate plain, traced;
      std::map<std::string, NotedEntry> entries;
      double change = 0;
    };
    std::optional<Timed> least;
    std::set<std::string> tried;
    for (const Way& way : kWays) {
      const Artifact traced = traced_build(plain, way);
      if (!tried.insert(traced.record.key).second) continue;
      time_both(plain, traced);
      const double change = std::abs(median_ns(traced_.trial) / median_ns(plain_.trial) - 1);
      if (!least || change < least->change)
        least = Timed{std::move(plain_), std::move(traced_), entries_, change};
      if (least->change <= options_.most_slower / 2) break;
    }
    plain_ = std::move(least->plain);
    traced_ = std::move(least->traced);
    entries_ = std::move(least->entries);
  }

  // The launches of the plan, with the slots that the plain build has.
  [[nodiscard]] std::vector<EntryLaunch> entry_launches(const Ptx& ptx, const Artifact& plain) const {
    const std::vector<std::optional<int>> blocks_per_sm = residency(plain);
    const std::vector<LaunchRecord> shapes =
        launch_shapes(variant_.launches, scope_of_pe(variant_, configuration_.scope()));
    std::vector<EntryLaunch> launches;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const int blocks = i < blocks_per_sm.size() ? blocks_per_sm[i].value_or(1) : 1;
      launches.push_back(
          {ptx.symbols.at(shapes[i].kernel), shapes[i].grid, shapes[i].block,
           std::int64_t{sms_of(shapes[i], tools_.device->description())} * std::max(blocks, 1)});
    }
    return launches;
  }

  // As many as the plain build's, as the device hands them out: where more would cost a block an SM.
  [[nodiscard]] static std::map<std::string, int> plain_registers(const Ptx& ptx, const Artifact& plain) {
    constexpr int kUnit = 8;  // cuda_occupancy.h: a warp gets its registers by 256
    constexpr int kFewestRegisters = 24;
    std::map<std::string, int> registers;
    for (const KernelResources& kernel : plain.resources)
      registers[ptx.symbols.at(kernel.kernel)] =
          std::max(kFewestRegisters, (kernel.registers + kUnit - 1) / kUnit * kUnit);
    return registers;
  }

  Artifact traced_build(const Artifact& plain, const Way& way) {
    std::optional<Ptx> ptx = tools_.kernels->ptx(request());
    if (!ptx) throw Failure(Outcome::compile_error, "this compiler gives no PTX to trace");
    const std::map<std::string, NotedEntry> by_symbol =
        noted_entries(entry_launches(*ptx, plain), way.sparser);
    entries_.clear();
    for (const auto& [kernel, symbol] : ptx->symbols)
      if (by_symbol.contains(symbol)) entries_[kernel] = by_symbol.at(symbol);
    const std::string text = add_block_trace(ptx->text, by_symbol, way.kept);
    const std::map<std::string, int> registers = plain_registers(*ptx, plain);
    ptx->symbols.emplace(kTraceStamp, kTraceStamp);
    Artifact free = ptx_artifact(text, *ptx, plain);
    if (residency(free) == residency(plain)) return free;
    return ptx_artifact(limit_registers(text, registers), *ptx, plain);
  }

  [[nodiscard]] Artifact ptx_artifact(const std::string& text, const Ptx& ptx, const Artifact& plain) const {
    Artifact artifact = plain;
    artifact.kind = Artifact::Kind::ptx;
    artifact.symbols = ptx.symbols;
    artifact.record.key = content_hash(text);
    cache_.store(artifact, text);
    return artifact;
  }

  // What a task begins with.
  [[nodiscard]] Packet request_of(const Artifact& artifact) const {
    Packet packet;
    tools_.device->put_subject(packet, {.system = &experiment_.system,
                                        .configuration = configuration_,
                                        .artifact = artifact,
                                        .settings = experiment_.measure});
    return packet;
  }

  // Blocks an SM of every launch, as the driver says.
  [[nodiscard]] std::vector<std::optional<int>> residency(const Artifact& artifact) const {
    Packet answer = tools_.device->call(kResidency, request_of(artifact));
    return take<std::vector<std::optional<int>>>(answer);
  }

  void time_both(const Artifact& plain, const Artifact& traced) {
    plain_ = candidate(plain);
    traced_ = candidate(traced);
    for (int turn = 0; turn < options_.turns; ++turn) {
      plain_ = measurer_.measure_correct(std::move(plain_));
      traced_ = measurer_.measure_correct(std::move(traced_), "with its blocks traced: ");
    }
  }

  std::vector<TracedLaunch> trace_launches() {
    std::vector<WantedTrace> wanted;
    for (const LaunchRecord& record : plain_.trial.launches) {
      const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const WantedTrace& before) {
        return same_shape(before.launch, record);
      });
      if (!known) wanted.push_back({record, noted(record)});
    }
    Packet request = request_of(*traced_.artifact);
    Packet answer = tools_.device->call(kTrace, request << wanted);
    const auto found = take<std::vector<std::optional<LaunchTrace>>>(answer);
    std::vector<TracedLaunch> traced;
    for (std::size_t i = 0; i < wanted.size(); ++i)  // what is not found is on another GPU
      if (found.at(i)) traced.push_back(traced_launch(*found.at(i), wanted[i].launch));
    if (traced.empty()) throw Failure(Outcome::launch_failed, "the plan has no launch on the first GPU");
    return traced;
  }

  // Which blocks of the launch note: as the entry's code has it, which of an entry with several shapes is all of them.
  [[nodiscard]] NotedEntry noted(const LaunchRecord& record) const {
    const auto found = entries_.find(record.kernel);
    NotedEntry entry = found == entries_.end() ? NotedEntry{} : found->second;
    if (!entry.grid) entry.noted = {.blocks = record.grid.count()};
    return entry;
  }

  [[nodiscard]] TracedLaunch traced_launch(const LaunchTrace& found, const LaunchRecord& record) const {
    TracedLaunch traced{.position = record.position,
                        .kernel = record.kernel,
                        .grid = record.grid,
                        .block = record.block,
                        .dynamic_shared_bytes = record.dynamic_shared_bytes,
                        .count = record.count,
                        .sms = sms_of(record, tools_.device->description()),
                        .blocks_per_sm = 1,
                        .noted_one_in = std::int64_t{1} << noted(record).noted.shift,
                        .duration_ns = found.duration_ns,
                        .blocks = found.blocks};
    if (record.resources) {
      traced.registers = record.resources->registers;
      traced.local_bytes = record.resources->stack_bytes;
    }
    if (!on_gpu_) return traced;
    const LaunchRecord* const with = launch_at(record.position, traced_.trial.launches);
    if (with != nullptr && with->driver_blocks_per_sm)
      traced.traced = TracedBuild{*with->driver_blocks_per_sm, found.registers, found.local_bytes};
    traced.cluster_slots = cluster_slots_of(record);
    if (record.occupancy) traced.limiter = record.occupancy->limiter;
    traced.blocks_per_sm =
        record.occupancy ? record.occupancy->blocks_per_sm : record.driver_blocks_per_sm.value_or(1);
    return traced;
  }

  [[nodiscard]] std::string disturbance(const Trace& trace) const {
    std::vector<std::string> reasons;
    for (const TracedLaunch& launch : trace.launches) {
      if (const int used = used_sms(launch); on_gpu_ && used > launch.sms)
        reasons.push_back(
            fmt::format("{}: blocks on {} SMs, of which it has {}", launch.kernel, used, launch.sms));
      if (!launch.traced) continue;
      const LaunchRecord& plain = *launch_at(launch.position, plain_.trial.launches);
      const int plain_blocks = plain.driver_blocks_per_sm.value_or(launch.blocks_per_sm);
      if (launch.traced->blocks_per_sm != plain_blocks)
        reasons.push_back(fmt::format("{}: {} blocks an SM instead of {}", launch.kernel,
                                      launch.traced->blocks_per_sm, plain_blocks));
      const int local =
          plain.resources ? std::max(plain.resources->stack_bytes, plain.resources->spill_bytes) : 0;
      if (launch.traced->local_bytes > local)
        reasons.push_back(fmt::format("{}: {} bytes of local memory a thread instead of {}", launch.kernel,
                                      launch.traced->local_bytes, local));
    }
    if (std::string text = describe_change(trace.plain_time_ns, trace.traced_time_ns, options_.most_slower);
        !text.empty())
      reasons.push_back(std::move(text));
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  const Experiment& experiment_;
  const Configuration& configuration_;
  Measurer& measurer_;
  const Tools& tools_;
  const ArtifactCache& cache_;
  const TraceOptions& options_;
  const VariantSpec& variant_;
  bool on_gpu_;
  Candidate plain_, traced_;
  std::map<std::string, NotedEntry> entries_;  // by kernel; none on the CPU device
};

}  // namespace

std::string describe_change(double plain_ns, double traced_ns, double most) {
  const double change = traced_ns / plain_ns - 1;
  if (std::abs(change) <= most) return "";
  // Shares are of the traced time, and the difference may be in any one part of it.
  return fmt::format(
      "{:.1f} % {}, more than {:g} %: how long blocks last and slots stay empty between them cannot be trusted, "
      "by {:.1f} points of the slots' time",
      std::abs(change) * 100, change > 0 ? "slower" : "faster", most * 100,
      100 * std::abs(change) / (1 + change));
}

Tasks tracing_tasks(const std::vector<const System*>& systems) {
  Tasks tasks;
  tasks[kResidency] = [systems](DeviceData& data, Watch& /*watch*/, Packet& request, Packet& answer) {
    const Repetition subject = take_repetition(request, systems);
    data.use(subject.inputs);
    answer << ask_residency(data, subject);
  };
  tasks[kTrace] = [systems](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
    const Repetition subject = take_repetition(request, systems);
    data.use(subject.inputs);
    answer << trace_in_worker(data, watch, subject, take<std::vector<WantedTrace>>(request));
  };
  return tasks;
}

Trace trace_configuration(const Experiment& experiment, const Configuration& configuration,
                          Measurer& measurer, const ArtifactCache& cache, const TraceOptions& options) {
  return Tracer(experiment, configuration, measurer, cache, options).trace();
}

}  // namespace tailwave
