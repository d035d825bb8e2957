// What device/cuda/cupti_api.h loads in place of NVIDIA's library: a chip GH100 whose counters count calls of
// fake_cupti_work(). $FAKE_CUPTI says, in words joined by blanks, what is wrong: "enable=35" (the result of a function,
// by its last word), "per_pass=2" (metrics that go together; 20), "lacks=NAME", "refuses=NAME" (it is known and cannot
// be counted), "endless" (no pass is the last). Calls are written down as words in fake_cupti_calls().
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

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

}  // extern "C"
