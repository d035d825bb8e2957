#include "selftest/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace tailwave {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;

TEST(KnownDuration, IsJudgedByTheErrorThatTheFloorDoesNotExplain) {
  const std::vector<Check> checks = judge_durations({{20, 22.1, 2.0}, {1000, 1012.5, 2.0}}, 0.032);
  ASSERT_EQ(checks.size(), 5U);
  EXPECT_EQ(checks[0].quantity, "step of the timer");
  EXPECT_EQ(checks[1].quantity, "20 us: raw error");
  EXPECT_THAT(checks[1].value, Optional(DoubleNear(2.1, 1e-9)));
  EXPECT_EQ(checks[1].passed, std::nullopt);
  EXPECT_EQ(checks[2].quantity, "20 us: floor-corrected error");
  EXPECT_EQ(checks[2].expectation, "within 0.5 us");
  EXPECT_EQ(checks[2].detail, "median 22.100 us, floor 2.000 us");
  EXPECT_THAT(checks[2].value, Optional(DoubleNear(0.1, 1e-9)));
  EXPECT_EQ(checks[2].passed, true);
  EXPECT_EQ(checks[4].expectation, "within 10 us");
  EXPECT_EQ(checks[4].passed, false);
}

TEST(KnownDuration, ThatComesOutTooShortFailsToo) {
  EXPECT_EQ(judge_durations({{10, 10.0, 2.0}}, 0.032).back().passed, false);
}

TEST(KnownDuration, CannotBeMoreExactThanTheTimer) {
  const Check check = judge_durations({{5, 6.9, 1.0}}, 1.024).back();
  EXPECT_EQ(check.expectation, "within 1.024 us");
  EXPECT_EQ(check.passed, true);
}

TEST(SameKernel, MayBeToldApartInSevenPercentOfManyPairs) {
  EXPECT_EQ(allowed_apart(200), 14);
  EXPECT_EQ(judge_pairs(200, 14, 20).passed, true);
  const Check check = judge_pairs(200, 15, 20.25);
  EXPECT_EQ(check.passed, false);
  EXPECT_EQ(check.expectation, "at most 7 %");
  EXPECT_EQ(check.detail, "15 of 200 pairs of 20 samples each, median 20.250 us");
  EXPECT_THAT(check.value, Optional(DoubleNear(7.5, 1e-9)));
}

// P(X > 5) = 1.4 %, P(X > 6) = 0.3 % for 40 draws at 5 %.
TEST(SameKernel, MayBeToldApartAsOftenAsChanceDoesInFewPairs) {
  EXPECT_EQ(allowed_apart(40), 6);
  EXPECT_EQ(allowed_apart(1), 1);
  EXPECT_EQ(judge_pairs(40, 6, 20).expectation, "at most 15 %");
  EXPECT_EQ(judge_pairs(40, 7, 20).passed, false);
}

TEST(SameKernel, IsToldApartFromASlowerOneOnly) {
  Generator generator(1);
  std::vector<double> first, second, slower;
  for (int i = 0; i < 20; ++i) {
    first.push_back(20 + generator.uniform());
    second.push_back(20 + generator.uniform());
    slower.push_back(22 + generator.uniform());
  }
  EXPECT_FALSE(tells_apart(first, first, 1));
  EXPECT_TRUE(tells_apart(first, slower, 1));
  EXPECT_TRUE(tells_apart(slower, first, 1));
}

TEST(CacheFlush, MakesReadingSlower) {
  EXPECT_EQ(judge_flush(12, 8, true, "25.0 MiB read").passed, true);
  const Check check = judge_flush(8.8, 8, true, "25.0 MiB read");
  EXPECT_EQ(check.passed, false);
  EXPECT_EQ(check.expectation, "above 1.2");
  EXPECT_EQ(check.detail, "25.0 MiB read: cold 8.800 us, hot 8.000 us");
}

TEST(CacheFlush, IsNotJudgedWhereItDoesNotApply) {
  const Check check = judge_flush(8, 8, false, "16.0 MiB read");
  EXPECT_EQ(check.passed, std::nullopt);
  EXPECT_EQ(check.expectation, "");
  EXPECT_THAT(check.value, Optional(1.0));
}

TEST(ClockStep, ShowsTheWidestChange) {
  const std::vector<Check> checks = judge_clocks(1980, {1980, 1500, 1755});
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_THAT(checks[0].value, Optional(1980.0));
  EXPECT_THAT(checks[1].value, Optional(1980.0));
  EXPECT_THAT(checks[2].value, Optional(1755.0));
  EXPECT_THAT(checks[3].value, Optional(DoubleNear(32, 1e-9)));
  EXPECT_EQ(checks[3].detail, "1500 to 1980 MHz in 3 runs");
}

TEST(ClockStep, SaysWhereNoClockIsKnown) {
  const std::vector<Check> checks = judge_clocks(std::nullopt, {});
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].value, std::nullopt);
  EXPECT_EQ(checks[0].passed, std::nullopt);
  EXPECT_EQ(checks[0].detail, "the device does not tell its clock");
}

constexpr const char* kPrinted =
    "==PROF== Connected to process 4711 (/opt/tailwave)\n"
    "==PROF== Profiling \"selftest_empty\" - 0: 0%....50%....100% - 1 pass\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
    "Value\"\n"
    "\"0\",\"4711\",\"tailwave\",\"127.0.0.1\",\"selftest_empty()\",\"1\",\"13\",\"(1, 1, 1)\",\"(1, 1, "
    "1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"nsecond\","
    "\"1,216\"\n"
    "\"1\",\"4711\",\"tailwave\",\"127.0.0.1\",\"selftest_spin(long long)\",\"1\",\"13\",\"(1, 1, 1)\","
    "\"(1, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"us\","
    "\"21.50\"\r\n"
    "\"2\",\"4711\",\"tailwave\",\"127.0.0.1\",\"selftest_spin\",\"1\",\"13\",\"(1, 1, 1)\",\"(1, 1, "
    "1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"ms\",\"1.002\"\n";

TEST(Ncu, TimesAreReadWhateverTheirUnit) {
  const Profile profile = parse_profile(kPrinted);
  EXPECT_EQ(profile.obstacle, "");
  ASSERT_EQ(profile.kernels.size(), 3U);
  EXPECT_EQ(profile.kernels[0].kernel, "selftest_empty");
  EXPECT_DOUBLE_EQ(profile.kernels[0].time_us, 1.216);
  EXPECT_EQ(profile.kernels[1].kernel, "selftest_spin");
  EXPECT_DOUBLE_EQ(profile.kernels[1].time_us, 21.5);
  EXPECT_DOUBLE_EQ(profile.kernels[2].time_us, 1002);
}

TEST(Ncu, RefusalIsTakenInItsWords) {
  const std::string refusal =
      "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on "
      "the target device 0.";
  const Profile profile = parse_profile("==PROF== Connected to process 1\n==ERROR== " + refusal + "\n");
  EXPECT_EQ(profile.obstacle, refusal);
  const std::vector<Check> checks = judge_profile(profile, {{50, 51}});
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].passed, std::nullopt);
  EXPECT_EQ(checks[0].value, std::nullopt);
  EXPECT_EQ(checks[0].detail, refusal);
}

TEST(Ncu, SaysWhatTheProgramSaidThatFailed) {
  EXPECT_EQ(parse_profile("==PROF== Connected to process 1\ntailwave: cuda:0: no such device\n"
                          "==ERROR== The application returned an error code (1).\n")
                .obstacle,
            "The application returned an error code (1). (tailwave: cuda:0: no such device)");
}

TEST(Ncu, PrintingNothingOfUseIsSaid) {
  EXPECT_EQ(parse_profile("").obstacle, "ncu printed no time");
  EXPECT_EQ(parse_profile("hello\nworld\n").obstacle, "ncu printed no time (hello)");
}

TEST(Ncu, IsComparedKernelByKernelInLaunchOrder) {
  const Profile profile{{{"selftest_empty", 2.0},
                         {"selftest_spin", 21},
                         {"selftest_spin", 51},
                         {"selftest_empty", 2.2},
                         {"selftest_spin", 23},
                         {"selftest_spin", 51}},
                        ""};
  const std::vector<Check> checks = judge_profile(profile, {{0, 3.1}, {20, 25.2}, {50, 54.55}});
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].quantity, "empty kernel: floor-corrected difference from Nsight Compute");
  EXPECT_THAT(checks[0].value, Optional(DoubleNear(0, 1e-9)));
  EXPECT_EQ(checks[1].quantity, "20 us: floor-corrected difference from Nsight Compute");
  EXPECT_THAT(checks[1].value, Optional(DoubleNear(10, 1e-9)));
  EXPECT_EQ(checks[1].passed, std::nullopt);
  EXPECT_THAT(checks[2].value, Optional(DoubleNear(5, 1e-9)));
  EXPECT_EQ(checks[2].expectation, "within 2 %");
  EXPECT_EQ(checks[2].passed, false);
}

TEST(Ncu, IsNotComparedWhenItSawOtherKernels) {
  const std::vector<KnownDuration> ours{{0, 2}, {50, 52}};
  EXPECT_EQ(judge_profile({{{"selftest_empty", 2}}, ""}, ours).at(0).detail,
            "ncu saw 1 kernels, which is no multiple of 2");
  EXPECT_EQ(judge_profile({{{"selftest_spin", 2}, {"selftest_empty", 2}}, ""}, ours).at(0).detail,
            "ncu saw selftest_spin where selftest_empty was launched");
}

TEST(Traces, AreJudgedWhereTheyDisturbNothingAndLaunchesAreLong) {
  const std::vector<Check> checks = judge_traces({{"rows", 400, 0.912, 0.941, ""},
                                                  {"rows", 400, 0.46, 0.91, ""},
                                                  {"stream", 49, 0.78, 0.74, ""},
                                                  {"steps", 90, 0.8, 0.7, "4.1 % slower, more than 3 %"}});
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_EQ(checks[0].quantity, "rows: busy slots, as traced less as counted");
  EXPECT_NEAR(*checks[0].value, -2.9, 1e-9);
  EXPECT_EQ(checks[0].expectation, "within 3 from 50 us on");
  EXPECT_EQ(checks[0].detail, "traced 91.2 %, counted 94.1 %, 400.0 us");
  EXPECT_EQ(checks[0].passed, true);
  EXPECT_EQ(checks[1].passed, false);
  EXPECT_EQ(checks[2].passed, std::nullopt);
  EXPECT_EQ(checks[3].passed, std::nullopt);
  EXPECT_EQ(checks[3].detail,
            "traced 80.0 %, counted 70.0 %, 90.0 us; disturbed: 4.1 % slower, more than 3 %");
}

TEST(Traces, SayInOneLineWhyThereAreNoCounters) {
  const Check check = without_traces("counters: not permitted: why\n  what to do");
  EXPECT_EQ(check.name, "traces");
  EXPECT_EQ(check.detail, "counters: not permitted: why");
  EXPECT_EQ(check.value, std::nullopt);
  EXPECT_EQ(check.passed, std::nullopt);
}

}  // namespace
}  // namespace tailwave
