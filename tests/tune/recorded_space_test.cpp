#include "tune/recorded_space.h"

#include <gmock/gmock.h>

#include "store/sample_data.h"

namespace tailwave {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::testing::SizeIs;

constexpr double kInteractions = 16'777'216;

class RecordedSpaces : public testing::Test {
 protected:
  std::int64_t begin(const std::string& experiment = "sweep", const std::vector<Configuration>& plan = {}) {
    run_ = store_.begin_run(samples::run(experiment, "2025-01-01T10:00:00Z"), samples::gpu(), plan);
    return run_;
  }
  void add(const Trial& trial) { store_.add_trial(run_, samples::gpu(), trial); }
  void end(RunStatus status = RunStatus::done) { store_.finish_run(run_, status, "2025-01-01T11:00:00Z"); }
  RecordedSpace only(const std::string& experiment = "sweep") {
    std::vector<RecordedSpace> spaces = load_spaces(database_, {experiment});
    EXPECT_EQ(spaces.size(), 1U);
    return std::move(spaces.at(0));
  }
  static std::vector<std::string> names(const SearchSpace& space) {
    std::vector<std::string> all;
    for (const Parameter& parameter : space.parameters()) all.push_back(parameter.name);
    return all;
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
  std::int64_t run_ = 0;
};

TEST_F(RecordedSpaces, HaveTheParametersThatVaryInAscendingOrder) {
  begin();
  add(samples::trial("shared", {{"BLOCK_SIZE", 128}, {"FAST_MATH", true}, {"UNROLL", 4}}, {2e4}));
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}, {"FAST_MATH", true}, {"UNROLL", 4}}, {3e4}));
  add(samples::trial("shared", {{"BLOCK_SIZE", 256}, {"FAST_MATH", false}, {"UNROLL", 4}}, {4e4}));
  end();
  const RecordedSpace space = only();
  EXPECT_EQ(space.name, "nbody/sweep");
  EXPECT_EQ(space.device, "NVIDIA H200");
  EXPECT_THAT(names(space.space), ElementsAre("BLOCK_SIZE", "FAST_MATH"));
  EXPECT_THAT(space.space.parameters()[0].values,
              ElementsAre(Value{std::int64_t{64}}, Value{std::int64_t{128}}, Value{std::int64_t{256}}));
  EXPECT_THAT(space.space.digits(0), ElementsAre(1, 1));
  EXPECT_EQ(space.unmeasured, 0U);
  EXPECT_TRUE(space.finished);
}

TEST_F(RecordedSpaces, CostTheInverseOfARateAndNothingWhereTheyFailed) {
  begin();
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4, 2e4, 4e4}));
  add(samples::failed("shared", {{"BLOCK_SIZE", 128}}, Outcome::wrong_result, "off by one"));
  end();
  EXPECT_THAT(only().costs, ElementsAre(testing::DoubleNear(3e-5 / kInteractions, 1e-18), kFailed));
}

TEST_F(RecordedSpaces, CostTheTimeWhereThatIsTheMetric) {
  RunRecord record = samples::run("sweep", "2025-01-01T10:00:00Z");
  record.metric = "time";
  record.maximise = false;
  run_ = store_.begin_run(record, samples::gpu());
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4}));
  end();
  EXPECT_THAT(only().costs, ElementsAre(testing::DoubleEq(3e-5)));
}

TEST_F(RecordedSpaces, CostTheObjectiveThatAnotherTunerRecorded) {
  RunRecord record = samples::run("sweep", "2025-01-01T10:00:00Z");
  record.metric = "time";
  record.maximise = false;
  run_ = store_.begin_run(record, samples::gpu());
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4}));
  end();
  database_.execute(
      "INSERT INTO measurement SELECT id, 'energy', 7, 'J', 1 FROM trial; "
      "INSERT INTO measurement SELECT id, 'compile_time', 900, 'ms', 0 FROM trial");
  EXPECT_THAT(only().costs, ElementsAre(7));
  database_.execute("INSERT INTO measurement SELECT id, 'time', 0.5, 'ms', 1 FROM trial");
  EXPECT_THAT(only().costs, ElementsAre(0.5));
}

TEST_F(RecordedSpaces, HaveTheSecondsOfBuildingAndMeasuring) {
  begin();
  Trial one = samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4});
  one.build = BuildRecord{"a", "NVRTC 13.0", "sm_90", "", "a", "", 0.75, false};
  one.verify_seconds = 0.25;
  one.measure_seconds = 1;
  Trial broken = samples::failed("shared", {{"BLOCK_SIZE", 128}}, Outcome::compile_error, "no");
  add(one);
  add(broken);
  end();
  std::vector<EvaluationSeconds> seconds = only().seconds;
  ASSERT_THAT(seconds, SizeIs(2));
  EXPECT_EQ(seconds[0].build, 0.75);
  EXPECT_EQ(seconds[0].measure, 1.25);
  EXPECT_EQ(seconds[1].build + seconds[1].measure, 0);
  database_.execute("UPDATE trial SET build_from_cache = 1 WHERE build_id IS NOT NULL");
  EXPECT_THAT(only().seconds, SizeIs(0));
}

TEST_F(RecordedSpaces, HaveTheSecondsThatAnotherTunerRecorded) {
  DeviceDescription device = samples::gpu();
  device.kind = DeviceKind::recorded;
  run_ = store_.begin_run(samples::run("sweep", "2025-01-01T10:00:00Z"), device);
  store_.add_trial(run_, device, samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4}));
  end();
  EXPECT_THAT(only().seconds, SizeIs(0));
  database_.execute(
      "INSERT INTO measurement SELECT id, 'compile_time', 900, 'ms', 0 FROM trial; "
      "INSERT INTO measurement SELECT id, 'benchmark_time', 80, 'ms', 0 FROM trial; "
      "INSERT INTO measurement SELECT id, 'verification_time', 20, 'ms', 0 FROM trial");
  const std::vector<EvaluationSeconds> seconds = only().seconds;
  ASSERT_THAT(seconds, SizeIs(1));
  EXPECT_DOUBLE_EQ(seconds[0].build, 0.9);
  EXPECT_DOUBLE_EQ(seconds[0].measure, 0.1);
}

TEST_F(RecordedSpaces, CostWhatTheConfigurationWithTheSameCodeDoes) {
  begin();
  const Trial timed = samples::trial("shared", {{"UNROLL", 1}}, {3e4});
  Trial same = samples::failed("shared", {{"UNROLL", 2}}, Outcome::skipped_identical, "");
  same.same_as = timed.configuration.name();
  add(timed);
  add(same);
  end();
  const RecordedSpace space = only();
  EXPECT_EQ(space.costs[0], space.costs[1]);
  EXPECT_NE(space.costs[1], kFailed);
}

TEST_F(RecordedSpaces, MakeVariantsNeighboursWhereOneLacksAParameter) {
  begin();
  add(samples::trial("basic", {{"BLOCK_SIZE", 64}}, {9e4}));
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}, {"UNROLL", 1}}, {3e4}));
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}, {"UNROLL", 2}}, {2e4}));
  end();
  const RecordedSpace space = only();
  EXPECT_THAT(names(space.space), ElementsAre("variant", "UNROLL"));
  std::vector<Point> found;
  space.space.neighbours(0, Neighbourhood::hamming, found);
  EXPECT_THAT(found, ElementsAre(1));
}

TEST_F(RecordedSpaces, KeepConfigurationsApartThatDifferByALackingParameter) {
  begin();
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {9e4}));
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}, {"UNROLL", 1}}, {3e4}));
  end();
  const RecordedSpace space = only();
  EXPECT_EQ(space.space.size(), 2U);
  EXPECT_THAT(space.space.parameters()[0].values,
              ElementsAre(Value{std::int64_t{1}}, Value{std::string("-")}));
  EXPECT_THAT(space.costs, SizeIs(2));
}

TEST_F(RecordedSpaces, AreOneForEachProblemAndDevice) {
  begin();
  for (const int n : {4096, 8192}) {
    Trial trial = samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4});
    trial.configuration.problem["N"] = n;
    add(trial);
  }
  end();
  const std::int64_t local = store_.begin_run(samples::run("sweep", "2025-01-02T10:00:00Z"), samples::cpu());
  store_.add_trial(local, samples::cpu(), samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e6}));
  std::vector<std::string> labels;
  for (const RecordedSpace& space : load_spaces(database_, {"nbody/sweep"}))
    labels.push_back(space.name + " on " + space.device);
  EXPECT_THAT(labels, ElementsAre("nbody/sweep N:4096 on NVIDIA H200", "nbody/sweep N:8192 on NVIDIA H200",
                                  "nbody/sweep on Test CPU (2 cores)"));
  EXPECT_THAT(load_spaces(database_, {}, "cpu"), SizeIs(1));
}

TEST_F(RecordedSpaces, KnowWhatAPlanKnowsWithoutMeasuring) {
  begin();
  Trial planned = samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4});
  planned.launches.push_back(
      samples::launch("body_force", 528, 64, 8, "registers", 0.25, {0.5, 0, 0.5, 0.5, 132}));
  add(planned);
  add(samples::failed("shared", {{"BLOCK_SIZE", 2048}}, Outcome::exceeds_device_limit, "2048 threads"));
  end();
  const RecordedSpace space = only();
  const Knowledge& knowledge = space.knowledge;
  EXPECT_THAT(knowledge.names,
              ElementsAre("threads", "blocks_per_sm", "occupancy", "waves", "tail_fraction"));
  EXPECT_THAT(knowledge.facts(0).features,
              Pointwise(FloatEq(), std::vector<float>{64, 8, 0.25F, 0.5F, 0.5F}));
  EXPECT_THAT(knowledge.facts(1).features, Pointwise(FloatEq(), std::vector<float>(5)));
  EXPECT_FALSE(knowledge.is_impossible(0));
  EXPECT_TRUE(knowledge.is_impossible(1));
}

TEST_F(RecordedSpaces, KnowNothingWhereNothingWasPlanned) {
  begin();
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4}));
  end();
  const RecordedSpace space = only();
  EXPECT_THAT(space.knowledge.names, IsEmpty());
  EXPECT_FALSE(space.knowledge.predicts);
  EXPECT_FALSE(space.knowledge.is_impossible(0));
}

TEST_F(RecordedSpaces, SayWhatIsMissing) {
  const Trial one = samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4});
  const Trial other = samples::trial("shared", {{"BLOCK_SIZE", 128}}, {3e4});
  begin("sweep", {one.configuration, other.configuration});
  add(one);
  end(RunStatus::interrupted);
  const RecordedSpace space = only();
  EXPECT_EQ(space.unmeasured, 1U);
  EXPECT_FALSE(space.finished);
}

TEST_F(RecordedSpaces, OfAnUnknownExperimentAreAnErrorWithASuggestion) {
  begin();
  add(samples::trial("shared", {{"BLOCK_SIZE", 64}}, {3e4}));
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(samples::error_of([&] { load_spaces(database_, {"swep"}); }),
            file + ": no trials of experiment 'swep'\n  did you mean 'sweep'?");
  EXPECT_EQ(samples::error_of([&] { load_spaces(database_, {"sweep"}, "cpu"); }),
            file + ": no trials of experiment 'sweep'\n  'tailwave query runs' shows what the database has");
}

// Of two spaces whose parameters stand in another order and have other values.
TEST(CostsElsewhere, AreThoseOfTheSameValues) {
  const auto space_of = [](const std::vector<Parameter>& parameters, const char* name) {
    RecordedSpace space{name, name, SearchSpace::of(ParameterSpace(parameters, {})), {}, {}};
    for (Point point = 0; point < space.space.size(); ++point) {
      const Values values = space.space.values(point);
      space.costs.push_back(to_double(values.at("a")) * 10 + to_double(values.begin()->second) + 1);
    }
    return space;
  };
  const auto values = [](std::initializer_list<std::int64_t> list) {
    return std::vector<Value>(list.begin(), list.end());
  };
  const Parameter b{"b", values({1, 2})};
  const RecordedSpace one = space_of({{"a", values({1, 2, 3})}, b}, "one");
  const RecordedSpace other = space_of({b, {"a", values({5, 3, 2})}}, "other");
  const RecordedSpace stranger = space_of({{"a", values({1, 2, 3})}, {"c", values({1, 2})}}, "stranger");
  const auto known = costs_elsewhere(one, {&one, &stranger, &other});
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->size(), 4U);
  const auto point = [&](std::int64_t a_value, std::int64_t b_value) {
    for (Point found = 0; found < one.space.size(); ++found)
      if (one.space.values(found) == Values{{"a", a_value}, {"b", b_value}}) return found;
    return Point{0};
  };
  EXPECT_FALSE(known->has(point(1, 1)));
  EXPECT_EQ(known->best_first().front(), point(2, 1));
  EXPECT_EQ(known->best_first().back(), point(3, 2));
  EXPECT_EQ(costs_elsewhere(one, {&one, &stranger}), nullptr);
  EXPECT_EQ(costs_elsewhere(one, {&other}, true)->size(), 4U);
}

}  // namespace
}  // namespace tailwave
