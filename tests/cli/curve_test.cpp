#include <gmock/gmock.h>

#include <cmath>

#include "cli/project_fixture.h"
#include "store/observation_store.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class CurveCommandTest : public ProjectFixture {
 protected:
  // Of a kernel that takes 1 us and as much again for each wave of 20 blocks.
  void store_curve(const std::vector<std::int64_t>& fitted, const std::vector<std::int64_t>& held_out) const {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    GridCurve curve;
    curve.configuration.system = "transpose";
    curve.configuration.variant = "tile";
    curve.kernel = "transpose";
    curve.full_grid = 60;
    curve.sms = 10;
    curve.blocks_per_sm = 2;
    const auto time_ns = [](std::int64_t blocks) {
      return 1000.0 * std::ceil(static_cast<double>(blocks) / 20);
    };
    for (const std::int64_t blocks : fitted) curve.samples.push_back({blocks, true, {time_ns(blocks)}});
    for (const std::int64_t blocks : held_out) curve.samples.push_back({blocks, false, {time_ns(blocks)}});
    DeviceDescription device;
    device.kind = DeviceKind::cuda;
    device.name = "Some GPU";
    add_grid_curve(database, {.system = "transpose", .experiment = "tile_size"}, device, curve);
  }
};

TEST_F(CurveCommandTest, RefitsStoredCurvesWithoutAGpu) {
  store_curve({1, 10, 20, 21, 40, 60}, {15, 30, 50});
  for (int time = 1; time <= 2; ++time) {
    const CommandResult result = tailwave({"curve", "--refit"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("\n  transpose: 9 grids of 1 to 60 blocks, 2 an SM and 10 SMs\n"
                                      "  median error on held-out grids: "));
    EXPECT_THAT(result.out, HasSubstr("staircase 0 %"));
  }
  EXPECT_EQ(scalar("SELECT count(*) FROM grid_prediction WHERE model = 'staircase'"), "10");
  EXPECT_EQ(scalar("SELECT max(abs(relative_error)) FROM grid_error WHERE model = 'selected'"), "0");
  EXPECT_THAT(tailwave({"query", "model_errors", "--format", "csv"}).out,
              HasSubstr("Some GPU,cuda,all,selected,1,3,0,0,0\n"));
}

TEST_F(CurveCommandTest, RefitSaysWhichCurveHasTooFewGrids) {
  store_curve({1, 10}, {5});
  const CommandResult result = tailwave({"curve", "--refit"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.err,
            "transpose/tile: 2 grids to fit wave models to, they need at least 3\n  take a problem with more "
            "blocks\n");
  EXPECT_EQ(scalar("SELECT count(*) FROM grid_prediction"), "0");
}

TEST_F(CurveCommandTest, RefitSaysWhenThereIsNothingToFit) {
  const CommandResult missing = tailwave({"curve", "--refit", "--db", "none.db"});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_EQ(missing.err,
            "none.db: there is no such database\n  'tailwave run SPEC --db none.db' would make it\n");
  Database(project_ / "empty.db", Database::Mode::read_write);
  const CommandResult empty = tailwave({"curve", "--refit", "--db", "empty.db"});
  EXPECT_EQ(empty.exit_status, 2);
  EXPECT_EQ(empty.err, "empty.db: there are no curves to fit models to\n");
}

TEST_F(CurveCommandTest, NeedsAnExperimentOrRefit) {
  const CommandResult none = tailwave({"curve"});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_EQ(
      none.err,
      "curve: SPEC is missing\n  an experiment file; or --refit, for the curves that the database has\n");
  const CommandResult both = tailwave({"curve", "--refit", "some.json"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_EQ(both.err, "curve: SPEC and --refit exclude each other\n  give one of them\n");
}

}  // namespace
}  // namespace tailwave
