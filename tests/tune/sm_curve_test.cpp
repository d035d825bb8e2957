#include "tune/sm_curve.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "fakes/error_of.h"
#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using fakes::FakeExecutor;
using testing::ElementsAre;

class SmCurveTest : public testing::Test {
 protected:
  SmCurveTest() {
    host_.kernels["host_twice"] = twice;
    device_.kernels["twice"] = twice;
    device_.time_of = [this](std::span<const Launch> launches) {
      const int sms = launches.front().sms;
      return 6000.0 / (sms == 0 ? device_.description().sms : sms);
    };
  }

  static void twice(const Launch& launch) {
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= 2;
  }

  MeasuredSmCurve measure(std::vector<int> asked) {
    fakes::LocalWorker worker(device_), host(host_);
    Measurer measurer({.kernels = &compiler_,
                       .host = &compiler_,
                       .device = &worker,
                       .host_device = &host,
                       .reference = {.host_compiler = &compiler_, .cpu = &host}});
    return measure_sm_curve(experiment_,
                            {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}},
                            measurer, {.asked = std::move(asked), .turns = 2});
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler compiler_;
  FakeExecutor host_{DeviceKind::cpu};
  FakeExecutor device_;
};

TEST_F(SmCurveTest, TimesThePlanOnEachNumberAndOnTheWholeDevice) {
  experiment_.system.variants[0].launches[0].sms = Expression::parse("3");  // which the curve puts aside
  const auto [curve, refused] = measure({2, 4});
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(curve.kernel, "twice");
  EXPECT_EQ(curve.grid, 2);
  EXPECT_EQ(curve.block_threads, 32);
  EXPECT_EQ(curve.blocks_per_sm, 16);
  ASSERT_EQ(curve.samples.size(), 3U);
  const std::vector<std::pair<int, int>> expected{{2, 2}, {4, 4}, {0, 4}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::pair(curve.samples[i].sms_asked, curve.samples[i].sms), expected[i]);
    EXPECT_THAT(curve.samples[i].times_ns, testing::Each(6000.0 / expected[i].second));
    EXPECT_EQ(curve.samples[i].times_ns.size(), 10U);  // of two turns
  }
}

TEST_F(SmCurveTest, TimesNumbersOnceForWhichTheSameIsGranted) {
  const auto [curve, refused] = measure({1, 2, 3});
  ASSERT_EQ(curve.samples.size(), 3U);
  EXPECT_EQ(curve.samples[0].sms_asked, 1);
  EXPECT_EQ(curve.samples[0].sms, 2);
  EXPECT_EQ(curve.samples[1].sms_asked, 3);
  EXPECT_EQ(curve.samples[1].sms, 4);
}

TEST_F(SmCurveTest, SaysOnWhichNumbersItDoesNotRunAndGoesOn) {
  device_.kernels["twice"] = [](const Launch& launch) {
    if (launch.sms != 2) twice(launch);
  };
  const auto [curve, refused] = measure({2, 4, 5});
  ASSERT_EQ(curve.samples.size(), 2U);
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0].asked, 2);
  EXPECT_EQ(refused[0].outcome, Outcome::wrong_result);
  EXPECT_EQ(refused[1].asked, 5);
  EXPECT_EQ(refused[1].outcome, Outcome::exceeds_device_limit);
  EXPECT_EQ(refused[1].detail, "the fake device has not so many SMs");
}

TEST_F(SmCurveTest, NeedsTheWholeDeviceAndAPartOfIt) {
  EXPECT_EQ(fakes::failure_of([&] { measure({5}); }),
            "exceeds_device_limit: the fake device has not so many SMs");
  device_.kernels["twice"] = [](const Launch& launch) {
    if (launch.sms != 0) twice(launch);
  };
  EXPECT_THAT(fakes::failure_of([&] { measure({2}); }), testing::StartsWith("wrong_result: before timing"));
}

TEST_F(SmCurveTest, HasNoneOfADeviceThatCannotBeDivided) {
  EXPECT_EQ(fakes::failure_of([&] { measure({}); }), "launch_failed: one SM alone cannot be divided");
}

TEST(SmsOfACurve, SuitTheDevice) {
  EXPECT_THAT(curve_sms(132, find_device("h200")), ElementsAre(8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112));
  EXPECT_THAT(curve_sms(10, find_device("gtx1060")), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(curve_sms(2, {}), ElementsAre(1));
  EXPECT_THAT(curve_sms(1, {}), ElementsAre());
}

TEST(SmsOfACurve, AreListedEachOnce) {
  EXPECT_THAT(listed_sms("32,8,32"), ElementsAre(32, 8));
  for (const char* list : {"", ",", "8,", "8,,9", "x", "0", "-8", "8 ,9", "100001", "99999999999"})
    EXPECT_THROW((void)listed_sms(list), Error) << list;
  EXPECT_EQ(samples::error_of([] { (void)listed_sms("8,1x"); }),
            "--sms: '1x' is no number of SMs\n  a list such as 8,16,32 of numbers from 1 to 100000");
}

SmCurve curve_of(const std::vector<std::pair<int, double>>& points) {
  SmCurve curve;
  for (const auto& [sms, time_ns] : points) curve.samples.push_back({sms, sms, {time_ns, time_ns}});
  return curve;
}

TEST(GainsOfACurve, EndWhereMoreSmsBringLessThanFivePercent) {
  const SmGains memory = gains_of(curve_of({{8, 800}, {16, 410}, {32, 240}, {64, 200}, {132, 196}}));
  EXPECT_EQ(memory.in_proportion_to, 16);
  EXPECT_EQ(memory.enough, 64);
  const SmGains arithmetic = gains_of(curve_of({{8, 800}, {16, 400}, {64, 100}}));
  EXPECT_EQ(arithmetic.in_proportion_to, 64);
  EXPECT_EQ(arithmetic.enough, std::nullopt);
  const SmGains one_block = gains_of(curve_of({{8, 100}, {16, 100}, {64, 101}}));
  EXPECT_EQ(one_block.in_proportion_to, 8);
  EXPECT_EQ(one_block.enough, 8);
  EXPECT_EQ(gains_of({}).in_proportion_to, 0);
}

}  // namespace
}  // namespace tailwave
