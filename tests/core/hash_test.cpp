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

TEST(FieldHasher, HasTheSameDigestCondensedOrNot) {
  for (const std::size_t size : {0, 10, 240, 300, 5000}) {
    FieldHasher plain, condensed;
    for (int i = 0; i < 3; ++i) {
      const std::string field(size, static_cast<char>('a' + i));
      plain.add(field);
      condensed.add(field).condense();
      EXPECT_EQ(condensed.digest(), plain.digest()) << size;
    }
    const FieldHasher copy = condensed;
    EXPECT_EQ(condensed.add("more").digest(), plain.add("more").digest());
    EXPECT_NE(copy.digest(), condensed.digest());
  }
}

}  // namespace
}  // namespace tailwave
