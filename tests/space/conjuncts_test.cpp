#include "space/conjuncts.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tailwave {
namespace {

using testing::ElementsAre;

std::vector<std::string> parts_of(const char* text) {
  std::vector<std::string> parts;
  for (const Expression& part : conjuncts(Expression::parse(text))) {
    const std::string own = part.text();
    parts.push_back(
        own.substr(own.find_first_not_of(' '), own.find_last_not_of(' ') - own.find_first_not_of(' ') + 1));
  }
  return parts;
}

TEST(Conjuncts, AreWhatAndJoins) {
  EXPECT_THAT(parts_of("A < 3"), ElementsAre("A < 3"));
  EXPECT_THAT(parts_of("A < 3 and not B and 1 < C <= 4"), ElementsAre("A < 3", "not B", "1 < C <= 4"));
  EXPECT_THAT(parts_of("'a and b' == A and [x for x in (1, 2) if x > 1 and B][0] == 2"),
              ElementsAre("'a and b' == A", "[x for x in (1, 2) if x > 1 and B][0] == 2"));
}

TEST(Conjuncts, StayTogetherInBracketsAndBesideWhatBindsLess) {
  EXPECT_THAT(parts_of("(A and B) and C"), ElementsAre("(A and B)", "C"));
  EXPECT_THAT(parts_of("A and B or C"), ElementsAre("A and B or C"));
  EXPECT_THAT(parts_of("A or B and C"), ElementsAre("A or B and C"));
  EXPECT_THAT(parts_of("A and B if C else D"), ElementsAre("A and B if C else D"));
  EXPECT_THAT(parts_of("A and (B or C) and (1 if D else 0)"),
              ElementsAre("A", "(B or C)", "(1 if D else 0)"));
}

}  // namespace
}  // namespace tailwave
