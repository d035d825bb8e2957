#include "core/hex_digits.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(HexDigits, AreTwoForEachByteThereAndBack) {
  const std::string bytes("\0\x7f\x80\xff", 4);
  EXPECT_EQ(hex_digits(bytes), "007f80ff");
  EXPECT_EQ(bytes_of_hex("007F80ff"), bytes);
  EXPECT_EQ(hex_digits(""), "");
}

TEST(HexDigits, AreNothingElse) {
  for (const char* const text : {"", "0", "0g", "g0", "-1", "0x00"}) EXPECT_FALSE(bytes_of_hex(text)) << text;
}

}  // namespace
}  // namespace tailwave
