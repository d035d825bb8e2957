#include "core/members.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/check.h"
#include "core/configuration.h"
#include "core/device.h"
#include "core/hash.h"
#include "core/trace.h"
#include "core/trial.h"

namespace tailwave {
namespace {

// Names all of its fields but the last.
struct Forgetful {
  int first = 0;
  std::string second;
  std::optional<double> forgotten;

  static constexpr auto members() {
    return std::tuple{member("first", &Forgetful::first), member("second", &Forgetful::second)};
  }
};

TEST(Members, OfARecordThatLeavesAFieldOutDoNotCompile) {
  static_assert(!names_every_field<Forgetful>());
}

TEST(Members, NameEveryFieldOfTheRecordsThatAreStoredOrTravel) {
  static_assert(names_every_field<Dim3>());
  static_assert(names_every_field<KernelResources>());
  static_assert(names_every_field<Occupancy>());
  static_assert(names_every_field<Waves>());
  static_assert(names_every_field<LaunchRecord>());
  static_assert(names_every_field<Sample>());
  static_assert(names_every_field<PhaseTimes>());
  static_assert(names_every_field<Verification>());
  static_assert(names_every_field<LimitRecord>());
  static_assert(names_every_field<BuildRecord>());
  static_assert(names_every_field<Trial>());
  static_assert(names_every_field<Configuration>());
  static_assert(names_every_field<DeviceDescription>());
  static_assert(names_every_field<Trace>());
  static_assert(names_every_field<TracedLaunch>());
  static_assert(names_every_field<TracedBuild>());
  static_assert(names_every_field<LaunchTrace>());
  static_assert(names_every_field<BlockTime>());
  static_assert(names_every_field<GridCurve>());
  static_assert(names_every_field<GridSample>());
  static_assert(names_every_field<GridPrediction>());
  static_assert(names_every_field<Check>());
}

struct Inner {
  int x = 0, y = 0;

  static constexpr auto members() { return std::tuple{member("x", &Inner::x), member("y", &Inner::y)}; }
};

struct Outer {
  std::string name;
  Inner always;
  std::optional<Inner> sometimes;
  double elsewhere = 0;

  static constexpr auto members() {
    return std::tuple{member("name", &Outer::name), member("always_", &Outer::always),
                      member("", &Outer::sometimes),
                      member<kNotRow | kNotKey>("elsewhere", &Outer::elsewhere)};
  }
};

TEST(Members, OfAMemberThatIsARecordStandInItsPlace) {
  EXPECT_EQ(column_names<Outer>(), (std::vector<std::string>{"name", "always_x", "always_y", "x", "y"}));
}

TEST(Members, ThatARowMayLackAreOptionalOrMarked) {
  EXPECT_TRUE(may_be_absent<Sample>("sm_clock_mhz"));
  EXPECT_TRUE(may_be_absent<Sample>("dropped"));
  EXPECT_FALSE(may_be_absent<Sample>("time_ns"));
}

std::string key_of(const LimitRecord& record) {
  FieldHasher hasher;
  add_members(hasher, record);
  return hasher.digest();
}

TEST(Members, DecideAKey) {
  EXPECT_EQ(key_of({"memory", 5}), key_of({"memory", 5}));
  EXPECT_NE(key_of({"memory", 5}), key_of({"memory", 6}));
  EXPECT_NE(key_of({"memory", 5}), key_of({"memor", 5}));
}

}  // namespace
}  // namespace tailwave
