#include "measure/limits.h"

#include <gtest/gtest.h>

#include "core/outcome.h"
#include "fakes/fake_device.h"

namespace tailwave {
namespace {

struct CopyingExecutor : fakes::FakeExecutor {
  using FakeExecutor::FakeExecutor;
  double copy_bandwidth() override {
    ++asked;
    return bandwidth;
  }
  double bandwidth = 2e12;
  int asked = 0;
};

class TimeLimits : public testing::Test {
 protected:
  TimeLimits() {
    system_.limits["fp32"] = {Expression::parse("N * 1e6 / FP32_RATE"), ""};
    system_.limits["fp64"] = {Expression::parse("N * 1e6 / FP64_RATE"), ""};
    system_.limits["mufu"] = {Expression::parse("N * 1e6 / MUFU_RATE"), ""};
    device_ = find_device("h200");
  }

  std::map<std::string, double> times_ns(Executor& executor) {
    std::map<std::string, double> times;
    for (const LimitRecord& limit : time_limits(system_, {{"N", std::int64_t{1000}}}, executor, device_))
      times[limit.name] = limit.time_ns;
    return times;
  }

  System system_;
  std::optional<DeviceSpec> device_;
  CopyingExecutor gpu_{"cuda"}, cpu_{"cpu"};
};

TEST_F(TimeLimits, FollowFromLanesSmsAndClock) {
  const auto times = times_ns(gpu_);
  const double cycles_per_second = 132 * device_->clock_mhz * 1e6;
  EXPECT_DOUBLE_EQ(times.at("fp32"), 1e9 / (128 * cycles_per_second) * 1e9);
  EXPECT_DOUBLE_EQ(times.at("fp64"), 2 * times.at("fp32"));
  EXPECT_DOUBLE_EQ(times.at("mufu"), 8 * times.at("fp32"));
  EXPECT_EQ(gpu_.asked, 0);
}

TEST_F(TimeLimits, FollowFromTheMeasuredBandwidthWhereItIsNamed) {
  system_.limits = {{"copy", {Expression::parse("8 * N / COPY_BANDWIDTH"), ""}}};
  EXPECT_DOUBLE_EQ(times_ns(gpu_).at("copy"), 4);
  gpu_.bandwidth = 0;  // not known
  EXPECT_TRUE(times_ns(gpu_).empty());
}

TEST_F(TimeLimits, AreNotKnownOfACpu) {
  EXPECT_TRUE(times_ns(cpu_).empty());
  device_.reset();
  EXPECT_TRUE(times_ns(gpu_).empty());
}

TEST_F(TimeLimits, AreAFailureWhereTheyCannotBeEvaluated) {
  system_.limits["fp32"].seconds = Expression::parse("1 / (N - 1000)");
  EXPECT_THROW(times_ns(gpu_), Failure);
}

}  // namespace
}  // namespace tailwave
