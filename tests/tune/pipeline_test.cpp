#include "tune/pipeline.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "fakes/database_lock.h"
#include "spec/fill_reader.h"
#include "tune/bench_fixture.h"

namespace tailwave {
namespace {

class PipelineTest : public BenchFixture {
 protected:
  RunSummary run(const PipelineOptions& options = {}) {
    ResultStore store(database_);
    progress_ = {};
    Measurer measurer(tools_);
    return run_experiment(experiment_, measurer, store, {}, options, progress_);
  }
};

TEST_F(PipelineTest, StoresEveryConfigurationWithItsSamples) {
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 4U);
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 4);
  EXPECT_EQ(count("SELECT count(*) FROM sample"), 20);
  EXPECT_EQ(count("SELECT count(DISTINCT sequence) FROM (SELECT sequence FROM sample UNION ALL SELECT "
                  "sequence FROM drift_sample)"),
            25);
  EXPECT_EQ(count("SELECT count(*) FROM run_phase"), 6);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'done'"), 1);
}

TEST_F(PipelineTest, StoresACompileFailureAndContinues) {
  kernels_.broken = "BLOCK_SIZE:16";
  run();
  EXPECT_THAT(progress_.outcomes, testing::UnorderedElementsAre(Outcome::correct, Outcome::compile_error,
                                                                Outcome::correct, Outcome::correct));
  EXPECT_EQ(
      count("SELECT count(*) FROM trial WHERE outcome = 'compile_error' AND detail LIKE 'shared.cu(3)%'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM sample JOIN trial ON trial.id = sample.trial_id "
                  "WHERE outcome <> 'correct'"),
            0);
}

TEST_F(PipelineTest, TellsTheShareOfTheTurnsBehind) {
  experiment_.measure.repetitions = 3;
  const RunSummary summary = run();
  EXPECT_TRUE(std::is_sorted(progress_.shares.begin(), progress_.shares.end()));
  EXPECT_EQ(progress_.shares.size(), 3 * summary.outcomes.at(Outcome::correct));
  EXPECT_DOUBLE_EQ(progress_.shares.back(), 1);
}

TEST_F(PipelineTest, InterleavesTheRepetitionsOfAGroupInSeededOrders) {
  experiment_.measure.repetitions = 3;
  const auto order = [this](std::uint64_t seed) {
    PipelineOptions settings;
    settings.fresh = true;
    settings.seed = seed;
    const std::int64_t id = run(settings).run;
    const Table rows = database_.query(
        "SELECT group_concat(name || '/' || repetition) FROM (SELECT DISTINCT configuration_id AS name, "
        "repetition FROM sample "
        "JOIN trial ON trial.id = trial_id WHERE run_id = :run ORDER BY sequence)",
        {{"run", id}});
    return std::get<std::string>(rows.rows.at(0).at(0));
  };
  const std::string first = order(1);
  EXPECT_EQ(order(1), first);
  EXPECT_NE(order(2), first);
  // All configurations have their first repetition before any has its second.
  EXPECT_EQ(
      count("SELECT count(*) FROM sample AS early JOIN sample AS late ON late.sequence < early.sequence "
            "AND late.repetition > early.repetition JOIN trial AS a ON a.id = early.trial_id "
            "JOIN trial AS b ON b.id = late.trial_id WHERE a.run_id = b.run_id"),
      0);
  EXPECT_EQ(count("SELECT count(DISTINCT block) FROM drift_sample"), 3);
}

class RunsOfProblems : public PipelineTest {
 protected:
  void set_problems(std::int64_t count) {
    std::vector<Value> sizes;
    for (std::int64_t n = 1; n <= count; ++n) sizes.emplace_back(1000 + n);
    experiment_.problem = {{"N", sizes}};
  }

  // How many configurations of a problem followed one another, from change to change, as they were measured.
  std::vector<std::size_t> stretches() {
    const Table rows = database_.query(
        "SELECT problem FROM configuration JOIN trial ON configuration.id = configuration_id "
        "JOIN sample ON trial.id = trial_id GROUP BY trial_id ORDER BY min(sequence)",
        {});
    std::vector<std::size_t> lengths;
    std::string latest;
    for (const auto& row : rows.rows) {
      const auto& problem = std::get<std::string>(row.at(0));
      if (problem != latest) lengths.push_back(0);
      ++lengths.back();
      latest = problem;
    }
    return lengths;
  }
};

TEST_F(RunsOfProblems, FollowOneAnother) {
  set_problems(40);  // of each fewer configurations than a run has, of all several groups
  EXPECT_GT(run().outcomes.at(Outcome::correct), kGroup);
  EXPECT_THAT(stretches(), testing::AllOf(testing::SizeIs(40), testing::Each(4)));
}

TEST_F(RunsOfProblems, EndWhereAnotherProblemHasWaitedForLong) {
  set_problems(2);
  std::vector<Value>& sizes = experiment_.cases.at(0).parameters.at(0).values;
  sizes.clear();
  for (std::int64_t size = 1; size <= 2 * static_cast<std::int64_t>(kOfAProblem) + 8; ++size)
    sizes.emplace_back(8 * size);
  run();
  // Each problem has two whole runs and one of 8; runs of one problem may meet.
  const std::vector<std::size_t> found = stretches();
  EXPECT_GT(found.size(), 2U);
  for (const std::size_t length : found)
    EXPECT_TRUE(length % kOfAProblem == 0 || length % kOfAProblem == 8) << length;
}

// Builds for blocks of 8 threads end after all others, and that of the reference ends last.
struct LateBuilds : fakes::FakeCompiler {
  static constexpr std::size_t kConfigurations = 12, kLate = 3;

  Artifact build(const BuildRequest& request) override {
    const Values& parameters = request.configuration.parameters;
    const auto size = parameters.find("BLOCK_SIZE");
    const bool late = size != parameters.end() && size->second == Value(std::int64_t{8});
    if (size == parameters.end())
      wait_for(kConfigurations);
    else if (late)
      wait_for(kConfigurations - kLate);
    usleep(30'000);  // not short: none is handed out behind one that waits
    Artifact built = FakeCompiler::build(request);
    if (size != parameters.end()) ended[place(request.configuration)] = true;
    return built;
  }
  static std::size_t place(const Configuration& of) {
    const auto number = [](const Value& value) { return static_cast<std::size_t>(to_double(value)); };
    return 4 * (number(of.problem.at("N")) - 1001) +
           static_cast<std::size_t>(std::log2(number(of.parameters.at("BLOCK_SIZE")) / 8));
  }
  void wait_for(std::size_t count) {
    const auto there = [this] {
      std::size_t found = 0;
      for (std::size_t i = 0; i < kConfigurations; ++i) found += ended[i] ? 1 : 0;
      return found;
    };
    for (int turn = 0; turn < 10'000 && there() < count; ++turn) usleep(1000);
  }
  fakes::SharedFlags ended{kConfigurations};
};

TEST_F(RunsOfProblems, AreNotTornApartByBuildsThatEndLate) {
  LateBuilds builds;
  tools_.kernels = &builds;
  tools_.host = &builds;
  tools_.reference.host_compiler = &builds;
  set_problems(3);
  run({.build_processes = LateBuilds::kLate + 2});
  EXPECT_THAT(stretches(), testing::ElementsAre(4, 4, 4));
}

TEST_F(PipelineTest, LeavesOutOfTheCurrentResultsWhatTheExperimentNoLongerHas) {
  run();
  experiment_.cases.at(0).parameters.at(0).values.pop_back();
  EXPECT_EQ(run().reused, 3U);
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 4);
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 3);
}

TEST_F(PipelineTest, MeasuresIdenticalMachineCodeWithIdenticalLaunchesOnce) {
  kernels_.code_hash = "same";
  PipelineOptions settings;
  settings.fresh = true;
  EXPECT_EQ(run(settings).outcomes.at(Outcome::correct), 4U);  // their grids and blocks differ

  LaunchSpec& launch = experiment_.system.variants.at(0).launches.at(0);
  launch.grid[0] = Expression::parse("2");
  launch.block[0] = Expression::parse("32");
  const RunSummary summary = run(settings);
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 1U);
  EXPECT_EQ(summary.outcomes.at(Outcome::skipped_identical), 3U);
  EXPECT_EQ(
      count(
          "SELECT count(*) FROM trial WHERE outcome = 'skipped_identical' AND same_as = "
          "(SELECT name FROM trial AS other JOIN configuration ON configuration.id = other.configuration_id "
          "WHERE other.run_id = trial.run_id AND other.outcome = 'correct')"),
      3);
}

TEST_F(PipelineTest, MeasuresIdenticalMachineCodeOnceForEachKindOfInputs) {
  kernels_.code_hash = "same";
  System& system = experiment_.system;
  LaunchSpec& launch = system.variants.at(0).launches.at(0);
  launch.grid[0] = Expression::parse("2");
  launch.block[0] = Expression::parse("32");
  system.buffers.at("x").fill.high = Expression::parse("SPREAD");
  for (VariantSpec& variant : system.variants) variant.parameters.emplace_back("SPREAD", 1.0);
  name_parameters_of_fills(system);
  experiment_.cases.at(0).parameters.push_back({"SPREAD", {1.0, 2.0}});
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 2U);
  EXPECT_EQ(summary.outcomes.at(Outcome::skipped_identical), 6U);
}

TEST_F(PipelineTest, MeasuresNothingTwice) {
  run();
  const RunSummary again = run();
  EXPECT_EQ(again.reused, 4U);
  EXPECT_TRUE(again.outcomes.empty());
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 4);
}

// Reads a file of which its key tells only once it has built something.
class ReadingCompiler : public fakes::FakeCompiler {
 public:
  explicit ReadingCompiler(const ScratchFolder& folder) : folder_(folder) {}

  Artifact build(const BuildRequest& request) override {
    Artifact artifact = FakeCompiler::build(request);
    artifact.inputs = {{"elsewhere.h", contents}};
    // Whole at any time, since others build, too.
    std::filesystem::rename(folder_.write("known" + std::to_string(getpid()), contents), folder_ / "known");
    return artifact;
  }
  std::string key(const BuildRequest& request) override {
    const bool is_known =
        std::filesystem::exists(folder_ / "known") && read_file(folder_ / "known") == contents;
    return FakeCompiler::key(request) + (is_known ? contents : "");
  }
  std::string contents = "one";

 private:
  const ScratchFolder& folder_;
};

TEST_F(PipelineTest, KnowsATrialByTheFilesThatItsBuildRead) {
  ReadingCompiler reading(scratch_);
  for (Compiler** tool : {&tools_.kernels, &tools_.reference.host_compiler}) {
    Compiler* const before = std::exchange(*tool, &reading);
    EXPECT_EQ(run().reused, 0U);
    EXPECT_EQ(run().reused, 4U);
    reading.contents = "two";
    EXPECT_EQ(run().reused, 0U);
    EXPECT_EQ(run().reused, 4U);
    *tool = before;
    reading.contents = "one";
    std::filesystem::remove(scratch_ / "known");
  }
}

TEST_F(PipelineTest, MeasuresAnewWhenAskedTo) {
  run();
  PipelineOptions fresh;
  fresh.fresh = true;
  EXPECT_EQ(run(fresh).outcomes.at(Outcome::correct), 4U);
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 8);
  EXPECT_EQ(run().reused, 4U);
}

TEST_F(PipelineTest, ContinuesWhereAnInterruptedRunStopped) {
  experiment_ = fakes::twice_experiment({std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                                         std::int64_t{16}, std::int64_t{32}, std::int64_t{64}});
  PipelineOptions options;
  options.stop_requested = [this] { return progress_.outcomes.size() == 2; };
  EXPECT_TRUE(run(options).interrupted);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'interrupted'"), 1);
  // Those that are under way by then are stored too.
  const auto stored = static_cast<std::size_t>(count("SELECT count(*) FROM trial"));
  EXPECT_GE(stored, 2U);
  EXPECT_LE(stored, 4U);
  const RunSummary rest = run();
  EXPECT_EQ(rest.reused, stored);
  EXPECT_EQ(rest.outcomes.at(Outcome::correct), 7 - stored);
  EXPECT_EQ(count("SELECT count(DISTINCT configuration_id) FROM trial"), 7);
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 7);
}

TEST_F(PipelineTest, KeepsWhatHadItsLastRepetitionBeforeAStop) {
  experiment_ = fakes::twice_experiment({std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                                         std::int64_t{16}, std::int64_t{32}, std::int64_t{64}});
  experiment_.measure.repetitions = 3;
  kernels_.broken = "BLOCK_SIZE:16";
  PipelineOptions options;
  options.stop_requested = [this] { return progress_.outcomes.size() >= 2; };
  EXPECT_TRUE(run(options).interrupted);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE outcome = 'compile_error'"), 1);
  const auto stored = static_cast<std::size_t>(count("SELECT count(*) FROM trial"));
  EXPECT_GE(stored, 2U);
  EXPECT_LT(stored, 7U);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE outcome = 'correct' AND 15 <> "
                  "(SELECT count(*) FROM sample WHERE trial_id = trial.id)"),
            0);
  EXPECT_EQ(run().reused, stored);
  EXPECT_EQ(count("SELECT count(DISTINCT configuration_id) FROM trial"), 7);
}

TEST_F(PipelineTest, GoesOnWithTheRepetitionsThatAStoppedRunHad) {
  experiment_.measure.repetitions = 3;
  PipelineOptions options;
  options.stop_requested = [this] { return progress_.shares.size() >= 6; };
  EXPECT_TRUE(run(options).interrupted);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE outcome = 'correct' AND same_as IS NULL"), 0);
  const std::int64_t done = count("SELECT coalesce(sum(repetitions), 0) FROM unfinished_trial");
  EXPECT_GE(done, 6);
  progress_ = {};
  EXPECT_EQ(run().outcomes.at(Outcome::correct), 4U);
  EXPECT_EQ(progress_.shares.size(), 12U - static_cast<std::size_t>(done));
  EXPECT_DOUBLE_EQ(progress_.shares.back(), 1);
  EXPECT_EQ(count("SELECT count(*) FROM unfinished_trial"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM (SELECT DISTINCT trial_id, repetition FROM sample)"), 12);
  EXPECT_EQ(count("SELECT count(DISTINCT sequence) FROM sample"), count("SELECT count(*) FROM sample"));
}

TEST_F(PipelineTest, LeavesAloneWhatAnotherProgramLeft) {
  experiment_.measure.repetitions = 3;
  PipelineOptions options;
  options.stop_requested = [this] { return progress_.shares.size() >= 6; };
  EXPECT_TRUE(run(options).interrupted);
  database_.execute("UPDATE unfinished_trial SET contents = x'ff00'");
  progress_ = {};
  EXPECT_EQ(run().outcomes.at(Outcome::correct), 4U);
  EXPECT_EQ(progress_.shares.size(), 12U);
}

TEST_F(PipelineTest, MeasuresTheDriftOnceAtTheEndOfAFullGroup) {
  std::vector<Value> sizes;
  for (std::int64_t size = 1; size <= static_cast<std::int64_t>(kGroup); ++size) sizes.emplace_back(size);
  experiment_ = fakes::twice_experiment(sizes);
  EXPECT_EQ(run().outcomes.at(Outcome::correct), kGroup);
  EXPECT_EQ(count("SELECT count(DISTINCT block) FROM drift_sample"), 1);
}

TEST_F(PipelineTest, BeginsTheNextConfigurationBeforeTheResultsOfTheOneBeforeAreStored) {
  constexpr std::size_t kRuns = 10;  // a configuration: two verifications, 3 warm-ups and 5 samples
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::cpu}) {
    fakes::FakeExecutor device(kind);
    device.kernels["twice"] = twice;
    fakes::LocalWorker worker(device);
    worker.looks_busy = true;
    tools_.device = &worker;
    std::vector<std::size_t> stored;
    device.on_run = [&] { stored.push_back(progress_.outcomes.size()); };
    run();
    ASSERT_GT(stored.size(), 4 * kRuns);
    std::vector<std::size_t> at_begin;
    for (std::size_t i = 0; i < 4; ++i) at_begin.push_back(stored[i * kRuns]);
    const bool gpu = kind == DeviceKind::cuda;
    EXPECT_THAT(at_begin, gpu ? testing::ElementsAre(0, 0, 1, 2) : testing::ElementsAre(0, 1, 2, 3))
        << to_string(kind);
    EXPECT_EQ(stored.back(), 4U) << "the drift is measured when all are stored";
  }
}

TEST_F(PipelineTest, GoesOnAfterAFailureOfAWorker) {
  int runs = 0;
  device_.on_run = [&] {
    if (++runs == 11) throw Error("the cable is out");  // the first run of the second configuration
  };
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 3U);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE outcome = 'crashed' AND detail = 'the cable is out'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'done'"), 1);
}

TEST_F(PipelineTest, LosesNothingThatIsStoredWhenTheDatabaseStaysLocked) {
  database_.wait_for_locks(std::chrono::milliseconds(1));
  std::optional<fakes::DatabaseLock> lock;
  std::size_t stored = 0;  // two; or three, where the last build takes long
  device_.on_run = [&] {
    if (progress_.outcomes.size() < 2 || lock) return;
    stored = progress_.outcomes.size();
    lock.emplace(file_);
  };
  EXPECT_THROW(run(), Error);
  lock.reset();
  EXPECT_EQ(count("SELECT count(*) FROM trial"), stored);
  device_.on_run = [] {};
  EXPECT_EQ(run().reused, stored);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE outcome = 'correct'"), 4);
}

struct ThirdBuildEndsTheRun : fakes::FakeCompiler {
  Artifact build(const BuildRequest& request) override {
    if (builds == 2) throw Error("no space left");
    return FakeCompiler::build(request);
  }
};

TEST_F(PipelineTest, KeepsWhatIsMeasuredWhenTheNextBuildEndsTheRun) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::cpu}) {
    ThirdBuildEndsTheRun kernels;
    fakes::FakeExecutor device(kind);
    device.kernels["twice"] = twice;
    fakes::LocalWorker worker(device);
    tools_.kernels = &kernels;
    tools_.device = &worker;
    const std::int64_t before = count("SELECT count(*) FROM trial");
    EXPECT_THROW(run({.build_processes = 1}), Error) << to_string(kind);
    EXPECT_EQ(count("SELECT count(*) FROM trial") - before, 2) << to_string(kind);
  }
}

TEST_F(PipelineTest, MeasuresAgainWhenTheToleranceChanges) {
  run();
  experiment_.system.reference.compare["x"].tolerance = Expression::constant(1e-3);
  EXPECT_EQ(run().reused, 0U);
}

TEST_F(PipelineTest, MeasuresAgainWhatWasChangedAndChangedBack) {
  run();
  experiment_.measure.samples = 6;
  run();
  experiment_.measure.samples = 5;
  EXPECT_EQ(run().outcomes.at(Outcome::correct), 4U);
}

TEST_F(PipelineTest, MeasuresAgainWhenTheWorkChanges) {
  run();
  experiment_.system.work["items"] = Expression::parse("2 * N");
  EXPECT_EQ(run().reused, 0U);
}

TEST_F(PipelineTest, RefusesAFilterThatIsNoRegularExpression) {
  PipelineOptions options;
  options.filter = "BLOCK_SIZE:(8";
  EXPECT_THROW(run(options), Error);
}

TEST_F(PipelineTest, FiltersByNameOrByValues) {
  PipelineOptions options;
  options.filter = "BLOCK_SIZE:(8|16)/";
  EXPECT_EQ(run(options).outcomes.at(Outcome::correct), 2U);
  options.filter = "BLOCK_SIZE=32";
  EXPECT_EQ(run(options).outcomes.at(Outcome::correct), 1U);
}

TEST_F(PipelineTest, KnowsTheMachineCodeOfWhatTheDatabaseHas) {
  kernels_.code_hash = "same";
  LaunchSpec& launch = experiment_.system.variants.at(0).launches.at(0);
  launch.grid[0] = Expression::parse("2");
  launch.block[0] = Expression::parse("32");
  PipelineOptions one;
  one.filter = "BLOCK_SIZE=16";
  EXPECT_EQ(run(one).outcomes.at(Outcome::correct), 1U);
  const RunSummary rest = run();
  EXPECT_EQ(rest.reused, 1U);
  EXPECT_EQ(rest.outcomes.at(Outcome::skipped_identical), 3U);
  EXPECT_EQ(count("SELECT count(*) FROM space_cost WHERE cost IS NULL"), 0);
  one.fresh = true;
  one.filter = "BLOCK_SIZE=32";
  EXPECT_EQ(run(one).outcomes.at(Outcome::correct), 1U);
}

TEST_F(PipelineTest, KeepsHostTimesOnTheHostDevice) {
  experiment_.cases.push_back({"host_twice", {}});
  run();
  EXPECT_EQ(count("SELECT count(*) FROM trial JOIN device ON device.id = trial.device_id "
                  "WHERE device.kind = 'cpu'"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM trial JOIN device ON device.id = trial.device_id "
                  "WHERE device.kind = 'cuda'"),
            4);
}

TEST_F(PipelineTest, MarksARunThatCannotGoOnAsFailed) {
  host_.kernels.clear();
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'failed'"), 1);
}

}  // namespace
}  // namespace tailwave
