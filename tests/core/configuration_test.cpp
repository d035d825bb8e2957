#include "core/configuration.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

const Configuration kShared{"nbody",
                            "shared",
                            {{"BLOCK_STRIDE", std::int64_t{32}}, {"BLOCK_SIZE", std::int64_t{128}}},
                            {{"N", std::int64_t{4096}}, {"DT", 0.01}}};

TEST(Configuration, IsNamedAfterItsSortedParametersThenItsProblem) {
  EXPECT_EQ(kShared.name(), "nbody/shared/BLOCK_SIZE:128/BLOCK_STRIDE:32/DT:0.01/N:4096");
  EXPECT_EQ((Configuration{"nbody", "cpu", {}, {}}).name(), "nbody/cpu");
}

TEST(Configuration, HasParametersAndProblemInOneScope) {
  const Values expected{{"BLOCK_SIZE", std::int64_t{128}},
                        {"BLOCK_STRIDE", std::int64_t{32}},
                        {"DT", 0.01},
                        {"N", std::int64_t{4096}}};
  EXPECT_EQ(kShared.scope(), expected);
}

TEST(Configuration, DiffersByAnyValue) {
  Configuration other = kShared;
  EXPECT_EQ(other, kShared);
  other.problem["N"] = std::int64_t{8192};
  EXPECT_NE(other, kShared);
}

}  // namespace
}  // namespace tailwave
