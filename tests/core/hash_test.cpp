#include "core/hash.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

// XXH3 128-bit of no bytes, from the xxHash specification's test vectors.
TEST(ContentHash, IsXxh3) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, TellsTextsApartAndIsStable) {
  EXPECT_EQ(content_hash("kernel"), content_hash("kernel"));
  EXPECT_NE(content_hash("kernel"), content_hash("kernel "));
  EXPECT_EQ(content_hash(std::string_view("a\0b", 3)).size(), 32);
  EXPECT_NE(content_hash(std::string_view("a\0b", 3)), content_hash("a"));
}

TEST(FieldHasher, KnowsWhereAFieldEnds) {
  EXPECT_NE(FieldHasher().add("ab").add("c").digest(), FieldHasher().add("a").add("bc").digest());
  EXPECT_NE(FieldHasher().add("").digest(), FieldHasher().digest());
  EXPECT_EQ(FieldHasher().add("ab").digest(), FieldHasher().add("ab").digest());
}

}  // namespace
}  // namespace tailwave
