#include "tune/timelines.h"

#include <gmock/gmock.h>

#include "fakes/fake_counters.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const Configuration kOfBlock32{
    "twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}};

Activity kernel(const std::string& name, std::uint64_t order, std::int64_t begin_ns, std::int64_t end_ns,
                std::uint64_t stream = 70) {
  return {.kind = ActivityKind::kernel,
          .name = name,
          .stream = stream,
          .order = order,
          .grid = {2, 1, 1},
          .block = {32, 1, 1},
          .begin_ns = begin_ns,
          .end_ns = end_ns};
}

Activity copy(std::uint64_t order, std::int64_t begin_ns, std::int64_t bytes) {
  return {.kind = ActivityKind::copy,
          .name = "device to host",
          .stream = 80,
          .order = order,
          .grid = {},
          .block = {},
          .begin_ns = begin_ns,
          .end_ns = begin_ns + 10,
          .bytes = bytes};
}

Launch launch(const std::string& name, int stream) {
  Launch one;
  one.kernel = name;
  one.grid = {2, 1, 1};
  one.block = {32, 1, 1};
  one.stream = stream;
  return one;
}

std::vector<int> streams_of(const ReadActivities& read) {
  std::vector<int> streams;
  for (const TimelineRecord& record : read.records) streams.push_back(record.stream);
  return streams;
}

const std::map<std::string, std::string> kSymbols{{"first", "_Z5firstPf"}, {"second", "second"}};

TEST(ReadActivities, AreInTheOrderOfTheirBeginsWithTheManifestsNames) {
  const ReadActivities read = read_activities(
      {kernel("second", 2, 1300, 1500), copy(3, 1600, 64), kernel("_Z5firstPf", 1, 1000, 1400),
       kernel("_ZN5outer5innerEv", 4, 1700, 1800)},
      {}, kSymbols, {{.position = 3, .kernel = "second", .grid = {2, 1, 1}, .block = {32, 1, 1}}});
  EXPECT_THAT(
      read.records,
      ElementsAre(
          TimelineRecord{.number = 0, .name = "first", .position = {}, .end_ns = 400, .bytes = {}},
          TimelineRecord{
              .number = 1, .name = "second", .position = 3, .begin_ns = 300, .end_ns = 500, .bytes = {}},
          TimelineRecord{.number = 2,
                         .kind = ActivityKind::copy,
                         .name = "device to host",
                         .position = {},
                         .stream = 1,
                         .begin_ns = 600,
                         .end_ns = 610,
                         .bytes = 64},
          TimelineRecord{.number = 3,
                         .name = "outer::inner()",
                         .position = {},
                         .begin_ns = 700,
                         .end_ns = 800,
                         .bytes = {}}));
  EXPECT_FALSE(read.streams_as_planned);
}

TEST(ReadActivities, HaveTheStreamsOfThePlanWhereTheyAreItsLaunches) {
  static fakes::FakeBuffer buffer(8);
  Launch copied = launch("factors", 5);
  copied.copied = &buffer;
  const std::vector<Launch> plan{launch("first", 4), launch("second", 9), copied};
  std::vector<Activity> done{kernel("second", 2, 1000, 1100), kernel("_Z5firstPf", 1, 1050, 1200),
                             copy(3, 1300, 8)};
  const ReadActivities read = read_activities(done, plan, kSymbols, {});
  EXPECT_TRUE(read.streams_as_planned);
  EXPECT_THAT(streams_of(read), ElementsAre(9, 4, 5));
  done[0].grid.x = 3;
  EXPECT_FALSE(read_activities(done, plan, kSymbols, {}).streams_as_planned);
  done[0].grid.x = 2;
  done[0].order = 1;  // nodes of a graph
  EXPECT_FALSE(read_activities(done, plan, kSymbols, {}).streams_as_planned);
  EXPECT_FALSE(read_activities({done[1]}, plan, kSymbols, {}).streams_as_planned);
}

class TimelinesTest : public testing::Test {
 protected:
  TimelinesTest() {
    device_.kernels["twice"] = [](const Launch& /*launch*/) {};
    device_.source.activities = {{kernel("twice", 1, 1000, 1200)}};
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
    device_.source.activities.push_back({kernel("twice", 1, 1000, 1200), kernel("twice", 2, 1250, end_ns)});
  EXPECT_EQ(record().records.at(1).end_ns, 400);
}

TEST_F(TimelinesTest, KeepWhatBeganFirst) {
  std::vector<Activity> many;
  for (std::int64_t i = 0; i < 10'020; ++i)
    many.push_back(kernel("twice", static_cast<std::uint64_t>(i), 20'000 - i, 20'001));
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

}  // namespace
}  // namespace tailwave
