#include "compile/sightings.h"

#include <gtest/gtest.h>

#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

TEST(Sightings, HoldUntilAPathLeadsElsewhere) {
  const ScratchFolder scratch;
  Sightings sightings(std::chrono::nanoseconds(0));
  sightings.add(scratch.write("file", "1"));
  sightings.add(scratch / "absent");
  sightings.add(scratch / "file/below");  // no folder
  sightings.add(scratch.path());
  EXPECT_TRUE(sightings.show_any_change());
  EXPECT_TRUE(sightings.still_hold());
  scratch.write("another", "");  // changes the folder
  EXPECT_TRUE(sightings.still_hold());
  scratch.write("absent", "");
  EXPECT_FALSE(sightings.still_hold());
  fs::remove(scratch / "absent");
  EXPECT_TRUE(sightings.still_hold());
  scratch.write("file", "12");
  EXPECT_FALSE(sightings.still_hold());
}

TEST(Sightings, DoNotShowChangesOfWhatHasJustChanged) {
  const ScratchFolder scratch;
  const fs::path file = scratch.write("file", "1");
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));  // a change, too
  Sightings sightings;
  sightings.add(scratch / "absent");
  EXPECT_TRUE(sightings.show_any_change());
  sightings.add(file);
  EXPECT_FALSE(sightings.show_any_change());
  EXPECT_TRUE(sightings.still_hold());
}

TEST(Sightings, DoNotShowChangesOfWhatCannotBeSeen) {
  Sightings sightings;
  sightings.add(std::string(5000, 'x'));  // longer than a name can be
  EXPECT_FALSE(sightings.show_any_change());
}

}  // namespace
}  // namespace tailwave
