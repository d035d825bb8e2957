#pragma once

#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/counters.h"

namespace tailwave {

// The entry points of CUPTI's range profiler, of what evaluates its metrics and of its activity records, found at run time.
struct CuptiApi {
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) availability = nullptr;

  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostGetMetricProperties) metric_properties = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) config = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;

  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info = nullptr;

  decltype(&cuptiGetVersion) version = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) activity_callbacks = nullptr;
  decltype(&cuptiActivityEnable) activity_enable = nullptr;
  decltype(&cuptiActivityDisable) activity_disable = nullptr;
  decltype(&cuptiActivityFlushAll) activity_flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) activity_next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) activity_dropped = nullptr;

  std::filesystem::path file;  // that was loaded

  struct Loaded {
    std::shared_ptr<const CuptiApi> api;  // null: unusable, and then
    CounterObstacle obstacle = CounterObstacle::no_library;
    std::string reason;  // one line: "libcupti.so.13 not found"
  };
  // The first that can be opened of cupti_candidates().
  static Loaded load(const std::vector<std::filesystem::path>& candidates);

  // "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
  [[nodiscard]] std::string describe(CUptiResult result) const;
};

CounterObstacle obstacle_of(CUptiResult result);

// What describe_obstacle() says of it.
std::string obstacle_text(const CuptiApi& cupti, CUptiResult result, const std::string& doing);

}  // namespace tailwave
