#include "device/cuda/gpu_place.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fakes/variable.h"

namespace tailwave {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

TEST(PlaceAmongVisible, IsNamedByItsNumberOrAsTheListOfVisibleOnesNamesIt) {
  EXPECT_EQ(visible_name(nullptr, 3), "3");
  EXPECT_EQ(visible_name("5,GPU-0123", 0), "5");
  EXPECT_EQ(visible_name("5,GPU-0123", 1), "GPU-0123");
}

TEST(PlaceAmongVisible, HasNoNameWhereTheListEndsBefore) {
  EXPECT_EQ(visible_name("", 0), "");
  EXPECT_EQ(visible_name("5", 1), "");
  EXPECT_EQ(visible_name("5,-1,6", 2), "");
  EXPECT_EQ(visible_name("5,,6", 2), "");
}

TEST(PlaceAmongVisible, AloneIsTheOnlyOneAndTheFirst) {
  const fakes::Variable visible(kVisible, "5,7");
  EXPECT_EQ(take_place({.ordinal = 1, .alone = true}), 0);
  EXPECT_STREQ(std::getenv(kVisible), "7");
}

TEST(PlaceAmongVisible, StaysAsItIsAmongOthersAndWhereThereIsNone) {
  const fakes::Variable visible(kVisible, "5,7");
  EXPECT_EQ(take_place({.ordinal = 1}), 1);
  EXPECT_EQ(take_place({.ordinal = 2, .alone = true}), 2);
  EXPECT_STREQ(std::getenv(kVisible), "5,7");
}

}  // namespace
}  // namespace tailwave
