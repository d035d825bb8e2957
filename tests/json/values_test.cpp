#include "json/values.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tailwave {
namespace {

TEST(JsonValues, ComeBack) {
  const Values values{{"flag", true}, {"whole", 3}, {"real", 0.5}, {"text", std::string("a")}};
  EXPECT_EQ(to_json(values), R"({"flag":true,"real":0.5,"text":"a","whole":3})");
  EXPECT_EQ(from_json(to_json(values)), values);
  EXPECT_EQ(from_json("{}"), Values{});
}

TEST(JsonValues, HaveNoNumberThatIsNotFinite) {
  EXPECT_EQ(to_json({{"a", std::nan("")}}), R"({"a":null})");
  EXPECT_EQ(from_json(R"({"a":null,"b":1})"), (Values{{"b", 1}}));
}

}  // namespace
}  // namespace tailwave
