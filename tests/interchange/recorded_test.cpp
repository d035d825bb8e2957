#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <regex>

#include "interchange/export.h"
#include "interchange/import.h"
#include "interchange/tuner_files.h"
#include "store/sample_data.h"
#include "store/search_store.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

template <Record R>
std::string columns(const std::string& table) {
  return fmt::format("{}.{}", table, fmt::join(column_names<R>(), ", " + table + "."));
}

// Everything of a database that a recording carries, as text.
std::string contents(Database& database) {
  const std::string of_trial = " JOIN trial ON trial.id = trial_id ORDER BY trial.key, ";
  std::string text;
  for (const std::string& sql :
       {"SELECT " + columns<DeviceDescription>("device") + " FROM device ORDER BY name",
        "SELECT " + columns<RunRecord>("run") + ", finished_at, status FROM run",
        "SELECT configuration.name, build_seconds, build_from_cache, finished_at, " +
            columns<Trial>("trial") +
            " FROM trial JOIN configuration ON configuration.id = configuration_id ORDER BY 1",
        "SELECT " + columns<BuildRecord>("build") + " FROM build ORDER BY 1",
        "SELECT trial.key, " + columns<LaunchRecord>("launch") + " FROM launch" + of_trial +
            "launch.position",
        "SELECT trial.key, " + columns<Sample>("sample") + " FROM sample" + of_trial +
            "repetition, sample.position",
        "SELECT trial.key, " + columns<LimitRecord>("time_limit") + " FROM time_limit" + of_trial + "name",
        "SELECT trial.key, " + columns<Verification>("verification") + " FROM verification" + of_trial +
            "verification.position"})
    text += csv(database, sql) + "\n";
  return text;
}

class Recorded : public ::testing::Test {
 protected:
  void SetUp() override {
    ResultStore store(database_);
    RunRecord begun = samples::run("basic_block_size", "2025-01-01T10:00:00Z");
    begun.seed = 7;
    const std::int64_t run = store.begin_run(begun, samples::gpu());
    Trial good = samples::trial("basic", {{"BLOCK_SIZE", 32}, {"FAST_MATH", true}}, {1000.25, 1200, 1.0 / 3});
    good.samples[1].dropped = "throttled";
    for (Sample& sample : good.samples) {
      sample.sequence = 5 + sample.position;
      sample.sm_clock_mhz = 1980;
      sample.temperature_c = 40.5;
      sample.throttle_reasons = "none";
    }
    good.samples[2].temperature_c.reset();
    good.samples[0].reported = {{"steps", 7.0}};
    good.build = BuildRecord{"build key", "NVRTC 13.0", "sm_90", "-O3", "code", "two\nlines", 0.25, false};
    good.launches.push_back(
        samples::launch("body_force", 128, 32, 32, "blocks", 0.5, {0.03, 0, 0.03, 0.03, 128}));
    good.launches.push_back({1, "move", {32, 1, 1}, {128, 1, 1}, 0, {}, {}, {}, "", {}});
    good.launches.push_back({2, "relax", {32, 1, 1}, {128, 1, 1}, 0, {}, {}, {}, "", {}, 1000});
    good.limits = {{"copy", 400}, {"fp32_issue", 350.5}};
    good.verifications.push_back({"after", "N = 1", "bodies", "max_rel", std::nan(""), 1e-5, false, "NaN"});
    good.verifications.push_back(
        {"after", "", "forces", "max_rel", std::numeric_limits<double>::infinity(), 1e-5, false, ""});
    store.add_trial(run, samples::gpu(), good);
    store.add_trial(run, samples::gpu(),
                    samples::failed("basic", {{"BLOCK_SIZE", 1025}}, Outcome::exceeds_device_limit,
                                    "too many | threads"));
    store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {5e6}));
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
  }

  std::filesystem::path write(const std::string& text) {
    const auto file = folder_ / "recorded.json";
    std::ofstream(file) << text;
    return file;
  }
  std::string exported() { return export_recorded(database_, "basic_block_size", "NVIDIA H200"); }

  // The exported text with a part replaced, imported into an empty database: the error.
  std::string import_error_after_replacing(const std::string& part, const std::string& other) {
    std::string text = exported();
    const std::size_t place = text.find(part);
    EXPECT_NE(place, std::string::npos) << part << " is not in\n" << text;
    const auto file = write(text.replace(place, part.size(), other));
    Database target(folder_ / "target.db", Database::Mode::read_write);
    std::string error = error_of([&] { import_recorded(target, file); });
    EXPECT_EQ(csv(target,
                  "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM trial) + "
                  "(SELECT count(*) FROM device) AS rows"),
              "rows\n0\n");
    const std::string prefix = file.string() + ": ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(Recorded, ComesBackWholeInAnotherDatabase) {
  Database target(folder_ / "target.db", Database::Mode::read_write);
  const ImportSummary summary = import_recorded(target, write(exported()));
  EXPECT_EQ(summary.experiment, "basic_block_size");
  EXPECT_EQ(summary.device, "NVIDIA H200");
  EXPECT_EQ(summary.trials_added, 3);
  EXPECT_EQ(summary.trials_present, 0);
  EXPECT_EQ(contents(target), contents(database_));
  EXPECT_EQ(export_recorded(target, "basic_block_size", "NVIDIA H200"), exported());
}

TEST_F(Recorded, CountsTheLaunchesOfAnOlderFileThatDidNot) {
  const std::string numbered = exported();
  const std::string text = std::regex_replace(numbered, std::regex(R"("position": \d+,\s*)"), "");
  EXPECT_LT(text.size(), numbered.size());
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_recorded(target, write(text));
  EXPECT_EQ(contents(target), contents(database_));
}

TEST_F(Recorded, AddsNothingWhenItIsImportedAgain) {
  const auto file = write(exported());
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_recorded(target, file);
  const std::string before = contents(target);
  const ImportSummary summary = import_recorded(target, file);
  EXPECT_EQ(summary.trials_added, 0);
  EXPECT_EQ(summary.trials_present, 3);
  EXPECT_EQ(contents(target), before);
  EXPECT_EQ(import_recorded(database_, file).trials_present, 3) << "where it was measured";
  EXPECT_EQ(csv(database_, "SELECT count(*) AS n FROM run WHERE recorded_from IS NOT NULL"), "n\n0\n");
}

TEST_F(Recorded, CountsWhatTheFileSaysOtherwise) {
  std::string text = exported();
  const std::string file = write(text).string();
  Database target(folder_ / "target.db", Database::Mode::read_write);
  EXPECT_EQ(import_recorded(target, file).remark, "");
  EXPECT_EQ(import_recorded(target, file).remark, "");
  const std::string before = contents(target);
  text.replace(text.find("1000.25,"), 8, "2000.25,");
  text.replace(text.find("too many | threads"), 8, "too few ");
  const ImportSummary summary = import_recorded(target, write(text));
  EXPECT_EQ(summary.trials_present, 3);
  EXPECT_EQ(summary.remark,
            "2 of them have other values in the file, which were left out "
            "(nbody/basic/BLOCK_SIZE:1025/DT:0.01/N:4096); import it into another database to have both");
  EXPECT_EQ(contents(target), before);
}

// Two programs on one machine, or one that is started twice a second.
TEST_F(Recorded, KeepsRunsApartThatBeganInTheSameSecond) {
  const auto first = write(exported());
  Database other(folder_ / "other.db", Database::Mode::read_write);
  ResultStore store(other);
  for (const char* const finished_at : {"2025-01-01T10:00:01.500Z", "2025-01-01T10:00:02.500Z"}) {
    const std::int64_t run =
        store.begin_run(samples::run("basic_block_size", "2025-01-01T10:00:00Z"), samples::gpu());
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
    const std::int64_t trial =
        store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {static_cast<double>(run) * 1e6}));
    other.prepare("UPDATE trial SET finished_at = ? WHERE id = ?").bind_all(finished_at, trial).run();
    const auto file = samples::write_file(folder_ / (std::string(finished_at) + ".json"),
                                          export_recorded(other, "basic_block_size", "NVIDIA H200"));
    const ImportSummary added = import_recorded(database_, file);
    EXPECT_EQ(added.trials_added, 1) << finished_at;
    EXPECT_EQ(added.remark, "");
    EXPECT_EQ(import_recorded(database_, file).trials_present, 1) << "the run is known again";
  }
  EXPECT_EQ(import_recorded(database_, first).trials_present, 3);
  EXPECT_EQ(csv(database_,
                "SELECT run_id, time_ns FROM trial JOIN sample ON trial_id = trial.id "
                "JOIN configuration ON configuration.id = configuration_id WHERE variant = 'cpu'"),
            "run_id,time_ns\n1,5000000\n2,1000000\n3,2000000\n");
}

// Parts of one command, say: nothing but a trial tells which of them a recording is of.
TEST_F(Recorded, KeepsRunsApartThatHaveNoTrialInCommon) {
  Database other(folder_ / "other.db", Database::Mode::read_write);
  ResultStore store(other);
  std::vector<std::filesystem::path> files;
  for (const int size : {32, 64}) {
    const std::int64_t run =
        store.begin_run(samples::run("basic_block_size", "2025-01-01T10:00:00Z"), samples::gpu());
    store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", size}}, {1000}));
    store.finish_run(run, RunStatus::done, "2025-01-01T10:00:00Z");
    other.execute("DELETE FROM trial WHERE run_id < " + std::to_string(run));
    files.push_back(samples::write_file(folder_ / (std::to_string(size) + ".json"),
                                        export_recorded(other, "basic_block_size", "NVIDIA H200")));
  }
  Database target(folder_ / "target.db", Database::Mode::read_write);
  for (const auto& file : {files[0], files[1], files[0], files[1]}) import_recorded(target, file);
  EXPECT_EQ(csv(target, "SELECT run_id, count(*) AS n FROM trial GROUP BY run_id"), "run_id,n\n1,1\n2,1\n");
}

TEST_F(Recorded, CallsARunInterruptedWhoseEndIsNotKnown) {
  database_.execute("UPDATE run SET status = 'running', finished_at = NULL");
  database_.execute("UPDATE trial SET finished_at = '2025-01-01T10:00:0' || id || '.500Z'");
  const auto cut_off = write(exported());
  Database target(folder_ / "target.db", Database::Mode::read_write);
  const std::string end = "SELECT status, finished_at FROM run";
  for (const int time : {1, 2}) {
    EXPECT_EQ(import_recorded(target, cut_off).remark,
              "a run in it had not ended when it was recorded, and is kept as interrupted")
        << time;
    EXPECT_EQ(csv(target, end), "status,finished_at\ninterrupted,2025-01-01T10:00:03Z\n") << time;
  }
  import_recorded(database_, cut_off);
  EXPECT_EQ(csv(database_, end), "status,finished_at\nrunning,\n") << "where it was measured";
  database_.execute("UPDATE run SET status = 'done', finished_at = '2025-01-01T10:00:09Z'");
  const auto whole = samples::write_file(folder_ / "whole.json", exported());
  for (const auto& file : {whole, cut_off}) {
    import_recorded(target, file);
    EXPECT_EQ(csv(target, end), "status,finished_at\ndone,2025-01-01T10:00:09Z\n") << file;
  }
}

TEST_F(Recorded, IsMeasuredNeverthelessByARunOnTheSameDevice) {
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_recorded(target, write(exported()));
  EXPECT_TRUE(ResultStore(target).finished_trials("basic_block_size", samples::gpu()).empty());
}

TEST_F(Recorded, IsRefusedWhereANameLeadsOutOfTheReportsFolder) {
  EXPECT_EQ(import_error_after_replacing(R"("experiment": "basic_block_size")", R"("experiment": "../../x")"),
            "/experiment: '../../x' is a path and no name");
  EXPECT_EQ(import_error_after_replacing(R"("system": "nbody")", R"("system": "")"),
            "/system: there is no name");
  EXPECT_EQ(import_error_after_replacing(R"("system": "nbody")", R"("system": "..")"),
            "/system: '..' is a path and no name");
  EXPECT_EQ(import_error_after_replacing(R"("system": "nbody")", R"("system": "nb<b>ody")"),
            "/system: the system 'nb<b>ody' is no name (letters, digits, '_' and '-', a letter first)");
  RunRecord elsewhere = samples::run("/tmp/x", "2025-01-01T10:00:00Z");
  EXPECT_EQ(error_of([&] { ResultStore(database_).begin_run(elsewhere, samples::gpu()); }),
            "'/tmp/x' is a path and no name of a system or experiment");
}

TEST_F(Recorded, PutsTheSamplesOfATrialOnOneLine) {
  EXPECT_NE(exported().find("\n    \"time_ns\": [1000.25,1200.0,0.3333333333333333]\n"), std::string::npos)
      << exported();
}

TEST_F(Recorded, NamesTheDevicesThatHaveTrials) {
  EXPECT_EQ(error_of([&] { export_recorded(database_, "basic_block_size", "NVIDIA A100"); }),
            (folder_ / "results.db").string() +
                ": no trials of experiment 'basic_block_size' on device 'NVIDIA A100'\n"
                "  it has trials on 'NVIDIA H200'");
  EXPECT_EQ(error_of([&] { export_recorded(database_, "tuning", "NVIDIA H200"); }),
            (folder_ / "results.db").string() +
                ": no trials of experiment 'tuning' on device 'NVIDIA H200'\n"
                "  the experiment has no trials at all");
}

TEST_F(Recorded, RefusesAFileThatIsCutOff) {
  const std::string text = exported();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string error =
      error_of([&] { import_recorded(database_, write(text.substr(0, text.size() - 2))); });
  EXPECT_TRUE(
      error.starts_with(fmt::format("{}: line {}, column ", (folder_ / "recorded.json").string(), lines)))
      << error;
  EXPECT_NE(error.find("unexpected end of input; expected '}'"), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("fetch or export it again")) << error;
}

TEST_F(Recorded, RefusesAnotherSchemaVersion) {
  EXPECT_EQ(import_error_after_replacing("\"schema_version\": 1", "\"schema_version\": 2"),
            "/schema_version: version 2, but this tailwave reads 1");
}

TEST_F(Recorded, RefusesAnIdentityThatIsNone) {
  EXPECT_EQ(import_error_after_replacing("\"identity\": \"", "\"identity\": \"x"),
            "/runs/0/identity: no identity of a run: 32 hexadecimal digits, small ones");
}

TEST_F(Recorded, RefusesAMissingKey) {
  EXPECT_EQ(import_error_after_replacing("\"metric\":", "\"metrik\":"), "/runs/0: 'metric' is missing");
}

TEST_F(Recorded, RefusesAValueOfTheWrongKind) {
  EXPECT_EQ(import_error_after_replacing("\"time_ns\": [1000.25,", "\"time_ns\": [\"fast\","),
            "/trials/1/samples/time_ns/0: must be a number");
}

TEST_F(Recorded, RefusesAnUnknownOutcome) {
  EXPECT_EQ(import_error_after_replacing("\"exceeds_device_limit\"", "\"quite_good\""),
            "/trials/0/outcome: unknown outcome 'quite_good'");
}

TEST_F(Recorded, RefusesColumnsOfSamplesThatDifferInLength) {
  for (const char* time : {"\"inf\"", "-1"})
    EXPECT_EQ(
        import_error_after_replacing("\"time_ns\": [1000.25,", std::string("\"time_ns\": [") + time + ","),
        "/trials/1/samples/time_ns/0: a time has to be finite and not negative");
  EXPECT_EQ(import_error_after_replacing("\"time_ns\": [1000.25,", "\"time_ns\": ["),
            "/trials/1/samples/repetition: has 3 values, time_ns has 2");
}

TEST_F(Recorded, RefusesATimeForATrialThatIsNotCorrect) {
  EXPECT_EQ(import_error_after_replacing("\"correct\"", "\"timeout\""),
            "/trials/1/samples: a trial that is not correct has samples");
}

TEST_F(Recorded, KeepsTheLeastTimeOfWhatWasGivenUp) {
  const std::string failed = "\"exceeds_device_limit\"";
  std::string recorded = exported();
  recorded.replace(recorded.find(failed), failed.size(), "\"given_up\", \"at_least_ns\": 4e9");
  Database target(folder_ / "given_up.db", Database::Mode::read_write);
  import_recorded(target, write(recorded));
  EXPECT_EQ(csv(target, "SELECT outcome, at_least_ns FROM trial WHERE at_least_ns IS NOT NULL"),
            "outcome,at_least_ns\ngiven_up,4000000000\n");
  EXPECT_NE(export_recorded(target, "basic_block_size", "NVIDIA H200").find("\"at_least_ns\": 4"),
            std::string::npos);
  EXPECT_EQ(import_error_after_replacing(failed, "\"given_up\""),
            "/trials/0: 'at_least_ns' is of a trial that was given up, and of no other");
  EXPECT_EQ(import_error_after_replacing(failed, "\"timeout\", \"at_least_ns\": 4e9"),
            "/trials/0: 'at_least_ns' is of a trial that was given up, and of no other");
  EXPECT_EQ(import_error_after_replacing(failed, "\"given_up\", \"at_least_ns\": 0"),
            "/trials/0/at_least_ns: not a time");
}

TEST_F(Recorded, RefusesAReferenceToARunThatIsNotThere) {
  EXPECT_EQ(import_error_after_replacing("\"run\": 0", "\"run\": 4"),
            "/trials/0/run: 4 is not the index of one of 1");
}

TEST_F(Recorded, NamesThePlaceOfAWordThatNobodyKnows) {
  EXPECT_EQ(import_error_after_replacing(R"("status": "done")", R"("status": "over")"),
            "/runs/0/status: unknown status of a run 'over'");
  EXPECT_EQ(import_error_after_replacing(R"("kind": "cpu")", R"("kind": "tpu")"),
            "/devices/1/kind: unknown device kind 'tpu'");
}

TEST_F(Recorded, RefusesLeadersOfARunThatIsNoSearch) {
  EXPECT_EQ(import_error_after_replacing(R"("seed": 7)", R"("search": {"leaders_of": 0}, "seed": 7)"),
            "/runs/0/search/leaders_of: run 0 of the file is no search");
}

TEST_F(Recorded, NamesEverySearch) {
  ResultStore store(database_);
  for (const std::string strategy : {"random", "waves"}) {
    const std::int64_t run =
        store.begin_run(samples::run("basic_block_size", "2025-01-02T10:00:00Z"), samples::gpu());
    begin_search(database_, run, {.strategy = strategy, .space_size = 480, .configurations = 480});
    store.add_trial(run, samples::gpu(), samples::trial(strategy, {}, {1000}));
    store.finish_run(run, RunStatus::done, "2025-01-02T10:01:00Z");
  }
  Database target(folder_ / "target.db", Database::Mode::read_write);
  EXPECT_EQ(import_recorded(target, write(exported())).remark,
            "chosen by a search (random) from 480 configurations; chosen by a search (waves) from 480 "
            "configurations");
}

TEST_F(Recorded, RefusesAFileThatCannotBeRead) {
  EXPECT_EQ(error_of([&] { import_recorded(database_, folder_ / "none.json"); }),
            (folder_ / "none.json").string() + ": cannot be read");
}

}  // namespace
}  // namespace tailwave
