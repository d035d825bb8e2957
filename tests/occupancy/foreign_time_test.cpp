#include "occupancy/foreign_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/error.h"

namespace tailwave {
namespace {

// Two made-up GPUs of one capability: the target has half the bandwidth, a quarter of the SMs, and the same clock.
DeviceSpec source_gpu() {
  DeviceSpec device = find_device("h200");
  device.title = "the source";
  device.sms = 100;
  device.clock_mhz = 1000;
  device.bandwidth_gb_per_s = 1000;
  return device;
}
DeviceSpec target_gpu() {
  DeviceSpec device = source_gpu();
  device.title = "the target";
  device.sms = 25;
  device.bandwidth_gb_per_s = 500;
  return device;
}

ForeignTime predict(const ForeignCase& one) {
  return predict_foreign(one, source_gpu(), target_gpu());
}

CounterSummary uses(std::initializer_list<std::pair<DeviceLimit, double>> all) {
  CounterSummary summary;
  for (const auto& [limit, use] : all) summary.of(limit) = use;
  return summary;
}

TEST(DeviceLimits, OfferWhatTheDatabaseSays) {
  const DeviceSpec h100 = find_device("h100"), h200 = find_device("h200");
  EXPECT_DOUBLE_EQ(offered(h200, DeviceLimit::memory), 4800);
  EXPECT_DOUBLE_EQ(offered(h200, DeviceLimit::fp32), 128 * 1980.0);
  EXPECT_DOUBLE_EQ(offered(h200, DeviceLimit::fp64), 64 * 1980.0);
  EXPECT_DOUBLE_EQ(offered(h200, DeviceLimit::latency), 1980);
  EXPECT_DOUBLE_EQ(offered(h100, DeviceLimit::l2), offered(h200, DeviceLimit::l2));
  EXPECT_DOUBLE_EQ(offered(find_device("t4"), DeviceLimit::shared_memory), 64 * 1590.0);
  EXPECT_DOUBLE_EQ(offered(find_device("p100"), DeviceLimit::issue), 2 * 1329.0);
}

TEST(DeviceLimits, AFewSmsCannotTakeAllBandwidthButHaveTheWholeL2) {
  const DeviceSpec part = find_device("h200:16");
  EXPECT_DOUBLE_EQ(offered(part, DeviceLimit::memory), 16 * 64 * 1.98);
  EXPECT_DOUBLE_EQ(offered(part, DeviceLimit::l2), offered(find_device("h200"), DeviceLimit::l2));
  EXPECT_DOUBLE_EQ(offered(find_device("h200:104"), DeviceLimit::memory), 4800);
}

TEST(ForeignTime, FromATimeAloneIsHalfwayBetweenMemoryAndSms) {
  const ForeignTime time = predict({.time_ns = 1000});
  EXPECT_DOUBLE_EQ(time.memory_ratio, 2);
  EXPECT_DOUBLE_EQ(time.sm_ratio, 4);
  EXPECT_NEAR(time.time_ns, 1000 * std::sqrt(8), 1e-9);
  EXPECT_EQ(time.basis, ForeignBasis::times);
  EXPECT_NEAR(time.shared, std::hypot(kSameCapability.shared, std::log(2) / 2 / std::sqrt(3)), 1e-12);
  EXPECT_DOUBLE_EQ(time.own, kSameCapability.own);
}

TEST(ForeignTime, IsLessCertainWhereTheCodeIsOther) {
  DeviceSpec other = target_gpu();
  other.compute_capability = 80;
  const ForeignTime time = predict_foreign({.time_ns = 1000}, source_gpu(), other);
  EXPECT_DOUBLE_EQ(time.own, kOtherCapability.own);
  EXPECT_GT(time.spread(), predict({.time_ns = 1000}).spread());
}

TEST(ForeignTime, HasTheSameTimeOnTheSourceItself) {
  const ForeignCase counted{.time_ns = 1000,
                            .counters = uses({{DeviceLimit::memory, 0.9}, {DeviceLimit::issue, 0.9}})};
  EXPECT_DOUBLE_EQ(predict_foreign({.time_ns = 1000}, source_gpu(), source_gpu()).time_ns, 1000);
  // Counters that say more than the time allows do not make it longer.
  EXPECT_NEAR(predict_foreign(counted, source_gpu(), source_gpu()).time_ns, 1000, 1e-9);
}

TEST(ForeignTime, AGridThatFitsTheFewerSmsTakesNoLongerForThem) {
  const GridOnDevice source{.grid = 20, .block = 256, .sms = 100, .blocks_per_sm = 4};
  GridOnDevice target = source;
  target.sms = 25;
  EXPECT_DOUBLE_EQ(predict({.time_ns = 1000, .source_launch = source, .target_launch = target}).sm_ratio, 1);
}

TEST(ForeignTime, CountsTheBusiestSmsWarpsOverAllWaves) {
  const GridOnDevice source{.grid = 400, .block = 256, .sms = 100, .blocks_per_sm = 4};
  GridOnDevice target = source;
  target.sms = 25;  // 16 blocks for each SM instead of 4
  EXPECT_DOUBLE_EQ(predict({.time_ns = 1000, .source_launch = source, .target_launch = target}).sm_ratio, 4);
  // A block of one warp does not keep an SM busy: four of them take as long as one.
  const GridOnDevice small{.grid = 100, .block = 32, .sms = 100, .blocks_per_sm = 32};
  GridOnDevice packed = small;
  packed.sms = 25;
  EXPECT_DOUBLE_EQ(predict({.time_ns = 1000, .source_launch = small, .target_launch = packed}).sm_ratio, 1);
}

TEST(ForeignTime, OfTooFewWarpsToHideLatencyFollowsTheClock) {
  DeviceSpec narrow = source_gpu();  // half the lanes and bandwidth, but a faster clock
  narrow.fp32_lanes_per_sm /= 2;
  narrow.bandwidth_gb_per_s /= 2;
  narrow.clock_mhz *= 1.25;
  const GridOnDevice one_warp{.grid = 100, .block = 32, .sms = 100, .blocks_per_sm = 32};
  const ForeignTime time = predict_foreign(
      {.time_ns = 1000, .source_launch = one_warp, .target_launch = one_warp}, source_gpu(), narrow);
  EXPECT_DOUBLE_EQ(time.sm_ratio, 0.8);
  EXPECT_NEAR(time.time_ns, 1000 * std::pow(2, 1.0 / 16) * std::pow(0.8, 15.0 / 16), 1e-9);
  const GridOnDevice full{.grid = 3200, .block = 32, .sms = 100, .blocks_per_sm = 32};
  EXPECT_DOUBLE_EQ(
      predict_foreign({.time_ns = 1000, .source_launch = full, .target_launch = full}, source_gpu(), narrow)
          .sm_ratio,
      1.6);
}

TEST(ForeignTime, WithCountersFollowsTheLimitThatIsUsed) {
  const auto with = [](const CounterSummary& counters) {
    return predict({.time_ns = 1000, .counters = counters});
  };
  const ForeignTime memory = with(uses({{DeviceLimit::memory, 1}}));
  EXPECT_NEAR(memory.time_ns, 2000, 1e-9);
  EXPECT_EQ(memory.limit, DeviceLimit::memory);
  EXPECT_EQ(memory.basis, ForeignBasis::counters);
  const ForeignTime arithmetic = with(uses({{DeviceLimit::fp32, 1}, {DeviceLimit::memory, 0.1}}));
  EXPECT_NEAR(arithmetic.time_ns, 4000, 1);
  EXPECT_EQ(arithmetic.limit, DeviceLimit::fp32);
  const ForeignTime l2 = with(uses({{DeviceLimit::l2, 1}}));
  EXPECT_EQ(l2.limit, DeviceLimit::l2);
}

TEST(ForeignTime, WithCountersLeavesTheRestToLatency) {
  const GridOnDevice source{.grid = 300, .block = 64, .sms = 100, .blocks_per_sm = 4};
  GridOnDevice target = source;
  target.sms = 25;  // 3 waves instead of 1
  const ForeignTime time = predict({.time_ns = 1000,
                                    .source_launch = source,
                                    .target_launch = target,
                                    .counters = uses({{DeviceLimit::fp32, 0.1}})});
  EXPECT_EQ(time.limit, DeviceLimit::latency);
  EXPECT_NEAR(time.time_ns, 3000, 1);
}

// Kernels whose truth is the norm's own: each limit's share of the time is what its counter says.
TEST(ForeignTime, WithCountersFindsTheTruthOfItsOwnModel) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0, 0.7);
  for (int i = 0; i < 100; ++i) {
    const double memory = share(random), issue = share(random);
    const double rest =
        std::pow(1 - std::pow(memory, kLimitNorm) - std::pow(issue, kLimitNorm), 1 / kLimitNorm);
    const double truth = std::pow(
        std::pow(2 * memory, kLimitNorm) + std::pow(4 * issue, kLimitNorm) + std::pow(4 * rest, kLimitNorm),
        1 / kLimitNorm);
    const ForeignTime time = predict(
        {.time_ns = 1, .counters = uses({{DeviceLimit::memory, memory}, {DeviceLimit::issue, issue}})});
    EXPECT_NEAR(time.time_ns, truth, 1e-9);
  }
}

TEST(ForeignTime, CountersDoNotNarrowTheInterval) {
  const ForeignCase counted{.time_ns = 1000, .counters = uses({{DeviceLimit::memory, 1}})};
  EXPECT_DOUBLE_EQ(predict(counted).spread(), predict({.time_ns = 1000}).spread());
}

TEST(ForeignTime, GivesTheIntervalAsFactors) {
  const ForeignTime time{.time_ns = 100, .shared = 0.3, .own = 0.4};
  EXPECT_DOUBLE_EQ(time.spread(), 0.5);
  EXPECT_NEAR(time.interval(2).low, 100 / std::exp(1), 1e-9);
  EXPECT_NEAR(time.interval(2).high, 100 * std::exp(1), 1e-9);
}

TEST(ForeignTime, RefusesWhatItCannotKnow) {
  EXPECT_THROW(predict({.time_ns = 0}), std::invalid_argument);
  DeviceSpec unknown = target_gpu();
  unknown.bandwidth_gb_per_s = 0;
  try {
    predict_foreign({.time_ns = 1}, source_gpu(), unknown);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "the target: its rate of DRAM is not known\n  a prediction needs bandwidth, clock and lanes of both devices");
  }
}

TEST(CombineForeign, WeighsTheMoreCertainMore) {
  const std::array one{ForeignTime{.time_ns = 100, .shared = 0.1, .own = 0},
                       ForeignTime{.time_ns = 1000, .shared = 0.3, .own = 0}};
  const ForeignTime both = combine_foreign(one);
  EXPECT_NEAR(both.time_ns, 100 * std::pow(10, 0.1), 1e-9);  // weights 9 and 1
  EXPECT_DOUBLE_EQ(both.spread(), 0.1);
  EXPECT_THROW(combine_foreign({}), std::invalid_argument);
}

TEST(SharedError, IsLearntFromTimesOnTheTarget) {
  const ForeignTime prior{.time_ns = 100, .shared = 0.3, .own = 0.1};
  EXPECT_DOUBLE_EQ(shared_error({}).mean, 0);
  EXPECT_DOUBLE_EQ(corrected(prior, shared_error({})).spread(), prior.spread());

  std::vector<KnownTime> known{{prior, 150}};
  const double after_one = shared_error(known).mean;
  EXPECT_NEAR(after_one, 0.9 * std::log(1.5), 1e-12);
  known.assign(50, {prior, 150});
  const ForeignTime after_many = corrected(prior, shared_error(known));
  EXPECT_NEAR(after_many.time_ns, 150, 0.2);
  EXPECT_LT(after_many.shared, 0.02);
  EXPECT_DOUBLE_EQ(after_many.own, 0.1);
  EXPECT_THROW(shared_error(std::array{KnownTime{prior, 0}}), std::invalid_argument);
}

// Kernels drawn as the model takes them to be: their intervals hold what they say, before and after some of their
// configurations are known.
TEST(SharedError, KeepsTheIntervalsTrue) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const ForeignTime prior{.time_ns = 1, .shared = 0.3, .own = 0.2};
  for (const int count : {0, 1, 5}) {
    int held = 0;
    constexpr int kKernels = 4000;
    for (int kernel = 0; kernel < kKernels; ++kernel) {
      const double shared = prior.shared * normal(random);
      const auto time = [&] { return std::exp(shared + prior.own * normal(random)); };
      std::vector<KnownTime> known;
      for (int i = 0; i < count; ++i) known.push_back({prior, time()});
      const Interval interval = corrected(prior, shared_error(known)).interval(kLikely);
      const double truth = time();
      held += interval.low <= truth && truth <= interval.high ? 1 : 0;
    }
    EXPECT_NEAR(held, 0.8 * kKernels, 0.02 * kKernels) << count;
  }
}

// Public measurements (tests/data/foreign): how many of a kernel's times on each card the intervals from the other
// two hold.
std::array<double, 2> shares_held(const std::string& space) {
  std::ifstream file(std::string(TAILWAVE_TEST_DATA) + "/foreign/" + space + ".json");
  const nlohmann::json times = nlohmann::json::parse(file).at("times");
  double likely = 0, nearly_sure = 0, count = 0;
  for (const auto& [from, source] : times.items()) {
    for (const auto& [to, target] : times.items()) {
      if (from == to) continue;
      for (const auto& [key, measured] : target.items()) {
        const ForeignTime time =
            predict_foreign({.time_ns = source.at(key)}, find_device(from), find_device(to));
        const double error = std::abs(std::log(measured.get<double>() / time.time_ns));
        likely += error <= kLikely * time.spread() ? 1 : 0;
        nearly_sure += error <= kNearlySure * time.spread() ? 1 : 0;
        ++count;
      }
    }
  }
  return {likely / count, nearly_sure / count};
}

TEST(ForeignTime, HoldsTheTimesOfPublicKernels) {
  // A kernel that the spreads were chosen by, and one that was set aside.
  for (const char* space : {"convolution_milo", "dedispersion_milo"}) {
    const auto [likely, nearly_sure] = shares_held(space);
    EXPECT_GE(likely, 0.8) << space;
    EXPECT_GE(nearly_sure, 0.93) << space;
  }
}

TEST(GridCurveRatio, ReadsTheGridThatLoadsTheBusiestSmAlike) {
  const GridOnDevice source{.grid = 200, .block = 128, .sms = 100, .blocks_per_sm = 4};
  GridOnDevice target = source;
  target.sms = 25;
  const TimeModel blocks = [](std::int64_t count) { return 10.0 + static_cast<double>(count); };
  // 2 waves there, which are 800 blocks here
  EXPECT_NEAR(grid_curve_ratio(blocks, source, target).value(), 810.0 / 210, 1e-12);
  target.grid = 130;  // a wave, and 30 of 100 slots: 2 blocks on some SMs
  EXPECT_NEAR(grid_curve_ratio(blocks, source, target).value(), (10.0 + 400 + 120) / 210, 1e-12);
  EXPECT_NEAR(
      predict({.time_ns = 1, .source_launch = source, .target_launch = target, .curve_ratio = 3}).sm_ratio, 3,
      1e-12);
  target.blocks_per_sm = 5;
  EXPECT_FALSE(grid_curve_ratio(blocks, source, target).has_value());
  target.blocks_per_sm = 4;
  EXPECT_FALSE(grid_curve_ratio([](std::int64_t) { return 0.0; }, source, target).has_value());
}

}  // namespace
}  // namespace tailwave
