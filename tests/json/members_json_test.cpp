#include "json/members_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/trial.h"

namespace tailwave {
namespace {

TEST(MembersJson, LeavesOutWhatHoldsNothing) {
  Verification verification{.phase = "after", .buffer = "x", .norm = "exact", .detail = ""};
  verification.error = std::nan("");
  nlohmann::json object;
  write_members(object, verification);
  EXPECT_EQ(object.dump(), R"({"buffer":"x","norm":"exact","passed":false,"phase":"after","tolerance":0.0})");
}

}  // namespace
}  // namespace tailwave
