#include "core/small_float.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tailwave {
namespace {

template <class Number>
Number of_bits(unsigned bits) {
  Number number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

template <class Number>
class SmallFloats : public testing::Test {
 protected:
  static constexpr unsigned kAll = 2 * Number::kSign;
};
using AllSmallFloats = testing::Types<Float16, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(SmallFloats, AllSmallFloats);

TYPED_TEST(SmallFloats, AreEachTheNumberNearestToItself) {
  for (unsigned bits = 0; bits < TestFixture::kAll; ++bits) {
    const auto value = static_cast<double>(of_bits<TypeParam>(bits));
    if (std::isfinite(value)) {
      EXPECT_EQ(TypeParam(value).bits, bits) << value;
    } else if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(value)))) << bits;
    }
  }
}

TYPED_TEST(SmallFloats, RoundToTheNearestAndBetweenTwoToTheEvenOne) {
  for (unsigned bits = 0; bits < TypeParam::kLargest; ++bits) {
    const auto low = static_cast<double>(of_bits<TypeParam>(bits)),
               high = static_cast<double>(of_bits<TypeParam>(bits + 1)), middle = (low + high) / 2;
    ASSERT_LT(low, high);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(TypeParam(middle).bits, even) << middle;
    EXPECT_EQ(TypeParam(-middle).bits, even | TypeParam::kSign) << middle;
    const double little =
        1e-9 * (high - low);  // of a subnormal number the last bits of a double do not count
    EXPECT_EQ(TypeParam(middle - little).bits, bits) << middle;
    EXPECT_EQ(TypeParam(middle + little).bits, bits + 1) << middle;
  }
}

TEST(SmallFloat, HasTheLimitsOfItsFormat) {
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float16>::max()), 65504);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<BFloat16>::max()), 0x1.FEp127F);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8E4M3>::max()), 448);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8E5M2>::max()), 57344);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float16>::denorm_min()), 0x1p-24F);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8E4M3>::denorm_min()), 0x1p-9F);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<BFloat16>::epsilon()), 0x1p-7F);
  EXPECT_EQ(static_cast<float>(std::numeric_limits<Float8E5M2>::lowest()), -57344);
}

TEST(SmallFloat, OverflowsToInfinityIn16BitsAndStopsIn8) {
  EXPECT_EQ(static_cast<float>(Float16(65519.9)), 65504);
  EXPECT_TRUE(std::isinf(static_cast<float>(Float16(65520))));
  EXPECT_EQ(static_cast<float>(BFloat16(-1e300)), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(static_cast<float>(Float8E4M3(1e9)), 448);
  EXPECT_EQ(static_cast<float>(Float8E5M2(-1e9)), -57344);
  EXPECT_EQ(static_cast<float>(Float16(1e-300)), 0);
}

// 0xFF in every byte is what memory that has to be written holds.
TYPED_TEST(SmallFloats, OfAllOnesAreNoNumber) {
  const auto poison = of_bits<TypeParam>(~0U);
  EXPECT_TRUE(std::isnan(static_cast<float>(poison)));
}

}  // namespace
}  // namespace tailwave
