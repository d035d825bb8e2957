#include "core/enum_names.h"

#include <gtest/gtest.h>

#include "core/device_kind.h"
#include "core/error.h"

namespace tailwave {
namespace {

TEST(EnumNames, LeadThereAndBack) {
  EXPECT_EQ(to_string(DeviceKind::recorded), "recorded");
  EXPECT_EQ(from_string<DeviceKind>("recorded"), DeviceKind::recorded);
  EXPECT_EQ(find_enum<DeviceKind>("cpu"), DeviceKind::cpu);
  EXPECT_EQ(find_enum<DeviceKind>("tpu"), std::nullopt);
}

TEST(EnumNames, AreListedWhereANameIsUnknown) {
  try {
    from_string<DeviceKind>("tpu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown device kind 'tpu'\n  known: cuda, cpu, recorded");
  }
}

TEST(EnumNames, AreMissingForWhatIsNoValue) {
  EXPECT_THROW(to_string(static_cast<DeviceKind>(3)), std::logic_error);
}

}  // namespace
}  // namespace tailwave
