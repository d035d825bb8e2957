#include "core/outcome.h"

#include <gtest/gtest.h>

#include <set>

namespace tailwave {
namespace {

TEST(Outcome, ComesBackFromItsName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Outcome::skipped_identical); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    names.insert(to_string(outcome));
    EXPECT_EQ(parse_outcome(to_string(outcome)), outcome);
  }
  EXPECT_EQ(names.size(), 10);
  EXPECT_EQ(to_string(Outcome::exceeds_device_limit), "exceeds_device_limit");
}

TEST(Outcome, IsNothingForAnotherWord) {
  EXPECT_EQ(parse_outcome("fast"), std::nullopt);
  EXPECT_EQ(parse_outcome(""), std::nullopt);
}

TEST(Failure, CarriesItsOutcomeAndTheDriversWords) {
  const Failure failure(Outcome::launch_failed, "invalid configuration argument");
  EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
  EXPECT_STREQ(failure.what(), "invalid configuration argument");
}

TEST(Outcome, HasANextStepUnlessItIsCorrect) {
  EXPECT_EQ(next_step(Outcome::correct), "");
  EXPECT_EQ(next_step(Outcome::crashed), next_step(Outcome::illegal_access));
  for (const Outcome outcome : {Outcome::compile_error, Outcome::exceeds_device_limit, Outcome::launch_failed,
                                Outcome::illegal_access, Outcome::timeout, Outcome::out_of_memory,
                                Outcome::wrong_result, Outcome::crashed, Outcome::skipped_identical})
    EXPECT_FALSE(next_step(outcome).empty()) << to_string(outcome);
}

}  // namespace
}  // namespace tailwave
