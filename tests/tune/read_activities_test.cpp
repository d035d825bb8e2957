#include "tune/read_activities.h"

#include <gmock/gmock.h>

#include "fakes/fake_device.h"
#include "fakes/kernel_activity.h"

namespace tailwave {
namespace {

using fakes::kernel_activity;
using testing::ElementsAre;
using testing::IsEmpty;

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

ReadActivities read_of(std::vector<Activity> done, const std::vector<Launch>& plan,
                       std::vector<std::vector<LaunchRecord>> shapes = {{}}) {
  return read_activities(std::move(done), {plan, kSymbols, std::move(shapes)});
}

TEST(ReadActivities, AreInTheOrderOfTheirBeginsWithTheManifestsNames) {
  const ReadActivities read = read_of(
      {kernel_activity("second", 2, 1300, 1500), copy(3, 1600, 64),
       kernel_activity("_Z5firstPf", 1, 1000, 1400), kernel_activity("_ZN5outer5innerEv", 4, 1700, 1800)},
      {}, {{{.position = 3, .kernel = "second", .grid = {2, 1, 1}, .block = {32, 1, 1}}}});
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
  std::vector<Activity> done{kernel_activity("second", 2, 1000, 1100),
                             kernel_activity("_Z5firstPf", 1, 1050, 1200), copy(3, 1300, 8)};
  const ReadActivities read = read_of(done, plan);
  EXPECT_TRUE(read.streams_as_planned);
  EXPECT_THAT(streams_of(read), ElementsAre(9, 4, 5));
  done[0].grid.x = 3;
  EXPECT_FALSE(read_of(done, plan).streams_as_planned);
  done[0].grid.x = 2;
  done[0].order = 1;  // nodes of a graph
  EXPECT_FALSE(read_of(done, plan).streams_as_planned);
  EXPECT_FALSE(read_of({done[1]}, plan).streams_as_planned);
}

Activity on(int gpu, Activity done) {
  done.gpu = gpu;
  return done;
}

Launch on(int pe, Launch launch) {
  launch.pe = pe;
  return launch;
}

Launch sum() {
  Launch one = launch("sum", 0);
  one.collective = Collective::sum;
  return one;
}

// On two processing elements: a kernel, a sum for which NVSHMEM does two things, another kernel.
const std::vector<Launch> kOnTwo{on(0, launch("first", 6)), on(0, sum()), on(0, launch("second", 0)),
                                 on(1, launch("first", 6)), on(1, sum()), on(1, launch("second", 0))};

// The second one's sum begins then.
std::vector<Activity> done_on_two(std::int64_t late_ns) {
  const auto element = [](int pe, std::int64_t sum_ns) {
    return std::vector{on(pe, kernel_activity("_Z5firstPf", 1, 1000, 1100)), on(pe, copy(2, 1100, 4)),
                       on(pe, kernel_activity("reduce", 3, sum_ns, 1300)),
                       on(pe, kernel_activity("second", 4, 1300, 1400))};
  };
  std::vector<Activity> all = element(0, 1150);
  for (Activity& one : element(1, 1200)) all.push_back(std::move(one));
  if (late_ns > 0)
    for (Activity& one : all)
      if (one.gpu == 1) one.begin_ns += late_ns, one.end_ns += late_ns;
  return all;
}

TEST(ReadActivities, OfProcessingElementsAreEachOnesOwnCalls) {
  const std::vector<std::vector<LaunchRecord>> shapes{
      {{.position = 0, .kernel = "first", .grid = {2, 1, 1}, .block = {32, 1, 1}}},
      {{.position = 5, .kernel = "first", .grid = {2, 1, 1}, .block = {32, 1, 1}}}};
  const ReadActivities read = read_of(done_on_two(0), kOnTwo, shapes);
  EXPECT_TRUE(read.streams_as_planned);
  EXPECT_EQ(read.clocks_apart_ns, 0);
  EXPECT_THAT(streams_of(read), ElementsAre(6, 6, 0, 0, 0, 0, 0, 0));
  ASSERT_EQ(read.records.size(), 8U);
  EXPECT_EQ(read.records[0].gpu, 0);
  EXPECT_EQ(read.records[0].position, 0);
  EXPECT_EQ(read.records[1].gpu, 1);
  EXPECT_EQ(read.records[1].position, 5);
  EXPECT_EQ(read.records[4].name, "reduce");
  EXPECT_EQ(read.records[4].position, std::nullopt) << "the library's";
}

TEST(ReadActivities, SayHowFarClocksAreApartAtLeast) {
  EXPECT_EQ(read_of(done_on_two(150), kOnTwo, {{}, {}}).clocks_apart_ns, 0)
      << "the second one's sum begins at 1250, before the first one's ends";
  EXPECT_EQ(read_of(done_on_two(500), kOnTwo, {{}, {}}).clocks_apart_ns, 300);
}

TEST(ReadActivities, OfProcessingElementsThatDoOtherThingsHaveNumbersOfTheirOwn) {
  std::vector<Activity> done = done_on_two(0);
  done.back().name = "third";
  const ReadActivities read = read_of(done, kOnTwo, {{}, {}});
  EXPECT_FALSE(read.streams_as_planned);
  EXPECT_THAT(streams_of(read), ElementsAre(0, 0, 1, 1, 0, 0, 0, 0)) << "on each GPU from 0";
  EXPECT_EQ(read.clocks_apart_ns, 0);
}

std::vector<std::string> names_of(const std::vector<Activity>& all) {
  std::vector<std::string> names;
  for (const Activity& one : all) names.push_back(std::to_string(one.gpu) + one.name);
  return names;
}

TEST(Meeting, IsNoPartOfAnExecution) {
  const std::vector<Activity> meeting{
      on(0, kernel_activity("wait", 1, 0, 10)), on(0, kernel_activity("wait", 2, 20, 30)),
      on(1, kernel_activity("wait", 7, 0, 10)), on(1, kernel_activity("wait", 8, 20, 30))};
  const std::vector<Activity> execution{
      on(0, kernel_activity("last wait", 13, 60, 70)), on(0, kernel_activity("first wait", 11, 10, 20)),
      on(0, kernel_activity("a", 12, 30, 40)), on(1, kernel_activity("first wait", 21, 10, 20)),
      on(1, kernel_activity("last wait", 22, 60, 70))};
  EXPECT_THAT(names_of(without_meeting(execution, meeting)), ElementsAre("0a"));
  EXPECT_EQ(names_of(without_meeting(execution, {})), names_of(execution));
  EXPECT_THAT(names_of(without_meeting({execution[3]}, meeting)), ElementsAre("1first wait"))
      << "less than a meeting";
  EXPECT_THAT(without_meeting({}, meeting), IsEmpty());
}

}  // namespace
}  // namespace tailwave
