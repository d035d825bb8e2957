#include "tune/regime_finalists.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

class RegimeFinalists : public testing::Test {
 protected:
  RegimeFinalists() {
    for (const char* name : {"once", "thrice"}) {
      VariantSpec other = *experiment_.system.find_variant("twice");
      other.name = name;
      experiment_.system.variants.push_back(other);
      experiment_.cases.push_back({name, {}});
    }
  }

  // In the order of their places.
  void add(const std::string& variant, std::int64_t block_size, double ratio,
           Standing standing = Standing::slower, std::int64_t n = 64) {
    RankedTrial& one = ranked_.emplace_back();
    one.configuration = {"twice", variant, {{"BLOCK_SIZE", block_size}}, {{"N", n}}};
    one.place = std::count_if(ranked_.begin(), ranked_.end(), [&](const RankedTrial& other) {
      return other.configuration.problem == one.configuration.problem;
    });
    one.ratio = ratio;
    one.standing = one.place == 1 ? Standing::best : standing;
  }

  std::vector<ProblemFinalists> choose(std::size_t most = kMostFinalists) {
    return choose_finalists(experiment_, ranked_, identical_, most);
  }

  // "twice 8 winner" and so on.
  std::vector<std::string> chosen(std::size_t most = kMostFinalists) {
    std::vector<std::string> texts;
    const std::vector<ProblemFinalists> problems = choose(most);
    EXPECT_EQ(problems.size(), 1U);
    for (const Finalist& one : problems.front().finalists)
      texts.push_back(one.configuration.variant + " " +
                      to_string(one.configuration.parameters.at("BLOCK_SIZE")) + " " +
                      std::string(to_string(one.record.reason)));
    return texts;
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{8}});
  std::vector<RankedTrial> ranked_;
  std::map<std::string, std::string> identical_;
};

TEST_F(RegimeFinalists, AreTheBestTheDefaultTheBestOfEachVariantWhatIsTiedAndWhatIsNear) {
  add("twice", 8, 1);
  add("twice", 16, 1.004, Standing::tied);
  add("twice", 24, 1.05, Standing::unclear);
  add("twice", 40, 1.2);
  add("once", 8, 1.24);
  add("once", 16, 1.26);
  add("twice", 32, 4);  // the default
  add("thrice", 8, 9);
  add("thrice", 16, 9.1);
  EXPECT_THAT(chosen(), ElementsAre("twice 8 winner", "twice 16 tied", "twice 24 tied", "twice 40 near",
                                    "once 8 variant", "twice 32 default", "thrice 8 variant"));
  EXPECT_EQ(choose().front().left_out, 0U);
  EXPECT_EQ(choose().front().finalists.at(4).record.place, 5);
}

TEST_F(RegimeFinalists, AreNoMoreThanWantedAndTheOthersAreCounted) {
  add("twice", 8, 1);
  for (int i = 1; i <= 10; ++i) add("twice", 100 + i, 1 + 0.001 * i, Standing::tied);
  add("twice", 32, 1.5);
  add("once", 8, 2);
  EXPECT_THAT(chosen(4),
              ElementsAre("twice 8 winner", "twice 101 tied", "twice 32 default", "once 8 variant"));
  EXPECT_EQ(choose(4).front().left_out, 9U);
  EXPECT_THAT(chosen(1), ElementsAre("twice 8 winner", "twice 32 default")) << "two are the fewest";
}

TEST_F(RegimeFinalists, AreThreeAtLeastWhereOthersAreNotFarBehind) {
  add("twice", 8, 1);
  add("twice", 16, 2);
  add("twice", 24, 3);
  add("twice", 40, 4);
  EXPECT_THAT(chosen(), ElementsAre("twice 8 winner", "twice 16 next", "twice 24 next"));
  ranked_.resize(1);
  add("twice", 16, 10.1);
  EXPECT_THAT(chosen(), ElementsAre("twice 8 winner"));
}

TEST_F(RegimeFinalists, HaveAnotherConfigurationForADefaultOfTheSameCode) {
  add("twice", 8, 1);
  add("twice", 16, 1.1);
  add("twice", 24, 1.15);
  add("twice", 48, 5);
  identical_["twice/twice/BLOCK_SIZE:32/N:64"] = "twice/twice/BLOCK_SIZE:48/N:64";
  EXPECT_THAT(chosen(), ElementsAre("twice 8 winner", "twice 16 near", "twice 24 near", "twice 48 default"));
}

TEST_F(RegimeFinalists, AreChosenForEachProblemInTheirOrder) {
  add("twice", 8, 1, Standing::best, 1024);
  add("twice", 16, 1, Standing::best, 64);
  add("twice", 24, 1, Standing::best, 256);
  std::vector<std::string> problems;
  for (const ProblemFinalists& one : choose()) problems.push_back(to_string(one.problem.at("N")));
  EXPECT_THAT(problems, ElementsAre("64", "256", "1024"));
}

TEST_F(RegimeFinalists, AreHostVariantsOnlyWhereThereIsNothingElse) {
  RankedTrial host{.configuration = {"twice", "host_twice", {}, {{"N", 64}}}, .standing = Standing::best};
  ranked_.push_back(host);
  add("twice", 8, 1);
  EXPECT_THAT(chosen(), ElementsAre("twice 8 winner"));
  experiment_.cases = {{"host_twice", {}}};
  ranked_ = {host};
  const std::vector<ProblemFinalists> problems = choose();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().finalists.front().configuration.variant, "host_twice");
}

TEST_F(RegimeFinalists, AreNoneWithoutACorrectConfiguration) {
  EXPECT_TRUE(choose().empty());
}

}  // namespace
}  // namespace tailwave
