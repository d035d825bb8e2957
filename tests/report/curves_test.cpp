// What is said of the wave models, against errors computed by hand.
#include "report/curves.h"

#include <gmock/gmock.h>

#include "report/fixture.h"
#include "report/queries.h"
#include "report/report.h"

namespace tailwave {
namespace {

constexpr const char* kBasic = "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096";

class Curves : public samples::Fixture {
 protected:
  // A curve of this configuration on two SMs with two blocks each. Held out are 2 blocks, which took 100 ns, and 6,
  // which took 200; models were fitted to 4.
  std::int64_t add_curve(const std::string& configuration, const std::string& experiment,
                         const std::string& measured_at, double factor = 1) {
    database_
        .prepare(R"(
      INSERT INTO grid_curve (device_id, configuration_id, system, experiment, measured_at, driver, compiler,
        project_commit, position, kernel, sms, blocks_per_sm, block_threads, full_grid)
      SELECT device.id, configuration.id, configuration.system, ?, ?, '', '', '', 0, 'body_force', 2, 2, 32, 8
      FROM device, configuration WHERE device.kind = 'cuda' AND configuration.name = ?)")
        .bind_all(experiment, measured_at, configuration)
        .run();
    const std::int64_t id = database_.last_row_id();
    database_.execute(fmt::format(R"(
      INSERT INTO grid_sample VALUES ({0}, 2, 0, 90, 0), ({0}, 2, 1, 100, 0), ({0}, 2, 2, 300, 0), ({0}, 4, 0, 100, 1),
        ({0}, 6, 0, 190, 0), ({0}, 6, 1, 210, 0);
      INSERT INTO grid_prediction VALUES ({0}, 'staircase', 2, {1} * 130.0), ({0}, 'staircase', 4, 5), ({0}, 'staircase', 5, 9),
        ({0}, 'staircase', 6, {1} * 160.0), ({0}, 'sm_load', 2, {1} * 101.0), ({0}, 'sm_load', 6, {1} * 206.0),
        ({0}, 'selected', 2, {1} * 110.0), ({0}, 'selected', 6, {1} * 220.0);)",
                                  id, factor));
    return id;
  }
};

TEST_F(Curves, GridErrorComparesPredictionsWithMediansOfHeldOutGrids) {
  add_curve(kBasic, "basic_block_size", "2025-06-01");
  EXPECT_EQ(samples::csv(database_,
                         "SELECT curve_id, model, blocks, waves, median_ns, predicted_ns, "
                         "round(relative_error, 6) AS relative_error FROM grid_error "
                         "WHERE model <> 'selected' ORDER BY model, blocks"),
            "curve_id,model,blocks,waves,median_ns,predicted_ns,relative_error\n"
            "1,sm_load,2,0.5,100,101,0.01\n1,sm_load,6,1.5,200,206,0.03\n"
            "1,staircase,2,0.5,100,130,0.3\n1,staircase,6,1.5,200,160,-0.2\n");
}

TEST_F(Curves, GridErrorLeavesOutGridsThatTookNoTime) {
  const std::int64_t id = add_curve(kBasic, "basic_block_size", "2025-06-01");
  database_.execute(fmt::format("UPDATE grid_sample SET time_ns = 0 WHERE curve_id = {} AND blocks = 6", id));
  EXPECT_EQ(samples::csv(database_, "SELECT count(*) AS n, max(blocks) AS blocks FROM grid_error"),
            "n,blocks\n3,2\n");
}

TEST_F(Curves, ModelErrorsAnswersAsExpected) {
  add_curve(kBasic, "basic_block_size", "2025-06-01", 3);  // a later one counts
  add_curve(kBasic, "residency", "2025-07-01");
  add_curve("jacobi/atomic/BLOCK_SIZE:64/N:4194304", "block_size", "2025-06-01", 2);
  samples::expect_file(samples::csv(run_query(database_, find_query("model_errors"), {})),
                       "model_errors.csv");
}

TEST_F(Curves, ModelErrorsTakesAnExperimentASystemAndADevice) {
  add_curve(kBasic, "basic_block_size", "2025-06-01");
  const auto rows = [&](const Values& parameters) {
    return run_query(database_, find_query("model_errors"), parameters).rows.size();
  };
  EXPECT_EQ(rows({}), 6U);
  EXPECT_EQ(rows({{"experiment", std::string("nbody/basic_block_size")}, {"device", std::string("cuda")}}),
            6U);
  EXPECT_EQ(rows({{"system", std::string("jacobi")}}), 0U);
  EXPECT_EQ(rows({{"experiment", std::string("variants")}}), 0U);
  EXPECT_EQ(rows({{"device", std::string("cpu")}}), 0U);
}

TEST_F(Curves, AreASectionOfEveryPageWithTheirConfiguration) {
  add_curve(kBasic, "residency", "2025-06-01", 3);
  add_curve(kBasic, "residency", "2025-07-01");
  render_report(database_, {{}, folder_ / "report"});
  const std::string page = samples::read_file(folder_ / "report/nbody/basic_block_size.md");
  EXPECT_THAT(page, testing::HasSubstr("\n### Wave models\n"));
  EXPECT_THAT(page, testing::HasSubstr(
                        "| `BLOCK_SIZE 32` | `body_force` | 2 | 1.5 | 25.0 % (29.5 %) | 10.0 % (10.0 %) | "
                        "2.0 % (2.9 %) | `sm_load` |\n"));
  EXPECT_THAT(samples::read_file(folder_ / "report/jacobi/block_size.md"),
              testing::Not(testing::HasSubstr("Wave models")));
}

}  // namespace
}  // namespace tailwave
