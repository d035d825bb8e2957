#include "compile/stat_cache.h"

#include <gtest/gtest.h>

#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

TEST(StatCache, HoldUntilAPathLeadsElsewhere) {
  const ScratchFolder scratch;
  StatCache stats(std::chrono::nanoseconds(0));
  stats.add(scratch.write("file", "1"));
  stats.add(scratch / "absent");
  stats.add(scratch / "file/below");  // no folder
  stats.add(scratch.path());
  EXPECT_TRUE(stats.show_any_change());
  EXPECT_TRUE(stats.still_hold());
  scratch.write("another", "");  // changes the folder
  EXPECT_TRUE(stats.still_hold());
  scratch.write("absent", "");
  EXPECT_FALSE(stats.still_hold());
  fs::remove(scratch / "absent");
  EXPECT_TRUE(stats.still_hold());
  scratch.write("file", "12");
  EXPECT_FALSE(stats.still_hold());
}

TEST(StatCache, DoNotShowChangesOfWhatHasJustChanged) {
  const ScratchFolder scratch;
  const fs::path file = scratch.write("file", "1");
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));  // a change, too
  StatCache stats;
  stats.add(scratch / "absent");
  EXPECT_TRUE(stats.show_any_change());
  stats.add(file);
  EXPECT_FALSE(stats.show_any_change());
  EXPECT_TRUE(stats.still_hold());
}

TEST(StatCache, DoNotShowChangesOfWhatCannotBeSeen) {
  StatCache stats;
  stats.add(std::string(5000, 'x'));  // longer than a name can be
  EXPECT_FALSE(stats.show_any_change());
}

}  // namespace
}  // namespace tailwave
