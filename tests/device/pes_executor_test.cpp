#include "device/pes_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "device/shared_memory.h"
#include "fakes/fake_counters.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

using fakes::FakeBuffer;
using fakes::FakeExecutor;
using testing::ElementsAre;
using testing::SizeIs;

// What processing elements and the test know of each other.
struct Seen {
  std::atomic<pid_t> processes[4] = {};
  std::atomic<bool> records = false, second_refuses = false, second_loses = false;
};

// Records each of its runs, as one kernel.
class FakeRecorder final : public fakes::FakeCounters {
 public:
  FakeRecorder(const int& runs, int pe, const Seen& seen)
      : FakeCounters(runs), runs_(runs), pe_(pe), seen_(seen) {}
  std::vector<Activity> record(const std::function<void()>& work) override {
    if (pe_ == 1 && seen_.second_refuses) throw Failure(Outcome::launch_failed, "counters: not permitted");
    const int before = runs_;
    work();
    if (pe_ == 1 && seen_.second_loses) throw Failure(Outcome::launch_failed, "counters: CUPTI lost 1 of 2");
    return std::vector<Activity>(static_cast<std::size_t>(runs_ - before),
                                 {.name = "run", .begin_ns = 100 * pe_});
  }

 private:
  const int& runs_;
  int pe_;
  const Seen& seen_;
};

// A processing element without a GPU. Its kernels work on the first argument's first element.
class FakePe final : public FakeExecutor {
 public:
  FakePe(int pe, const Seen& seen) : seen_(seen), recorder_(runs, pe, seen) {
    kernels["add"] = [](const Launch& launch) {
      float amount = 0;
      std::memcpy(&amount, std::get<ScalarBytes>(launch.arguments.at(1)).bytes.data(), sizeof amount);
      buffer_argument(launch, 0).floats()[0] += amount;
    };
    kernels["number"] = [pe](const Launch& launch) {
      buffer_argument(launch, 0).floats()[0] = static_cast<float>(pe);
    };
    kernels["halve"] = [](const Launch& launch) { buffer_argument(launch, 0).floats()[0] /= 2; };
    kernels["sum"] = [](const Launch& launch) { dynamic_cast<FakeBuffer&>(*launch.summed).floats()[0] *= 2; };
    kernels["spill"] = [](const Launch& launch) {
      FakeBuffer& x = buffer_argument(launch, 0);
      x.bytes[x.size_bytes()] = std::byte{0};
    };
    kernels["refuse"] = [](const Launch&) { throw Failure(Outcome::launch_failed, "refused"); };
    kernels["break"] = [](const Launch&) { throw std::runtime_error("broken"); };
    kernels["die"] = [](const Launch&) { std::raise(SIGKILL); };
    kernels["abort"] = [](const Launch&) { std::raise(SIGABRT); };
    kernels["leave"] = [](const Launch&) { _exit(3); };
    kernels["hang"] = [](const Launch&) {
      for (;;) pause();
    };
    times_ns = {100.0 * (pe + 1)};
  }
  std::unique_ptr<Buffer> allocate_at(const Placement& /*place*/, std::size_t size_bytes) override {
    if (size_bytes > 1'000'000) throw Failure(Outcome::out_of_memory, "too much");
    return std::make_unique<FakeBuffer>(size_bytes);
  }
  CounterSource& counters() override { return seen_.records ? recorder_ : FakeExecutor::counters(); }

 private:
  const Seen& seen_;
  FakeRecorder recorder_;
};

constexpr Placement kSymmetric{0, MemoryKind::symmetric};

Launch launch_of(const std::string& kernel, int pe, Buffer& x, std::optional<float> amount = {}) {
  Launch launch;
  launch.kernel = kernel;
  launch.pe = pe;
  launch.arguments = {&x};
  if (amount) launch.arguments.emplace_back(scalar(*amount));
  return launch;
}

class PesExecutorTest : public testing::Test {
 protected:
  void use_pes(int pes) {
    executor_.use_pes(pes);
    program_ = executor_.load({});
    x_ = executor_.allocate_at(kSymmetric, sizeof(float));
  }

  // What is in the first one's x when all of them have run their launches from x = 1 on.
  float run(const std::vector<Launch>& launches) {
    FreshStart start;
    start.restored = {{.to = x_.get()}};
    results_ = executor_.repeat(*program_, start, launches, {}, 1);
    float first = -1;
    executor_.download(*x_, std::as_writable_bytes(std::span(&first, 1)));
    return first;
  }

  // "outcome: text" of what such a kernel does on the second of two.
  std::string failure_of(const std::string& kernel) {
    return text_of([&] { run({launch_of("number", 0, *x_), launch_of(kernel, 1, *x_)}); });
  }

  template <class Work>
  static std::string text_of(const Work& work) {
    try {
      work();
    } catch (const Failure& failure) {
      return std::string(to_string(failure.outcome())) + ": " + failure.what();
    }
    return "no failure";
  }

  [[nodiscard]] bool all_have_ended() const {
    return fakes::comes_true([this] {
      return std::none_of(std::begin(seen().processes), std::end(seen().processes),
                          [](pid_t process) { return process > 0 && fakes::is_running(process); });
    });
  }
  [[nodiscard]] Seen& seen() const { return *reinterpret_cast<Seen*>(memory_.bytes().data()); }

  static DeviceDescription description() {
    DeviceDescription fake;
    fake.kind = DeviceKind::cuda;
    fake.name = "fake GPUs";
    return fake;
  }

  mutable SharedMemory memory_{sizeof(Seen)};
  PesExecutor executor_{description(),
                        3,
                        {.invite = [] { return std::string("here"); },
                         .join =
                             [this](int pe, int pes, const std::string& invitation) {
                               if (invitation != "here" || pe >= pes) throw std::runtime_error("not invited");
                               seen().processes[pe] = getpid();
                               return std::make_unique<FakePe>(pe, seen());
                             }}};
  std::unique_ptr<Program> program_;
  std::unique_ptr<Buffer> x_;
  std::vector<RunResult> results_;
};

TEST_F(PesExecutorTest, EachRunsItsOwnLaunchesAndTheFirstOnesResultIsRead) {
  use_pes(2);
  EXPECT_EQ(executor_.pes(), 2);
  EXPECT_EQ(run({launch_of("add", 0, *x_, 5), launch_of("add", 1, *x_, 7)}), 5);
  EXPECT_NE(seen().processes[0], seen().processes[1]);
}

TEST_F(PesExecutorTest, TheSlowestOnesTimeIsThatOfAll) {
  use_pes(3);
  run({launch_of("number", 0, *x_), launch_of("number", 1, *x_), launch_of("number", 2, *x_)});
  ASSERT_THAT(results_, SizeIs(1));
  EXPECT_EQ(results_.front().time_ns, 300);
}

TEST_F(PesExecutorTest, CollectivesAndLoopsThatEndOnAValueReachThem) {
  use_pes(2);
  std::vector<Launch> launches;
  for (int pe = 0; pe < 2; ++pe) {
    launches.push_back(launch_of("add", pe, *x_, 64));
    launches.push_back(launch_of("halve", pe, *x_));
    launches.back().exit = LoopExit{.buffer = x_.get(), .at_most = 32, .next = 3};  // of a PE's own four
    launches.push_back(launch_of("halve", pe, *x_));
    Launch& sum = launches.emplace_back();
    sum.kernel = "sum";
    sum.pe = pe;
    sum.collective = Collective::sum;
    sum.summed = x_.get();
  }
  EXPECT_EQ(run(launches), 64);
}

TEST_F(PesExecutorTest, InputsAreTheSameOnAll) {
  use_pes(2);
  const float seven = 7;
  executor_.upload(*x_, std::as_bytes(std::span(&seven, 1)));
  FreshStart start;
  executor_.repeat(*program_, start, std::vector{launch_of("add", 0, *x_, 1), launch_of("add", 1, *x_, 1)},
                   {}, 1);
  float first = 0;
  executor_.download(*x_, std::as_writable_bytes(std::span(&first, 1)));
  EXPECT_EQ(first, 8);
}

TEST_F(PesExecutorTest, GuardWordsOfAllAreLookedAt) {
  use_pes(2);
  run({launch_of("number", 0, *x_), launch_of("spill", 1, *x_)});
  EXPECT_THAT(executor_.read({{x_.get()}, {}}), ElementsAre("PE 1: 1 byte past the end"));
}

TEST_F(PesExecutorTest, WhatOneRefusesIsToldWithItsNumber) {
  use_pes(2);
  EXPECT_EQ(failure_of("refuse"), "launch_failed: PE 1: refused");
  EXPECT_EQ(failure_of("number"), "launch_failed: PE 1: refused") << "what they share is not known any more";
  EXPECT_TRUE(all_have_ended());
}

TEST_F(PesExecutorTest, ADeathIsACrashOfThatOneAndLeavesNobodyBehind) {
  use_pes(3);
  EXPECT_EQ(failure_of("abort"), "crashed: PE 1: its process was killed by signal 6 (Aborted)");
  EXPECT_TRUE(all_have_ended());
}

TEST_F(PesExecutorTest, OneThatIsKilledFromOutsideIsKnownAsThat) {
  use_pes(2);
  const std::string failure = failure_of("die");
  EXPECT_EQ(failure, "crashed: PE 1: its process was killed by signal 9 (Killed)");
  EXPECT_TRUE(was_killed_from_outside(Outcome::crashed, failure));
}

TEST_F(PesExecutorTest, OneThatEndsByItselfHasCrashed) {
  use_pes(2);
  EXPECT_EQ(failure_of("leave"), "crashed: PE 1: its process exited with status 3");
}

TEST_F(PesExecutorTest, AnErrorThatIsNoFailureHasCrashed) {
  use_pes(2);
  EXPECT_EQ(failure_of("break"), "crashed: PE 1: broken");
}

TEST_F(PesExecutorTest, OneThatHangsIsATimeoutAndAllAreEnded) {
  use_pes(2);
  executor_.set_deadline_s(0.2);
  EXPECT_EQ(failure_of("hang"), "timeout: PE 1: no answer within 1.2 s");
  EXPECT_TRUE(all_have_ended());
}

TEST_F(PesExecutorTest, ThereAreOthersAfterTrouble) {
  use_pes(2);
  failure_of("abort");
  EXPECT_EQ(executor_.pes(), 0);
  use_pes(2);
  EXPECT_EQ(run({launch_of("add", 0, *x_, 2), launch_of("add", 1, *x_, 2)}), 2);
}

TEST_F(PesExecutorTest, MoreThanThereAreGpusAreUnavailable) {
  EXPECT_EQ(text_of([this] { executor_.use_pes(4); }),
            "unavailable: 4 processing elements need a GPU each, and there are 3 from the run's own on");
  EXPECT_EQ(executor_.pes(), 0);
}

TEST_F(PesExecutorTest, WhatAllHaveNoMemoryForEndsNobody) {
  use_pes(2);
  EXPECT_EQ(text_of([this] { executor_.allocate_at(kSymmetric, 2'000'000); }),
            "out_of_memory: PE 0: too much");
  EXPECT_EQ(run({launch_of("add", 0, *x_, 3), launch_of("add", 1, *x_, 3)}), 3);
}

TEST_F(PesExecutorTest, AGraphIsUnavailable) {
  use_pes(1);
  EXPECT_EQ(text_of([this] {
              executor_.repeat(*program_, {}, std::vector{launch_of("number", 0, *x_)}, {.graph = true}, 1);
            }),
            "unavailable: a graph cannot hold what processing elements do together");
}

class PesRecording : public PesExecutorTest {
 protected:
  PesRecording() { seen().records = true; }

  std::vector<Activity> record(const std::string& second = "number") {
    return executor_.counters().record([&] {
      run({launch_of("number", 0, *x_), launch_of(second, 1, *x_)});
    });
  }
  std::string failure_of_recording(const std::string& second = "number") {
    return text_of([&] { record(second); });
  }
  // With others, after trouble.
  void expect_that_it_works() {
    use_pes(2);
    EXPECT_THAT(record(), SizeIs(2));
  }
};

TEST_F(PesRecording, HasWhatEachDidWithItsNumber) {
  use_pes(2);
  const std::vector<Activity> done = record();
  ASSERT_THAT(done, SizeIs(2));
  for (int pe = 0; pe < 2; ++pe) {
    const Activity& one = done[static_cast<std::size_t>(pe)];
    EXPECT_EQ(one.name, "run");
    EXPECT_EQ(one.gpu, pe);
    EXPECT_EQ(one.begin_ns, 100 * pe);
  }
  run({launch_of("number", 0, *x_), launch_of("number", 1, *x_)});
  EXPECT_THAT(record(), SizeIs(2)) << "without what ran between two recordings";
}

TEST_F(PesRecording, EndsWithOneThatDiesMeanwhile) {
  use_pes(2);
  EXPECT_EQ(failure_of_recording("die"), "crashed: PE 1: its process was killed by signal 9 (Killed)");
  EXPECT_TRUE(all_have_ended());
  expect_that_it_works();
}

TEST_F(PesRecording, EndsWithWhatOneRefusesMeanwhile) {
  use_pes(2);
  EXPECT_EQ(failure_of_recording("refuse"), "launch_failed: PE 1: refused");
  expect_that_it_works();
}

TEST_F(PesRecording, SaysWhyOneCannotBegin) {
  seen().second_refuses = true;
  use_pes(2);
  EXPECT_EQ(failure_of_recording(), "launch_failed: PE 1: counters: not permitted");
  seen().second_refuses = false;
  expect_that_it_works();
}

TEST_F(PesRecording, SaysWhyOneCannotEnd) {
  seen().second_loses = true;
  use_pes(2);
  EXPECT_EQ(failure_of_recording(), "launch_failed: PE 1: counters: CUPTI lost 1 of 2");
  seen().second_loses = false;
  expect_that_it_works();
}

TEST_F(PesRecording, LeavesNobodyRecordingWhereAllHaveNoMemoryMeanwhile) {
  use_pes(2);
  EXPECT_EQ(text_of([this] {
              executor_.counters().record([this] { executor_.allocate_at(kSymmetric, 2'000'000); });
            }),
            "out_of_memory: PE 0: too much");
  EXPECT_EQ(executor_.pes(), 0);
  expect_that_it_works();
}

TEST_F(PesRecording, IsNotToBeHadWhereTheirGpusWereNotOpenedForThat) {
  seen().records = false;
  use_pes(2);
  EXPECT_EQ(failure_of_recording(), "launch_failed: PE 0: this device has no hardware counters");
}

TEST_F(PesRecording, CountsNothing) {
  use_pes(1);
  const std::string refused = "unavailable: processing elements are recorded, not counted";
  EXPECT_EQ(text_of([this] { executor_.counters().plan({}); }), refused);
  EXPECT_EQ(text_of([this] {
              executor_.counters().count(
                  {}, [] {}, [] {});
            }),
            refused);
}

TEST(Pes, NobodyIsOneWhereADeviceHasNone) {
  FakeExecutor device;
  EXPECT_EQ(device.pes(), 0);
  device.use_pes(0);
  EXPECT_THROW(device.use_pes(1), Failure);
  EXPECT_THROW(device.allocate_at(kSymmetric, 4), Failure);
}

}  // namespace
}  // namespace tailwave
