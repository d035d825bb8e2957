// CUPTI as tests/fakes/fake_cupti.cpp has it, on a context of no driver; and NVIDIA's, where it is, without a GPU.
#include "device/cuda/counter_profiler.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "device/cpu/sanitizer.h"
#include "device/cuda/activity_source.h"
#include "device/cuda/cupti_files.h"
#include "device/cuda/dynamic_library.h"
#include "fakes/error_of.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

#ifndef TAILWAVE_WITH_CUPTI

#ifdef TAILWAVE_WITH_CUDA
TEST(CounterProfiler, IsNotPartOfABuildWithoutItsHeaders) {
  EXPECT_THAT(samples::error_of([] { open_counters(nullptr, 0, {}); }),
              HasSubstr("counters: no library: this build was made without CUPTI's headers\n"));
  EXPECT_THAT(fakes::failure_of([] { open_recording(nullptr, 0, {}); }),
              HasSubstr("counters: no library: this build was made without CUPTI's headers\n"));
}
#endif

#else

std::shared_ptr<const DriverApi> no_driver() {
  auto api = std::make_shared<DriverApi>();
  api->primary_set_flags = [](CUdevice, unsigned) { return CUDA_SUCCESS; };
  api->primary_retain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
  api->primary_release = [](CUdevice) { return CUDA_SUCCESS; };
  api->device_get = [](CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; };
  api->ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
  return api;
}

class FakeCupti : public testing::Test {
 protected:
  void SetUp() override {
    forget();
    setenv("FAKE_CUPTI", "", 1);
  }
  void TearDown() override { unsetenv("FAKE_CUPTI"); }

  static void misbehave(const std::string& how) { setenv("FAKE_CUPTI", how.c_str(), 1); }
  static std::unique_ptr<CounterSource> open() {
    return open_counters(Context::create(no_driver(), 0), 0, {TAILWAVE_FAKE_CUPTI});
  }
  static std::string calls() { return function<const char* (*)()>("fake_cupti_calls")(); }
  static void forget() { function<void (*)()>("fake_cupti_forget")(); }
  static void work(double amount) { function<void (*)(double)>("fake_cupti_work")(amount); }

 private:
  template <class Function>
  static Function function(const char* name) {
    std::string reason;
    static const auto library = DynamicLibrary::open(TAILWAVE_FAKE_CUPTI, reason);
    Function found = nullptr;
    library->find(found, name);
    return found;
  }
};

TEST_F(FakeCupti, IsEnabledAsLongAsItsCountersAreOpen) {
  open();
  EXPECT_EQ(calls(), "initialize chip enable disable");
}

TEST_F(FakeCupti, CountsALaunchOnceAPassEachTimePrepared) {
  misbehave("per_pass=1");
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum", "a__y.sum", "a__x.sum"});
  EXPECT_EQ(plan.chip, "GH100");
  EXPECT_THAT(plan.metrics, ElementsAre("a__x.sum", "a__y.sum"));
  EXPECT_EQ(plan.passes, 2);
  forget();
  const std::vector<CounterValue> values = counters->count(
      plan, [] { work(1000); }, [] { work(7); });
  EXPECT_EQ(calls(), "set_config work start work stop work start work stop decode evaluate");
  EXPECT_THAT(values,
              ElementsAre(CounterValue{"a__x.sum", 7, "ns", ""}, CounterValue{"a__y.sum", 14, "ns", ""}));
}

TEST_F(FakeCupti, FlagsWhatCannotBe) {
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.avg.pct_of_peak_sustained_elapsed"});
  EXPECT_THAT(counters->count(
                  plan, [] {}, [] { work(101); }),
              ElementsAre(CounterValue{"a__x.avg.pct_of_peak_sustained_elapsed", 101, "%", "above 100 %"}));
}

TEST_F(FakeCupti, LeavesOutWhatTheChipLacks) {
  misbehave("lacks=a__y.sum");
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum", "a__y.sum"});
  EXPECT_THAT(plan.metrics, ElementsAre("a__x.sum"));
  EXPECT_THAT(plan.unknown, ElementsAre("a__y.sum"));
  EXPECT_EQ(plan.passes, 1);
  const CounterPlan nothing = counters->plan({"a__y.sum"});
  EXPECT_EQ(nothing.passes, 0);
  EXPECT_THAT(counters->count(
                  nothing, [] {}, [] { work(1); }),
              IsEmpty());
}

TEST_F(FakeCupti, LeavesOutWhatCannotBeCounted) {
  misbehave("refuses=a__y.sum");
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum", "a__y.sum", "a__z.sum"});
  EXPECT_THAT(plan.metrics, ElementsAre("a__x.sum", "a__z.sum"));
  EXPECT_THAT(plan.unknown, ElementsAre("a__y.sum"));
  EXPECT_THAT(counters->count(
                  plan, [] {}, [] { work(3); }),
              testing::SizeIs(2));
}

TEST_F(FakeCupti, SaysWhoMayCount) {
  misbehave("enable=35");
  EXPECT_EQ(
      samples::error_of(open),
      "counters: not permitted: enabling the profiler: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n"
      "  who administers the machine can let all users count, by 'options nvidia "
      "NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d and a restart; else it takes root, with "
      "TAILWAVE_SANDBOX=off; what Nsight Compute counted elsewhere comes in by 'tailwave import --format ncu'");
}

TEST_F(FakeCupti, IsNotUsableAfterAFailureWhileItCounted) {
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum"});
  misbehave("start=26");
  EXPECT_THAT(fakes::failure_of([&] {
                counters->count(
                    plan, [] {}, [] { work(1); });
              }),
              HasSubstr("launch_failed: counters: in use: starting to count: CUPTI_ERROR_HARDWARE_BUSY\n"));
  EXPECT_FALSE(counters->usable());
}

TEST_F(FakeCupti, IsNotUsableAfterALaunchThatFailed) {
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum"});
  EXPECT_EQ(fakes::failure_of([&] {
              counters->count(
                  plan, [] {}, [] { throw Failure(Outcome::illegal_access, "scale"); });
            }),
            "illegal_access: scale");
  EXPECT_FALSE(counters->usable());
}

TEST_F(FakeCupti, StaysUsableWhereNothingCouldBePrepared) {
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum"});
  EXPECT_EQ(fakes::failure_of([&] {
              counters->count(
                  plan, [] { throw Failure(Outcome::out_of_memory, "no room"); }, [] { work(1); });
            }),
            "out_of_memory: no room");
  EXPECT_TRUE(counters->usable());
}

TEST_F(FakeCupti, TakesNothingForALaunchThatIsNone) {
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum"});
  EXPECT_EQ(fakes::failure_of([&] {
              counters->count(
                  plan, [] {}, [] {});
            }),
            "launch_failed: counters: failed: CUPTI counted 0 launches instead of 1");
  const auto others = open();
  EXPECT_EQ(fakes::failure_of([&] {
              others->count(
                  plan, [] {},
                  [] {
                    work(1);
                    work(1);
                  });
            }),
            "launch_failed: counters: failed: CUPTI counted 2 launches instead of 1");
}

TEST_F(FakeCupti, EndsWhereThereIsAlwaysAnotherPass) {
  misbehave("endless");
  const auto counters = open();
  const CounterPlan plan = counters->plan({"a__x.sum"});
  EXPECT_EQ(fakes::failure_of([&] {
              counters->count(
                  plan, [] {}, [] { work(1); });
            }),
            "launch_failed: counters: failed: CUPTI wants more than the 1 passes that it announced");
}

TEST_F(FakeCupti, RecordsWhatTheGpusDoWithoutTheRangeProfiler) {
  const auto counters = open();
  forget();
  const std::vector<Activity> done = counters->record([] { work(200); });
  EXPECT_EQ(calls(), "disable record work recorded");
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[0].kind, ActivityKind::kernel);
  EXPECT_EQ(done[0].name, "_Z5scalePf");
  EXPECT_EQ(done[0].gpu, 1);
  EXPECT_EQ(done[0].stream, std::uint64_t{2} << 32 | 7);
  EXPECT_EQ(done[0].order, 11U);
  EXPECT_EQ(done[0].grid, (Dim3{5, 1, 1}));
  EXPECT_EQ(done[0].block, (Dim3{32, 1, 1}));
  EXPECT_EQ(done[0].end_ns - done[0].begin_ns, 200);
  EXPECT_EQ(done[1].kind, ActivityKind::copy);
  EXPECT_EQ(done[1].name, "host to device");
  EXPECT_EQ(done[1].bytes, 200);
  EXPECT_EQ(done[1].begin_ns - done[0].begin_ns, 10);
  EXPECT_EQ(done[2].kind, ActivityKind::fill);
  EXPECT_EQ(done[2].name, "fill");
  EXPECT_EQ(done[2].gpu, 2);
  EXPECT_THAT(counters->record([] {}), IsEmpty());
}

TEST_F(FakeCupti, CountsAgainAfterItRecorded) {
  const auto counters = open();
  counters->record([] { work(1); });
  forget();
  EXPECT_EQ(counters
                ->count(
                    counters->plan({"a__x.sum"}), [] {}, [] { work(7); })
                .at(0)
                .value,
            7);
  EXPECT_EQ(calls(), "enable set_config start work stop decode evaluate");
}

TEST_F(FakeCupti, LeavesNothingOfARecordingThatFailed) {
  EXPECT_EQ(fakes::failure_of([] {
              const auto counters = open();
              try {
                counters->record([] {
                  work(1);
                  throw Failure(Outcome::illegal_access, "scale");
                });
              } catch (...) {
                EXPECT_FALSE(counters->usable());
                throw;
              }
            }),
            "illegal_access: scale");
  EXPECT_THAT(open()->record([] {}), IsEmpty());
}

TEST_F(FakeCupti, IsOpenedToRecordWithoutTheRangeProfiler) {
  const auto source = open_recording(Context::create(no_driver(), 0), 0, {TAILWAVE_FAKE_CUPTI});
  EXPECT_EQ(calls(), " record recorded") << "once for nothing, before the process confines itself";
  forget();
  EXPECT_EQ(source->record([] { work(200); }).size(), 3U);
  EXPECT_EQ(calls(), " record work recorded");
  const std::string refused = "unavailable: this device was opened to record, not to count";
  EXPECT_EQ(fakes::failure_of([&] { source->plan({}); }), refused);
  EXPECT_EQ(fakes::failure_of([&] {
              source->count(
                  {}, [] {}, [] {});
            }),
            refused);
}

TEST_F(FakeCupti, SaysWhyItIsNotOpenedToRecord) {
  const auto failure = [](const std::string& library) {
    return fakes::failure_of([&] { open_recording(Context::create(no_driver(), 0), 0, {library}); });
  };
  EXPECT_THAT(failure("libno_such_cupti.so.13"),
              HasSubstr("unavailable: counters: no library: libno_such_cupti.so.13 not found\n"));
  misbehave("record=35");
  EXPECT_THAT(failure(TAILWAVE_FAKE_CUPTI),
              HasSubstr("launch_failed: counters: not permitted: starting to record: "
                        "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n"));
}

TEST_F(FakeCupti, SaysWhyItCannotRecord) {
  const auto failure = [](const std::string& how) {
    misbehave(how);
    return fakes::failure_of([] { open()->record([] { work(1); }); });
  };
  EXPECT_THAT(failure("record=35"), HasSubstr("launch_failed: counters: not permitted: starting to record: "
                                              "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n"));
  EXPECT_THAT(
      failure("version=140000"),
      HasSubstr("launch_failed: counters: not supported: activity records of CUPTI 140000 are not known\n"));
  EXPECT_EQ(failure("dropped=4"), "launch_failed: counters: failed: CUPTI lost 4 of 7 records");
  EXPECT_EQ(failure("untimed"), "launch_failed: counters: failed: CUPTI lost 1 of 3 records");
}

TEST(CuptiApi, NamesTheLibraryThatIsNotThere) {
  const CuptiApi::Loaded loaded = CuptiApi::load({"libno_such_cupti.so.13"});
  EXPECT_EQ(loaded.api, nullptr);
  EXPECT_EQ(loaded.obstacle, CounterObstacle::no_library);
  EXPECT_EQ(loaded.reason, "libno_such_cupti.so.13 not found");
  EXPECT_EQ(CuptiApi::load({"libno_such_cupti.so.13", "libno_such_cupti.so"}).reason,
            "no libcupti beside NVRTC, in CUDA_PATH, CUDA_HOME or /usr/local/cuda, or on the loader's path");
}

TEST(CuptiApi, IsTooOldWithoutTheRangeProfiler) {
  const CuptiApi::Loaded loaded = CuptiApi::load({"libm.so.6"});
  EXPECT_EQ(loaded.obstacle, CounterObstacle::too_old);
  EXPECT_EQ(loaded.reason, "libm.so.6 has no cuptiGetResultString");
}

// NVIDIA's, which schedules metrics for any chip without a GPU.
class ScheduleOnGh100 : public testing::TestWithParam<std::pair<CounterSet, int> > {};

TEST_P(ScheduleOnGh100, TakesFewPasses) {
  if (sanitizer::kActive) GTEST_SKIP() << "CUPTI ends a process that AddressSanitizer looks after";
  const CuptiApi::Loaded loaded = CuptiApi::load(cupti_candidates(""));
  if (!loaded.api) GTEST_SKIP() << loaded.reason;
  const CounterSchedule schedule(loaded.api, "GH100", {}, metrics_of(GetParam().first));
  EXPECT_THAT(schedule.plan().unknown, IsEmpty());
  EXPECT_EQ(schedule.plan().passes, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Sets, ScheduleOnGh100,
                         testing::Values(std::pair(CounterSet::all, 9), std::pair(CounterSet::quick, 2)));

TEST(CounterSchedule, KnowsWhatStandsInOnChipsThatLackAMetric) {
  if (sanitizer::kActive) GTEST_SKIP() << "CUPTI ends a process that AddressSanitizer looks after";
  const CuptiApi::Loaded loaded = CuptiApi::load(cupti_candidates(""));
  if (!loaded.api) GTEST_SKIP() << loaded.reason;
  const CounterSchedule plain(loaded.api, "GB202", {}, metrics_of(CounterSet::all));
  EXPECT_THAT(plain.plan().unknown,
              ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum",
                          "smsp__warps_issue_stalled_imc_miss.sum", "smsp__warps_issue_stalled_gmma.sum"));
  const CounterSchedule others(loaded.api, "GB202", {},
                               {stand_in_for("dram__bytes_read.sum"), stand_in_for("dram__bytes_write.sum")});
  EXPECT_THAT(others.plan().unknown, IsEmpty());
  EXPECT_THAT(fakes::failure_of([&] { CounterSchedule(loaded.api, "NOCHIP", {}, {}); }),
              HasSubstr("launch_failed: counters: not supported: reading what the chip NOCHIP can count: "
                        "CUPTI_ERROR_INVALID_CHIP_NAME\n"));
}

TEST(CuptiCandidates, AreTheOneThatIsNamedAndNoOther) {
  setenv("TAILWAVE_CUPTI", "/somewhere/libcupti.so", 1);
  EXPECT_THAT(cupti_candidates("/nvrtc/lib/libnvrtc.so"), ElementsAre("/somewhere/libcupti.so"));
  unsetenv("TAILWAVE_CUPTI");
  EXPECT_EQ(cupti_candidates("").back(), "libcupti.so");
}

#endif

}  // namespace
}  // namespace tailwave
