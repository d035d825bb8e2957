#include "store/simulation_store.h"

#include <gtest/gtest.h>

#include "store/sample_data.h"

namespace tailwave {
namespace {

TEST(SimulationStore, KeepsASimulationWithItsSeedsAndSteps) {
  const samples::TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  SimulationRecord record{
      .simulated_at = "2025-01-01T10:00:00Z", .space = "nbody/tuning", .device = "some GPU"};
  record.role = Role::training;
  record.points = 10;
  record.failed = 2;
  record.budget = 3;
  record.budget_seconds = 12.5;
  record.optimum = 1.5;
  record.median = 4;
  record.strategy = "genetic";
  record.options = {{"mutation", 0.5}, {"population", 20}};
  record.given = {{"population", 20}};
  record.seconds = 0.25;
  record.seeds = {{7, 0.5, 0.5, 1.5, 0.75}, {8, -2, -1}};
  record.steps = {{1, 3, 2.5, 2, 4}, {3, 2, 1.5, 1.5, 2}};
  EXPECT_EQ(add_simulation(database, record), 1);
  EXPECT_EQ(add_simulation(database, record), 2);
  EXPECT_EQ(
      samples::csv(database, "SELECT * FROM simulation WHERE id = 1"),
      "id,simulated_at,space,device,role,points,failed,optimum,median,budget,budget_seconds,strategy,options,given,seconds\n"
      "1,2025-01-01T10:00:00Z,nbody/tuning,some GPU,training,10,2,1.5,4,3,12.5,genetic,"
      "\"{\"\"mutation\"\":0.5,\"\"population\"\":20.0}\",\"{\"\"population\"\":20.0}\",0.25\n");
  EXPECT_EQ(samples::csv(database, "SELECT * FROM simulation_seed WHERE simulation_id = 2"),
            "simulation_id,seed,score,bounded_score,best,score_by_time\n2,7,0.5,0.5,1.5,0.75\n2,8,-2,-1,,\n");
  EXPECT_EQ(samples::csv(database, "SELECT * FROM simulation_step WHERE simulation_id = 1"),
            "simulation_id,evaluation,baseline,median,low,high\n1,1,3,2.5,2,4\n1,3,2,1.5,1.5,2\n");
}

TEST(SimulationStore, AddsNothingOfASimulationThatTheSchemaRefuses) {
  const samples::TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  SimulationRecord record{
      .simulated_at = "2025-01-01T10:00:00Z", .space = "nbody/tuning", .device = "some GPU"};
  record.strategy = "genetic";
  record.budget = 1;
  record.seeds = {{7, 0.5, 0.5, 1.5}, {7, 0.5, 0.5, 1.5}};
  EXPECT_THROW(add_simulation(database, record), Error);
  EXPECT_EQ(samples::csv(database, "SELECT count(*) AS n FROM simulation"), "n\n0\n");
}

}  // namespace
}  // namespace tailwave
