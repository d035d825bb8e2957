// counters_smoke [DEVICE]: what CUPTI's range profiler says on this machine, step by step, with the name of every error
// and the time of every step; it goes on wherever it can. Three ways of counting the same launches are held side by
// side: ranges of single kernels replayed by the caller (what tailwave does), ranges of the caller, and CUPTI's own
// replay. tests/bench/counters_against_ncu.sh runs it first.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "compile/nvrtc.h"
#include "core/counters.h"
#include "core/error.h"
#include "core/outcome.h"
#include "device/cuda/counter_profiler.h"
#include "device/cuda/cupti_files.h"
#include "device/cuda/device.h"
#include "device/cuda/dynamic_library.h"

namespace tailwave {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void copy(float* y, const float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}
extern "C" __global__ void compute(float* y, const float* x, int n) {
  float sum = x[threadIdx.x];
  #pragma unroll 16
  for (int k = 0; k < n; ++k) sum = sum * 0.5f + 0.25f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)";

template <class Parameters>
Parameters parameters(std::size_t size) {
  Parameters made{};
  made.structSize = size;
  return made;
}

class Smoke {
 public:
  explicit Smoke(int ordinal) : ordinal_(ordinal) {}

  int run() {
    const auto [api, reason] = DriverApi::load();
    if (!api) return fmt::print("no driver: {}\n", reason), 1;
    api_ = api;
    const DeviceDescription device = describe_device(*api_, ordinal_);
    fmt::print("device {}: {}, driver {}, user {}\n", ordinal_, device.name, device.driver, getuid());
    context_ = Context::create(api_, ordinal_);
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) return fmt::print("no NVRTC: {}\n", why_not), 1;
    const NvrtcResult built = nvrtc->compile(
        kSource, "smoke.cu", {}, {fmt::format("--gpu-architecture=sm_{}", device.compute_capability)});
    if (!built.succeeded) return fmt::print("not compiled: {}\n", built.log), 1;
    load(built.cubin);
    CuptiApi::Loaded loaded = CuptiApi::load(cupti_candidates(nvrtc->file()));
    if (!loaded.api) return fmt::print("{}\n", describe_obstacle(loaded.obstacle, loaded.reason)), 1;
    cupti_ = std::move(loaded.api);
    fmt::print("CUPTI: {}\n", cupti_->file.string());
    if (!enable()) return 1;
    for (const CounterSet set : {CounterSet::quick, CounterSet::all}) count_set(set);
    return 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void load(const std::string& cubin) {
    CUmodule module = nullptr;
    context_->check(api_->module_load(&module, cubin.data()), "loading the kernels");
    context_->check(api_->module_function(&copy_, module, "copy"), "finding a kernel");
    context_->check(api_->module_function(&compute_, module, "compute"), "finding a kernel");
    context_->check(api_->mem_alloc(&x_, kElements * sizeof(float)), "allocating");
    context_->check(api_->mem_alloc(&y_, kElements * sizeof(float)), "allocating");
    context_->check(api_->set_words(x_, 0, kElements, nullptr), "filling");
    stream_ = make_stream(context_);
  }

  // Prints how a step went.
  bool step(const char* name, CUptiResult result, Clock::time_point begun) {
    fmt::print("  {}: {} ({:.2f} ms)\n", name, result == CUPTI_SUCCESS ? "ok" : cupti_->describe(result),
               std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
    return result == CUPTI_SUCCESS;
  }

  bool enable() {
    fmt::print("enabling\n");
    auto begun = Clock::now();
    auto started = parameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    step("cuptiProfilerInitialize", cupti_->initialize(&started), begun);
    begun = Clock::now();
    auto chip = parameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    chip.deviceIndex = static_cast<std::size_t>(ordinal_);
    if (step("cuptiDeviceGetChipName", cupti_->chip_name(&chip), begun)) chip_ = chip.pChipName;
    begun = Clock::now();
    auto available = parameters<CUpti_Profiler_GetCounterAvailability_Params>(
        CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
    available.ctx = context_->handle();
    if (step("cuptiProfilerGetCounterAvailability", cupti_->availability(&available), begun)) {
      availability_.resize(available.counterAvailabilityImageSize);
      available.pCounterAvailabilityImage = availability_.data();
      step("cuptiProfilerGetCounterAvailability again", cupti_->availability(&available), begun);
    }
    begun = Clock::now();
    auto enabled =
        parameters<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enabled.ctx = context_->handle();
    const bool is_enabled = step("cuptiRangeProfilerEnable", cupti_->enable(&enabled), begun);
    profiler_ = enabled.pRangeProfilerObject;
    fmt::print("  chip {}, availability {} bytes\n", chip_, availability_.size());
    return is_enabled;
  }

  void launch(bool large) {
    int n = large ? static_cast<int>(kElements) : 4096;
    std::array<void*, 3> arguments{&y_, &x_, &n};
    context_->check(api_->launch(large ? copy_ : compute_, large ? 2112 : 132, 1, 1, 256, 1, 1, 0,
                                 stream_.get(), arguments.data(), nullptr),
                    "launching");
    context_->check(api_->stream_synchronize(stream_.get()), "waiting");
  }

  void count_set(CounterSet set) try {
    auto begun = Clock::now();
    const CounterSchedule schedule(cupti_, chip_, availability_, metrics_of(set));
    fmt::print("\n{}: {} metrics, {} passes", to_string(set), schedule.plan().metrics.size(),
               schedule.plan().passes);
    for (const std::string& metric : schedule.plan().unknown) fmt::print(", lacks {}", metric);
    fmt::print(" ({:.1f} ms)\n", std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
    std::vector<std::vector<CounterValue>> columns;
    for (const bool large : {true, false}) {
      columns.push_back(
          count("kernel ranges, replayed by the caller", schedule, CUPTI_AutoRange, CUPTI_UserReplay, large));
      columns.push_back(
          count("the caller's ranges and replay", schedule, CUPTI_UserRange, CUPTI_UserReplay, large));
      columns.push_back(
          count("kernel ranges, replayed by CUPTI", schedule, CUPTI_AutoRange, CUPTI_KernelReplay, large));
    }
    fmt::print("{:<76} {:>47} {:>47}\n{:<76}", "", "copy of 64 MiB: kernel/user, user/user, kernel/CUPTI",
               "132 blocks of 8192 FMA", "metric");
    for (std::size_t i = 0; i < columns.size(); ++i)
      fmt::print(" {:>15}", i % 3 == 0 ? "k/u" : i % 3 == 1 ? "u/u" : "k/C");
    fmt::print("\n");
    for (std::size_t m = 0; m < schedule.plan().metrics.size(); ++m) {
      fmt::print("{:<76}", schedule.plan().metrics[m]);
      for (const auto& column : columns)
        fmt::print(" {:>15}",
                   m < column.size() && column[m].value ? fmt::format("{:.6g}", *column[m].value) : "-");
      fmt::print("\n");
    }
  } catch (const Failure& failure) {
    fmt::print("{}\n", failure.what());
  }

  std::vector<CounterValue> count(const char* how, const CounterSchedule& schedule, CUpti_ProfilerRange range,
                                  CUpti_ProfilerReplayMode replay, bool large) {
    fmt::print("{}, {}\n", how, large ? "copy" : "compute");
    std::vector<std::uint8_t> data = image(schedule);
    auto begun = Clock::now();
    auto config =
        parameters<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    config.pRangeProfilerObject = profiler_;
    config.configSize = schedule.config().size();
    config.pConfig = schedule.config().data();
    config.counterDataImageSize = data.size();
    config.pCounterDataImage = data.data();
    config.range = range;
    config.replayMode = replay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    if (!step("cuptiRangeProfilerSetConfig", cupti_->set_config(&config), begun)) return {};
    bool is_last = false;
    for (int pass = 0; pass < 16 && !is_last; ++pass) {
      context_->check(api_->set_words(y_, 0, kElements, stream_.get()), "filling");
      context_->check(api_->stream_synchronize(stream_.get()), "waiting");
      const auto result = pass_of(range, large, is_last);
      if (!result) return {};
    }
    begun = Clock::now();
    auto decoded =
        parameters<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decoded.pRangeProfilerObject = profiler_;
    if (!step("cuptiRangeProfilerDecodeData", cupti_->decode(&decoded), begun)) return {};
    auto info = parameters<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    cupti_->data_info(&info);
    fmt::print("  ranges {}, dropped {}\n", info.numTotalRanges, decoded.numOfRangeDropped);
    if (info.numTotalRanges == 0) return {};
    return schedule.evaluate(data);
  }

  std::vector<std::uint8_t> image(const CounterSchedule& schedule) {
    std::vector<const char*> names = schedule.names();
    auto size = parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    auto begun = Clock::now();
    step("cuptiRangeProfilerGetCounterDataSize", cupti_->data_size(&size), begun);
    std::vector<std::uint8_t> data(size.counterDataSize);
    auto made = parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    made.pRangeProfilerObject = profiler_;
    made.counterDataSize = data.size();
    made.pCounterData = data.data();
    begun = Clock::now();
    step("cuptiRangeProfilerCounterDataImageInitialize", cupti_->data_initialize(&made), begun);
    return data;
  }

  bool pass_of(CUpti_ProfilerRange range, bool large, bool& is_last) {
    auto begun = Clock::now();
    auto started = parameters<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    started.pRangeProfilerObject = profiler_;
    if (!step("cuptiRangeProfilerStart", cupti_->start(&started), begun)) return false;
    auto pushed =
        parameters<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
    pushed.pRangeProfilerObject = profiler_;
    pushed.pRangeName = "launch";
    auto popped =
        parameters<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    popped.pRangeProfilerObject = profiler_;
    begun = Clock::now();
    if (range == CUPTI_UserRange && !step("cuptiRangeProfilerPushRange", push()(&pushed), begun))
      return false;
    begun = Clock::now();
    launch(large);
    fmt::print("  launch: {:.2f} ms\n",
               std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
    begun = Clock::now();
    if (range == CUPTI_UserRange && !step("cuptiRangeProfilerPopRange", pop()(&popped), begun)) return false;
    auto stopped = parameters<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stopped.pRangeProfilerObject = profiler_;
    begun = Clock::now();
    if (!step("cuptiRangeProfilerStop", cupti_->stop(&stopped), begun)) return false;
    is_last = stopped.isAllPassSubmitted != 0;
    fmt::print("  pass {} nesting {} last {}\n", stopped.passIndex, stopped.targetNestingLevel, is_last);
    return true;
  }

  // tailwave has no ranges of its own, and so they are not in its table.
  template <class Function>
  Function find(const char* name) {
    std::string reason;
    static const auto library = DynamicLibrary::open(cupti_->file.string(), reason);
    Function function = nullptr;
    library->find(function, name);
    return function;
  }
  decltype(&cuptiRangeProfilerPushRange) push() {
    return find<decltype(&cuptiRangeProfilerPushRange)>("cuptiRangeProfilerPushRange");
  }
  decltype(&cuptiRangeProfilerPopRange) pop() {
    return find<decltype(&cuptiRangeProfilerPopRange)>("cuptiRangeProfilerPopRange");
  }

  static constexpr std::size_t kElements = std::size_t{16} << 20;
  int ordinal_;
  std::shared_ptr<const DriverApi> api_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<const CuptiApi> cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUfunction copy_ = nullptr, compute_ = nullptr;
  CUdeviceptr x_ = 0, y_ = 0;
  Stream stream_;
};

}  // namespace
}  // namespace tailwave

int main(int argc, char** argv) {
  try {
    return tailwave::Smoke(argc > 1 ? std::atoi(argv[1]) : 0).run();
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
