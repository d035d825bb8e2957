#include "device/cpu/cpu_executor.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/outcome.h"
#include "device/cpu/core_wait.h"
#include "device/cpu/cpu_buffer.h"
#include "device/cpu/cpu_program.h"
#include "device/cpu/kernel_clock.h"
#include "device/cpu/launch_limits.h"

namespace tailwave {
namespace {

int available_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The value of the first line of /proc/cpuinfo that begins with `field`, or "".
std::string cpu_field(std::string_view field) {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with(field) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

// Threads that are woken wait some microseconds even where cores are free.
void note_waiting(double waited_ns, double elapsed_ns, RunResult& result) {
  constexpr double kShare = 0.05, kLeast_ns = 1e5;
  const bool is_long = waited_ns > std::max(kLeast_ns, kShare * elapsed_ns);
  result.waited_ns = is_long ? waited_ns : 0;
  result.other_processes = is_long ? std::max<std::int64_t>(1, std::llround(waited_ns / elapsed_ns)) : 0;
}

DeviceDescription describe(int cores) {
  DeviceDescription description;
  const std::string model = cpu_field("model name");
  description.kind = DeviceKind::cpu;
  description.name =
      fmt::format("{} ({} {})", model.empty() ? "CPU" : model, cores, cores == 1 ? "core" : "cores");
  description.sms = cores;
  description.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  double maximum_khz = 0;
  std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> maximum_khz;
  description.clock_mhz = maximum_khz / 1e3;
  description.properties = {
      {"max_threads_per_block", std::int64_t{kMaxThreadsPerBlock}},
      {"max_dynamic_shared_bytes", static_cast<std::int64_t>(kMaxDynamicSharedBytes)},
      {"max_cooperative_threads", static_cast<std::int64_t>(kMaxCooperativeThreads)},
      {"warp_size", std::int64_t{tailwave_cpu::kWarpSize}},
  };
  return description;
}

std::byte* data_of(const Buffer& buffer) {
  return dynamic_cast<const CpuBuffer&>(buffer).data();
}

}  // namespace

// A launch that has been checked, ready to run.
struct PreparedOnCpu {
  const tailwave_cpu::Entry* entry;  // null: of a copy, or of what the CPU has nothing to do for
  PackedArguments arguments;
  GridShape shape;
  GridRunner::Manner manner;
  std::optional<LoopExit> exit;
  std::byte* to;         // of a copy
  const Buffer* copied;  // null: none
};

namespace {

std::byte* target_of_copy(const CpuProgram& program, const Launch& launch) {
  if (launch.copied_to != nullptr) {
    require_equal_copy(*launch.copied, *launch.copied_to);
    return data_of(*launch.copied_to);
  }
  const std::span<std::byte> variable = program.variable(launch.kernel);
  require_room(launch.kernel, variable.size(), launch.copied->size_bytes());
  return variable.data();
}

PreparedOnCpu prepare(const CpuProgram& program, const Launch& launch) {
  if (launch.prefetched != nullptr) return {nullptr, {}, {}, {}, launch.exit, nullptr, nullptr};
  if (launch.copied != nullptr)
    return {nullptr, {}, {}, {}, launch.exit, target_of_copy(program, launch), launch.copied};
  const tailwave_cpu::Entry& entry = program.entry(launch.kernel);
  return {&entry,
          PackedArguments(entry, launch),
          entry.run != nullptr ? checked_shape(launch) : GridShape{},
          {launch.cooperative, launch.sms},
          launch.exit,
          nullptr,
          nullptr};
}

// A host function may leave threads: those of OpenMP stay for its next loop.
bool has_kernels(std::span<const PreparedOnCpu> plan) {
  return std::any_of(plan.begin(), plan.end(), [](const PreparedOnCpu& launch) {
    return launch.entry != nullptr && launch.entry->run != nullptr;
  });
}

void call(const PreparedOnCpu& prepared, void** arguments) {
  std::array<char, 512> message{};
  if (!prepared.entry->call(arguments, message.data(), message.size()))
    throw Failure(Outcome::crashed, fmt::format("'{}' threw: {}", prepared.entry->name, message.data()));
}

}  // namespace

CpuExecutor::CpuExecutor(int cores)
    : grids_(cores > 0 ? cores : available_cores()), description_(describe(grids_.cores())) {}

std::unique_ptr<Program> CpuExecutor::load(const Artifact& artifact) {
  return std::make_unique<CpuProgram>(artifact);
}

void CpuExecutor::report_progress(std::atomic<double>* share) {
  grids_.set_on_progress([this, share] {
    const std::uint64_t done = grids_.blocks_done() - blocks_before_;
    if (blocks_to_run_ > 0) share->store(static_cast<double>(done) / static_cast<double>(blocks_to_run_));
  });
}

std::vector<std::optional<int>> CpuExecutor::blocks_per_sm(Program& /*program*/,
                                                           std::span<const Launch> launches) {
  return std::vector<std::optional<int>>(launches.size());
}

std::vector<std::optional<int>> CpuExecutor::granted_sms(std::span<const Launch> launches) {
  return std::vector<std::optional<int>>(launches.size());
}

std::unique_ptr<Buffer> CpuExecutor::allocate_at(const Placement& place, std::size_t size_bytes) {
  refuse_symmetric(place);
  return std::make_unique<CpuBuffer>(size_bytes);
}

void CpuExecutor::upload(Buffer& buffer, const Produce& produce) {
  produce(0, {data_of(buffer), buffer.size_bytes()});
}

void CpuExecutor::restore(std::span<const Restoration> restored) {
  for (const Restoration& one : restored) {
    std::byte* const to = data_of(*one.to);
    const std::size_t size_bytes = one.to->size_bytes();
    if (one.random) {
      fill_randomly(*one.random, 0, {to, size_bytes});
      continue;
    }
    if (one.from == nullptr) {
      std::fill_n(to, size_bytes, one.byte);
      continue;
    }
    require_same_size(size_bytes, one.from->size_bytes());
    if (size_bytes != 0) std::memcpy(to, data_of(*one.from), size_bytes);
  }
}

std::vector<std::string> CpuExecutor::read(const Reading& reading) {
  for (const auto& [from, to] : reading.contents) {
    require_same_size(from->size_bytes(), to.size());
    if (!to.empty()) std::memcpy(to.data(), data_of(*from), to.size());
  }
  std::vector<std::string> damage;
  for (const Buffer* buffer : reading.guarded)
    damage.push_back(dynamic_cast<const CpuBuffer&>(*buffer).guard_damage());
  return damage;
}

LaunchTrace CpuExecutor::trace(Program& program, const Launch& launch, const NotedEntry& /*noted*/) {
  PreparedOnCpu prepared = prepare(dynamic_cast<const CpuProgram&>(program), launch);
  if (prepared.entry == nullptr || prepared.entry->run == nullptr)
    throw Failure(Outcome::launch_failed, "'" + launch.kernel + "' is no kernel: it has no blocks to trace");
  LaunchTrace trace;
  trace.blocks.resize(static_cast<std::size_t>(launch.grid.count()));
  grids_.run(*prepared.entry, prepared.arguments.get(), prepared.shape, prepared.manner, trace.blocks);
  trace.duration_ns = seen_duration_ns(trace.blocks);
  return trace;
}

std::vector<RunResult> CpuExecutor::repeat(Program& program, const FreshStart& start,
                                           std::span<const Launch> launches, const RunOptions& options,
                                           int times) {
  require_valid(options, launches);
  std::vector<RunResult> results;
  for (int i = 0; i < times; ++i) {
    restore(start.of_run(i));
    if (!start.restored.empty()) dynamic_cast<const CpuProgram&>(program).restore_variables();
    if (!start.prepare.empty()) run_once(program, start.prepare, {.timed = false});
    results.push_back(run_once(program, launches, options));
  }
  return results;
}

void CpuExecutor::execute(PreparedOnCpu& launch) {
  if (launch.copied != nullptr)
    std::memcpy(launch.to, data_of(*launch.copied), launch.copied->size_bytes());
  else if (launch.entry == nullptr)
    return;  // all memory is the host's
  else if (launch.entry->run != nullptr)
    grids_.run(*launch.entry, launch.arguments.get(), launch.shape, launch.manner);
  else
    call(launch, launch.arguments.get());
}

RunResult CpuExecutor::run_once(Program& program, std::span<const Launch> launches,
                                const RunOptions& options) {
  std::vector<PreparedOnCpu> prepared;
  prepared.reserve(launches.size());
  for (const Launch& launch : launches)
    prepared.push_back(prepare(dynamic_cast<const CpuProgram&>(program), launch));
  if (options.flush_cache) cache_walk_.flush();

  blocks_before_ = grids_.blocks_done();
  blocks_to_run_ = 0;
  for (const Launch& launch : plan_of(launches, options, 0))
    if (launch.is_kernel()) blocks_to_run_ += static_cast<std::uint64_t>(launch.grid.count());
  blocks_to_run_ *= static_cast<std::uint64_t>(options.executions);

  const CoreWaits before = options.timed ? waits_for_cores() : CoreWaits();
  const std::int64_t start_ns = kernel_clock_ns();
  for (int execution = 0; execution < options.executions; ++execution) {
    walk_plan(plan_of(std::span(prepared), options, execution), [&](PreparedOnCpu& launch) {
      execute(launch);
      if (!launch.exit) return false;
      const Buffer& value = *launch.exit->buffer;
      return leaves(*launch.exit, std::span(data_of(value), value.size_bytes()));
    });
  }
  const auto elapsed_ns = static_cast<double>(kernel_clock_ns() - start_ns);
  const std::optional<double> waited_ns =
      options.timed ? waited_between_ns(before, waits_for_cores(), elapsed_ns) : std::nullopt;
  const auto& code = dynamic_cast<const CpuProgram&>(program);
  if (const std::string left = has_kernels(prepared) ? code.left_behind() : ""; !left.empty()) {
    code.stay_loaded();
    throw Failure(Outcome::crashed,
                  fmt::format("{} {}: it could do what was timed as done already",
                              launches.size() == 1 ? "'" + launches.front().kernel + "' left behind"
                                                   : "a launch left behind",
                              left));
  }
  RunResult result;
  result.time_ns = elapsed_ns / options.executions;
  if (waited_ns) note_waiting(*waited_ns, elapsed_ns, result);
  return result;
}

}  // namespace tailwave
