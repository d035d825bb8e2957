#include "report/summary.h"

#include <gtest/gtest.h>

#include "report/report_fixture.h"

namespace tailwave {
namespace {

using SummaryTable = samples::ReportFixture;

TEST_F(SummaryTable, MeasuresNoHostVariantAgainstKernels) {
  ResultStore store(database_);
  samples::add_run_beside_host(store);
  EXPECT_EQ(samples::csv(summary_table(database_, "beside_host", "Test CPU (2 cores)").shown),
            "variant,BLOCK_SIZE,outcome,median us,G interactions/s,of the best,blocks/SM,limiter,waves\n"
            "basic,32,correct,2000,8.389,0.5,,,\n"
            "basic,64,correct,1000,16.78,1,,,\n"
            "cpu,,correct,100,167.8,,,,\n"
            "cpu_fp64,,correct,300,55.92,,,,\n");
}

TEST_F(SummaryTable, ShowsARunAtAGlance) {
  EXPECT_EQ(
      tailwave::render(summary_table(database_, "basic_block_size", "NVIDIA H200").shown, TableFormat::table),
      "BLOCK_SIZE  outcome               median us  noise      G interactions/s  of the best  "
      "blocks/SM  limiter  "
      "waves\n"
      "----------  --------------------  ---------  ---------  ----------------  -----------  "
      "---------  -------  "
      "-----\n"
      "         1  correct                    1100  4 samples             15.25       0.3182         "
      "32  blocks   "
      " 0.97\n"
      "         2  correct                     610  3 samples              27.5       0.5738         "
      "32  blocks   "
      " 0.48\n"
      "        30  wrong_result                  -  -                         -            -          "
      "-  -        "
      "    -\n"
      "        32  correct                     350  4 samples             47.93            1         "
      "32  blocks   "
      " 0.03\n"
      "      1025  exceeds_device_limit          -  -                         -            -          "
      "-  -        "
      "    -\n");
}

TEST_F(SummaryTable, NamesTheDeviceThatOccupancyIsPredictedFor) {
  const Table table = summary_table(database_, "nbody/basic_block_size", "Test CPU (2 cores)").shown;
  EXPECT_EQ(table.columns[6], "blocks/SM (a100)");
  EXPECT_EQ(table.rows.size(), 2U);
}

TEST_F(SummaryTable, HasTheBestRowsOnlyWhenThereAreMany) {
  const RunTable best = summary_table(database_, "variants", "NVIDIA H200", 2);
  ASSERT_EQ(best.shown.rows.size(), 2U);
  EXPECT_EQ(best.configurations, 4U);
  EXPECT_EQ(samples::csv(best.shown),
            "FAST_MATH,outcome,median us,noise,G interactions/s,of the best,blocks/SM,limiter,waves\n"
            "true,correct,14,1 sample,1198,1,,,\nfalse,correct,21,1 sample,798.9,0.6667,,,\n");
}

TEST_F(SummaryTable, RefusesADeviceWithoutTrials) {
  EXPECT_EQ(
      samples::error_of([&] { summary_table(database_, "variants", "NVIDIA A100"); }),
      (folder_ / "results.db").string() + ": no trials of experiment 'variants' on device 'NVIDIA A100'");
}

}  // namespace
}  // namespace tailwave
