#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "tune/tuner.h"

namespace tailwave {
namespace {

TEST(SearchBudget, IsANumberOfEvaluationsOrATime) {
  EXPECT_EQ(parse_budget("500").evaluations, 500U);
  EXPECT_EQ(parse_budget("60s").seconds, 60);
  EXPECT_EQ(parse_budget("5m").seconds, 300);
  EXPECT_EQ(parse_budget("1.5h").seconds, 5400);
  const auto refusal = [](const std::string& budget) {
    try {
      parse_budget(budget);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string wrong : {"5x", "", "x", "1.5", "s", "5 s", "nan", "inf", "1e99", "0x10", "-3x"})
    EXPECT_EQ(refusal(wrong), "--budget '" + wrong +
                                  "' is neither evaluations nor a time\n  for example 500, or 60s, 5m, 1.5h");
  for (const std::string wrong : {"0", "-3", "0s", "-1m"})
    EXPECT_EQ(refusal(wrong),
              "--budget '" + wrong + "' leaves nothing to spend\n  for example 500, or 60s, 5m, 1.5h");
}

TEST(SearchBudget, IsByDefaultAShareOfEachProblemsConfigurations) {
  EXPECT_EQ(default_budget({3}).evaluations, 3U);
  EXPECT_EQ(default_budget({478}).evaluations, 50U);
  EXPECT_EQ(default_budget({4362}).evaluations, 219U);
  EXPECT_EQ(default_budget({1e12, 60}).evaluations, 550U);
}

TEST(SearchUntil, IsAGainAndItsProbability) {
  const std::optional<StopTerms> terms = parse_until("0.5%:10%");
  ASSERT_TRUE(terms);
  EXPECT_DOUBLE_EQ(terms->gain, 0.005);
  EXPECT_DOUBLE_EQ(terms->probability, 0.1);
  EXPECT_EQ(to_string(*terms), "0.5%:10%");
  EXPECT_FALSE(parse_until("never"));
  for (const std::string wrong : {"", "1%", "1:3", "1%:", ":3%", "0%:3%", "1%:0%", "1%:101%", "1%:3%x",
                                  "nan%:3%", "inf%:3%", "-1%:3%", "1%:3%:2%"}) {
    try {
      parse_until(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 40),
                ("--until '" + wrong + "' is no gain and its probability").substr(0, 40));
    }
  }
}

}  // namespace
}  // namespace tailwave
