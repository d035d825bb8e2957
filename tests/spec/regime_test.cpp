#include "spec/regime.h"

#include <gmock/gmock.h>

#include "spec/experiment.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<Regime>& regimes) {
  std::vector<std::string> names;
  for (const Regime& one : regimes) names.push_back(one.name);
  return names;
}

std::string own_name(TimingMode mode, CacheState cache) {
  MeasureSettings settings;
  settings.mode = mode;
  settings.cache = cache;
  return own_regime(settings).name;
}

TEST(Regime, IsCalledByItsModeAndTheStateOfTheCaches) {
  EXPECT_EQ(own_name(TimingMode::isolated, CacheState::hot), "hot");
  EXPECT_EQ(own_name(TimingMode::isolated, CacheState::cold), "cold");
  EXPECT_EQ(own_name(TimingMode::batched, CacheState::rotate), "rotate");
  EXPECT_EQ(own_name(TimingMode::batched, CacheState::hot), "batched");
  EXPECT_EQ(own_name(TimingMode::graph, CacheState::hot), "graph");
  EXPECT_EQ(own_name(TimingMode::graph, CacheState::rotate), "experiment");
  EXPECT_EQ(own_name(TimingMode::isolated, CacheState::rotate), "experiment");
}

TEST(Regime, OfTheExperimentComesFirstWhereItIsNotAmongThem) {
  const Regime cold{.name = "cold", .mode = TimingMode::isolated, .cache = CacheState::cold};
  const Regime mine{.name = "mine", .mode = TimingMode::isolated, .cache = CacheState::hot};
  EXPECT_THAT(names_of(with_own_regime({cold}, {})), ElementsAre("hot", "cold"));
  EXPECT_THAT(names_of(with_own_regime({cold, mine}, {})), ElementsAre("cold", "mine"));
  EXPECT_THAT(names_of(with_own_regime({}, {})), ElementsAre("hot"));
}

TEST(Regime, IsDescribedByAllThatDecidesAboutIt) {
  Regime regime{.name = "mine", .mode = TimingMode::batched, .cache = CacheState::rotate};
  EXPECT_EQ(describe(regime), "batched, rotate");
  regime.fills["x"] = {.kind = Fill::Kind::zero};
  regime.fills["y"] = {.kind = Fill::Kind::uniform, .low = 0, .high = 8};
  EXPECT_EQ(describe(regime), "batched, rotate; x zeros, y uniform 0 to 8");
}

}  // namespace
}  // namespace tailwave
