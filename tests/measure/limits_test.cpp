#include "measure/limits.h"

#include <gtest/gtest.h>

#include "core/outcome.h"

namespace tailwave {
namespace {

class TimeLimits : public testing::Test {
 protected:
  TimeLimits() {
    system_.limits["fp32"] = {Expression::parse("N * 1e6 / FP32_RATE"), ""};
    system_.limits["fp64"] = {Expression::parse("N * 1e6 / FP64_RATE"), ""};
    system_.limits["mufu"] = {Expression::parse("N * 1e6 / MUFU_RATE"), ""};
    device_ = find_device("h200");
  }

  std::map<std::string, double> times_ns() {
    const auto copy_bandwidth = [this] {
      ++asked_;
      return bandwidth_;
    };
    std::map<std::string, double> times;
    for (const LimitRecord& limit :
         time_limits(system_, {{"N", std::int64_t{1000}}}, device_, copy_bandwidth))
      times[limit.name] = limit.time_ns;
    return times;
  }

  System system_;
  DeviceSpec device_;
  double bandwidth_ = 2e12;
  int asked_ = 0;
};

TEST_F(TimeLimits, FollowFromLanesSmsAndClock) {
  const auto times = times_ns();
  const double cycles_per_second = 132 * device_.clock_mhz * 1e6;
  EXPECT_DOUBLE_EQ(times.at("fp32"), 1e9 / (128 * cycles_per_second) * 1e9);
  EXPECT_DOUBLE_EQ(times.at("fp64"), 2 * times.at("fp32"));
  EXPECT_DOUBLE_EQ(times.at("mufu"), 8 * times.at("fp32"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(TimeLimits, FollowFromTheMeasuredBandwidthWhereItIsNamed) {
  system_.limits = {{"copy", {Expression::parse("8 * N / COPY_BANDWIDTH"), ""}}};
  EXPECT_DOUBLE_EQ(times_ns().at("copy"), 4);
  bandwidth_ = 0;  // not known
  EXPECT_TRUE(times_ns().empty());
}

TEST_F(TimeLimits, AreAFailureWhereTheyCannotBeEvaluated) {
  system_.limits["fp32"].seconds = Expression::parse("1 / (N - 1000)");
  EXPECT_THROW(times_ns(), Failure);
}

}  // namespace
}  // namespace tailwave
