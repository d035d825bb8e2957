#include "measure/measurer.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <utility>

#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/sample_experiment.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using fakes::FakeExecutor;

void twice(const Launch& launch) {
  fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
  for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= 2;
}

class MeasurerTest : public testing::Test {
 protected:
  MeasurerTest() {
    host_.kernels["host_twice"] = twice;
    device_.kernels["twice"] = twice;
  }

  Trial measure(std::int64_t elements = 64) {
    return Measurer(tools()).measure(candidate(32, elements)).trial;
  }

  Tools tools() {
    return {.device = &worker_,
            .host_device = &host_worker_,
            .reference = {.host_compiler = &compiler_, .cpu = &host_worker_}};
  }

  [[nodiscard]] Candidate candidate(std::int64_t block_size, std::int64_t elements = 64) const {
    Candidate one{.system = &experiment_.system, .settings = &experiment_.measure};
    one.trial.configuration = {"twice", "twice", {{"BLOCK_SIZE", block_size}}, {{"N", elements}}};
    one.take({});
    return one;
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler compiler_;
  FakeExecutor host_{DeviceKind::cpu};
  FakeExecutor device_;
  fakes::LocalWorker host_worker_{host_}, worker_{device_};
};

TEST_F(MeasurerTest, StoresSamplesOfACorrectKernelVerifiedBeforeAndWhileTiming) {
  device_.times_ns = {9, 9, 9, 9, 100, 110, 115, 120, 125, 9};
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  ASSERT_EQ(trial.samples.size(), 5U);
  EXPECT_EQ(trial.samples[0].time_ns, 100);
  EXPECT_EQ(trial.samples[4].time_ns, 125);
  ASSERT_EQ(trial.verifications.size(), 2U);
  EXPECT_EQ(trial.verifications[0].phase, "before");
  EXPECT_EQ(trial.verifications[1].phase, "while");
  EXPECT_EQ(trial.timer, "cuda_event");
  EXPECT_EQ(trial.mode, "isolated");
}

// Notes where buffers lie; see DeviceData::place_anew. With `crowded` there is no room at first where one is to be placed.
class PlacingExecutor final : public FakeExecutor {
 public:
  explicit PlacingExecutor(bool crowded = false) : crowded_(crowded) { kernels["twice"] = twice; }
  std::vector<std::size_t> before;

  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size) override {
    before.push_back(place.before);
    const bool no_room = crowded_ && before.size() <= 3 && before.front() > 0;
    if (no_room) throw Failure(Outcome::out_of_memory, "no room");
    return FakeExecutor::allocate_at(place, size);
  }

 private:
  bool crowded_;
};

class PlacedMeasurement : public MeasurerTest {
 protected:
  void measure_on(FakeExecutor& device, int repetitions, std::optional<int> drift_block = {}) {
    fakes::LocalWorker worker(device);
    Tools with_it = tools();
    with_it.device = &worker;
    Candidate one = candidate(32);
    one.repetitions = repetitions;
    one.drift_block = drift_block;
    const Trial trial = Measurer(with_it).measure(std::move(one)).trial;
    EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  }
};

TEST_F(PlacedMeasurement, IsElsewhereInEachOfFiveRepetitionsButNotWhereItTellsTheDrift) {
  PlacingExecutor of_four, of_five, of_drift;
  for (int i = 0; i < 5; ++i) {
    measure_on(of_four, 4);
    measure_on(of_five, 5);
    measure_on(of_drift, 5, 0);
  }
  EXPECT_THAT(of_four.before, testing::ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(of_drift.before, testing::ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(std::set<std::size_t>(of_five.before.begin(), of_five.before.end()),
              testing::SizeIs(testing::Gt(2U)));
}

TEST_F(PlacedMeasurement, StaysWhereItIsWhereThatTakesTooMuchRoom) {
  for (int i = 0; i < 5; ++i) {
    PlacingExecutor device(true);
    measure_on(device, 5);
    if (device.before.front() == 0) continue;
    ASSERT_EQ(device.before.size(), 4U);
    EXPECT_EQ(device.before.back(), 0U);
  }
}

// As SaysWhereTheSampleThatWasVerifiedIsSlowerEachTime, with an overrun once the sample has been looked at.
TEST_F(PlacedMeasurement, FindsGuardWordsOverwrittenBeforeSamplesAreTakenAgainElsewhere) {
  std::set<float> verified;
  double time_ns = 0;
  int looks = 0;
  bool overran = false;
  host_.kernels["host_twice"] = [&](const Launch& launch) {
    verified.insert(FakeExecutor::buffer_argument(launch, 0).floats()[0]);
    twice(launch);
  };
  device_.kernels["twice"] = [&](const Launch& launch) {
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    const bool is_verified = verified.contains(x.floats()[0]);
    looks += is_verified ? 1 : 0;
    time_ns = is_verified ? 2000 : 1000;
    if (looks == 2 && !is_verified && !std::exchange(overran, true)) x.bytes[x.size_bytes()] = std::byte{1};
    twice(launch);
  };
  device_.time_of = [&](std::span<const Launch>) { return time_ns; };
  Candidate one = candidate(32);
  one.repetitions = 5;
  const Trial trial = Measurer(tools()).measure(std::move(one)).trial;
  EXPECT_EQ(trial.outcome, Outcome::illegal_access);
  EXPECT_EQ(trial.detail, "while timing, guard words of buffer 'x' overwritten: 1 byte past the end");
}

TEST_F(MeasurerTest, ComparesResultsThatDoNotTravelInTheAnswer) {
  constexpr std::int64_t kElements = (std::int64_t{4} << 20) / sizeof(float) + 1;
  EXPECT_EQ(measure(kElements).outcome, Outcome::correct);
  device_.kernels["twice"] = [](const Launch& launch) {
    twice(launch);
    FakeExecutor::buffer_argument(launch, 0).floats()[kElements - 1] = 100;
  };
  const Trial wrong = measure(kElements);
  EXPECT_EQ(wrong.outcome, Outcome::wrong_result);
  EXPECT_THAT(wrong.detail, testing::HasSubstr("100 instead of "));
}

// Where "x" is changed in place, an execution may have less to do on what the one before left.
TEST_F(MeasurerTest, RefusesABatchedTimeOfWorkThatWasDoneBefore) {
  experiment_.measure.mode = TimingMode::batched;
  experiment_.measure.batch_ms = 10;
  double share = 0;
  device_.time_of = [&](std::span<const Launch>) {
    return device_.last_options.executions > 1 && device_.last_options.sets == 1 ? share * 1e4 : 1e4;
  };
  const auto outcome_at = [&](double of_own) {
    share = of_own;
    return measure().outcome;
  };
  EXPECT_EQ(outcome_at(0.55), Outcome::correct);
  EXPECT_EQ(outcome_at(0.45), Outcome::wrong_result);
  share = 0.4;
  const Trial faded = measure();
  EXPECT_EQ(
      faded.detail,
      "an execution takes 10 us on inputs of its own (8, back to back) and 4 us on what the one before left "
      "(8): they do not do the same work; measure it with the mode 'isolated'");
  EXPECT_TRUE(faded.samples.empty());
  experiment_.system.buffers.at("x").output_only = true;
  device_.kernels["twice"] = host_.kernels["host_twice"] = [](const Launch& launch) {
    FakeExecutor::buffer_argument(launch, 0).floats()[0] = 1;
    for (std::size_t i = 1; i < 64; ++i) FakeExecutor::buffer_argument(launch, 0).floats()[i] = 2;
  };
  EXPECT_EQ(outcome_at(0.95), Outcome::correct);
  EXPECT_EQ(outcome_at(0.85), Outcome::wrong_result);
}

// What `twice` takes may depend on what was executed before it in a run.
class MeasurerInBatchesTest : public MeasurerTest {
 protected:
  MeasurerInBatchesTest() {
    experiment_.measure.mode = TimingMode::batched;
    experiment_.measure.batch_ms = 10;
    device_.kernels["twice"] = [this](const Launch& launch) {
      const auto* buffer = &FakeExecutor::buffer_argument(launch, 0);
      alike_ = buffer == std::exchange(last_, buffer) ? alike_ + 1 : 1;
      ++executions_;
      elapsed_ns_ += execute_(launch);
    };
    device_.time_of = [this](std::span<const Launch>) {
      last_ = nullptr;
      executions_ = 0;
      return std::exchange(elapsed_ns_, 0) / device_.last_options.executions;
    };
  }

  std::function<double(const Launch&)> execute_;  // returns nanoseconds
  int executions_ = 0, alike_ = 0;                // of the run until now; the last ones, on the same buffer

 private:
  const fakes::FakeBuffer* last_ = nullptr;
  double elapsed_ns_ = 0;
};

// That the first few executions of a sample do all of their work says nothing of the others.
TEST_F(MeasurerInBatchesTest, RefusesATimeOfWorkThatIsLeftOutAfterManyExecutions) {
  double share = 0.55;
  execute_ = [&](const Launch& launch) {
    twice(launch);
    return alike_ > 8 ? share * 1e5 : 1e5;
  };
  EXPECT_EQ(measure().outcome, Outcome::correct);
  share = 0.45;
  const Trial faded = measure();
  EXPECT_EQ(faded.outcome, Outcome::wrong_result);
  EXPECT_EQ(
      faded.detail,
      "an execution takes 100 us on inputs of its own (8, back to back) and 49.4 us on what the one before "
      "left (100): they do not do the same work; measure it with the mode 'isolated'");
}

// Other inputs then take as little.
TEST_F(MeasurerInBatchesTest, RefusesATimeOfWorkThatIsLeftOutForAllInputsAfterManyExecutions) {
  execute_ = [&](const Launch& launch) {
    if (executions_ > 8) return 3e4;
    twice(launch);
    return 1e5;
  };
  for (const std::int64_t l2_bytes : {1 << 20, 32}) {
    SCOPED_TRACE(l2_bytes);
    device_.set_l2_bytes(l2_bytes);
    EXPECT_EQ(measure().outcome, Outcome::wrong_result);
  }
}

// A set of buffers that is larger than the cache, and what is written whole by each execution.
class MeasurerBeyondCacheTest : public MeasurerInBatchesTest {
 protected:
  MeasurerBeyondCacheTest() {
    device_.set_l2_bytes(32);
    experiment_.system.buffers.at("x").output_only = true;
    host_.kernels["host_twice"] = write;
  }

  static void write(const Launch& launch) {
    for (std::size_t i = 0; i < 64; ++i) FakeExecutor::buffer_argument(launch, 0).floats()[i] = 2;
  }
};

// As where it is full of what was filled at first.
TEST_F(MeasurerBeyondCacheTest, TakesATimeThatOtherInputsHaveTooAfterManyExecutions) {
  execute_ = [&](const Launch& launch) {
    write(launch);
    return executions_ > 10 ? 2e5 : 3e5;
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_LT(median_ns(trial), 0.9 * 0.875 * 3e5);  // what as many as there are sets are held against
}

TEST_F(MeasurerBeyondCacheTest, RefusesATimeOfWorkThatIsLeftOutSomewhereAmongManyExecutions) {
  int first = 8, last = 50;
  execute_ = [&](const Launch& launch) {
    write(launch);
    return alike_ > first && alike_ <= last ? 1e4 : 1e5;
  };
  const Trial at_first = measure();
  EXPECT_EQ(at_first.outcome, Outcome::wrong_result);
  EXPECT_THAT(at_first.detail,
              testing::HasSubstr("an execution takes 100 us on inputs of its own (1, back to back)"));
  first = 60;
  last = 1000;
  EXPECT_EQ(measure().outcome, Outcome::wrong_result);
}

// Where the samples alone were that quick, something else was slower afterwards, such as other work on a CPU.
TEST_F(MeasurerTest, HoldsManyExecutionsAgainstSuchOfTheirOwnAtThatTime) {
  experiment_.measure.mode = TimingMode::batched;
  experiment_.measure.batch_ms = 10;
  bool own_were_timed = false;
  device_.time_of = [&](std::span<const Launch>) {
    own_were_timed = own_were_timed || device_.last_options.sets > 1;
    return device_.last_options.executions > 8 && !own_were_timed ? 4e4 : 1e5;
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_DOUBLE_EQ(median_ns(trial), 4e4);
}

// What a few executions take together beside their work is no work that many leave out.
TEST_F(MeasurerTest, AllowsForWhatTheStartOfAFewExecutionsTakes) {
  experiment_.measure.mode = TimingMode::graph;
  experiment_.measure.batch_ms = 10;
  device_.time_of = [&](std::span<const Launch>) { return 1e3 + 9e3 / device_.last_options.executions; };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
}

// A launch that is followed by another costs less.
TEST_F(MeasurerTest, TakesABatchedTimeThatOtherInputsHaveToo) {
  experiment_.measure.mode = TimingMode::batched;
  experiment_.measure.batch_ms = 10;
  device_.time_of = [&](std::span<const Launch>) { return device_.last_options.executions > 1 ? 1e3 : 4e3; };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_DOUBLE_EQ(median_ns(trial), 1e3);
}

TEST_F(MeasurerTest, ComparesABatchedTimeOfLargeBuffersWithThatOfAFreshExecution) {
  experiment_.measure.mode = TimingMode::batched;
  experiment_.measure.batch_ms = 10;
  device_.set_l2_bytes(256);  // two sets of buffers do not fit
  device_.time_of = [&](std::span<const Launch>) { return device_.last_options.executions > 1 ? 1e5 : 1e6; };
  EXPECT_EQ(measure().detail,
            "an execution on fresh inputs takes 1000 us, executions back to back 100 us each: they do not do "
            "the same work; measure it with the mode 'isolated'");
}

TEST_F(MeasurerTest, GivesAWrongResultNoSamples) {
  device_.kernels["twice"] = [](const Launch& launch) {
    twice(launch);
    FakeExecutor::buffer_argument(launch, 0).floats()[3] = 100;
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::wrong_result);
  EXPECT_THAT(trial.detail, testing::StartsWith("before timing, buffer 'x': relative_l2 "));
  EXPECT_THAT(trial.detail, testing::HasSubstr("worst at element 3: 100 instead of "));
  EXPECT_TRUE(trial.samples.empty());
}

TEST_F(MeasurerTest, JudgesCandidatesInTheOrderInWhichTheyBegin) {
  device_.kernels["twice"] = [](const Launch& launch) {
    if (launch.block.x == 16) twice(launch);
  };
  Measurer measurer(tools());
  measurer.begin(candidate(8));
  EXPECT_TRUE(measurer.has_room_for(candidate(16)));
  measurer.begin(candidate(16));
  EXPECT_FALSE(measurer.has_room_for(candidate(32)));
  const Trial first = measurer.finish().trial;
  EXPECT_EQ(first.outcome, Outcome::wrong_result);
  EXPECT_TRUE(first.samples.empty());
  const Trial second = measurer.finish().trial;
  EXPECT_TRUE(measurer.is_idle());
  EXPECT_EQ(second.outcome, Outcome::correct) << second.detail;
  EXPECT_EQ(second.samples.size(), 5U);
}

TEST_F(MeasurerTest, GivesBackWhatWasNotBuiltInItsPlace) {
  Measurer measurer(tools());
  Candidate failed = candidate(16);
  failed.fail(Outcome::compile_error, "no");
  measurer.begin(candidate(8));
  EXPECT_TRUE(measurer.has_room_for(failed));
  measurer.begin(failed);
  measurer.begin(candidate(32));
  EXPECT_EQ(measurer.finish().trial.outcome, Outcome::correct);
  const Candidate same = measurer.finish();
  EXPECT_EQ(same.trial.outcome, Outcome::compile_error);
  EXPECT_EQ(same.trial.detail, "no");
  EXPECT_EQ(measurer.finish().trial.outcome, Outcome::correct);
  EXPECT_EQ(worker_.begun(), 2U);
}

TEST_F(MeasurerTest, WaitsWithAnotherProblemUntilTheDeviceIsIdle) {
  Measurer measurer(tools());
  measurer.begin(candidate(8));
  EXPECT_FALSE(measurer.has_room_for(candidate(8, 128)));
  measurer.finish();
  EXPECT_TRUE(measurer.has_room_for(candidate(8, 128)));
}

TEST_F(MeasurerTest, HasNothingToBeginWhereThePlanCannotBeEvaluated) {
  experiment_.system.variants.at(0).launches.at(0).grid[0] = Expression::parse("1 // 0");
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::launch_failed);
  EXPECT_THAT(trial.detail, testing::HasSubstr("grid of 'twice'"));
  EXPECT_EQ(worker_.begun(), 0U);
}

TEST_F(MeasurerTest, CatchesAKernelThatIsRightFirstAndWrongLater) {
  int calls = 0;
  device_.kernels["twice"] = [&calls](const Launch& launch) {
    if (++calls < 2) twice(launch);
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::wrong_result);
  EXPECT_THAT(trial.detail, testing::StartsWith("while timing, "));
  EXPECT_TRUE(trial.samples.empty());
}

// The first sample is right and slow, the others are quick and wrong: whichever of them is looked at, the time of the
// others is not believed.
TEST_F(MeasurerTest, TakesSamplesAgainWhereTheOneThatWasVerifiedIsSlower) {
  double time_ns = 0;
  int calls = 0;
  device_.kernels["twice"] = [&](const Launch& launch) {
    const bool works = ++calls <= 1 + 3 + 1;
    if (works) twice(launch);
    time_ns = works ? 1000 : 10;
  };
  device_.time_of = [&](std::span<const Launch>) { return time_ns; };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::wrong_result);
  EXPECT_THAT(trial.detail, testing::StartsWith("while timing, "));
  EXPECT_TRUE(trial.samples.empty());
}

TEST_F(MeasurerTest, SaysWhereTheSampleThatWasVerifiedIsSlowerEachTime) {
  // The inputs of the draws that are verified, and no others, take their time.
  std::set<float> verified;
  double time_ns = 0;
  host_.kernels["host_twice"] = [&](const Launch& launch) {
    verified.insert(FakeExecutor::buffer_argument(launch, 0).floats()[0]);
    twice(launch);
  };
  device_.kernels["twice"] = [&](const Launch& launch) {
    time_ns = verified.contains(FakeExecutor::buffer_argument(launch, 0).floats()[0]) ? 2000 : 1000;
    twice(launch);
  };
  device_.time_of = [&](std::span<const Launch>) { return time_ns; };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  ASSERT_EQ(trial.verifications.size(), 4U);  // before, and each time that samples were taken
  EXPECT_EQ(trial.verifications[2].detail, "");
  EXPECT_EQ(trial.verifications[3].detail, "the sample that was verified took 2 us, the median sample 1 us");
  EXPECT_EQ(trial.samples.size(), 5U);
}

TEST_F(MeasurerTest, CatchesAKernelThatDoesNothing) {
  device_.kernels["twice"] = [](const Launch&) {};
  EXPECT_EQ(measure().outcome, Outcome::wrong_result);
}

TEST_F(MeasurerTest, ReportsOverwrittenGuardWords) {
  device_.kernels["twice"] = [](const Launch& launch) {
    twice(launch);
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    x.bytes.at(x.size_bytes()) = std::byte{0};
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::illegal_access);
  EXPECT_EQ(trial.detail, "before timing, guard words of buffer 'x' overwritten: 1 byte past the end");
}

TEST_F(MeasurerTest, ReportsGuardWordsThatAreOverwrittenWhileTiming) {
  int calls = 0;
  device_.kernels["twice"] = [&calls](const Launch& launch) {
    twice(launch);
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    if (++calls == 2) x.bytes[x.size_bytes()] = std::byte{1};
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::illegal_access);
  EXPECT_EQ(trial.detail, "while timing, guard words of buffer 'x' overwritten: 1 byte past the end");
  EXPECT_TRUE(trial.samples.empty());
}

TEST_F(MeasurerTest, TurnsARefusedLaunchIntoATypedOutcomeWithTheDriversWords) {
  device_.kernels["twice"] = [](const Launch&) {
    throw Failure(Outcome::launch_failed, "CUDA_ERROR_INVALID_VALUE: invalid argument");
  };
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::launch_failed);
  EXPECT_EQ(trial.detail, "CUDA_ERROR_INVALID_VALUE: invalid argument");
}

TEST_F(MeasurerTest, StoresWhatTheDriverSaysOfOccupancy) {
  EXPECT_EQ(measure().launches.at(0).driver_blocks_per_sm, 16);
}

TEST_F(MeasurerTest, StoresTheSmsThatALaunchAskedForAndGotAndCountsItsWavesByThem) {
  experiment_.system.variants[0].launches[0].sms = Expression::parse("3");
  Tools with_occupancy = tools();
  with_occupancy.occupancy_device = find_device("h200");
  Candidate one = candidate(32);
  one.artifact->resources = {{.kernel = "twice", .registers = 16}};
  const Trial trial = Measurer(with_occupancy).measure(std::move(one)).trial;
  ASSERT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_EQ(trial.launches.at(0).sms_asked, 3);
  EXPECT_EQ(trial.launches.at(0).sms_granted, 4);  // in twos; of an H200 8 would be expected
  if (!occupancy_available()) return;
  EXPECT_DOUBLE_EQ(trial.launches.at(0).waves->waves, 2.0 / (4 * 32));
  EXPECT_EQ(trial.launches.at(0).waves->active_sms, 2);
}

TEST_F(MeasurerTest, CountsWavesByTheClustersThatTheDriverSaysAreActive) {
  LaunchSpec& launch = experiment_.system.variants[0].launches[0];
  const auto one = Expression::parse("1");
  launch.cluster = {Expression::parse("2"), one, one};
  Tools with_occupancy = tools();
  with_occupancy.occupancy_device = find_device("h200");
  Candidate candidate_of_two = candidate(32);
  candidate_of_two.artifact->resources = {{.kernel = "twice", .registers = 16}};
  const Trial trial = Measurer(with_occupancy).measure(std::move(candidate_of_two)).trial;
  ASSERT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_EQ(trial.launches.at(0).cluster, (Dim3{2}));
  EXPECT_EQ(trial.launches.at(0).driver_active_clusters, 9);
  if (!occupancy_available()) return;
  EXPECT_EQ(trial.launches.at(0).active_clusters, 132 * 32 / 2);
  EXPECT_DOUBLE_EQ(trial.launches.at(0).waves->waves, 2.0 / (9 * 2));
}

TEST_F(MeasurerTest, RefusesClustersThatAreNotThoseOfTheCode) {
  LaunchSpec& launch = experiment_.system.variants[0].launches[0];
  const auto one = Expression::parse("1");
  launch.cluster = {Expression::parse("2"), one, one};
  Candidate of_four = candidate(32);
  of_four.artifact->resources = {{.kernel = "twice", .cluster = Dim3{4}}};
  const Trial trial = Measurer(tools()).measure(std::move(of_four)).trial;
  EXPECT_EQ(trial.outcome, Outcome::launch_failed);
  EXPECT_EQ(trial.detail,
            "'twice' is launched in clusters of 2 x 1 x 1, and compiled for 4 x 1 x 1 (__cluster_dims__)");
}

TEST_F(MeasurerTest, TypesMoreSmsThanThereAre) {
  experiment_.system.variants[0].launches[0].sms = Expression::parse("5");
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::exceeds_device_limit);
  EXPECT_EQ(trial.detail, "the fake device has not so many SMs");
  EXPECT_EQ(trial.launches.at(0).sms_granted, std::nullopt);
  EXPECT_TRUE(trial.samples.empty());
}

TEST_F(MeasurerTest, PutsThePlanOnOtherSmsThanTheManifestSays) {
  experiment_.system.variants[0].launches[0].sms = Expression::parse("4");
  std::vector<int> seen;
  device_.kernels["twice"] = [&](const Launch& launch) {
    seen.push_back(launch.sms);
    twice(launch);
  };
  Candidate one = candidate(32);
  one.put_on_sms(1);
  const Trial trial = Measurer(tools()).measure(std::move(one)).trial;
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_THAT(seen, testing::Each(1));
  EXPECT_EQ(trial.launches.at(0).sms_asked, 1);
  EXPECT_EQ(trial.launches.at(0).sms_granted, 2);
}

TEST_F(MeasurerTest, EndsTheRunWhenTheReferenceItselfFails) {
  host_.kernels.clear();
  try {
    measure();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "kernel_templates/twice/system.json: /reference/variant: the reference 'host_twice' cannot be "
        "computed, so nothing can be verified\n  no kernel 'host_twice'");
  }
}

TEST_F(MeasurerTest, RefusesAConfigurationWithWhichNothingIsCompared) {
  experiment_.system.reference.compare["x"].when = Expression::parse("N > 64");
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::wrong_result);
  EXPECT_EQ(trial.detail, "no comparison of the manifest holds for this problem");
  EXPECT_TRUE(trial.samples.empty());
}

TEST_F(MeasurerTest, ComputesNoReferenceForARange) {
  experiment_.system.reference.compare["x"] = {.norm = Comparison::Norm::range, .low = -2, .high = 2};
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_EQ(host_.runs, 0);
  experiment_.system.reference.compare["x"].high = 0.5;
  EXPECT_EQ(measure().outcome, Outcome::wrong_result);
}

TEST_F(MeasurerTest, TakesTheTolerancesParameterFromTheConfiguration) {
  device_.kernels["twice"] = [](const Launch& launch) {
    twice(launch);
    FakeExecutor::buffer_argument(launch, 0).floats()[3] += 0.01F;
  };
  Comparison& comparison = experiment_.system.reference.compare["x"];
  comparison.tolerance = Expression::parse("1 if BLOCK_SIZE == 32 else 0");
  EXPECT_EQ(measure().outcome, Outcome::correct);
  comparison.tolerance = Expression::parse("0 if BLOCK_SIZE == 32 else 1");
  EXPECT_EQ(measure().outcome, Outcome::wrong_result);
}

TEST_F(MeasurerTest, KnowsNoWorkOfALoopThatEndsOnAValue) {
  EXPECT_EQ(measure().work.size(), 1U);
  auto loop = std::make_shared<LoopSpec>();
  loop->repeat = Expression::parse("2");
  loop->until = LoopSpec::Until{"x", Expression::parse("0")};
  for (VariantSpec& variant : experiment_.system.variants) variant.launches.at(0).loop = loop;
  const Trial trial = measure();
  EXPECT_EQ(trial.outcome, Outcome::correct) << trial.detail;
  EXPECT_TRUE(trial.work.empty());
  // Of one iteration it is known, though, as of none.
  loop->repeat = Expression::parse("1");
  EXPECT_EQ(measure().work.size(), 1U);
}

}  // namespace
}  // namespace tailwave
