#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/driver_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>

#include "compile/block_trace.h"
#include "core/error.h"
#include "device/cuda/activity_source.h"
#include "device/cuda/block_notes.h"
#include "device/cuda/counter_profiler.h"
#include "device/cuda/device.h"
#include "device/cuda/host_copies.h"
#include "device/cuda/lanes.h"
#include "device/cuda/launcher.h"
#include "device/cuda/memory.h"
#include "device/cuda/memory_rates.h"
#include "device/cuda/nvml.h"
#include "device/cuda/nvshmem.h"
#include "device/cuda/program.h"
#include "device/cuda/random_filler.h"
#include "occupancy/sm_share.h"

namespace tailwave {
namespace {

// In the same stream as what is traced, on the SMs of `traced`.
Launch trace_stamp(std::uint32_t place, const Launch& traced) {
  Launch stamp;
  stamp.kernel = kTraceStamp;
  stamp.arguments.emplace_back(scalar(place));
  stamp.stream = traced.stream;
  stamp.sms = traced.sms;
  return stamp;
}

CudaProgram& cuda(Program& program) {
  return dynamic_cast<CudaProgram&>(program);
}
const CudaBuffer& cuda(const Buffer& buffer) {
  return dynamic_cast<const CudaBuffer&>(buffer);
}

class DriverExecutor final : public Executor {
 public:
  DriverExecutor(const std::shared_ptr<const DriverApi>& api, int ordinal, int sms)
      : description_(describe_device(*api, ordinal)),
        ordinal_(ordinal),
        context_(Context::create(api, ordinal)),
        launcher_(context_),
        state_(description_.uuid),
        host_copies_(context_, launcher_.main_stream()) {
    peers_.push_back({context_, nullptr, std::make_unique<RandomFiller>(context_)});
    kept_ = std::make_unique<CudaBuffer>(context_, 1, stream());
    const StreamHold& hold = launcher_.hold();
    const SmClock& clock = launcher_.clock();
    description_.properties["stream_hold"] =
        hold.supported() ? "stream memory operation" : "none: " + hold.reason();
    description_.properties["sm_clock"] =
        clock.supported() ? "clock64 against %globaltimer" : "none: " + clock.reason();
    if (sms > 0) keep_to(launcher_.granted_sms(sms));
  }

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] bool usable() const override {
    return context_->usable() && (!counters_ || counters_->usable());
  }
  void set_deadline_s(double seconds) override { deadline_s_ = seconds; }

  std::unique_ptr<Program> load(const Artifact& artifact) override {
    auto program = with_room([&] { return std::make_unique<CudaProgram>(context_, artifact); });
    latest_module_ = program->module();
    return program;
  }

  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override {
    context_->enter();
    std::vector<std::optional<int>> all;
    for (const Launch& launch : launches) all.emplace_back(cuda(program).blocks_per_sm(launch));
    return all;
  }

  // Of some of the GPU's SMs the driver does not say.
  std::vector<std::optional<int>> active_clusters(Program& program,
                                                  std::span<const Launch> launches) override {
    context_->enter();
    std::vector<std::optional<int>> all;
    for (const Launch& launch : launches)
      all.push_back(part_ > 0 ? std::nullopt : cuda(program).active_clusters(launch));
    return all;
  }

  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override {
    context_->enter();
    std::vector<std::optional<int>> all;
    for (const Launch& launch : launches) {
      std::optional<int>& granted = all.emplace_back();
      if (launch.sms > 0) granted = granted_to(launch);
    }
    return all;
  }

  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override {
    if (context_->nvshmem() == nullptr) refuse_symmetric(place);
    const Peer& own = peer(place.gpu);
    CUstream const ordered_by = place.gpu == 0 ? stream() : own.stream.get();
    return with_room(
        [&] { return std::make_unique<CudaBuffer>(own.context, size_bytes, ordered_by, place); });
  }

  using Executor::upload;
  void upload(Buffer& buffer, const Produce& produce) override {
    host_copies_.upload(entered(buffer), produce);
  }

  void restore(std::span<const Restoration> restored) override {
    for (const Restoration& one : restored) {
      const CudaBuffer& to = entered(*one.to);
      if (to.memory() == MemoryKind::pageable && one.from == nullptr) {
        restore_by_copy(to, one);
        continue;
      }
      if (one.random) {
        filler(to).enqueue(*one.random, to.address(), to.size_bytes(), to.stream());
        check_or_wait(to, CUDA_SUCCESS, "making random numbers");
        continue;
      }
      if (one.from == nullptr) {
        const auto byte = static_cast<unsigned char>(std::to_integer<unsigned>(one.byte));
        check_or_wait(to, api().set_bytes(to.address(), byte, to.size_bytes(), to.stream()),
                      "filling a buffer");
        continue;
      }
      require_same_size(to.size_bytes(), one.from->size_bytes());
      check_or_wait(to, api().copy(to.address(), cuda(*one.from).address(), to.size_bytes(), to.stream()),
                    "copying a buffer");
    }
  }

  std::vector<std::string> read(const Reading& reading) override { return host_copies_.read(reading); }

  [[nodiscard]] std::vector<std::byte> share(const Buffer& buffer) override {
    return entered(buffer).share();
  }

  LaunchTrace trace(Program& program, const Launch& launch, const NotedEntry& noted) override {
    context_->enter();
    const CudaProgram::Notes at = cuda(program).notes(launch);
    std::vector<NotedWarp> notes(static_cast<std::size_t>(noted.bytes()) / sizeof(NotedWarp));
    if (at.bytes < notes.size() * sizeof(NotedWarp))
      throw Failure(Outcome::launch_failed,
                    "the program notes fewer blocks than '" + launch.kernel + "' has");
    std::array<std::uint64_t, kTraceTimeCount> times{};
    finish(api().set_bytes(at.blocks, 0, at.bytes, stream()), stream(), "clearing a trace");
    finish(api().set_bytes(at.times, 0, sizeof times, stream()), stream(), "clearing a trace");
    const std::array<Launch, 3> plan{trace_stamp(kTraceBefore, launch), launch,
                                     trace_stamp(kTraceBehind, launch)};
    run(program, plan, {.timed = false});
    read_device(times.data(), at.times, sizeof times, "reading a trace");
    read_device(notes.data(), at.blocks, notes.size() * sizeof(NotedWarp), "reading a trace");
    LaunchTrace trace{.registers = at.registers, .local_bytes = at.local_bytes};
    trace.blocks =
        blocks_of_notes(notes, noted, static_cast<int>(launch.block.warps()), times, launch.kernel);
    trace.duration_ns = launch_duration_ns(trace.blocks, times);
    const std::uint32_t long_life_ns = noted.noted.all() ? kNoLongLife : long_life_of(trace.blocks);
    finish(api().copy_to_device(at.long_life, &long_life_ns, sizeof long_life_ns, stream()), stream(),
           "writing a trace's limit");
    return trace;
  }

  // What NVSHMEM does when it is asked first is done here, since later it may follow a held stream.
  void join(std::shared_ptr<Nvshmem> nvshmem) {
    context_->join(std::move(nvshmem));
    context_->enter();
    context_->nvshmem()->barrier(stream());
    finish(CUDA_SUCCESS, stream(), "waiting for all processing elements");
  }

  void open_counters(const std::vector<std::filesystem::path>& libraries) {
    counters_ = tailwave::open_counters(context_, ordinal_, libraries);
  }
  void open_recording(const std::vector<std::filesystem::path>& libraries) {
    counters_ = tailwave::open_recording(context_, ordinal_, libraries);
  }
  CounterSource& counters() override { return counters_ ? *counters_ : Executor::counters(); }

  MemoryRates memory_rates() override {
    context_->enter();
    if (!memory_rates_) memory_rates_ = measure_memory_rates(context_, stream());
    return *memory_rates_;
  }

  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override {
    require_valid(options, launches);
    // What is copied in another stream would not wait for the run before.
    const bool in_one_stream =
        std::all_of(start.restored.begin(), start.restored.end(),
                    [this](const Restoration& one) { return cuda(*one.to).stream() == stream(); });
    if (times > 1 && start.prepare.empty() && in_one_stream) {
      const PreparedPlans prepared = prepare(program, launches, options.sets);
      if (Launcher::queues_ahead(prepared.plans, options) && can_hold(prepared))
        return launcher_.repeat(
            prepared.plans, options, prepared.code->graph(), deadline_s_, times,
            [&](int run) {
              restore(program, start, run);
              fill_textures(prepared);
            },
            [this](RunResult& result) { add_state(result); });
    }
    std::vector<RunResult> results;
    for (int i = 0; i < times; ++i) {
      restore(program, start, i);
      if (!start.prepare.empty()) run_once(program, start.prepare, {.timed = false});
      results.push_back(run_once(program, launches, options));
    }
    return results;
  }

 private:
  // The variables first: what is queued right before the launches is then the same with and without any.
  void restore(Program& program, const FreshStart& start, int run) {
    if (start.restored.empty()) return;
    context_->enter();
    cuda(program).restore_variables(stream());
    for (const Peer& other : peers_) {
      CudaProgram* const code =
          other.context == context_ ? nullptr : cuda(program).already_on(*other.context);
      if (code == nullptr) continue;
      other.context->enter();
      code->restore_variables(other.stream.get());
      finish(CUDA_SUCCESS, other.stream.get(), "restoring the code's variables");
    }
    restore(start.of_run(run));
    context_->enter();
  }

  RunResult run_once(Program& program, std::span<const Launch> launches, const RunOptions& options) {
    const PreparedPlans prepared = prepare(program, launches, options.sets);
    fill_textures(prepared);
    const bool held = options.timed && can_hold(prepared);
    RunResult result = launcher_.run(prepared.plans, options, prepared.code->graph(), held, deadline_s_);
    for (const Launch& launch : prepared.launches)
      code_of(*prepared.code, launch).mark_launched(launch, launch.sms);
    if (options.timed) add_state(result);
    return result;
  }

  // Launches as the launcher takes them.
  struct PreparedPlans {
    CudaProgram* code = nullptr;
    std::span<const Launch> launches;
    std::vector<PreparedLaunch> plans;
    std::vector<Launch> on_part;  // the launches, where the run has some of the SMs
  };

  // With what the buffers hold now, and nothing is timed.
  void fill_textures(const PreparedPlans& prepared) const {
    std::set<const CudaTexture*> filled;
    for (const PreparedLaunch& launch : prepared.plans)
      for (const CudaTexture* const texture : launch.textures)
        if (filled.insert(texture).second) texture->enqueue_fill(stream());
  }

  // What make() makes, if need be without the module that is kept for the driver's convenience.
  template <class Make>
  std::invoke_result_t<Make> with_room(Make make) {
    try {
      return make();
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::out_of_memory || !latest_module_) throw;
    }
    latest_module_.reset();
    return make();
  }

  CudaProgram& code_of(CudaProgram& code, const Launch& launch) { return code.on(peer(launch.gpu).context); }

  PreparedPlans prepare(Program& program, std::span<const Launch> launches, int sets) {
    context_->enter();
    PreparedPlans prepared{&cuda(program), launches, {}, {}};
    if (part_ > 0) {
      prepared.on_part.assign(launches.begin(), launches.end());
      for (Launch& launch : prepared.on_part) keep_to_part(launch);
      prepared.launches = prepared.on_part;
    }
    const std::vector<LaneOfLaunch> lanes = lanes_of(prepared.launches, sets);
    const std::vector<bool> dependent = dependent_launches(prepared.launches, lanes, sets);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Launch& launch = prepared.launches[i];
      CudaProgram& code = code_of(*prepared.code, launch);
      PreparedLaunch& plan = prepared.plans.emplace_back(code.prepare(launch));
      if (launch.gpu > 0) plan.context = peer(launch.gpu).context;
      if (launch.gpu > 0 && !plan.textures.empty())
        throw Failure(
            Outcome::launch_failed,
            fmt::format("'{}' has a texture on GPU {}: only launches on the run's own GPU can have one",
                        launch.kernel, launch.gpu));
      plan.stream = lanes[i].lane;
      plan.wait = lanes[i].wait;
      plan.sms = lanes[i].sms;
      plan.dependent = dependent[i];
      if (launch.sms > 0) check_part(code, launch, plan);
    }
    return prepared;
  }

  // What is launched on no SMs of its own has those of the run.
  void keep_to_part(Launch& launch) const {
    if (!launch.is_kernel()) return;
    if (launch.gpu > 0)
      throw Failure(Outcome::launch_failed,
                    fmt::format("'{}' is on GPU {}: a run on some of a GPU's SMs has no other GPU",
                                launch.kernel, launch.gpu));
    if (launch.sms == 0) launch.sms = part_;
  }

  int granted_to(const Launch& launch) {
    if (launch.sms > description_.sms)
      throw Failure(Outcome::exceeds_device_limit, fmt::format("'{}' is to have {} SMs, the device has {}",
                                                               launch.kernel, launch.sms, description_.sms));
    return launcher_.granted_sms(launch.sms);
  }

  // The driver need not know which blocks are to be there at once.
  void check_part(CudaProgram& code, const Launch& launch, const PreparedLaunch& prepared) {
    const int granted = granted_to(launch);
    if (!launch.cooperative) return;
    const std::int64_t most = std::int64_t{granted} * code.blocks_per_sm(launch).value_or(0);
    if (launch.grid.count() <= most) return;
    throw Failure(Outcome::exceeds_device_limit,
                  fmt::format("{}: {} blocks of a cooperative launch exceed the {} that {} SMs hold at once",
                              prepared.text, launch.grid.count(), most, granted));
  }

  bool can_hold(const PreparedPlans& prepared) {
    return launcher_.hold().supported() &&
           std::none_of(prepared.plans.begin(), prepared.plans.end(),
                        [](const PreparedLaunch& launch) { return launch.waits_for_host; }) &&
           std::all_of(prepared.launches.begin(), prepared.launches.end(), [&](const Launch& launch) {
             return code_of(*prepared.code, launch).launched_before(launch, launch.sms);
           });
  }

  // So many of the device's SMs are a device of their own.
  void keep_to(int sms) {
    if (sms == description_.sms) return;
    part_ = sms;
    description_.properties["sms_of_whole"] = std::int64_t{description_.sms};
    description_.properties["sms"] = std::int64_t{sms};
    description_.name = title_of_part(description_.name, sms);
    description_.sms = sms;
  }

  PowerState power_state() override {
    const NvmlReader& nvml = state_.reader();
    if (!nvml.obstacle().empty()) throw Failure(Outcome::unavailable, nvml.obstacle());
    const std::optional<double> energy_j = nvml.energy_j();
    if (!energy_j)
      throw Failure(Outcome::unavailable, "NVML does not tell the energy of " + description_.name);
    const Values values = nvml.read();
    const auto number = [&values](const char* name) {
      const auto found = values.find(name);
      return found == values.end() ? std::nullopt : std::optional(to_double(found->second));
    };
    PowerState state{.energy_j = *energy_j,
                     .sm_clock_mhz = number("sm_clock_mhz"),
                     .temperature_c = number("temperature_c"),
                     .power_limit_w = number("power_limit_w")};
    if (const auto reasons = values.find("throttle_reasons"); reasons != values.end())
      state.throttle_reasons = to_string(reasons->second);
    return state;
  }

  void add_state(RunResult& result) {
    const GpuState& state = state_.latest();
    result.temperature_c = state.temperature_c;
    result.throttle_reasons = state.throttle_reasons;
    result.other_processes = state.other_processes;
  }

  [[nodiscard]] const DriverApi& api() const { return context_->api(); }
  [[nodiscard]] CUstream stream() const { return launcher_.main_stream(); }

  // A GPU of the machine, and the stream in which the host works on its memory.
  struct Peer {
    std::shared_ptr<Context> context;
    Stream stream;
    std::unique_ptr<RandomFiller> filler;
  };

  // The run's own for 0; others are opened when they are asked for first.
  const Peer& peer(int gpu) {
    while (std::cmp_less_equal(peers_.size(), gpu)) open_peer(gpu);
    return peers_[static_cast<std::size_t>(gpu)];
  }

  void open_peer(int wanted) {
    const int ordinal = ordinal_ + static_cast<int>(peers_.size());
    int count = 0;
    context_->check(api().device_count(&count), "counting devices");
    if (ordinal >= count) {
      throw Failure(Outcome::launch_failed,
                    fmt::format("GPU {} is used, and from cuda:{} on the machine has {}", wanted, ordinal_,
                                count - ordinal_));
    }
    Peer opened{Context::create(context_->shared_api(), ordinal), nullptr, nullptr};
    for (const Peer& other : peers_) {
      opened.context->reach(*other.context);
      other.context->reach(*opened.context);
    }
    opened.context->enter();
    opened.stream = make_stream(opened.context);
    opened.filler = std::make_unique<RandomFiller>(opened.context);
    peers_.push_back(std::move(opened));
    context_->enter();
  }

  // Of the GPU that has the buffer. Made where a buffer is allocated, since loading code waits for what runs.
  RandomFiller& filler(const CudaBuffer& buffer) {
    return *std::find_if(peers_.begin(), peers_.end(), [&](const Peer& one) {
              return one.context == buffer.shared_context();
            })->filler;
  }

  static const CudaBuffer& entered(const Buffer& buffer) {
    const CudaBuffer& own = cuda(buffer);
    own.context().enter();
    return own;
  }

  void read_device(void* to, CUdeviceptr from, std::size_t bytes, const char* doing) {
    finish(api().copy_to_host(to, from, bytes, stream()), stream(), doing);
  }

  void finish(CUresult started, CUstream stream, const char* doing) {
    context_->check(started, doing);
    context_->check(api().stream_synchronize(stream), doing);
  }

  // Of memory that the device does not write: what it is to hold is made beside it.
  void restore_by_copy(const CudaBuffer& to, const Restoration& wanted) {
    if (!wanted.random) {
      finish(CUDA_SUCCESS, to.stream(), "filling a buffer");
      std::memset(to.on_host(), std::to_integer<int>(wanted.byte), to.size_bytes());
      return;
    }
    CudaBuffer made(to.shared_context(), to.size_bytes(), to.stream());
    Restoration beside = wanted;
    beside.to = &made;
    restore(std::span(&beside, 1));
    finish(api().copy(to.address(), made.address(), to.size_bytes(), to.stream()), to.stream(),
           "copying to the host's memory");
  }

  // What runs next is queued in the main stream, which is not that of another GPU's memory.
  void check_or_wait(const CudaBuffer& buffer, CUresult started, const char* doing) {
    if (buffer.stream() == stream()) return context_->check(started, doing);
    finish(started, buffer.stream(), doing);
  }

  DeviceDescription description_;
  int ordinal_;
  int part_ = 0;  // SMs of all launches without some of their own; 0: all
  double deadline_s_ = 0;
  std::shared_ptr<Context> context_;
  std::vector<Peer> peers_;  // by number; the first is context_
  Launcher launcher_;
  GpuStatePoll state_;
  std::optional<MemoryRates> memory_rates_;
  HostCopies host_copies_;
  // The driver gives memory back to the system when the last small buffer or module goes, and then has to ask for more
  // again: 27 us a buffer instead of 2, 84 us a module instead of 40, on an H100. So one of each stays.
  std::unique_ptr<CudaBuffer> kept_;
  std::shared_ptr<CUmod_st> latest_module_;
  std::unique_ptr<CounterSource> counters_;  // null: it was not opened to count
};

int count_devices(const DriverApi& api) {
  int count = 0;
  return api.device_count(&count) == CUDA_SUCCESS ? count : 0;
}

std::unique_ptr<DriverExecutor> open_executor(const GpuPlace& place, int sms) {
  const int ordinal = take_place(place);
  const auto [api, reason] = DriverApi::load();
  if (!api) throw Error(reason);
  const int count = count_devices(*api);
  if (ordinal < 0 || ordinal >= count) throw Error(no_such_gpu(ordinal, count));
  try {
    return std::make_unique<DriverExecutor>(api, ordinal, sms);
  } catch (const Failure& failure) {
    throw Error(fmt::format("cuda:{}: {}", place.ordinal, failure.what()));
  }
}

// The same on all GPUs: a quarter of the first one's memory.
std::size_t symmetric_bytes(int ordinal) {
  constexpr std::size_t kShare = 4, kUnit = std::size_t{1} << 21;
  const auto [api, reason] = DriverApi::load();
  CUdevice device = 0;
  std::size_t bytes = 0;
  if (!api || api->device_get(&device, ordinal) != CUDA_SUCCESS ||
      api->device_memory(&bytes, device) != CUDA_SUCCESS)
    throw Failure(Outcome::launch_failed, "asking for the memory of the first GPU");
  return bytes / kShare / kUnit * kUnit;
}

std::shared_ptr<Nvshmem> load_nvshmem(const std::filesystem::path& host_library, int ordinal) {
  std::string why_not;
  if (auto nvshmem = Nvshmem::load(host_library, symmetric_bytes(ordinal), why_not)) return nvshmem;
  throw Failure(Outcome::unavailable, why_not);
}

}  // namespace

std::unique_ptr<Executor> open_in_this_process(const GpuPlace& place, int sms) {
  return open_executor(place, sms);
}

std::unique_ptr<Executor> open_counting_in_this_process(const GpuPlace& place,
                                                        const std::vector<std::filesystem::path>& libraries) {
  std::unique_ptr<DriverExecutor> executor = open_executor(place, 0);
  executor->open_counters(libraries);
  return executor;
}

std::string invite_pes(int ordinal, const std::filesystem::path& nvshmem) {
  return load_nvshmem(nvshmem, ordinal)->unique_id();
}

std::unique_ptr<Executor> open_as_pe(int ordinal, int pe, int pes, const std::string& invitation,
                                     const std::filesystem::path& nvshmem,
                                     const std::vector<std::filesystem::path>& recorders) {
  const std::shared_ptr<Nvshmem> library = load_nvshmem(nvshmem, ordinal);
  std::unique_ptr<DriverExecutor> executor = open_executor({.ordinal = ordinal + pe}, 0);
  if (!recorders.empty()) executor->open_recording(recorders);
  library->join(pe, pes, invitation);
  executor->join(library);
  return executor;
}

DeviceList list_in_this_process() {
  const auto [api, reason] = DriverApi::load();
  DeviceList list{reason, {}};
  if (!api) return list;
  for (int ordinal = 0; ordinal < count_devices(*api); ++ordinal) {
    list.devices.push_back(describe_device(*api, ordinal));
  }
  return list;
}

}  // namespace tailwave
#endif
