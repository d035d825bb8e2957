#include "store/run_identity.h"

#include <gtest/gtest.h>

#include "store/result_store.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

constexpr const char* kTime = "2026-05-01T10:00:00Z";

TEST(RunIdentity, IsLaterThanThatOfTheRunBefore) {
  std::string before;
  for (int i = 0; i < 100; ++i) {
    const std::string next = new_run_identity(kTime, before);
    EXPECT_TRUE(is_run_identity(next)) << next;
    EXPECT_GT(next, before);
    before = next;
  }
  EXPECT_GT(new_run_identity("2026-05-01T10:00:01Z", ""), before);
  EXPECT_GT(new_run_identity("2026-05-01T09:00:00Z", before), before) << "whatever the clock says";
  EXPECT_TRUE(is_run_identity(new_run_identity("", "")));
}

TEST(RunIdentity, OfTwoMachinesIsNeverTheSame) {
  EXPECT_NE(new_run_identity(kTime, ""), new_run_identity(kTime, ""));
}

TEST(RunIdentity, OfARecordingFollowsFromWhatItSays) {
  Database database(kInMemory, Database::Mode::read_write);
  const std::string one = recorded_run_identity(database, kTime, "facts");
  EXPECT_TRUE(is_run_identity(one));
  EXPECT_EQ(recorded_run_identity(database, kTime, "facts"), one);
  EXPECT_NE(recorded_run_identity(database, kTime, "others"), one);
  ResultStore(database).begin_run(samples::run("block_size", kTime), samples::gpu());
  database.prepare("UPDATE run SET identity = ?").bind_all(one).run();
  EXPECT_NE(recorded_run_identity(database, kTime, "facts"), one) << "another run has it";
}

TEST(RunIdentity, IsNothingElse) {
  for (const char* const text : {"", "0", "0123456789ABCDEF0123456789ABCDEF",
                                 "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"})
    EXPECT_FALSE(is_run_identity(text)) << text;
}

}  // namespace
}  // namespace tailwave
