#include "report/advice.h"

#include <gtest/gtest.h>

#include "occupancy/occupancy.h"
#include "report/advice_rule.h"
#include "report/fixture.h"
#include "report/queries.h"
#include "report/report.h"

namespace tailwave {
namespace {

constexpr std::int64_t kBlockBytes = 54 * 1024;  // so that 4 blocks of 64 threads fit an SM of an H200

Trial advised_trial(int size, int stride, int n, double time_ns, int blocks_per_sm) {
  const std::int64_t grid = (n + size - 1) / size * stride;
  const double waves = static_cast<double>(grid) / (132.0 * blocks_per_sm);
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) times.push_back(time_ns * (1 + 1e-4 * (i * 7 % 20 - 10)));
  Trial trial =
      samples::with_launch(samples::trial("shared", {{"BLOCK_SIZE", size}, {"BLOCK_STRIDE", stride}}, times),
                           grid, size, blocks_per_sm, "shared_memory", 0.125, {.waves = waves});
  trial.launches.back().dynamic_shared_bytes = kBlockBytes * size / 64;
  trial.configuration.problem["N"] = n;
  trial.work = {{"interactions", std::int64_t{n} * n}};
  return trial;
}

// 554 blocks of 64 threads where 528 run at once, twice the stride, a size that is wrong and one that fills fewer
// SMs, and the problem whose blocks are a whole wave.
void add_advised_run(Database& database) {
  ResultStore store(database);
  const std::int64_t run = store.begin_run(samples::run("advised", "2025-01-07T10:00:00Z"), samples::gpu());
  for (const Trial& trial : {advised_trial(64, 1, 35456, 1e6, 4), advised_trial(64, 2, 35456, 8e5, 4),
                             advised_trial(256, 1, 35456, 9e5, 1), advised_trial(64, 1, 33792, 5e5, 4)})
    store.add_trial(run, samples::gpu(), trial);
  Trial wrong = samples::failed("shared", {{"BLOCK_SIZE", 128}, {"BLOCK_STRIDE", 1}}, Outcome::wrong_result,
                                "bodies[3]");
  wrong.configuration.problem["N"] = 35456;
  store.add_trial(run, samples::gpu(), wrong);
}

const Values kAdvised{{"experiment", std::string("advised")}};
const std::string kFirst = "nbody/shared/BLOCK_SIZE:64/BLOCK_STRIDE:1/DT:0.01/N:35456";

// A curve of the first configuration of that run: two models, the nearer of which has a wave that is cheaper than the
// rule thinks, and what three grids took.
void add_curve(Database& database) {
  database
      .prepare(
          "INSERT INTO grid_curve SELECT 1, device.id, configuration.id, 'nbody', 'advised', "
          "'2025-01-08T10:00:00Z', '', '', '', 0, 'body_force', 132, 4, 64, 554, NULL, NULL "
          "FROM device, configuration WHERE device.kind = 'cuda' AND configuration.name = ?")
      .bind_all(kFirst)
      .step();
  for (const auto& [blocks, time_ns, fitted] : {std::tuple{528, 8e5, 1}, {554, 1e6, 0}, {660, 1e6, 0}})
    for (int position = 0; position < 3; ++position)
      database.prepare("INSERT INTO grid_sample VALUES (1, ?, ?, ?, ?)")
          .bind_all(blocks, position, time_ns + position - 1, fitted)
          .step();
  for (const auto& [model, blocks, time_ns] : {std::tuple{"staircase", 528, 8e5},
                                               {"staircase", 554, 1.6e6},
                                               {"staircase", 660, 1.6e6},
                                               {"partial_wave", 528, 8e5},
                                               {"partial_wave", 554, 9.9e5},
                                               {"partial_wave", 660, 1.1e6}})
    database.prepare("INSERT INTO grid_prediction VALUES (1, ?, ?, ?)")
        .bind_all(model, blocks, time_ns)
        .step();
}

class AdviceTest : public samples::Fixture {
 protected:
  std::string answer(const std::string& query, Values parameters) {
    return samples::csv(run_query(database_, find_query(query), parameters));
  }
  // One expression, with the functions of the rule.
  std::string value_of(const std::string& expression) {
    return samples::csv(run_query(database_, parse_query("one", "SELECT " + expression + " AS value")));
  }
  std::string page_of(const std::string& experiment) {
    render_report(database_, {{experiment}, folder_ / "report"});
    return samples::read_file(folder_ / ("report/nbody/" + experiment + ".md"));
  }
};

TEST_F(AdviceTest, HasItsRuleInSql) {
  EXPECT_EQ(value_of("wave_balance(554, 132, 4) * 660"), "value\n554\n");
  EXPECT_EQ(value_of("latency_hiding(554, 64, 132, 4)"), "value\n0.625\n");
  EXPECT_EQ(value_of("wave_balance(554, NULL, 4) IS NULL AND wave_balance(554, 132, 0) IS NULL"),
            "value\n1\n");
}

TEST_F(AdviceTest, AsksTheOccupancyCalculatorInSql) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  EXPECT_EQ(value_of("occupancy_blocks('h200', 32, 0, 1024)"), "value\n2\n");
  EXPECT_EQ(value_of("occupancy_blocks('NVIDIA H200', 40, 55296, 64)"), "value\n4\n");
  EXPECT_EQ(value_of("occupancy_blocks('h200', 32, 300000, 64)"), "value\n0\n");
  EXPECT_EQ(value_of("occupancy_blocks('no such device', 32, 0, 64) IS NULL"), "value\n1\n");
  EXPECT_EQ(value_of("occupancy_blocks('h200', NULL, 0, 64) IS NULL"), "value\n1\n");
}

TEST_F(AdviceTest, RestsOnChangesOfOneNumberThatCutTheSameWork) {
  add_advised_run(database_);
  EXPECT_EQ(
      samples::csv(database_,
                   "SELECT parameter, setting, new_setting, grid, new_grid, round(work_ratio, 4) AS work, "
                   "round(gain, 4) AS gain FROM trial_change WHERE experiment = 'advised' "
                   "ORDER BY parameter, setting, new_setting"),
      "parameter,setting,new_setting,grid,new_grid,work,gain\n"
      "BLOCK_SIZE,64,256,554,139,1,1.1111\nBLOCK_SIZE,256,64,139,554,1,0.9\n"
      "BLOCK_STRIDE,1,2,554,1108,2,1.25\nBLOCK_STRIDE,2,1,1108,554,0.5,0.8\n"
      "N,33792,35456,528,554,1.0492,0.5505\nN,35456,33792,554,528,0.9531,1.8167\n");
}

TEST_F(AdviceTest, LeavesOutParametersThatChangeWhatAThreadDoes) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("coarsened", "2025-01-07T10:00:00Z"), samples::gpu());
  for (const int bodies : {1, 2}) {
    Trial trial = advised_trial(64, 1, 33792 / bodies, 1e6, 4);
    trial.configuration.problem["N"] = 33792;
    trial.configuration.parameters["BODIES_PER_THREAD"] = bodies;
    store.add_trial(run, samples::gpu(), trial);
  }
  EXPECT_EQ(samples::csv(database_, "SELECT count(*) AS n FROM trial_change WHERE experiment = 'coarsened'"),
            "n\n0\n");
}

TEST_F(AdviceTest, RanksWhatWasRunAndWhatWasNotByPredictedGain) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add_advised_run(database_);
  samples::expect_file(answer("advice", kAdvised), "advice.csv");
}

TEST_F(AdviceTest, IsGivenForAnyConfigurationByName) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add_advised_run(database_);
  Values parameters = kAdvised;
  parameters["configuration"] = kFirst;
  samples::expect_file(answer("advice", parameters), "advice_of_one.csv");
  parameters["limit"] = 1;
  parameters["configuration"] = std::string("all");
  EXPECT_EQ(run_query(database_, find_query("advice"), parameters).rows.size(), 3U);
  parameters["least"] = 100;
  EXPECT_EQ(run_query(database_, find_query("advice"), parameters).rows.size(), 0U);
}

TEST_F(AdviceTest, NamesTheNextBlockSizeThatWasNotTriedAndDidNotFail) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("large", "2025-01-07T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), advised_trial(512, 1, 4096, 1e6, 1));
  const auto advised = [&] {
    const Table table = run_query(database_, find_query("advice"), {{"experiment", std::string("large")}});
    return fmt::format("{} {}", table.rows.size(),
                       table.rows.empty() ? 0 : std::get<std::int64_t>(table.rows.front().at(6)));
  };
  // 8 SMs have 16 warps each; 16 SMs would have 8, and 32 SMs 4, which is as good.
  EXPECT_EQ(advised(), "1 256");
  Trial wrong = samples::failed("shared", {{"BLOCK_SIZE", 256}, {"BLOCK_STRIDE", 1}}, Outcome::wrong_result,
                                "bodies[3]");
  store.add_trial(run, samples::gpu(), wrong);
  EXPECT_EQ(advised(), "1 128");
}

TEST_F(AdviceTest, TakesGridsFromTheBestModelOfACurveAndWhatTheyTook) {
  add_advised_run(database_);
  add_curve(database_);
  Values parameters = kAdvised;
  parameters["configuration"] = kFirst;
  parameters["limit"] = 20;
  Table table = run_query(database_, find_query("advice"), parameters);
  std::string text;
  for (const auto& row : table.rows)
    if (std::get<std::string>(row.at(15)) != "rule")
      text += fmt::format("{} {} {:.4f} {:.4f}\n", std::get<std::int64_t>(row.at(8)),
                          std::get<std::string>(row.at(15)), std::get<double>(row.at(16)),
                          std::get<double>(row.at(20)));
  // 660 / 1.1e6 over 554 / 9.9e5; it took 1e6, as 554 did. 528 is a problem that was run.
  EXPECT_EQ(text, "660 partial_wave 1.0722 1.1913\n");
}

TEST_F(AdviceTest, SaysHowOftenItWasRight) {
  add_advised_run(database_);
  samples::expect_file(answer("advice_record", kAdvised), "advice_record.csv");
}

TEST_F(AdviceTest, IsASectionOfTheExperimentsPage) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add_advised_run(database_);
  const std::string page = page_of("advised");
  const std::size_t start = page.find("\n### Advice\n");
  ASSERT_NE(start, std::string::npos) << page;
  samples::expect_file(page.substr(start, page.find("\n## ", start) - start), "advice_section.md");
}

TEST_F(AdviceTest, IsNoSectionWhereThereIsNothingToGain) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("full", "2025-01-07T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), advised_trial(64, 1, 33792, 5e5, 4));
  EXPECT_EQ(page_of("full").find("### Advice"), std::string::npos);
  EXPECT_EQ(answer("advice", {{"experiment", std::string("full")}}).find("nbody/full"), std::string::npos);
}

// Of what the rule can say here, only what was measured and gained stays.
TEST_F(AdviceTest, DoesNotTrustARuleThatWasWrongMoreOftenThanRight) {
  Study study{"nbody", "advised", "", "interactions_per_second", true, {}};
  DeviceStudy device;
  device.device = "NVIDIA H200";
  device.kind = DeviceKind::cuda;
  Advice untried{"nbody/advised", "NVIDIA H200", "c", "grid", "554", "528", 554, 528, 1.05, 1};
  untried.predicted_by = Advice::kRule;
  untried.predicted_gain = untried.balance_gain = 1.9;
  Advice measured = untried;
  measured.parameter = "N";
  measured.measured_gain = 1.8;
  AllAdvice all{{untried, measured}, {{"nbody/advised", "NVIDIA H200", 6, 4}}};
  const auto bullets = [&] {
    const std::string text = advice_section(study, device, all);
    return std::count(text.begin(), text.end(), '-');
  };
  EXPECT_EQ(bullets(), 2);
  all.records.front().faster = 3;
  EXPECT_EQ(bullets(), 1);
  all.advice.pop_back();
  EXPECT_EQ(advice_section(study, device, all), "");
}

}  // namespace
}  // namespace tailwave
