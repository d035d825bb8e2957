// What device/cuda/cupti_api.h loads in place of NVIDIA's library: a chip GH100 whose counters count calls of
// fake_cupti_work(). $FAKE_CUPTI says, in words joined by blanks, what is wrong: "enable=35" (the result of a function,
// by its last word), "version=140000", "dropped=3" (activity records), "untimed" (so are activities), "per_pass=2"
// (metrics that go together; 20), "lacks=NAME", "refuses=NAME" (it is known and cannot be counted), "endless" (no pass
// is the last). Calls are written down as words in fake_cupti_calls().
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string calls;
int launches = 0;       // since the latest start
int kept_launches = 0;  // of the latest pass
int submitted = 0;      // passes since set_config
bool counts = false;
double work = 0;

// Of the activity API: what is enabled, the callbacks, and what was done since the latest flush.
std::set<int> recorded_kinds;
CUpti_BuffersCallbackRequestFunc wants_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc has_buffer = nullptr;
std::vector<double> done;
std::uint64_t now = 1'000'000;

// The word behind "name=" of $FAKE_CUPTI; null: there is none.
std::string setting(const std::string& name) {
  const char* const all = std::getenv("FAKE_CUPTI");
  std::istringstream words(all == nullptr ? "" : all);
  for (std::string word; words >> word;)
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  return "";
}

bool is_set(const std::string& name) {
  const char* const all = std::getenv("FAKE_CUPTI");
  std::istringstream words(all == nullptr ? "" : all);
  for (std::string word; words >> word;)
    if (word == name) return true;
  return false;
}

CUptiResult called(const std::string& name) {
  calls += (calls.empty() ? "" : " ") + name;
  const std::string result = setting(name);
  return result.empty() ? CUPTI_SUCCESS : static_cast<CUptiResult>(std::stoi(result));
}

struct Host {
  std::vector<std::string> metrics;
};

std::size_t passes_of(std::size_t metrics) {
  const std::string given = setting("per_pass");
  const std::size_t together = given.empty() ? 20 : std::stoul(given);
  return (metrics + together - 1) / together;
}

Host& host_of(void* object) {
  return *static_cast<Host*>(object);
}

}  // namespace

extern "C" {

const char* fake_cupti_calls() {
  return calls.c_str();
}
void fake_cupti_forget() {
  calls.clear();
}
// What the GPU does.
void fake_cupti_work(double amount) {
  calls += " work";
  if (!recorded_kinds.empty()) done.push_back(amount);
  if (!counts) return;
  ++launches;
  work += amount;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                        : nullptr;
  return *text == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* /*params*/) {
  return called("initialize");
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GH100";
  return called("chip");
}
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  params->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Host);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  delete reinterpret_cast<Host*>(params->pHostObject);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  if (setting("lacks") == params->pMetricName) return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->pDimUnit = std::strstr(params->pMetricName, ".pct") != nullptr ? "percent" : "nanosecond";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i)
    if (setting("refuses") == params->ppMetricNames[i]) return CUPTI_ERROR_INVALID_PARAMETER;
  for (std::size_t i = 0; i < params->numMetrics; ++i)
    host_of(params->pHostObject).metrics.emplace_back(params->ppMetricNames[i]);
  return CUPTI_SUCCESS;
}
// The configuration is the number of passes.
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  *params->pConfigImage = static_cast<std::uint8_t>(passes_of(host_of(params->pHostObject).metrics.size()));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = *params->pConfigImage;
  return CUPTI_SUCCESS;
}
// The n-th metric is n times the work.
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] = static_cast<double>(i + 1) * work;
  return called("evaluate");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&calls);
  return called("enable");
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* /*params*/) {
  return called("disable");
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = 16;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* /*params*/) {
  return CUPTI_SUCCESS;
}
static std::size_t configured_passes = 0;
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  configured_passes = *params->pConfig;
  submitted = 0;
  return called("set_config");
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* /*params*/) {
  counts = true;
  launches = 0;
  work = 0;
  return called("start");
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  counts = false;
  kept_launches = launches;
  params->isAllPassSubmitted =
      !is_set("endless") && static_cast<std::size_t>(++submitted) >= configured_passes ? 1 : 0;
  return called("stop");
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  params->numOfRangeDropped = static_cast<std::size_t>(kept_launches > 1 ? kept_launches - 1 : 0);
  return called("decode");
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  params->numTotalRanges = kept_launches > 0 ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const std::string given = setting("version");
  *version = given.empty() ? CUPTI_API_VERSION : static_cast<std::uint32_t>(std::stoul(given));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  wants_buffer = request;
  has_buffer = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (recorded_kinds.empty()) calls += " record";
  if (const std::string result = setting("record"); !result.empty())
    return static_cast<CUptiResult>(std::stoi(result));
  recorded_kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (recorded_kinds.erase(kind) == 1 && recorded_kinds.empty()) calls += " recorded";
  return CUPTI_SUCCESS;
}
// For each piece of work a kernel on device 1, in stream 7, as long as the amount, and a copy and a fill of so many bytes.
CUptiResult cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  for (const double amount : done) {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, most = 0;
    wants_buffer(&buffer, &bytes, &most);
    CUpti_ActivityKernel9 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = is_set("untimed") ? 0 : now;
    kernel.end = now + static_cast<std::uint64_t>(amount);
    kernel.deviceId = 1;
    kernel.contextId = 2;
    kernel.streamId = 7;
    kernel.gridX = 5;
    kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
    kernel.blockX = 32;
    kernel.correlationId = 11;
    kernel.name = "_Z5scalePf";
    CUpti_ActivityMemcpy5 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy.bytes = static_cast<std::uint64_t>(amount);
    copy.start = now + 10;
    copy.end = now + 20;
    copy.deviceId = 1;
    copy.correlationId = 12;
    CUpti_ActivityMemset4 fill{};
    fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    fill.bytes = copy.bytes;
    fill.start = fill.end = now + 30;
    fill.deviceId = 2;
    fill.correlationId = 13;
    std::memcpy(buffer, &kernel, sizeof kernel);
    std::memcpy(buffer + sizeof kernel, &copy, sizeof copy);
    std::memcpy(buffer + sizeof kernel + sizeof copy, &fill, sizeof fill);
    now += 1000;
    has_buffer(nullptr, 0, buffer, bytes, sizeof kernel + sizeof copy + sizeof fill);
  }
  done.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::size_t at = 0;
  if (*record != nullptr) {
    at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer);
    at += (*record)->kind == CUPTI_ACTIVITY_KIND_MEMCPY   ? sizeof(CUpti_ActivityMemcpy5)
          : (*record)->kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(CUpti_ActivityMemset4)
                                                          : sizeof(CUpti_ActivityKernel9);
  }
  if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + at);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext /*context*/, std::uint32_t /*stream*/,
                                              std::size_t* dropped) {
  const std::string given = setting("dropped");
  *dropped = given.empty() ? 0 : std::stoul(given);
  return CUPTI_SUCCESS;
}

}  // extern "C"
