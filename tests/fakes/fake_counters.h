#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/counters.h"
#include "fakes/fake_device.h"

namespace tailwave::fakes {

// Knows the metrics that the test says, two a pass; the n-th counts n times what the device has run within a launch.
class FakeCounters : public CounterSource {
 public:
  explicit FakeCounters(const int& runs) : runs_(runs) {}

  std::vector<std::string> lacks;
  std::vector<int> prepared;  // runs before each counted launch

  // What the device does in the recordings in turn; the last one repeats.
  std::vector<std::vector<Activity>> activities{{}};
  std::vector<int> recorded;  // runs within each recording

  std::vector<Activity> record(const std::function<void()>& work) override {
    const int before = runs_;
    work();
    recorded.push_back(runs_ - before);
    return activities.at(std::min(recorded.size(), activities.size()) - 1);
  }

  CounterPlan plan(const std::vector<std::string>& metrics) override {
    CounterPlan plan{.chip = "FAKE", .metrics = {}, .unknown = {}};
    for (const std::string& metric : metrics)
      (std::ranges::find(lacks, metric) == lacks.end() ? plan.metrics : plan.unknown).push_back(metric);
    plan.passes = static_cast<int>(plan.metrics.size() + 1) / 2;
    return plan;
  }

  std::vector<CounterValue> count(const CounterPlan& plan, const std::function<void()>& prepare,
                                  const std::function<void()>& work) override {
    int ran = 0;
    for (int pass = 0; pass < plan.passes; ++pass) {
      const int before = runs_;
      prepare();
      prepared.push_back(runs_ - before);
      const int begun = runs_;
      work();
      ran = runs_ - begun;
    }
    std::vector<CounterValue> values;
    for (const std::string& metric : plan.metrics)
      values.push_back(counter_value(metric, static_cast<double>(values.size() + 1) * ran, "run"));
    return values;
  }

 private:
  const int& runs_;
};

class CountingExecutor : public FakeExecutor {
 public:
  FakeCounters source{runs};
  CounterSource& counters() override { return source; }
};

}  // namespace tailwave::fakes
