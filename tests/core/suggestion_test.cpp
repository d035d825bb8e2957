#include "core/suggestion.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(Suggestion, OfManyNamesTheNearestOrTheFirstTwelve) {
  const std::string where = "'tailwave list' names them";
  EXPECT_EQ(suggestion_of_many("alhpa", {"beta", "alpha"}, where), "did you mean 'alpha'?");
  EXPECT_EQ(suggestion_of_many("zebra", {"alpha", "beta"}, where), "there are: alpha, beta");
  EXPECT_EQ(suggestion_of_many("zebra", {}, where), where);
  const std::vector<std::string> many(14, "alpha");
  EXPECT_EQ(
      suggestion_of_many("zebra", many, where),
      "there are: alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, and 2 more: " +
          where);
}

}  // namespace
}  // namespace tailwave
