#include "tune/tuner.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/bootstrap.h"
#include "core/random.h"
#include "fakes/shared_flags.h"
#include "tune/tuner_fixture.h"

namespace tailwave {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

// Asks for what all that it was told, in that order, leads it to.
class Follower : public Strategy {
 public:
  explicit Follower(const SearchProblem& problem) : size_(problem.space->size()), state_(problem.seed) {}
  void ask(std::size_t most, std::vector<Point>& points) override {
    for (; most > 0; --most) points.push_back(static_cast<Point>(split_mix(state_ += kGoldenGamma) % size_));
  }
  void tell(Point point, double cost) override {
    state_ = split_mix(state_ + point) + static_cast<std::uint64_t>(cost * 1e6);
  }

 private:
  std::size_t size_;
  std::uint64_t state_;
};

// Asks for one point after the other, and notes how many were on their way at each asking.
class Counter : public Strategy {
 public:
  explicit Counter(std::vector<std::size_t>& on_their_way) : on_their_way_(on_their_way) {}
  void ask(std::size_t most, std::vector<Point>& points) override {
    for (; most > 0; --most) {
      points.push_back(next_++);
      on_their_way_.push_back(next_ - told_);
    }
  }
  void tell(Point /*point*/, double /*cost*/) override { ++told_; }

 private:
  std::vector<std::size_t>& on_their_way_;
  Point next_ = 0, told_ = 0;
};

using TunerTest = fakes::TunerFixture;

TEST_F(TunerTest, EndsWhereGoingOnIsNotExpectedToGainEnough) {
  options_.budget = {.evaluations = 40};
  options_.until = StopTerms{.gain = 0.01, .probability = 0.5};
  const SearchSummary found = tune();
  EXPECT_EQ(found.stopped_by, SearchEnd::until);
  EXPECT_GT(found.evaluations, 8U);
  EXPECT_LT(found.evaluations, 40U);
  ASSERT_TRUE(found.outlook);
  EXPECT_LT(found.outlook->probability, 0.5);
  EXPECT_EQ(text("SELECT until || ' ' || stopped_by FROM search"), "1%:50% until");
  options_.until = {};  // goes on from there
  const SearchSummary more = tune();
  EXPECT_EQ(more.stopped_by, SearchEnd::budget);
  EXPECT_EQ(more.evaluations, 40U);
  EXPECT_EQ(more.reused, found.evaluations);
  ASSERT_TRUE(more.outlook);
  EXPECT_LE(more.outlook->probability, found.outlook->probability);
}

TEST_F(TunerTest, StoresTheSearchWithItsSteps) {
  options_.budget = {.evaluations = 10};
  options_.seed = 7;
  const SearchSummary found = tune();
  EXPECT_EQ(found.evaluations, 10U);
  EXPECT_EQ(found.stopped_by, SearchEnd::budget);
  EXPECT_EQ(
      text("SELECT strategy || ' ' || options || ' ' || search.seed || ' ' || budget_evaluations || ' ' || "
           "space_size || ' ' || pruned || ' ' || configurations || ' ' || stopped_by FROM search"),
      "random {} 7 10 64 0 64 budget");
  EXPECT_EQ(
      count("SELECT count(*) FROM search_step JOIN trial USING (run_id, configuration_id) "
            "JOIN trial_time ON trial_time.trial_id = trial.id WHERE abs(cost * 64 / median_ns - 1) < 1e-9"),
      10);
  EXPECT_EQ(count("SELECT max(step) FROM search_step"), 10);
  EXPECT_DOUBLE_EQ(progress_.shares.at(9), 1);
}

TEST_F(TunerTest, AsksForTheSameSequenceInOrderWithTheSameSeedAndCosts) {
  const StrategyKind follower{
      "follower", "", "", {}, [](const SearchProblem& problem, const StrategyOptions&) {
        return std::make_unique<Follower>(problem);
      }};
  options_.strategy = &follower;
  options_.fresh = true;
  options_.ordered = true;
  options_.build_processes = 3;
  options_.budget = {.evaluations = 20};
  const std::string first = sequence(tune().run);
  EXPECT_EQ(sequence(tune().run), first);
  options_.build_processes = 1;
  EXPECT_EQ(sequence(tune().run), first);
  device_.time_of = [](std::span<const Launch> launches) {
    return 10000 + 1000 * static_cast<double>(launches.front().block.x);
  };
  EXPECT_NE(sequence(tune().run), first);
  options_.seed = 2;
  EXPECT_NE(sequence(tune().run), first);
}

TEST_F(TunerTest, AsksNoFurtherAheadThanAnEighthOfWhatItKnows) {
  std::vector<std::size_t> on_their_way;
  const StrategyKind counter{"counter", "", "", {}, [&](const SearchProblem&, const StrategyOptions&) {
                               return std::make_unique<Counter>(on_their_way);
                             }};
  options_.strategy = &counter;
  options_.build_processes = 16;
  options_.budget = {.evaluations = 40};
  tune();
  EXPECT_THAT(std::vector(on_their_way.begin(), on_their_way.begin() + 16), Each(1U));
  EXPECT_EQ(*std::max_element(on_their_way.begin(), on_their_way.end()), 4U);

  on_their_way.clear();
  options_.budget = {.seconds = 0.2};
  options_.fresh = true;
  tune();
  EXPECT_EQ(on_their_way.at(31), 32U);
}

TEST_F(TunerTest, MeasuresLosersWithFewSamples) {
  experiment_.measure.precision = 0.01;
  const SearchSummary found = tune();
  EXPECT_EQ(count("SELECT max(n) FROM (SELECT count(*) AS n FROM sample JOIN trial ON trial.id = trial_id "
                  "WHERE run_id = " +
                  std::to_string(found.run) + " GROUP BY trial_id)"),
            std::int64_t{kFewestSamples});
}

TEST_F(TunerTest, LeavesOutWhatItsLaunchesMakeImpossible) {
  tools_.occupancy_device = find_device("h100");
  experiment_.cases.at(0).parameters.at(0).values = {std::int64_t{64}, std::int64_t{1024}, std::int64_t{1025},
                                                     std::int64_t{2048}};
  const SearchSummary found = tune();
  EXPECT_EQ(found.start.impossible, 2U);
  EXPECT_EQ(found.start.why_impossible,
            "twice/twice/BLOCK_SIZE:1025/N:64: twice: 1025 threads a block exceed the 1024 that the device "
            "allows");
  EXPECT_EQ(found.evaluations, 2U);
  EXPECT_EQ(found.stopped_by, SearchEnd::space);
  EXPECT_EQ(count("SELECT pruned FROM search"), 2);
  experiment_.cases.at(0).parameters.at(0).values = {std::int64_t{1025}};
  EXPECT_EQ(error(),
            "none of 1 configurations can run on fake cuda, for example\n  " + found.start.why_impossible);
}

TEST_F(TunerTest, TellsAsFailedWhatRegistersForbidWithoutLaunchingIt) {
  tools_.occupancy_device = find_device("h100");
  kernels_.registers = 255;
  experiment_.cases.at(0).parameters.at(0).values = {std::int64_t{64}, std::int64_t{1024}};
  int widest = 0;
  device_.kernels["twice"] = [&](const Launch& launch) {
    widest = std::max(widest, static_cast<int>(launch.block.x));
    twice(launch);
  };
  const SearchSummary found = tune();
  EXPECT_THAT(found.outcomes,
              ElementsAre(Pair(Outcome::correct, 1U), Pair(Outcome::exceeds_device_limit, 1U)));
  EXPECT_EQ(widest, 64);
  EXPECT_EQ(text("SELECT detail FROM trial WHERE outcome = 'exceeds_device_limit'"),
            "twice: 262144 registers a block (255 a thread) exceed the 65536 that the device has");
  EXPECT_EQ(count("SELECT count(*) FROM search_step WHERE cost IS NULL"), 1);
}

TEST_F(TunerTest, SearchesEachProblemWithItsShareOfTheBudget) {
  experiment_.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  options_.budget = {.evaluations = 5};
  const std::vector<SearchSummary> found = tune_all();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].evaluations, 3U);
  EXPECT_EQ(found[1].evaluations, 2U);
  EXPECT_EQ(found[1].start.problem.at("N"), Value{std::int64_t{128}});
  EXPECT_EQ(progress_.starts.at(1).number, 2U);
  EXPECT_EQ(count("SELECT count(*) FROM search"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 5);
  options_.budget = {.evaluations = 1};
  EXPECT_EQ(
      error(),
      "--budget 1 is less than one evaluation for each of the 2 problems\n  each problem is a search of "
      "its own");
}

// A search of another device, whose fastest block size is the same.
TEST_F(TunerTest, BeginsWithWhatIsKnownOfAnotherDevice) {
  options_.strategy = &find_strategy("wave_guided");
  options_.options = complete_options(*options_.strategy, {});
  options_.ordered = true;
  options_.budget = {.evaluations = 6};
  const std::string own_name = device_.description().name;
  const SearchSummary without = tune();
  EXPECT_EQ(without.start.begins_with, "");
  device_.set_name("another device");
  options_.fresh = true;
  options_.budget = {.evaluations = 60};
  EXPECT_THAT(tune().start.begins_with, StartsWith("twice/block_size on " + own_name + ", N = 64: "));
  device_.set_name("a third device");
  options_.budget = {.evaluations = 6};
  const SearchSummary third = tune();
  EXPECT_THAT(third.start.begins_with,
              testing::AllOf(HasSubstr("on another device"), HasSubstr(": 60 configurations")));
  EXPECT_THAT(sequence(third.run), StartsWith("twice/twice/BLOCK_SIZE:40/"));
  options_.start.kind = StartSource::Kind::none;
  EXPECT_EQ(tune().start.begins_with, "");
  // What the device itself has of the problem is told at no expense, and is nothing to begin with.
  device_.set_name("a fourth device");
  options_.start.kind = StartSource::Kind::other;
  Database empty(kInMemory, Database::Mode::read_write);
  options_.start.other = &empty;
  EXPECT_EQ(tune().start.begins_with, "");
  options_.start.other = &database_;
  EXPECT_THAT(tune().start.begins_with, HasSubstr("on another device"));
}

TEST_F(TunerTest, KnowsElsewhereWhatVariantsWithoutAParameterTake) {
  VariantSpec plain = experiment_.system.variants.front();
  plain.name = "plain";
  plain.parameters.clear();
  plain.launches.front().grid[0] = Expression::parse("2");
  plain.launches.front().block[0] = Expression::parse("32");
  experiment_.system.variants.push_back(std::move(plain));
  experiment_.cases.push_back({"plain", {}});
  ASSERT_EQ(tune().evaluations, 65U);
  device_.set_name("another device");
  EXPECT_THAT(tune().start.begins_with, HasSubstr(": 65 configurations"));
}

TEST_F(TunerTest, StopsWhenItsTimeIsSpent) {
  constexpr std::chrono::milliseconds kBudget(20);
  device_.on_run = [&] {
    if (progress_.outcomes.empty()) std::this_thread::sleep_for(kBudget);
  };
  options_.budget = {.seconds = std::chrono::duration<double>(kBudget).count()};
  const SearchSummary found = tune();
  EXPECT_EQ(found.stopped_by, SearchEnd::budget);
  EXPECT_LT(found.evaluations, 64U);
}

TEST_F(TunerTest, LeavesOutHostVariantsWhereThereAreKernels) {
  experiment_.cases.push_back({"host_twice", {}});
  const SearchSummary found = tune();
  EXPECT_EQ(found.start.left_out_of_others.whole(), 1);
  EXPECT_EQ(found.evaluations, 64U);
  EXPECT_EQ(count("SELECT configurations FROM search"), 65);
  experiment_.cases = {{"host_twice", {}}};
  EXPECT_EQ(tune().best->variant, "host_twice");
}

TEST_F(TunerTest, SaysWhenTheCpuDeviceLeavesNothing) {
  tools_.device = &host_worker_;
  host_.kernels["twice"] = twice;
  experiment_.cpu_constraints = {Expression::parse("BLOCK_SIZE < 1")};
  EXPECT_EQ(
      error(),
      "experiments/twice/block_size.json: /devices/cpu/constraints: none of 64 configurations is left on "
      "the CPU device\n  name a GPU with --device");
}

TEST_F(TunerTest, StopsWhenAskedToAndContinuesWithTheSameSeed) {
  options_.budget = {.evaluations = 10};
  options_.stop_requested = [this] { return progress_.outcomes.size() == 4; };
  const SearchSummary stopped = tune();
  EXPECT_EQ(stopped.stopped_by, SearchEnd::interrupt);
  EXPECT_FALSE(stopped.final_run);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'interrupted'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM search_step"), 4);
  options_.stop_requested = [] { return false; };
  const SearchSummary rest = tune();
  EXPECT_EQ(rest.evaluations, 10U);
  EXPECT_EQ(rest.reused, 4U);
  EXPECT_THAT(sequence(rest.run), HasSubstr(sequence(stopped.run)));
}

// Builds of these block sizes take until they may end.
struct SlowBuilds : fakes::FakeCompiler {
  Artifact build(const BuildRequest& request) override {
    const auto size = std::get<std::int64_t>(request.configuration.parameters.at("BLOCK_SIZE"));
    while (size % 4 == 0 && !may_end[0]) usleep(1000);
    return FakeCompiler::build(request);
  }
  fakes::SharedFlags may_end{1};
};

class UnorderedSearch : public TunerTest {
 protected:
  UnorderedSearch() {
    tools_.kernels = &slow_;
    options_.budget = {.seconds = 60};  // so many are asked for at once
    options_.build_processes = 5;       // one more than there are slow builds
    options_.final_count = 0;
    experiment_.cases.at(0).parameters.at(0).values.resize(16);
    device_.on_run = [this] {
      if (progress_.outcomes.size() >= before_the_slow_) slow_.may_end[0] = true;
    };
  }
  SlowBuilds slow_;
  std::size_t before_the_slow_ = 4;  // of the 12 others
};

TEST_F(UnorderedSearch, MeasuresWhatIsBuiltAndDoesNotWaitForASlowBuild) {
  before_the_slow_ = 8;  // the seventh that is asked for is slow
  const SearchSummary found = tune();
  EXPECT_EQ(found.evaluations, 16U);
  const std::string built = sequence(found.run);
  options_.fresh = true;
  options_.ordered = true;
  const SearchSummary ordered = tune();
  const std::string asked = sequence(ordered.run);
  EXPECT_NE(built, asked);
  options_.fresh = false;
  EXPECT_EQ(sequence(tune().run), asked) << "told again in the same order";
}

TEST_F(UnorderedSearch, GoesOnWhereItWasInterruptedInTheSameOrder) {
  options_.stop_requested = [this] { return progress_.outcomes.size() >= 7; };
  const SearchSummary stopped = tune();
  EXPECT_EQ(stopped.stopped_by, SearchEnd::interrupt);
  EXPECT_GE(stopped.evaluations, 7U);
  EXPECT_LT(stopped.evaluations, 16U);
  options_.stop_requested = [] { return false; };
  const SearchSummary rest = tune();
  EXPECT_EQ(rest.evaluations, 16U);
  EXPECT_EQ(rest.reused, stopped.evaluations);
  EXPECT_THAT(sequence(rest.run), testing::StartsWith(sequence(stopped.run)));
  options_.seed = 2;
  EXPECT_EQ(tune().reused, 16U) << "another search knows what was measured, in an order of its own";
}

TEST_F(TunerTest, HasNoBestWhereNothingRuns) {
  kernels_.broken = "BLOCK_SIZE";
  options_.budget = {.evaluations = 6};
  const SearchSummary found = tune();
  EXPECT_FALSE(found.best);
  EXPECT_FALSE(found.final_run);
  EXPECT_THAT(found.outcomes, ElementsAre(Pair(Outcome::compile_error, 6U)));
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'done'"), 1);
}

TEST_F(TunerTest, KeepsOnlyWhatTheExperimentStillHasCurrent) {
  tune();
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 64);
  experiment_.cases.at(0).parameters.at(0).values.resize(60);
  options_.budget = {.evaluations = 1};
  tune();
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 60);
}

TEST_F(TunerTest, MarksASearchThatCannotGoOnAsFailed) {
  host_.kernels.clear();
  EXPECT_THROW(tune(), Error);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'failed'"), 1);
}

}  // namespace
}  // namespace tailwave
