#include "store/device_times.h"

#include <gtest/gtest.h>

#include "store/sample_data.h"

namespace tailwave {
namespace {

class DeviceTimes : public testing::Test {
 protected:
  std::int64_t begin(const DeviceDescription& device,
                     const std::string& started_at = "2025-01-01T10:00:00Z") {
    return store_.begin_run(samples::run("variants", started_at), device);
  }
  std::vector<DeviceTime> times(const std::string& device = "NVIDIA H200") {
    return device_times(database_, "nbody", "variants", device);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(DeviceTimes, AreMediansWithTheMainLaunch) {
  const std::int64_t run = begin(samples::gpu());
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {100, 300, 200});
  trial.launches = {samples::launch("body_force", 128, 32, 16, "blocks", 0.25, {0.06, 0, 0.06, 0.06, 128})};
  store_.add_trial(run, samples::gpu(), trial);
  store_.add_trial(run, samples::gpu(),
                   samples::failed("basic", {{"BLOCK_SIZE", 64}}, Outcome::wrong_result, "all of it"));
  const std::vector<DeviceTime> found = times();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].configuration, "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096");
  EXPECT_EQ(found[0].time_ns, 200);
  EXPECT_EQ(found[0].mode, "isolated");
  ASSERT_TRUE(found[0].launch);
  EXPECT_EQ(found[0].launch->grid, 128);
  EXPECT_EQ(found[0].launch->blocks_per_sm, 16);
  EXPECT_EQ(found[1].outcome, Outcome::wrong_result);
  EXPECT_FALSE(found[1].time_ns);
}

TEST_F(DeviceTimes, OfTheSameMachineCodeAreThoseOfTheOneThatWasMeasured) {
  const std::int64_t run = begin(samples::gpu());
  const Trial measured = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {100});
  store_.add_trial(run, samples::gpu(), measured);
  Trial twin = samples::failed("basic", {{"BLOCK_SIZE", 33}}, Outcome::skipped_identical, "");
  twin.same_as = measured.configuration.name();
  store_.add_trial(run, samples::gpu(), twin);
  const std::vector<DeviceTime> found = times();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].time_ns, 100);
}

TEST_F(DeviceTimes, LeaveOutWhatRanElsewhereAndEarlier) {
  const std::int64_t old = begin(samples::gpu());
  store_.add_trial(old, samples::gpu(), samples::trial("basic", {}, {900}));
  const std::int64_t run = begin(samples::gpu(), "2025-01-02T10:00:00Z");
  store_.add_trial(run, samples::gpu(), samples::trial("basic", {}, {100}));
  store_.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {50'000}));
  store_.add_trial(begin(samples::cpu()), samples::cpu(), samples::trial("basic", {}, {70'000}));
  const std::vector<DeviceTime> found = times();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].time_ns, 100);
  EXPECT_TRUE(times("Test CPU (2 cores)").empty());
}

TEST_F(DeviceTimes, KnowTheDeviceAndTheExperimentsOfGpus) {
  EXPECT_FALSE(run_device(database_, "nbody", "variants", "NVIDIA H200"));
  const std::int64_t run = begin(samples::gpu());
  store_.add_trial(run, samples::gpu(), samples::trial("basic", {}, {100}));
  store_.add_trial(begin(samples::cpu()), samples::cpu(), samples::trial("basic", {}, {100}));
  const std::optional<DeviceDescription> device = run_device(database_, "nbody", "variants", "NVIDIA H200");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->sms, 132);
  EXPECT_EQ(device->properties, samples::gpu().properties);
  const std::vector<ExperimentOnGpus> experiments = experiments_on_gpus(database_);
  ASSERT_EQ(experiments.size(), 1U);
  EXPECT_EQ(experiments[0].experiment, "variants");
  EXPECT_EQ(experiments[0].devices, std::vector<std::string>{"NVIDIA H200"});
}

}  // namespace
}  // namespace tailwave
