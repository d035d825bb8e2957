#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/driver_executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "device/cuda/copy_bandwidth.h"
#include "device/cuda/device.h"
#include "device/cuda/launcher.h"
#include "device/cuda/memory.h"
#include "device/cuda/nvml.h"
#include "device/cuda/program.h"

namespace tailwave {
namespace {

// The stream numbers of a plan's launches in ascending order, each once.
std::vector<int> stream_numbers(std::span<const Launch> launches) {
  std::vector<int> numbers;
  for (const Launch& launch : launches) numbers.push_back(launch.stream);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::optional<std::size_t> place_of(const std::vector<int>& streams, int stream) {
  const auto place = std::lower_bound(streams.begin(), streams.end(), stream);
  if (place == streams.end() || *place != stream) return std::nullopt;
  return static_cast<std::size_t>(place - streams.begin());
}

CudaProgram& cuda(Program& program) {
  return dynamic_cast<CudaProgram&>(program);
}
const CudaBuffer& cuda(const Buffer& buffer) {
  return dynamic_cast<const CudaBuffer&>(buffer);
}

class DriverExecutor final : public WorkerExecutor {
 public:
  DriverExecutor(const std::shared_ptr<const DriverApi>& api, int ordinal)
      : description_(describe_device(*api, ordinal)),
        context_(Context::create(api, ordinal)),
        launcher_(context_),
        state_(description_.uuid) {
    const StreamHold& hold = launcher_.hold();
    const SmClock& clock = launcher_.clock();
    description_.properties["stream_hold"] =
        hold.supported() ? "stream memory operation" : "none: " + hold.reason();
    description_.properties["sm_clock"] =
        clock.supported() ? "clock64 against %globaltimer" : "none: " + clock.reason();
  }

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] std::string timer() const override { return "cuda_event"; }
  [[nodiscard]] bool usable() const override { return context_->usable(); }
  void set_deadline_s(double seconds) override { deadline_s_ = seconds; }

  std::unique_ptr<Program> load(const Artifact& artifact) override {
    return std::make_unique<CudaProgram>(context_, artifact);
  }

  std::optional<int> blocks_per_sm(Program& program, const Launch& launch) override {
    return cuda(program).blocks_per_sm(launch);
  }

  std::unique_ptr<Buffer> allocate(std::size_t size_bytes) override {
    return std::make_unique<CudaBuffer>(context_, size_bytes, stream());
  }

  void upload(Buffer& buffer, std::span<const std::byte> bytes) override {
    // Waits, since the bytes are the caller's: some systems read pageable memory only when the stream comes to it.
    finish(api().copy_to_device(cuda(buffer).address(), bytes.data(), bytes.size(), stream()),
           "copying to the device");
  }

  void download(const Buffer& buffer, std::span<std::byte> bytes) override {
    finish(api().copy_to_host(bytes.data(), cuda(buffer).address(), bytes.size(), stream()),
           "copying from the device");
  }

  void copy(Buffer& to, const Buffer& from) override {
    context_->check(
        api().copy_on_device(cuda(to).address(), cuda(from).address(), from.size_bytes(), stream()),
        "copying on the device");
  }

  void fill(Buffer& buffer, std::byte value) override {
    const auto byte = std::to_integer<unsigned>(value);
    context_->check(api().set_bytes(cuda(buffer).address(), static_cast<unsigned char>(byte),
                                    buffer.size_bytes(), stream()),
                    "filling a buffer");
  }

  std::string guard_damage(const Buffer& buffer) override { return cuda(buffer).guard_damage(stream()); }

  double copy_bandwidth() override {
    if (!copy_bandwidth_) copy_bandwidth_ = measure_copy_bandwidth(context_, stream());
    return *copy_bandwidth_;
  }

  RunResult run(Program& program, std::span<const Launch> launches, const RunOptions& options) override {
    require_valid(options, launches);
    CudaProgram& code = cuda(program);
    const std::vector<int> streams = stream_numbers(launches);
    std::vector<PreparedLaunch> plans;
    for (const Launch& launch : launches) {
      plans.push_back(code.prepare(launch));
      plans.back().stream = *place_of(streams, launch.stream);
      for (const int stream : launch.wait) {
        const auto place = place_of(streams, stream);
        if (place && stream != launch.stream)
          plans.back().wait.push_back(*place);  // else there is nothing to wait for
      }
    }
    const bool held = options.timed && launcher_.hold().supported() && code.launched_before(launches);
    RunResult result = launcher_.run(plans, options, code.graph(), held, deadline_s_);
    code.mark_launched(launches);
    if (!options.timed) return result;
    const GpuState& state = state_.latest();
    result.temperature_c = state.temperature_c;
    result.throttle_reasons = state.throttle_reasons;
    return result;
  }

 private:
  [[nodiscard]] const DriverApi& api() const { return context_->api(); }
  [[nodiscard]] CUstream stream() const { return launcher_.main_stream(); }

  void finish(CUresult started, const char* doing) {
    context_->check(started, doing);
    context_->check(api().stream_synchronize(stream()), doing);
  }

  DeviceDescription description_;
  double deadline_s_ = 0;
  std::shared_ptr<Context> context_;
  Launcher launcher_;
  GpuStatePoll state_;
  std::optional<double> copy_bandwidth_;
};

int count_devices(const DriverApi& api) {
  int count = 0;
  return api.device_count(&count) == CUDA_SUCCESS ? count : 0;
}

}  // namespace

std::unique_ptr<WorkerExecutor> open_in_this_process(int ordinal) {
  const auto [api, reason] = DriverApi::load();
  if (!api) throw Error(reason);
  const int count = count_devices(*api);
  if (ordinal < 0 || ordinal >= count) {
    throw Error(fmt::format("cuda:{}: no such device; the driver reports {}, cuda:0 being the first", ordinal,
                            count));
  }
  try {
    return std::make_unique<DriverExecutor>(api, ordinal);
  } catch (const Failure& failure) {
    throw Error(fmt::format("cuda:{}: {}", ordinal, failure.what()));
  }
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
