#include "core/text_behind.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(TextBehind, IsWhatFollowsAWordAndTheBlanksBeforeIt) {
  EXPECT_EQ(text_behind("# include \"x\"", "#"), " include \"x\"");
  EXPECT_EQ(text_behind(" \tinclude", "include"), "");
  EXPECT_EQ(text_behind("inclusive", "include"), std::nullopt);
  EXPECT_EQ(text_behind(" \n#", "#"), std::nullopt);
  EXPECT_EQ(text_behind("", "#"), std::nullopt);
}

TEST(TextBehind, NeedsAsManyBlanksAsAreAskedFor) {
  EXPECT_EQ(text_behind("unroll", "unroll", " ", 1), std::nullopt);
  EXPECT_EQ(text_behind("(N)", "N", " (", 1), ")");
}

}  // namespace
}  // namespace tailwave
