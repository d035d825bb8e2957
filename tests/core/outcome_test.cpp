#include "core/outcome.h"

#include <gtest/gtest.h>

#include <set>

namespace tailwave {
namespace {

TEST(Outcome, ComesBackFromItsName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Outcome::given_up); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    names.insert(to_string(outcome));
    EXPECT_EQ(find_enum<Outcome>(to_string(outcome)), outcome);
  }
  EXPECT_EQ(names.size(), 14);
  EXPECT_EQ(to_string(Outcome::exceeds_device_limit), "exceeds_device_limit");
}

TEST(Outcome, IsNothingForAnotherWord) {
  EXPECT_EQ(find_enum<Outcome>("fast"), std::nullopt);
  EXPECT_EQ(find_enum<Outcome>(""), std::nullopt);
}

TEST(Failure, CarriesItsOutcomeAndTheDriversWords) {
  const Failure failure(Outcome::launch_failed, "invalid configuration argument");
  EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
  EXPECT_STREQ(failure.what(), "invalid configuration argument");
}

TEST(Outcome, HasANextStepUnlessItIsCorrect) {
  EXPECT_EQ(next_step(Outcome::correct), "");
  EXPECT_EQ(next_step(Outcome::crashed), next_step(Outcome::illegal_access));
  for (const Outcome outcome :
       {Outcome::compile_error, Outcome::compile_timeout, Outcome::exceeds_device_limit,
        Outcome::launch_failed, Outcome::illegal_access, Outcome::timeout, Outcome::out_of_memory,
        Outcome::wrong_result, Outcome::crashed, Outcome::skipped_identical, Outcome::given_up})
    EXPECT_FALSE(next_step(outcome).empty()) << to_string(outcome);
}

TEST(Outcome, HasANextStepOfItsOwnWhereTheToleranceIsTooSmall) {
  const std::string detail =
      "worst at element 1; 2 units in the last place: the tolerance is below the precision of float32";
  EXPECT_NE(next_step(Outcome::wrong_result, detail), next_step(Outcome::wrong_result, "worst at element 1"));
  EXPECT_EQ(next_step(Outcome::crashed, detail), next_step(Outcome::crashed));
}

TEST(Outcome, HasNextStepsThatFitAProgramAndWhatTheCpuDeviceLacks) {
  const std::string_view step = next_step(Outcome::crashed, "'mesh.py' ended with status 1: no such mesh");
  EXPECT_EQ(step.find("make asan"), std::string_view::npos);
  EXPECT_EQ(step, next_step(Outcome::crashed, "'mesh.py' was ended by signal 11 (Segmentation fault)"));
  EXPECT_NE(next_step(Outcome::unavailable, "the CPU device lacks mma.h"), next_step(Outcome::unavailable));
}

TEST(Outcome, HasNextStepsThatNameTheCheckThatFindsTheCause) {
  for (const Outcome outcome : {Outcome::wrong_result, Outcome::crashed})
    EXPECT_NE(next_step(outcome).find("tailwave check --races SPEC"), std::string_view::npos);
  for (const char* detail :
       {"'scale' takes 4 arguments, not 3", "argument 1 of 'scale' is given with 4 bytes, and"})
    EXPECT_NE(next_step(Outcome::launch_failed, detail).find("\"args\""), std::string_view::npos) << detail;
}

TEST(Outcome, TellsWhatWasKilledFromOutside) {
  const std::string killed = "the compile process was killed by signal 9 (Killed)";
  EXPECT_TRUE(was_killed_from_outside(Outcome::compile_error, killed));
  EXPECT_TRUE(was_killed_from_outside(Outcome::crashed,
                                      "step: the device's worker process was killed by signal 9 (Killed)"));
  EXPECT_FALSE(was_killed_from_outside(Outcome::compile_error,
                                       "the compile process was killed by signal 11 (Segmentation fault)"));
  EXPECT_FALSE(was_killed_from_outside(Outcome::wrong_result, killed));
}

}  // namespace
}  // namespace tailwave
