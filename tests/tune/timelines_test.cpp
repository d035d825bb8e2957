#include "tune/timelines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "device/pes_executor.h"
#include "fakes/fake_counters.h"
#include "fakes/kernel_activity.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/recording_pe.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using fakes::kernel_activity;
using testing::ElementsAre;
using testing::SizeIs;

const Configuration kOfBlock32{
    "twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}};

class TimelinesTest : public testing::Test {
 protected:
  TimelinesTest() {
    device_.kernels["twice"] = [](const Launch& /*launch*/) {};
    device_.source.activities = {{kernel_activity("twice", 1, 1000, 1200)}};
  }

  Timeline record(Executor& device) {
    fakes::LocalWorker worker(device, timeline_tasks({&experiment_.system}));
    return record_timeline(experiment_, kOfBlock32, {.kernels = &compiler_}, worker, 1500);
  }
  Timeline record() { return record(device_); }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler compiler_;
  fakes::CountingExecutor device_;
};

TEST_F(TimelinesTest, RecordTheWholePlanAFewTimesAfterAFewForNothing) {
  experiment_.measure.deadline_s = 7;
  const Timeline timeline = record();
  EXPECT_THAT(device_.source.recorded, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_EQ(device_.runs, 2 * (3 + 5)) << "of which half restored the inputs";
  EXPECT_FALSE(device_.last_options.timed);
  EXPECT_FALSE(device_.last_options.graph);
  EXPECT_EQ(device_.deadline_s, 7);
  EXPECT_EQ(timeline.configuration.name(), kOfBlock32.name());
  EXPECT_EQ(timeline.time_ns, 1500);
  EXPECT_EQ(timeline.executions, 5);
  EXPECT_EQ(timeline.found, 1);
  EXPECT_EQ(timeline.compiler, compiler_.version());
  EXPECT_EQ(timeline.records.at(0).position, 0);
  EXPECT_EQ(timeline.remark, "streams are numbered as they appear") << "since the fake code has no symbols";
}

TEST_F(TimelinesTest, RecordAGraphWhereTheExperimentTimesOne) {
  experiment_.measure.mode = TimingMode::graph;
  record();
  EXPECT_TRUE(device_.last_options.graph);
}

TEST_F(TimelinesTest, AreThoseOfTheExecutionOfMedianLength) {
  device_.source.activities.clear();
  for (const std::int64_t end_ns : {1900, 1300, 1500, 1400, 1350})
    device_.source.activities.push_back(
        {kernel_activity("twice", 1, 1000, 1200), kernel_activity("twice", 2, 1250, end_ns)});
  EXPECT_EQ(record().records.at(1).end_ns, 400);
}

TEST_F(TimelinesTest, KeepWhatBeganFirst) {
  std::vector<Activity> many;
  for (std::int64_t i = 0; i < 10'020; ++i)
    many.push_back(kernel_activity("twice", static_cast<std::uint64_t>(i), 20'000 - i, 20'001));
  device_.source.activities = {many};
  const Timeline timeline = record();
  EXPECT_THAT(timeline.records, SizeIs(10'000));
  EXPECT_EQ(timeline.found, 10'020);
  EXPECT_EQ(timeline.records.back().begin_ns, 9'999);
  EXPECT_EQ(timeline.remark, "the first 10000 of 10020 records; streams are numbered as they appear");
}

TEST_F(TimelinesTest, FailWhereNothingWasDone) {
  device_.source.activities = {{}};
  EXPECT_EQ(fakes::failure_of([&] { record(); }), "launch_failed: the plan did nothing that CUPTI records");
}

TEST_F(TimelinesTest, AreNotToBeHadOfADeviceWithoutCounters) {
  fakes::FakeExecutor other;
  EXPECT_EQ(fakes::failure_of([&] { record(other); }), "launch_failed: this device has no hardware counters");
  EXPECT_EQ(other.runs, 0);
}

// A kernel and a sum on two processing elements, each of which is made by `join`.
class PesTimelines : public TimelinesTest {
 protected:
  PesTimelines() {
    VariantSpec& variant = experiment_.system.variants.front();
    variant.pes = Expression::parse("2");
    experiment_.system.buffers["x"].memory = Expression::constant("symmetric");
    LaunchSpec sum;
    sum.kernel = "sum";
    sum.collective = Collective::sum;
    sum.summed = "x";
    variant.launches.push_back(sum);
  }

  static PeEntry entry(std::function<std::unique_ptr<Executor>(int pe)> join) {
    return {.invite = [] { return std::string(); },
            .join = [join = std::move(join)](int pe, int /*pes*/, const std::string&) { return join(pe); }};
  }
};

TEST_F(PesTimelines, HaveTheRecordsOfAllFromWhenTheyHaveMet) {
  PesExecutor elements({}, 2, entry([](int pe) { return std::make_unique<fakes::RecordingPe>(pe); }));
  const Timeline timeline = record(elements);
  std::vector<std::string> records;
  for (const TimelineRecord& one : timeline.records)
    records.push_back(fmt::format("{} {} {} {}", one.gpu, one.name, one.begin_ns, one.end_ns));
  EXPECT_THAT(records,
              ElementsAre("0 twice 0 100", "1 twice 0 200", "0 reduce 100 4990", "1 reduce 200 4990"));
  EXPECT_EQ(timeline.found, 4);
  EXPECT_EQ(timeline.executions, 5);
}

TEST_F(PesTimelines, FailWhereOneCannotRecordAndSayWhy) {
  PesExecutor elements({}, 2, entry([](int pe) -> std::unique_ptr<Executor> {
                         if (pe == 1) throw Failure(Outcome::unavailable, "counters: no library: none");
                         return std::make_unique<fakes::RecordingPe>(pe);
                       }));
  EXPECT_EQ(fakes::failure_of([&] { record(elements); }), "unavailable: PE 1: counters: no library: none");
}

TEST_F(PesTimelines, AreNotToBeHadOfADeviceWithoutProcessingElements) {
  EXPECT_EQ(fakes::failure_of([&] { record(); }), "unavailable: this device has no processing elements");
}

}  // namespace
}  // namespace tailwave
