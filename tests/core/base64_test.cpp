#include "core/base64.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(Base64, IsThatOfTheRfc) {
  const std::pair<const char*, const char*> cases[] = {// RFC 4648, section 10
                                                       {"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(base64(bytes), text);
  EXPECT_EQ(base64(std::string("\xff\xfe\0", 3)), "//4A");
}

}  // namespace
}  // namespace tailwave
