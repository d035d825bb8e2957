#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/counter_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/outcome.h"
#ifdef TAILWAVE_WITH_CUPTI
#include "device/cuda/activity_recorder.h"
#endif

namespace tailwave {

#ifndef TAILWAVE_WITH_CUPTI

std::unique_ptr<CounterSource> open_counters(std::shared_ptr<Context> /*context*/, int /*ordinal*/,
                                             const std::vector<std::filesystem::path>& /*libraries*/) {
  throw Error(describe_obstacle(CounterObstacle::no_library, "this build was made without CUPTI's headers"));
}

#else

std::unique_ptr<CounterSource> open_counters(std::shared_ptr<Context> context, int ordinal,
                                             const std::vector<std::filesystem::path>& libraries) {
  return std::make_unique<CounterProfiler>(std::move(context), ordinal, libraries);
}

namespace {

// CUPTI's parameters begin with their own size, by which it knows how many there are.
template <class Parameters>
Parameters parameters(std::size_t size) {
  Parameters made{};
  made.structSize = size;
  return made;
}

void check(const CuptiApi& cupti, CUptiResult result, const std::string& doing) {
  if (result != CUPTI_SUCCESS) throw Failure(Outcome::launch_failed, obstacle_text(cupti, result, doing));
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

// CUPTI's words, as Nsight Compute and this program have them.
std::string unit_of(const std::string& metric, const std::string& cupti) {
  const auto known =
      std::ranges::find_if(counter_metrics(), [&](const CounterMetric& one) { return one.name == metric; });
  if (known != counter_metrics().end()) return std::string(known->unit);
  if (cupti == "percent") return "%";
  if (cupti == "nanosecond") return "ns";
  return cupti;
}

}  // namespace

CounterSchedule::CounterSchedule(std::shared_ptr<const CuptiApi> cupti, std::string chip,
                                 const std::vector<std::uint8_t>& availability,
                                 const std::vector<std::string>& metrics)
    : cupti_(std::move(cupti)) {
  plan_.chip = std::move(chip);
  open(availability);
  std::vector<std::string> named;
  for (const std::string& metric : metrics) name(metric, named);
  if (named.empty()) return;
  if (!add(named)) {
    // CUPTI names none of those that it refuses. What is added in several calls shares no pass.
    std::erase_if(named, [&](const std::string& metric) {
      open(availability);
      const bool refused = !add({metric});
      if (refused) plan_.unknown.push_back(metric);
      return refused;
    });
    open(availability);
    if (named.empty() || !add(named)) return;
  }
  for (const std::string& metric : named) units_.push_back(unit_of(metric, dimensions_.at(metric)));
  plan_.metrics = std::move(named);
  make_config();
}

void CounterSchedule::open(const std::vector<std::uint8_t>& availability) {
  auto made =
      parameters<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  made.pChipName = plan_.chip.c_str();
  made.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  check(*cupti_, cupti_->host_initialize(&made), "reading what the chip " + plan_.chip + " can count");
  host_ = {made.pHostObject, CloseHost{cupti_}};
}

void CounterSchedule::CloseHost::operator()(CUpti_Profiler_Host_Object* host) const noexcept {
  auto gone = parameters<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  gone.pHostObject = host;
  cupti->host_deinitialize(&gone);
}

void CounterSchedule::name(const std::string& metric, std::vector<std::string>& named) {
  for (const std::vector<std::string>* known : {&named, &plan_.unknown})
    if (std::ranges::find(*known, metric) != known->end()) return;
  auto properties = parameters<CUpti_Profiler_Host_GetMetricProperties_Params>(
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
  properties.pHostObject = host_.get();
  properties.pMetricName = metric.c_str();
  if (cupti_->metric_properties(&properties) != CUPTI_SUCCESS) {
    plan_.unknown.push_back(metric);
    return;
  }
  dimensions_[metric] = properties.pDimUnit == nullptr ? "" : properties.pDimUnit;
  named.push_back(metric);
}

bool CounterSchedule::add(const std::vector<std::string>& metrics) {
  std::vector<const char*> names = pointers_to(metrics);
  auto added = parameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  added.pHostObject = host_.get();
  added.ppMetricNames = names.data();
  added.numMetrics = names.size();
  return cupti_->add_metrics(&added) == CUPTI_SUCCESS;
}

void CounterSchedule::make_config() {
  auto size = parameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_.get();
  check(*cupti_, cupti_->config_size(&size), "scheduling the metrics");
  config_.resize(size.configImageSize);
  auto image = parameters<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = host_.get();
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  check(*cupti_, cupti_->config(&image), "scheduling the metrics");
  auto passes = parameters<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  check(*cupti_, cupti_->passes(&passes), "counting the passes");
  plan_.passes = static_cast<int>(passes.numOfPasses);
}

std::vector<const char*> CounterSchedule::names() const {
  return pointers_to(plan_.metrics);
}

std::vector<CounterValue> CounterSchedule::evaluate(const std::vector<std::uint8_t>& data) const {
  std::vector<const char*> wanted = names();
  std::vector<double> numbers(wanted.size());
  auto evaluated = parameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  evaluated.pHostObject = host_.get();
  evaluated.pCounterDataImage = data.data();
  evaluated.counterDataImageSize = data.size();
  evaluated.ppMetricNames = wanted.data();
  evaluated.numMetrics = wanted.size();
  evaluated.pMetricValues = numbers.data();
  check(*cupti_, cupti_->evaluate(&evaluated), "evaluating the counters");
  std::vector<CounterValue> values;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    values.push_back(counter_value(plan_.metrics[i], numbers[i], units_[i]));
  return values;
}

CounterProfiler::CounterProfiler(std::shared_ptr<Context> context, int ordinal,
                                 const std::vector<std::filesystem::path>& libraries)
    : context_(std::move(context)), ordinal_(ordinal) {
  CuptiApi::Loaded loaded = CuptiApi::load(libraries);
  if (!loaded.api) throw Error(describe_obstacle(loaded.obstacle, loaded.reason));
  cupti_ = std::move(loaded.api);
  const auto require = [this](CUptiResult result, const char* doing) {
    if (result != CUPTI_SUCCESS) throw Error(obstacle_text(*cupti_, result, doing));
  };
  context_->enter();
  auto started = parameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  require(cupti_->initialize(&started), "starting the profiler");
  auto chip = parameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  require(cupti_->chip_name(&chip), "asking for the chip");
  chip_ = chip.pChipName;
  auto available = parameters<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  available.ctx = context_->handle();
  require(cupti_->availability(&available), "asking which counters there are");
  availability_.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability_.data();
  require(cupti_->availability(&available), "asking which counters there are");
  require(enable(), "enabling the profiler");
  try {
    schedule(metrics_of(CounterSet::quick));  // with whatever that needs to open
  } catch (const Failure& failure) {
    throw Error(failure.what());
  }
}

CounterProfiler::~CounterProfiler() {
  if (!usable_ || !context_->usable()) return;
  context_->enter();
  disable();
}

CUptiResult CounterProfiler::enable() {
  if (profiler_ != nullptr) return CUPTI_SUCCESS;
  auto enabled = parameters<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enabled.ctx = context_->handle();
  const CUptiResult result = cupti_->enable(&enabled);
  if (result == CUPTI_SUCCESS) profiler_ = enabled.pRangeProfilerObject;
  return result;
}

CUptiResult CounterProfiler::disable() {
  if (profiler_ == nullptr) return CUPTI_SUCCESS;
  auto disabled =
      parameters<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disabled.pRangeProfilerObject = std::exchange(profiler_, nullptr);
  return cupti_->disable(&disabled);
}

void CounterProfiler::check(CUptiResult result, const char* doing) {
  if (result == CUPTI_SUCCESS) return;
  usable_ = false;
  throw Failure(Outcome::launch_failed, obstacle_text(*cupti_, result, doing));
}

const CounterSchedule& CounterProfiler::schedule(const std::vector<std::string>& metrics) {
  if (!schedule_ || scheduled_ != metrics) {
    schedule_ = std::make_unique<CounterSchedule>(cupti_, chip_, availability_, metrics);
    scheduled_ = metrics;
  }
  return *schedule_;
}

CounterPlan CounterProfiler::plan(const std::vector<std::string>& metrics) {
  return schedule(metrics).plan();
}

std::vector<CounterValue> CounterProfiler::count(const CounterPlan& plan,
                                                 const std::function<void()>& prepare,
                                                 const std::function<void()>& work) {
  const CounterSchedule& scheduled = schedule(plan.metrics);
  if (scheduled.plan().passes == 0) return {};
  context_->enter();
  check(enable(), "enabling the profiler");
  configure(scheduled);
  int passes = 0;
  for (bool is_last = false; !is_last;) {
    if (passes++ == scheduled.plan().passes) {
      usable_ = false;
      throw Failure(
          Outcome::launch_failed,
          describe_obstacle(CounterObstacle::failed, fmt::format("CUPTI wants more than the {} passes "
                                                                 "that it announced",
                                                                 scheduled.plan().passes)));
    }
    prepare();
    context_->enter();
    is_last = count_once(work);
  }
  if (const std::size_t ranges = decode(); ranges != 1) {
    usable_ = false;
    throw Failure(Outcome::launch_failed,
                  describe_obstacle(CounterObstacle::failed,
                                    fmt::format("CUPTI counted {} launches instead of 1", ranges)));
  }
  return scheduled.evaluate(data_);
}

std::vector<Activity> CounterProfiler::record(const std::function<void()>& work) {
  context_->enter();
  check(disable(), "disabling the profiler");
  try {
    return record_activities(*cupti_, ordinal_, work);
  } catch (...) {
    usable_ = false;
    throw;
  }
}

void CounterProfiler::configure(const CounterSchedule& schedule) {
  std::vector<const char*> names = schedule.names();
  auto size = parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  check(cupti_->data_size(&size), "making room for the counters");
  data_.assign(size.counterDataSize, 0);
  auto image = parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  image.pRangeProfilerObject = profiler_;
  image.counterDataSize = data_.size();
  image.pCounterData = data_.data();
  check(cupti_->data_initialize(&image), "making room for the counters");
  auto config =
      parameters<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = profiler_;
  config.configSize = schedule.config().size();
  config.pConfig = schedule.config().data();
  config.counterDataImageSize = data_.size();
  config.pCounterDataImage = data_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = 1;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  check(cupti_->set_config(&config), "configuring the profiler");
}

bool CounterProfiler::count_once(const std::function<void()>& work) {
  auto started = parameters<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  started.pRangeProfilerObject = profiler_;
  check(cupti_->start(&started), "starting to count");
  try {
    work();
  } catch (...) {
    usable_ = false;
    throw;
  }
  auto stopped = parameters<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stopped.pRangeProfilerObject = profiler_;
  check(cupti_->stop(&stopped), "ending to count");
  return stopped.isAllPassSubmitted != 0;
}

std::size_t CounterProfiler::decode() {
  auto decoded =
      parameters<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decoded.pRangeProfilerObject = profiler_;
  check(cupti_->decode(&decoded), "reading the counters");
  auto info = parameters<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  check(cupti_->data_info(&info), "reading the counters");
  return info.numTotalRanges + decoded.numOfRangeDropped;
}

#endif

}  // namespace tailwave
#endif
