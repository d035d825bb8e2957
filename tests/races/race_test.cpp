#include "races/race.h"

#include <gmock/gmock.h>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTile = "race\tshared\t\t256\tread\t0 0\ta.cu\t9\twrite\t0 63\ta.cu\t7\n";

TEST(Races, AreReadWithBothPlaces) {
  const RaceLog log = read_races(std::string(kTile) + "end\n");
  EXPECT_TRUE(log.complete);
  EXPECT_FALSE(log.left_some_out);
  EXPECT_EQ(log.shared_fibers, "");
  EXPECT_THAT(log.races, ElementsAre(Race{
                             "shared memory", 256, {"read", "a.cu", 9, 0, 0}, {"write", "a.cu", 7, 0, 63}}));
  EXPECT_EQ(to_string(log.races.at(0)),
            "shared memory: read at a.cu:9 (block 0, thread 0) after write at a.cu:7 (block 0, thread 63)");
}

TEST(Races, OfOnePairOfPlacesAreOne) {
  const std::string turned = "race\tshared\t\t4\twrite\t0 2\ta.cu\t7\tread\t0 1\ta.cu\t9\n";
  EXPECT_EQ(read_races(kTile + turned + kTile).races.size(), 1U);
  const std::string elsewhere = "race\tbuffer\tout\t4\twrite\t0 2\ta.cu\t7\tread\t0 1\ta.cu\t9\n";
  EXPECT_EQ(read_races(kTile + elsewhere).races.size(), 2U);
}

TEST(Races, AreToldFromAccessesOutsideOfBuffers) {
  const std::string before = "outside\tx\t256\t-2\tread\t0 3\ta.cu\t4\n";
  RaceLog log = read_races(before + before + "end\n");
  EXPECT_THAT(log.races, IsEmpty());
  ASSERT_EQ(log.stray.size(), 1U);
  log.stray[0].element_bytes = 4;
  EXPECT_EQ(to_string(log.stray[0]),
            "buffer 'x' of 64 elements: read of element -1 at a.cu:4 (block 0, thread 3)");
}

TEST(Races, SayWhereAnEarlierPlaceIsNotKnown) {
  const std::string lost = "race\tbuffer\tout\t8\tatomic write\t1 2\ta.cu\t7\twrite\t0 1\t\t0\n";
  const RaceLog log = read_races(lost + lost);
  ASSERT_EQ(log.races.size(), 1U);
  EXPECT_EQ(
      to_string(log.races.at(0)),
      "buffer 'out': atomic write at a.cu:7 (block 1, thread 2) after write (block 0, thread 1) whose place could "
      "not be restored");
}

TEST(Races, WhosePlaceIsNotKnownAreLeftOutBesideOneThatSaysMore) {
  const std::string lost = "race\tshared\t\t8\tread\t1 2\ta.cu\t9\twrite\t0 1\t\t0\n";
  EXPECT_THAT(read_races(lost + kTile).races, ElementsAre(read_races(kTile).races.at(0)));
}

TEST(Races, AreNotSeenBetweenThreadsThatShareAFiber) {
  EXPECT_EQ(read_races("shared\t82\nend\n").shared_fibers, "82");
}

TEST(Races, OfAProgramThatDidNotComeToItsEndAreIncomplete) {
  EXPECT_FALSE(read_races(kTile).complete);
  const RaceLog log = read_races("more\nfailed\tbarrier deadlock\n");
  EXPECT_FALSE(log.complete);
  EXPECT_TRUE(log.left_some_out);
  EXPECT_EQ(log.failure, "barrier deadlock");
  EXPECT_THAT(log.races, IsEmpty());
}

}  // namespace
}  // namespace tailwave
