#include "store/contents.h"

#include <gmock/gmock.h>

#include "store/observation_store.h"
#include "store/sample_counters.h"
#include "store/sample_timelines.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Contents : public ::testing::Test {
 protected:
  std::int64_t add_run(const std::string& experiment, const DeviceDescription& device) {
    RunRecord record = samples::run(experiment, "2025-01-01T10:00:00Z");
    record.commit = "abc1234-dirty";
    return store_.begin_run(record, device);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(Contents, AreFoundByName) {
  const std::int64_t run = add_run("block_size", samples::gpu());
  EXPECT_TRUE(has_run(database_, run));
  EXPECT_FALSE(has_run(database_, run + 1));
  EXPECT_TRUE(has_commit(database_, "abc1"));
  EXPECT_FALSE(has_commit(database_, "bc12"));
  EXPECT_TRUE(has_device(database_, samples::gpu().name));
  EXPECT_TRUE(has_device(database_, "cuda"));
  EXPECT_FALSE(has_device(database_, "cpu"));
}

TEST_F(Contents, AreResultsOnceThereIsATrialOrACurve) {
  const std::int64_t run = add_run("block_size", samples::gpu());
  EXPECT_FALSE(has_results(database_, "nbody", "block_size"));
  store_.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000}));
  EXPECT_TRUE(has_results(database_, "nbody", "block_size"));
  EXPECT_FALSE(has_results(database_, "jacobi", "block_size"));
  GridCurve curve;
  curve.sms = curve.blocks_per_sm = 1;
  curve.kernel = "body_force";
  curve.configuration = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {}).configuration;
  add_grid_curve(database_, {.system = "nbody", .experiment = "residency"}, samples::gpu(), curve);
  EXPECT_TRUE(has_results(database_, "nbody", "residency"));
}

TEST_F(Contents, HaveADeviceOfTheLatestRunOfAnExperiment) {
  add_run("block_size", samples::gpu());
  add_run("block_size", samples::cpu());
  add_run("others", samples::gpu());
  const std::vector<std::string> both{samples::gpu().name, samples::cpu().name};
  EXPECT_EQ(latest_device(database_, "block_size", both), samples::cpu().name);
  EXPECT_EQ(latest_device(database_, "nbody/others", both), samples::gpu().name);
  EXPECT_EQ(latest_device(database_, "block_size", {samples::gpu().name}), samples::gpu().name);
  EXPECT_EQ(latest_device(database_, "none", both), both.front());
}

TEST_F(Contents, AreCountersToo) {
  samples::add_counted(database_, samples::counted("basic", {}, {{"a__x.sum", 3}}), "2025-01-01T10:00:00Z");
  EXPECT_TRUE(has_results(database_, "nbody", "variants"));
  EXPECT_THAT(devices_of(database_, "variants"), ElementsAre(samples::gpu().name));
}

TEST_F(Contents, AreTimelinesToo) {
  samples::store_timeline(database_, samples::sample_timeline(), "2025-01-01T10:00:00Z");
  EXPECT_TRUE(has_results(database_, "nbody", "variants"));
  EXPECT_THAT(devices_of(database_, "variants"), ElementsAre(samples::gpu().name));
}

TEST_F(Contents, NameTheDevicesOfAnExperimentAndOfAll) {
  EXPECT_THAT(devices_that_ran(database_), IsEmpty());
  add_run("block_size", samples::gpu());
  add_run("variants", samples::cpu());
  EXPECT_THAT(devices_of(database_, "variants"), ElementsAre(samples::cpu().name));
  EXPECT_THAT(devices_of(database_, "stride"), IsEmpty());
  EXPECT_EQ(devices_that_ran(database_).size(), 2U);
}

}  // namespace
}  // namespace tailwave
