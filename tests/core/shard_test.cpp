#include "core/shard.h"

#include <gtest/gtest.h>

#include <string>

namespace tailwave {
namespace {

TEST(Shard, IsReadAsItIsWritten) {
  const auto shard = shard_from("2/6");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->number, 2U);
  EXPECT_EQ(shard->count, 6U);
  EXPECT_EQ(to_string(*shard), "2/6");
  EXPECT_TRUE(shard_from("10000/10000"));
  EXPECT_EQ(to_string(*shard_from("1/1")), "") << "the whole";
}

TEST(Shard, IsNothingElse) {
  for (const char* const text : {"", "2", "/", "2/", "/6", "0/6", "7/6", "-1/6", "+1/6", "1/6 ", "1.0/6",
                                 "1/10001", "1/0", "1/99999999999999999999", "a/b", "1/2/3"})
    EXPECT_FALSE(shard_from(text)) << text;
}

TEST(Shard, HasEachConfigurationOnce) {
  for (const std::size_t count : {1, 2, 6, 100}) {
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "nbody/shared/BLOCK_SIZE:" + std::to_string(i);
      std::size_t owners = 0;
      for (std::size_t number = 1; number <= count; ++number)
        owners += Shard{number, count}.has(name) ? 1 : 0;
      EXPECT_EQ(owners, 1U) << name << " of " << count;
    }
  }
}

TEST(Shard, HasAboutItsShare) {
  std::size_t own = 0;
  for (int i = 0; i < 6000; ++i) own += Shard{2, 6}.has("configuration " + std::to_string(i)) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(own), 1000, 4 * 29);
}

// What has been measured in one version is not to be measured again in the next.
TEST(Shard, OfANameIsAlwaysTheSame) {
  EXPECT_TRUE((Shard{1, 6}.has("nbody/shared/BLOCK_SIZE:128/N:4096")));
}

}  // namespace
}  // namespace tailwave
