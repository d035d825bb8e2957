#ifdef TAILWAVE_WITH_CUPTI
#include "device/cuda/cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "device/cuda/dynamic_library.h"

namespace tailwave {
namespace {

// The name of the first function that is missing, or "".
std::string bind(CuptiApi& api, const DynamicLibrary& library) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    if (!library.find(function, name) && missing.empty()) missing = name;
  };
  find(api.result_string, "cuptiGetResultString");
  find(api.initialize, "cuptiProfilerInitialize");
  find(api.chip_name, "cuptiDeviceGetChipName");
  find(api.availability, "cuptiProfilerGetCounterAvailability");
  find(api.host_initialize, "cuptiProfilerHostInitialize");
  find(api.host_deinitialize, "cuptiProfilerHostDeinitialize");
  find(api.metric_properties, "cuptiProfilerHostGetMetricProperties");
  find(api.add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(api.config_size, "cuptiProfilerHostGetConfigImageSize");
  find(api.config, "cuptiProfilerHostGetConfigImage");
  find(api.passes, "cuptiProfilerHostGetNumOfPasses");
  find(api.evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  find(api.enable, "cuptiRangeProfilerEnable");
  find(api.disable, "cuptiRangeProfilerDisable");
  find(api.data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(api.data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  find(api.set_config, "cuptiRangeProfilerSetConfig");
  find(api.start, "cuptiRangeProfilerStart");
  find(api.stop, "cuptiRangeProfilerStop");
  find(api.decode, "cuptiRangeProfilerDecodeData");
  find(api.data_info, "cuptiRangeProfilerGetCounterDataInfo");
  find(api.version, "cuptiGetVersion");
  find(api.activity_callbacks, "cuptiActivityRegisterCallbacks");
  find(api.activity_enable, "cuptiActivityEnable");
  find(api.activity_disable, "cuptiActivityDisable");
  find(api.activity_flush, "cuptiActivityFlushAll");
  find(api.activity_next, "cuptiActivityGetNextRecord");
  find(api.activity_dropped, "cuptiActivityGetNumDroppedRecords");
  return missing;
}

// CUPTI opens these by their bare names once it needs them, when this process may not be able to any more.
void load_helpers_beside(const std::filesystem::path& library) {
  if (!library.has_parent_path()) return;
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"})
    dlopen((library.parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

CuptiApi::Loaded CuptiApi::load(const std::vector<std::filesystem::path>& candidates) {
  Loaded loaded;
  std::optional<Loaded> too_old;
  for (const std::filesystem::path& candidate : candidates) {
    std::string reason;
    const auto library = DynamicLibrary::open(candidate.string(), reason);
    if (!library) {
      if (loaded.reason.empty()) loaded.reason = reason;
      continue;
    }
    auto api = std::make_shared<CuptiApi>();
    if (const std::string missing = bind(*api, *library); !missing.empty()) {
      if (!too_old)
        too_old = {nullptr, CounterObstacle::too_old,
                   fmt::format("{} has no {}", candidate.string(), missing)};
      continue;
    }
    if (Dl_info where{}; dladdr(reinterpret_cast<void*>(api->initialize), &where) != 0)
      api->file = where.dli_fname;
    load_helpers_beside(api->file);
    return {std::move(api), {}, ""};
  }
  if (too_old) return *too_old;
  if (candidates.size() > 1)
    loaded.reason =
        "no libcupti beside NVRTC, in CUDA_PATH, CUDA_HOME or /usr/local/cuda, or on the loader's path";
  return loaded;
}

std::string CuptiApi::describe(CUptiResult result) const {
  const char* text = nullptr;
  if (result_string(result, &text) != CUPTI_SUCCESS || text == nullptr)
    return fmt::format("CUPTI error {}", static_cast<int>(result));
  return text;
}

CounterObstacle obstacle_of(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return CounterObstacle::not_permitted;
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
      return CounterObstacle::in_use;
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return CounterObstacle::not_supported;
    default:
      return CounterObstacle::failed;
  }
}

std::string obstacle_text(const CuptiApi& cupti, CUptiResult result, const std::string& doing) {
  return describe_obstacle(obstacle_of(result), doing + ": " + cupti.describe(result));
}

}  // namespace tailwave
#endif
