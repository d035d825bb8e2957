#include "store/result_store.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "fakes/strays.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

class Store : public ::testing::Test {
 protected:
  std::int64_t begin(const std::string& started_at, bool fresh = false,
                     const DeviceDescription& device = samples::gpu()) {
    RunRecord record = samples::run("basic_block_size", started_at);
    record.fresh = fresh;
    return store_.begin_run(record, device);
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(Store, LetsTheLaterRunCountThoughTheClockWentBack) {
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000});
  trial.outcome = Outcome::crashed;
  store_.add_trial(begin("2037-01-01T10:00:00Z"), samples::gpu(), trial);
  const std::int64_t other_device = begin("2025-01-01T10:00:00Z", false, samples::cpu());
  trial.outcome = Outcome::correct;
  store_.add_trial(begin("2025-01-01T10:00:00Z"), samples::gpu(), trial);
  EXPECT_EQ(csv(database_, "SELECT outcome FROM current_trial"), "outcome\ncorrect\n");
  EXPECT_EQ(csv(database_, "SELECT started_at FROM run WHERE id = " + std::to_string(other_device)),
            "started_at\n2025-01-01T10:00:00Z\n");
}

TEST_F(Store, KeepsEverythingOfATrial) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}, {"FAST_MATH", true}}, {1000, 1200});
  trial.samples[1].dropped = "throttled";
  trial.verify_seconds = 0.5;
  trial.measure_seconds = 0.75;
  trial.build = BuildRecord{"build key", "NVRTC 13.0", "sm_90", "-O3", "code", "log", 0.25, false};
  trial.launches.push_back(
      samples::launch("body_force", 128, 32, 32, "blocks", 0.5, {0.03, 0, 0.03, 0.03, 128}));
  const std::int64_t id = store_.add_trial(run, samples::gpu(), trial);

  EXPECT_EQ(
      csv(database_,
          "SELECT key, outcome, detail, timer, mode, stopped_by, work, verify_seconds, measure_seconds, "
          "build_seconds FROM trial"),
      "key,outcome,detail,timer,mode,stopped_by,work,verify_seconds,measure_seconds,build_seconds\n"
      "key of nbody/basic/BLOCK_SIZE:32/FAST_MATH:true/DT:0.01/N:4096,correct,,cuda_event,isolated,samples,"
      "\"{\"\"interactions\"\":16777216}\",0.5,0.75,0.25\n");
  EXPECT_EQ(csv(database_, "SELECT parameters, problem FROM configuration"),
            "parameters,problem\n\"{\"\"BLOCK_SIZE\"\":32,\"\"FAST_MATH\"\":true}\",\"{\"\"DT\"\":0.01,"
            "\"\"N\"\":4096}\"\n");
  EXPECT_EQ(csv(database_, "SELECT trial_id = " + std::to_string(id) +
                               " AS ours, position, time_ns, dropped FROM sample"),
            "ours,position,time_ns,dropped\n1,0,1000,\n1,1,1200,throttled\n");
  EXPECT_EQ(csv(database_,
                "SELECT kernel, grid_x, registers, blocks_per_sm, limiter, waves, driver_blocks_per_sm FROM "
                "launch"),
            "kernel,grid_x,registers,blocks_per_sm,limiter,waves,driver_blocks_per_sm\nbody_force,128,40,32,"
            "blocks,0.03,32\n");
  EXPECT_EQ(csv(database_, "SELECT phase, buffer, error, passed FROM verification"),
            "phase,buffer,error,passed\nbefore,bodies,1e-07,1\n");
}

TEST_F(Store, KeepsNoTimeForATrialThatIsNotCorrect) {
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000});
  trial.outcome = Outcome::wrong_result;
  store_.add_trial(begin("2025-01-01T10:00:00Z"), samples::gpu(), trial);
  EXPECT_EQ(csv(database_, "SELECT outcome, timer, stopped_by FROM trial"),
            "outcome,timer,stopped_by\nwrong_result,,\n");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS n FROM sample"), "n\n0\n");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS n FROM trial_time"), "n\n0\n");
}

TEST_F(Store, RefusesSamplesOfAFailedTrialInPlainSqlToo) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  store_.add_trial(run, samples::gpu(),
                   samples::failed("basic", {{"BLOCK_SIZE", 1025}}, Outcome::launch_failed, "no"));
  store_.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000}));
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(error_of([&] {
              database_.execute(
                  "INSERT INTO sample (trial_id, repetition, position, time_ns, executions) VALUES (1, 0, 0, "
                  "5.0, 1)");
            }),
            file + ": only a correct trial has samples");
  EXPECT_EQ(error_of([&] { database_.execute("UPDATE trial SET outcome = 'timeout' WHERE id = 2"); }),
            file + ": only a correct trial has samples");
  EXPECT_EQ(error_of([&] {
              database_.execute("UPDATE trial SET outcome = 'fine' WHERE id = 1");
            }).substr(0, file.size() + 26),
            file + ": CHECK constraint failed:");
}

TEST_F(Store, SharesDeviceConfigurationAndBuildRows) {
  for (const char* start : {"2025-01-01T10:00:00Z", "2025-01-02T10:00:00Z"}) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000});
    trial.build = BuildRecord{"build key", "NVRTC 13.0", "sm_90", "", "code", "", 0, true};
    store_.add_trial(begin(start), samples::gpu(), trial);
  }
  EXPECT_EQ(csv(database_,
                "SELECT (SELECT count(*) FROM device) AS d, (SELECT count(*) FROM configuration) AS c, "
                "(SELECT count(*) FROM build) AS b, (SELECT count(*) FROM trial) AS t"),
            "d,c,b,t\n1,1,1,2\n");
}

TEST_F(Store, HasEachConfigurationOnceInARun) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  const Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000});
  store_.add_trial(run, samples::gpu(), trial);
  EXPECT_EQ(error_of([&] { store_.add_trial(run, samples::gpu(), trial); }),
            (folder_ / "results.db").string() + ": UNIQUE constraint failed: index 'trial_once'");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS n FROM sample"), "n\n1\n");
}

TEST_F(Store, KnowsWhatAResumedRunNeedNotRepeat) {
  store_.add_trial(begin("2025-01-01T10:00:00Z"), samples::gpu(),
                   samples::trial("basic", {{"BLOCK_SIZE", 1}}, {1}));
  const std::int64_t second = begin("2025-01-02T10:00:00Z");
  store_.add_trial(second, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 2}}, {1}));
  store_.add_trial(second, samples::cpu(), samples::failed("cpu", {}, Outcome::timeout, "slow"));
  EXPECT_THAT(store_.finished_trials("basic_block_size", samples::gpu()),
              testing::ElementsAre(testing::Pair("key of nbody/basic/BLOCK_SIZE:1/DT:0.01/N:4096", 1),
                                   testing::Pair("key of nbody/basic/BLOCK_SIZE:2/DT:0.01/N:4096", 2),
                                   testing::Pair("key of nbody/cpu/DT:0.01/N:4096", 3)));
  EXPECT_TRUE(store_.finished_trials("basic_block_size", samples::cpu()).empty());
  EXPECT_TRUE(store_.finished_trials("variants", samples::gpu()).empty());
  EXPECT_TRUE(store_.finished_trials("basic_block_size", samples::gpu(), "jacobi").empty());
}

TEST_F(Store, RepeatsWhatWasKilledFromOutside) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  const auto add = [&](int size, Outcome outcome, const std::string& detail) {
    store_.add_trial(run, samples::gpu(), samples::failed("basic", {{"BLOCK_SIZE", size}}, outcome, detail));
  };
  add(1, Outcome::compile_error, "the compile process was killed by signal 9 (Killed)");
  add(2, Outcome::compile_error, "the compile process was killed by signal 11 (Segmentation fault)");
  add(3, Outcome::crashed, "step: the device's worker process was killed by signal 9 (Killed)");
  EXPECT_THAT(store_.finished_trials("basic_block_size", samples::gpu()),
              testing::ElementsAre(testing::Pair("key of nbody/basic/BLOCK_SIZE:2/DT:0.01/N:4096", 2)));
}

TEST_F(Store, RepeatsABuildThatHadLessTime) {
  const auto add = [&](const std::string& spec_text, int size) {
    RunRecord record = samples::run("basic_block_size", "2025-01-01T10:00:00Z");
    record.spec_text = spec_text;
    store_.add_trial(store_.begin_run(record, samples::gpu()), samples::gpu(),
                     samples::failed("basic", {{"BLOCK_SIZE", size}}, Outcome::compile_timeout, "slow"));
  };
  add(R"({"measure": {"build_deadline_s": 60}})", 1);
  add("{}", 2);  // 120
  add("no JSON", 3);
  const auto count = [&](double deadline_s) {
    return store_.finished_trials("basic_block_size", samples::gpu(), "", deadline_s).size();
  };
  EXPECT_EQ(store_.finished_trials("basic_block_size", samples::gpu()).size(), 3);
  EXPECT_EQ(count(30), 3);
  EXPECT_EQ(count(60), 3);
  EXPECT_EQ(count(120), 2);
  EXPECT_EQ(count(121), 0);
}

TEST_F(Store, ForgetsWhatWasFinishedBeforeAFreshRun) {
  store_.add_trial(begin("2025-01-01T10:00:00Z"), samples::gpu(),
                   samples::trial("basic", {{"BLOCK_SIZE", 1}}, {1}));
  store_.add_trial(begin("2025-01-02T10:00:00Z", true), samples::gpu(),
                   samples::trial("basic", {{"BLOCK_SIZE", 2}}, {1}));
  store_.add_trial(begin("2025-01-03T10:00:00Z"), samples::gpu(),
                   samples::trial("basic", {{"BLOCK_SIZE", 3}}, {1}));
  EXPECT_THAT(store_.finished_trials("basic_block_size", samples::gpu(), "nbody"),
              testing::ElementsAre(testing::Pair("key of nbody/basic/BLOCK_SIZE:2/DT:0.01/N:4096", 2),
                                   testing::Pair("key of nbody/basic/BLOCK_SIZE:3/DT:0.01/N:4096", 3)));
}

TEST_F(Store, NotesHowARunEnded) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  EXPECT_EQ(csv(database_, "SELECT status, finished_at FROM run"), "status,finished_at\nrunning,\n");
  store_.finish_run(run, RunStatus::interrupted, "2025-01-01T10:05:00Z");
  EXPECT_EQ(csv(database_, "SELECT status, finished_at FROM run"),
            "status,finished_at\ninterrupted,2025-01-01T10:05:00Z\n");
}

TEST_F(Store, ReplacesPublishedValuesOfOneExperiment) {
  const PublishedValue value{
      "study", "a100", "interactions_per_second", "1e9/s", "basic", {{"BLOCK_SIZE", 1}}, 14.749e9, "", ""};
  store_.set_published("basic_block_size", {value, value});
  store_.set_published("variants", {value});
  store_.set_published("basic_block_size", {value});
  EXPECT_EQ(csv(database_, "SELECT experiment, value, invalid FROM published_value ORDER BY experiment"),
            "experiment,value,invalid\nbasic_block_size,1.4749e+10,\nvariants,1.4749e+10,\n");
}

TEST_F(Store, ReplacesTheMainKernelsOfOneSystem) {
  store_.set_main_kernels("nbody", {{"basic", {"body_force", "body_force"}}, {"tuned", {}}});
  store_.set_main_kernels("jacobi", {{"atomic", {"step"}}});
  store_.set_main_kernels("nbody", {{"shared", {"body_force"}}});
  EXPECT_EQ(csv(database_, "SELECT * FROM main_kernel ORDER BY system"),
            "system,variant,kernel\njacobi,atomic,step\nnbody,shared,body_force\n");
}

TEST_F(Store, ReplacesTheDomainsOfOneSystem) {
  store_.set_domains("nbody", {{"tuned", "BLOCK_SIZE % 32 == 0"}, {"basic", "N > 1"}});
  store_.set_domains("jacobi", {{"tuned", "N % 4 == 0"}});
  store_.set_domains("nbody", {{"tuned", "BLOCK_SIZE % 64 == 0"}});
  EXPECT_EQ(csv(database_, "SELECT * FROM variant_domain ORDER BY system"),
            "system,variant,requires\njacobi,tuned,N % 4 == 0\nnbody,tuned,BLOCK_SIZE % 64 == 0\n");
}

// Writes trials until it is killed.
[[noreturn]] void write_until_killed(const std::filesystem::path& file, int round) {
  Database database(file, Database::Mode::read_write);
  ResultStore store(database);
  RunRecord record = samples::run("basic_block_size", "2025-01-01T10:00:0" + std::to_string(round) + "Z");
  const std::int64_t run = store.begin_run(record, samples::gpu());
  for (int size = 1;; ++size) {
    Trial trial =
        samples::trial("basic", {{"BLOCK_SIZE", size}, {"ROUND", round}}, std::vector<double>(20, 1000.0));
    trial.launches.push_back(
        samples::launch("body_force", 128, 32, 32, "blocks", 0.5, {0.03, 0, 0.03, 0.03, 128}));
    store.add_trial(run, samples::gpu(), trial);
  }
}

TEST_F(Store, HoldsWholeTrialsOnlyAfterBeingKilledAtAnyMoment) {
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(folder_ / "results.db", round);
    ASSERT_TRUE(fakes::comes_true([&] {
      return std::get<std::int64_t>(database_.query("SELECT count(*) FROM trial").rows.at(0).at(0)) >
             3 * round;
    }));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  EXPECT_EQ(csv(database_, "PRAGMA integrity_check"), "integrity_check\nok\n");
  EXPECT_EQ(csv(database_, "PRAGMA foreign_key_check"), "table,rowid,parent,fkid\n");
  EXPECT_EQ(
      csv(database_,
          "SELECT count(*) > 0 AS some, count(*) = count(DISTINCT configuration_id) AS once, "
          "min(samples) AS fewest, max(samples) AS most, min(launches) AS launches FROM "
          "(SELECT configuration_id, (SELECT count(*) FROM sample WHERE trial_id = trial.id) AS samples, "
          "(SELECT count(*) FROM launch WHERE trial_id = trial.id) AS launches FROM trial)"),
      "some,once,fewest,most,launches\n1,1,20,20,1\n");
}

}  // namespace
}  // namespace tailwave
