#include "report/claims.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/error.h"
#include "interchange/import.h"
#include "report/fixture.h"
#include "report/gpu_functions.h"
#include "report/queries.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

const std::string kHalf = "nbody_block_size_1_half_of_2";
const std::string kHeader =
    "-- claim: Two is more than one.\n-- system: nbody\n-- source: a study\n-- place: table 1\n-- holds if: it is\n";

class Claims : public samples::Fixture {
 protected:
  Claims() { samples::add_printed_block_sizes(database_); }
  std::string judged(const std::string& claim, const Values& more = {}) {
    Values parameters = more;
    parameters["claim"] = claim;
    return samples::csv(claims_table(database_, list_claims(), parameters));
  }
  std::string error_of_sql(const std::string& sql) {
    return samples::error_of([&] { judge(database_, {parse_claim("mine", kHeader + sql)}); });
  }
};

// Block sizes 1 and 2 as on an A100: 4096 blocks are 1.19 waves, and half as fast.
void add_a100_run(Database& database) {
  ResultStore store(database);
  DeviceDescription a100 = samples::gpu();
  a100.name = "NVIDIA A100";
  a100.sms = 108;
  const std::int64_t run = store.begin_run(samples::run("basic_block_size", "2025-04-01T10:00:00Z"), a100);
  for (const int size : {1, 2}) {
    Trial one = samples::trial("nbody_parallel", {{"BLOCK_SIZE", size}}, {size == 1 ? 1.2e6 : 6.0e5});
    const double waves = size == 1 ? 1.185 : 0.593;
    store.add_trial(run, a100,
                    samples::with_launch(one, 4096 / size, size, 32, "blocks", 0.5,
                                         {waves, size == 1 ? 1 : 0, 0.2, 0.6, 108}));
  }
}

TEST_F(Claims, AreAtLeastThirtyOfAllSystemsWithAllFields) {
  const std::vector<Claim> claims = list_claims();
  EXPECT_GE(claims.size(), 30U);
  std::set<std::string> systems;
  for (const Claim& claim : claims) {
    EXPECT_TRUE(claim.id.starts_with(claim.system + "_")) << claim.id;
    EXPECT_TRUE(claim.statement.ends_with(".")) << claim.id;
    systems.insert(claim.system);
  }
  EXPECT_EQ(systems, (std::set<std::string>{"jacobi", "nbody", "nbody_force_law", "particles", "plasma"}));
}

TEST_F(Claims, RunAllOnASchemaWithoutData) {
  Database empty(folder_ / "empty.db", Database::Mode::read_write);
  const std::vector<Claim> claims = list_claims();
  const std::vector<ClaimVerdict> verdicts = judge(empty, claims);
  ASSERT_EQ(verdicts.size(), claims.size());
  for (const ClaimVerdict& verdict : verdicts) {
    EXPECT_EQ(verdict.verdict, Judgement::not_testable) << verdict.claim->id;
    EXPECT_EQ(verdict.device, "");
    EXPECT_EQ(verdict.evidence, "No data. It holds if " + verdict.claim->holds_if);
  }
}

TEST_F(Claims, AreConfirmedByWhatWasMeasured) {
  EXPECT_EQ(
      judged("nbody_1025_is_a_failed_launch"),
      "claim,device,verdict,evidence,explanation,there\n"
      "nbody_1025_is_a_failed_launch,NVIDIA H200,confirmed,"
      "exceeds_device_limit: 1025 threads a block exceed the device's 1024,"
      "784e9 a second is N * N over the time of a launch that runs no block; the best block size that "
      "runs reaches 47.9e9.,\"An A100 starts no block of more than 1024 threads, and the study found the launch "
      "refused as an invalid configuration.\"\n");
}

TEST_F(Claims, DifferHereWhereOnlyTheStudysDeviceIsAsTheySay) {
  EXPECT_EQ(
      judged(kHalf),
      "claim,device,verdict,evidence,explanation,there\n"
      "nbody_block_size_1_half_of_2,NVIDIA H200,differs here,"
      "\"Block size 1 takes 1100.0 us and 2 takes 610.0 us: 0.55 of the rate, with 0.97 and 0.48 waves.\","
      "\"4096 blocks of one thread on 132 SMs x 32 blocks are all resident at once, so there is no second "
      "wave to wait for.\",Planned for an A100: 1.19 waves of blocks of 1 and 0.59 of blocks of 2; its rates are "
      "0.54 of each other.\n");
}

TEST_F(Claims, AreNotTestableWithoutTheirExperiment) {
  const std::string row = judged("nbody_best_stride_32");
  EXPECT_NE(
      row.find(
          "nbody_best_stride_32,NVIDIA H200,not testable here,\"No data. It holds if BLOCK_STRIDE 32 is at "
          "most 2 % slower than the best (nbody_shared, experiment nbody/shared_block_stride)\",,"),
      std::string::npos)
      << row;
}

TEST_F(Claims, HaveAVerdictForEachGpu) {
  add_a100_run(database_);
  const std::string rows = judged(kHalf);
  EXPECT_NE(rows.find(kHalf + ",NVIDIA A100,confirmed,"), std::string::npos) << rows;
  EXPECT_NE(rows.find("leave a second wave that starts when blocks of the first end"), std::string::npos)
      << rows;
  EXPECT_NE(rows.find(kHalf + ",NVIDIA H200,differs here,"), std::string::npos) << rows;
  const std::string one = judged("nbody_1025_is_a_failed_launch");
  EXPECT_NE(one.find("NVIDIA A100,not testable here,"), std::string::npos) << one;
  EXPECT_NE(one.find("NVIDIA H200,confirmed,"), std::string::npos) << one;
}

TEST_F(Claims, CanBeAskedForByDeviceAndSystem) {
  add_a100_run(database_);
  EXPECT_EQ(judged(kHalf, {{"device", std::string("NVIDIA A100")}}).find("H200"), std::string::npos);
  const std::vector<Claim> claims = list_claims();
  for (const ClaimVerdict& verdict : judge(database_, claims, {{"system", std::string("jacobi")}}))
    EXPECT_EQ(verdict.claim->system, "jacobi");
  EXPECT_EQ(samples::error_of([&] {
              judged(kHalf, {{"devise", std::string("h200")}});
            }),
            "query: it has no parameter 'devise'\n  did you mean 'device'?");
}

TEST_F(Claims, SeeWhatWasAddedSinceTheyWereLastJudged) {
  judged(kHalf);
  add_a100_run(database_);
  EXPECT_NE(judged(kHalf).find("NVIDIA A100,confirmed"), std::string::npos);
  EXPECT_EQ(samples::csv(database_, "SELECT type FROM sqlite_schema WHERE name = 'gpu_trial'"),
            "type\nview\n");
}

TEST_F(Claims, OfADatabaseThatIsOnlyReadAreJudgedToo) {
  Database reader(folder_ / "results.db", Database::Mode::read_only);
  EXPECT_EQ(judge(reader, list_claims(), {{"claim", kHalf}}).at(0).verdict, Judgement::differs_here);
}

TEST_F(Claims, OfTheProjectAreFoundBesideThoseOfTheProgram) {
  std::filesystem::create_directories(folder_ / "analysis/claims");
  std::ofstream(folder_ / "analysis/claims/nbody_mine.sql")
      << kHeader
      << "SELECT 'NVIDIA H200' AS device, 1 AS holds, '2 > 1' AS evidence, '' AS explanation, NULL AS holds_there, '' "
         "AS there";
  const Table table =
      run_query(database_, find_query("claims", folder_ / ""), {{"claim", std::string("nbody_mine")}});
  EXPECT_EQ(samples::csv(table),
            "claim,device,verdict,evidence,explanation,there\nnbody_mine,NVIDIA H200,confirmed,2 > 1,,\n");
}

TEST_F(Claims, WhoseSqlIsWrongNameTheirFile) {
  EXPECT_EQ(error_of_sql("SELECT device FROM gpu_trail"),
            "analysis/claims/mine.sql: query: no such table: gpu_trail\n  SELECT device FROM gpu_trail\n"
            "                     ^ did you mean 'gpu_trial'?");
  EXPECT_EQ(
      error_of_sql("SELECT 1 AS device"),
      "analysis/claims/mine.sql: its columns are not device, holds, evidence, explanation, holds_there, there");
  const auto with = [](const std::string& holds, const std::string& holds_there) {
    return "SELECT 'x' AS device, " + holds + " AS holds, '' AS evidence, '' AS explanation, " + holds_there +
           " AS holds_there, '' AS there";
  };
  EXPECT_EQ(error_of_sql(with("'true'", "1")), "analysis/claims/mine.sql: 'holds' is not 1, 0 or NULL");
  EXPECT_EQ(error_of_sql(with("0", "2")), "analysis/claims/mine.sql: 'holds_there' is not 1, 0 or NULL");
  EXPECT_EQ(
      error_of_sql(with("0", "NULL")),
      "analysis/claims/mine.sql: it does not hold here, and 'holds_there' is NULL\n  say whether it holds on the "
      "study's own GPU, by its figures or by arithmetic");
  EXPECT_EQ(error_of_sql(with("0", "gpu_sms('a1000')")).find("analysis/claims/mine.sql: query: "), 0U);
}

TEST_F(Claims, AreConfirmedRefutedOrDifferentHere) {
  const auto verdict = [&](const std::string& holds, const std::string& holds_there) {
    const Claim claim = parse_claim("mine", kHeader + "SELECT 'NVIDIA H200' AS device, " + holds +
                                                " AS holds, 'e' AS evidence, 'x' AS explanation, " +
                                                holds_there + " AS holds_there, 't' AS there");
    return judge(database_, {claim}).at(0).verdict;
  };
  EXPECT_EQ(verdict("1", "1"), Judgement::confirmed);
  EXPECT_EQ(verdict("1", "0"), Judgement::confirmed);
  EXPECT_EQ(verdict("0", "1"), Judgement::differs_here);
  EXPECT_EQ(verdict("0", "0"), Judgement::refuted);
  EXPECT_EQ(verdict("NULL", "1"), Judgement::not_testable);
}

// 62 registers a thread and blocks of 256 on a V100, as the Jacobi study's profiler prints: 4 blocks an SM, 12.80 waves.
TEST_F(Claims, CanAskWhatHoldsOnTheGpuOfAStudy) {
  add_gpu_functions(database_.handle());
  const auto answer = [&](const std::string& sql) {
    return samples::csv(database_, "SELECT " + sql + " AS x");
  };
  EXPECT_EQ(answer("gpu_sms('v100')"), "x\n80\n");
  EXPECT_EQ(answer("gpu_blocks_per_sm('v100', 256, 62, 44)"), "x\n4\n");
  EXPECT_EQ(answer("gpu_limiter('v100', 256, 62, 44)"), "x\nregisters\n");
  EXPECT_EQ(answer("printf('%.2f', gpu_waves('v100', 4096, 256, 62, 44))"), "x\n12.80\n");
  EXPECT_EQ(answer("gpu_bandwidth('v100')"), "x\n900\n");
  EXPECT_EQ(answer("gpu_sms(NULL)"), "x\n\n");
  EXPECT_NE(samples::error_of([&] { answer("gpu_sms('v1000')"); }).find("v100"), std::string::npos);
}

// Real rows reach every column that a claim reads; those of the fixture do not.
TEST_F(Claims, OfTheRecordedResultsHaveEvidenceAndAnExplanation) {
  Database recorded(folder_ / "recorded.db", Database::Mode::read_write);
  const auto results = std::filesystem::path(TAILWAVE_SOURCE_DIR) / "results/h200";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(results)) {
    // Whole spaces are most of what is recorded, and no claim is about them.
    if (entry.path().parent_path().filename() == "spaces") continue;
    if (entry.is_regular_file() && entry.path().filename().string().find(".json") != std::string::npos)
      import_recorded(recorded, entry.path());
  }
  const std::vector<Claim> claims = list_claims();
  const std::vector<ClaimVerdict> verdicts = judge(recorded, claims);
  EXPECT_EQ(verdicts.size(), claims.size());
  int judged = 0;
  for (const ClaimVerdict& verdict : verdicts) {
    if (verdict.verdict == Judgement::not_testable) continue;
    EXPECT_GT(verdict.evidence.size(), 20U) << verdict.claim->id;
    EXPECT_GT(verdict.explanation.size(), 20U) << verdict.claim->id;
    ++judged;
  }
  EXPECT_GE(judged, 20);
}

// A correct trial whose main launch has counters.
void add_counted_trial(Database& database, const std::string& system, const std::string& experiment,
                       const std::string& variant, const Values& problem, Values parameters,
                       const std::map<std::string, double>& values) {
  ResultStore store(database);
  RunRecord record = samples::run(experiment, "2025-05-01T10:00:00Z");
  record.system = system;
  const std::int64_t run = store.begin_run(record, samples::gpu());
  Trial trial = samples::trial(variant, std::move(parameters), {1000});
  trial.configuration.system = system;
  trial.configuration.problem = problem;
  store.add_trial(run, samples::gpu(),
                  samples::with_launch(trial, 32, 128, 8, "registers", 0.5, {0.2, 0, 0.2, 0.2, 20}));
  CounterRun counters = samples::counted(variant, {}, values);
  counters.configuration = trial.configuration;
  samples::add_counted(database, counters, "2025-05-02T10:00:00Z", experiment);
}

// What samples::counted_values() has, but for some.
std::map<std::string, double> values_with(const std::map<std::string, double>& others) {
  std::map<std::string, double> values = samples::counted_values();
  for (const auto& [metric, value] : others) values[metric] = value;
  return values;
}

TEST_F(Claims, AboutTheCountersOfJacobiAreJudgedFromThem) {
  const auto add = [&](const std::string& variant, const std::map<std::string, double>& others) {
    add_counted_trial(database_, "jacobi", "reduction", variant, {{"N", 1048576}}, {{"BLOCK_SIZE", 256}},
                      values_with(others));
  };
  add("atomic", {{"gpc__cycles_elapsed.max", 3.36e6},
                 {"sm__warps_active.sum", 132.0 * 64 * 0.4 * 16'000},
                 {"smsp__issue_active.sum", 0.004 * 528 * 17'000},
                 {"sm__inst_executed_pipe_fma.sum", 0}});
  EXPECT_NE(judged("jacobi_elapsed_cycles_fall_112_times").find("not testable here"), std::string::npos);
  add("cub_block_reduce", {{"gpc__cycles_elapsed.max", 3e4},
                           {"sm__warps_active.sum", 132.0 * 64 * 0.42 * 16'000},
                           {"smsp__issue_active.sum", 0.3 * 528 * 17'000}});
  const auto expect_confirmed = [&](const std::string& claim, const std::string& evidence) {
    const std::string row = judged(claim);
    EXPECT_NE(row.find(claim + ",NVIDIA H200,confirmed," + evidence), std::string::npos) << row;
  };
  expect_confirmed("jacobi_elapsed_cycles_fall_112_times",
                   "3360000 cycles with atomics and 30000 with CUB: 112 times.");
  expect_confirmed("jacobi_achieved_occupancy_is_4_fifths_of_possible",
                   "40.0 % of 50 % with atomics and 42.0 % of 50 % with CUB: 0.80 and 0.84.");
  expect_confirmed("jacobi_sm_throughput_rises_to_32_percent", "0.40 % with atomics and 33.42 % with CUB.");
}

TEST_F(Claims, AboutStallsAreJudgedFromCounters) {
  const auto add = [&](const std::string& variant, double memory, double execution) {
    add_counted_trial(database_, "nbody_force_law", "variants", variant, {{"N", 20480}},
                      {{"BLOCK_SIZE", 1024}, {"FAST_MATH", false}},
                      values_with({{"smsp__warps_issue_stalled_long_scoreboard.sum", memory * 4e6},
                                   {"smsp__warps_issue_stalled_wait.sum", execution * 4e6},
                                   {"sm__warps_active.sum", (memory + execution + 2) * 4e6}}));
  };
  add("gpu5_repaired", 3, 12);
  add("v1", 3, 6);
  const auto verdict = [&](const std::string& claim) {
    const std::string row = judged(claim);
    const std::string device = "NVIDIA H200,";
    const std::size_t begin = row.find(device) + device.size();
    return row.substr(begin, row.find(',', begin) - begin);
  };
  // One of each 16, and of each 10, warps that wait does so for nothing that was counted.
  EXPECT_EQ(verdict("nbody_force_law_memory_stalls_30_percent"), "confirmed");
  EXPECT_EQ(verdict("nbody_force_law_stalls_fall_38_percent"), "confirmed");
  EXPECT_EQ(verdict("nbody_force_law_gpu5_stalls_on_execution"), "confirmed");
  EXPECT_NE(judged("nbody_force_law_stalls_fall_38_percent")
                .find("15.00 warps wait for each that issues in gpu5 and 9.00 in v1: 40.0 % less."),
            std::string::npos);
}

// Ours are other kernels: a claim about an edition is one about what was printed.
TEST_F(Claims, AboutEditionsOfParticlesAreJudgedFromThePrintedOnes) {
  ResultStore store(database_);
  RunRecord record = samples::run("editions", "2025-05-01T10:00:00Z");
  record.system = "particles";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  const auto add = [&](const std::string& variant, Values parameters, double nanoseconds) {
    Trial trial = samples::trial(variant, std::move(parameters), {nanoseconds});
    trial.configuration.system = "particles";
    trial.configuration.problem = {{"N", 1000}, {"STEPS", 1000}};
    const bool host = variant.starts_with("cpu") || variant.starts_with("serial");
    const DeviceDescription device = host ? samples::cpu() : samples::gpu();
    store.add_trial(
        run, device,
        host ? trial
             : samples::with_launch(trial, 8, 128, 10, "registers", 0.6, {0.006, 0, 0.006, 0.006, 8}));
  };
  const std::string claim = "particles_gpu_60_times_one_core";
  add("cpu", {}, 21e9);
  add("basic", {{"BLOCK_SIZE", 128}}, 0.36e9);
  EXPECT_NE(judged(claim).find(",not testable here,"), std::string::npos) << judged(claim);
  add("serial", {{"ARITHMETIC", "plain"}}, 21e9);
  add("gpu", {{"ARITHMETIC", "contracted"}, {"BLOCK_SIZE", 128}}, 0.36e9);
  EXPECT_NE(judged(claim).find(",confirmed,serial takes 21.000 s and gpu 360.00 ms: 58.3 times.,"),
            std::string::npos)
      << judged(claim);
}

TEST_F(Claims, AboutTheOrderOfParticlesCountsThoseThatAreElsewhere) {
  ResultStore store(database_);
  RunRecord record = samples::run("order_of_additions", "2025-05-01T10:00:00Z");
  record.system = "particles";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  Trial trial = samples::trial("serial_halves", {{"ARITHMETIC", "plain"}}, {});
  trial.configuration.system = "particles";
  trial.configuration.problem = {{"N", 1000}, {"STEPS", 1000}};
  trial.outcome = Outcome::wrong_result;
  trial.verifications.push_back({.phase = "before", .buffer = "differing", .norm = "range", .error = 374});
  store.add_trial(run, samples::cpu(), trial);
  const std::string row = judged("particles_order_of_particles_shows");
  EXPECT_NE(row.find(",confirmed,After 1000 steps 374 of 1000 particles are elsewhere.,"), std::string::npos)
      << row;
}

TEST(Claim, NamesTheFieldThatIsMissing) {
  EXPECT_EQ(samples::error_of(
                [] { parse_claim("mine", "-- claim: x\n-- system: nbody\n-- holds if: x\nSELECT 1"); }),
            "analysis/claims/mine.sql: the field 'source' is missing\n  a claim begins with '-- claim: ', "
            "'-- system: ', '-- source: ', '-- place: ' and '-- holds if: '");
}

TEST(Claim, HasFieldsOfSeveralLines) {
  const Claim claim = parse_claim("mine", kHeader + "--   and stays so\nSELECT 1\n--   not this\n");
  EXPECT_EQ(claim.holds_if, "it is and stays so");
  EXPECT_EQ(claim.source, "a study");
}

}  // namespace
}  // namespace tailwave
