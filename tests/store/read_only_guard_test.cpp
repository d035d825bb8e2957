#include "store/read_only_guard.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace tailwave {
namespace {

class Guarded : public ::testing::Test {
 protected:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  static sqlite3* open() {
    sqlite3* database = nullptr;
    sqlite3_open(":memory:", &database);
    return database;
  }
  bool may_create() {
    sqlite3_stmt* statement = nullptr;
    const int result = sqlite3_prepare_v2(database_.get(), "CREATE TABLE t (x)", -1, &statement, nullptr);
    sqlite3_finalize(statement);
    return result == SQLITE_OK;
  }

  std::unique_ptr<sqlite3, Close> database_{open()};
  ReadOnlyGuard guard_{database_.get()};
};

TEST_F(Guarded, MayBeWrittenWhileNobodyWatches) {
  EXPECT_TRUE(may_create());
  {
    const ReadOnlyGuard::Watch watch(guard_);
    EXPECT_FALSE(may_create());
    EXPECT_EQ(guard_.refused(), "changes of the schema");
  }
  EXPECT_TRUE(may_create());
}

TEST_F(Guarded, StaysSoUntilTheLastWatchEnds) {
  std::optional<ReadOnlyGuard::Watch> outer(std::in_place, guard_);
  { const ReadOnlyGuard::Watch inner(guard_); }
  EXPECT_FALSE(may_create());
  outer.reset();
  EXPECT_TRUE(may_create());
}

}  // namespace
}  // namespace tailwave
