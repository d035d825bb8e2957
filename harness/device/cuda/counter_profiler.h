#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/counters.h"
#include "device/cuda/context.h"
#ifdef TAILWAVE_WITH_CUPTI
#include "device/cuda/cupti_api.h"
#endif

namespace tailwave {

// The counters of the GPU with this number, whose context it is, by the first of the libraries that can be loaded.
// Loads whatever CUPTI needs, so that this process may confine itself afterwards. Throws Error with the text of
// describe_obstacle().
std::unique_ptr<CounterSource> open_counters(std::shared_ptr<Context> context, int ordinal,
                                             const std::vector<std::filesystem::path>& libraries);

#ifdef TAILWAVE_WITH_CUPTI

// What CUPTI makes of metrics on a chip, without a GPU: how they are scheduled, and values out of what was counted.
class CounterSchedule {
 public:
  // `availability`: of the GPU's context, may be empty. Throws Failure.
  CounterSchedule(std::shared_ptr<const CuptiApi> cupti, std::string chip,
                  const std::vector<std::uint8_t>& availability, const std::vector<std::string>& metrics);
  CounterSchedule(const CounterSchedule&) = delete;
  CounterSchedule& operator=(const CounterSchedule&) = delete;

  [[nodiscard]] const CounterPlan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<std::uint8_t>& config() const { return config_; }
  // For CUPTI, as long as this object lives.
  [[nodiscard]] std::vector<const char*> names() const;
  // Of the first range of a counter data image.
  [[nodiscard]] std::vector<CounterValue> evaluate(const std::vector<std::uint8_t>& data) const;

 private:
  struct CloseHost {
    std::shared_ptr<const CuptiApi> cupti;
    void operator()(CUpti_Profiler_Host_Object* host) const noexcept;
  };
  void open(const std::vector<std::uint8_t>& availability);
  // Adds a metric that the chip knows to those that are named, or to the unknown ones.
  void name(const std::string& metric, std::vector<std::string>& named);
  bool add(const std::vector<std::string>& metrics);  // all at once, or none
  void make_config();

  std::shared_ptr<const CuptiApi> cupti_;
  std::unique_ptr<CUpti_Profiler_Host_Object, CloseHost> host_;
  CounterPlan plan_;
  std::map<std::string, std::string> dimensions_;  // CUPTI's words for units, by metric
  std::vector<std::string> units_;
  std::vector<std::uint8_t> config_;
};

// Counters by CUPTI's range profiler, which is enabled for as long as this object lives, but for recordings, until something
// is counted again: each launch is a range of its own (CUPTI_AutoRange), tight around the kernel, and who calls replays it
// (CUPTI_UserReplay), so that CUPTI saves and restores no memory. Nothing is done to the card's clocks or caches.
class CounterProfiler final : public CounterSource {
 public:
  // See open_counters().
  CounterProfiler(std::shared_ptr<Context> context, int ordinal,
                  const std::vector<std::filesystem::path>& libraries);
  ~CounterProfiler() override;
  CounterProfiler(const CounterProfiler&) = delete;
  CounterProfiler& operator=(const CounterProfiler&) = delete;

  CounterPlan plan(const std::vector<std::string>& metrics) override;
  std::vector<CounterValue> count(const CounterPlan& plan, const std::function<void()>& prepare,
                                  const std::function<void()>& work) override;
  // Without the range profiler, which is there to have each kernel run alone.
  std::vector<Activity> record(const std::function<void()>& work) override;

  // After CUPTI failed while it counted nobody knows what it does next in this process.
  [[nodiscard]] bool usable() const override { return usable_; }

 private:
  void check(CUptiResult result, const char* doing);  // throws Failure
  CUptiResult enable();                               // the range profiler, unless it is
  CUptiResult disable();
  const CounterSchedule& schedule(const std::vector<std::string>& metrics);
  void configure(const CounterSchedule& schedule);
  bool count_once(const std::function<void()>& work);  // whether that was the last pass
  [[nodiscard]] std::size_t decode();                  // the number of ranges

  std::shared_ptr<Context> context_;
  int ordinal_;
  std::shared_ptr<const CuptiApi> cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;  // null: it is not enabled
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::unique_ptr<CounterSchedule> schedule_;
  std::vector<std::string> scheduled_;  // what schedule_ was made for
  std::vector<std::uint8_t> data_;      // counter data image
  bool usable_ = true;
};

#endif

}  // namespace tailwave
