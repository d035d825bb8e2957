#include "measure/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "compile/host_compiler.h"
#include "core/error.h"
#include "device/cpu/cpu_device.h"
#include "device/lease.h"
#include "device/packing.h"
#include "device/shared_memory.h"
#include "fakes/one_variant.h"
#include "fakes/scratch_folder.h"
#include "fakes/strays.h"
#include "measure/trouble.h"

namespace tailwave {
namespace {

using fakes::first_of;
using fakes::repetition_of;
using fakes::TroubleExecutor;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

// A worker of a device on which kernels go wrong.
class WorkerTest : public testing::Test {
 protected:
  WorkerTest() { use({}); }

  void use(WorkerSetup setup) {
    if (!setup.device) setup.device = [] { return std::make_unique<TroubleExecutor>(); };
    setup.systems = {&system_};
    worker_ = std::make_unique<ProcessWorker>(std::move(setup));
  }
  void isolate() { use({.isolated = true}); }

  void begin(const std::string& kernel) { worker_->begin(repetition_of(system_, kernel, ++number_)); }
  RepetitionResult result_of(const std::string& kernel) {
    begin(kernel);
    return worker_->finish();
  }
  static std::string text(const RepetitionResult& result) {
    return std::string(to_string(result.outcome)) + ": " + result.detail;
  }
  std::string outcome_of(const std::string& kernel) { return text(result_of(kernel)); }

  void expect_that_it_works() {
    const RepetitionResult result = result_of("twice");
    EXPECT_EQ(text(result), "correct: ");
    EXPECT_EQ(first_of(result), 2);
  }

  System system_ = fakes::trouble_system({"twice",
                                          "thrice",
                                          "crash",
                                          "exit",
                                          "hang",
                                          "sleep",
                                          "refuse",
                                          "break",
                                          "fill the memory",
                                          "talk",
                                          "poison",
                                          "die late",
                                          "fork",
                                          "kill the parent",
                                          "stop the parent",
                                          "promise much",
                                          "say one",
                                          "say two",
                                          "say and crash",
                                          "say and hang",
                                          "flood",
                                          "say when ended",
                                          "close all files",
                                          "crash late"});
  std::unique_ptr<ProcessWorker> worker_;
  std::uint64_t number_ = 0;
};

TEST_F(WorkerTest, DescribesTheDeviceOfAnotherProcess) {
  EXPECT_EQ(worker_->description().name, "fake cuda");
  EXPECT_GT(worker_->process(), 0);
  EXPECT_NE(worker_->process(), getpid());
}

TEST_F(WorkerTest, StartsNoProcessForADeviceThatIsKnownBeforeThereIsSomethingToDo) {
  WorkerSetup setup;
  setup.description.kind = DeviceKind::cuda;
  setup.description.name = "known";
  use(std::move(setup));
  EXPECT_EQ(worker_->process(), -1);
  EXPECT_EQ(worker_->descriptor(), -1);
  expect_that_it_works();
  EXPECT_GT(worker_->process(), 0);
  EXPECT_EQ(worker_->description().name, "known");
}

TEST_F(WorkerTest, BringsResultsInTheOrderInWhichTheirRepetitionsBegan) {
  EXPECT_EQ(worker_->most_under_way(), 2U);
  const pid_t process = worker_->process();
  begin("twice");
  begin("thrice");
  begin("twice");
  begin("refuse");
  EXPECT_EQ(first_of(worker_->finish()), 2);
  EXPECT_EQ(first_of(worker_->finish()), 3);
  EXPECT_EQ(first_of(worker_->finish()), 2);
  EXPECT_EQ(text(worker_->finish()), "launch_failed: refused");
  EXPECT_EQ(worker_->process(), process);
  EXPECT_THROW(worker_->finish(), std::logic_error);
}

// The second one is carried out while nobody asks for the first one.
TEST_F(WorkerTest, CarriesOutTwoRepetitionsThatAreUnderWay) {
  begin("twice");
  begin("thrice");
  pollfd answer{worker_->descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&answer, 1, 30'000), 1);
  EXPECT_EQ(first_of(worker_->finish()), 2);
  ASSERT_EQ(poll(&answer, 1, 30'000), 1);
  EXPECT_EQ(first_of(worker_->finish()), 3);
  EXPECT_EQ(poll(&answer, 1, 0), 0);
}

TEST_F(WorkerTest, BringsWhatStepsLeaveAndMeasure) {
  Repetition wanted = repetition_of(system_, "twice", 1);
  wanted.steps = {{.looked_at = true}, {.timed = true}, {.draw = 1, .looked_at = true}};
  wanted.settings.samples = 4;
  wanted.settings.precision = 0;
  wanted.asks_driver = true;
  wanted.repetition = 3;
  worker_->begin(wanted);
  const RepetitionResult result = worker_->finish();
  EXPECT_EQ(text(result), "correct: ");
  EXPECT_THAT(result.looks, SizeIs(2));
  EXPECT_THAT(result.samples, SizeIs(4));
  EXPECT_THAT(result.samples, Each(testing::Field(&Sample::repetition, 3)));
  EXPECT_EQ(result.blocks_per_sm, std::vector<std::optional<int>>{16});
}

TEST_F(WorkerTest, BringsLargeContentsBesideTheMessage) {
  constexpr std::int64_t kCount = 1 << 20;
  worker_->begin(repetition_of(system_, "twice", 1, kCount));
  const RepetitionResult result = worker_->finish();
  ASSERT_EQ(text(result), "correct: ");
  const Blob& contents = result.looks.at(0).contents.at("x");
  EXPECT_GE(contents.descriptor(), 0);
  std::vector<float> values(kCount);
  ASSERT_EQ(contents.bytes().size(), values.size() * sizeof(float));
  std::memcpy(values.data(), contents.bytes().data(), contents.bytes().size());
  EXPECT_EQ(values, std::vector<float>(kCount, 2));
}

TEST_F(WorkerTest, TellsHowAProcessDiedAndGoesOnInAnother) {
  const pid_t before = worker_->process();
  EXPECT_EQ(outcome_of("crash"),
            "crashed: crash: the device's worker process was killed by signal 9 (Killed)");
  expect_that_it_works();
  EXPECT_NE(worker_->process(), before);
  EXPECT_EQ(outcome_of("exit"), "crashed: exit: the device's worker process exited with status 3");
  expect_that_it_works();
}

TEST_F(WorkerTest, CarriesOutAgainWhatWasUnderWayBehindADeath) {
  begin("crash");
  begin("thrice");
  begin("twice");
  EXPECT_EQ(text(worker_->finish()),
            "crashed: crash: the device's worker process was killed by signal 9 (Killed)");
  EXPECT_EQ(first_of(worker_->finish()), 3);
  EXPECT_EQ(first_of(worker_->finish()), 2);
}

TEST_F(WorkerTest, KillsAProcessThatHangs) {
  Repetition hang = repetition_of(system_, "hang");
  hang.settings.deadline_s = 0.1;
  use({.overdue_s = 0.1});
  worker_->begin(hang);
  EXPECT_EQ(text(worker_->finish()), "timeout: hang: not ended after 0.1 s; its process was killed");
  expect_that_it_works();
}

TEST_F(WorkerTest, MeetsADeadlineThatWasMissedByLittle) {
  Repetition slow = repetition_of(system_, "sleep");
  slow.settings.deadline_s = 0.1;
  use({.overdue_s = 60});
  const pid_t process = worker_->process();
  worker_->begin(slow);
  EXPECT_THAT(text(worker_->finish()), testing::MatchesRegex("timeout: took [0-9.]+ s, longer than 0.1 s"));
  EXPECT_EQ(worker_->process(), process);
}

TEST_F(WorkerTest, TakesNonsenseForADeath) {
  EXPECT_EQ(outcome_of("talk"),
            "crashed: talk: the device's worker process gave an answer that is none; it was killed");
  expect_that_it_works();
}

TEST_F(WorkerTest, DoesNotWaitForTheRestOfAnAnswerThatIsNone) {
  use({.message_s = 0.1});
  EXPECT_EQ(outcome_of("promise much"),
            "crashed: the device's worker process gave an answer that is none; it was killed");
  expect_that_it_works();
}

TEST_F(WorkerTest, TellsOfAWorkerThatKillsOrStopsItsParent) {
  EXPECT_EQ(
      outcome_of("kill the parent"),
      "crashed: kill the parent: the device's worker process ended with its parent, which was killed by "
      "signal 9 (Killed)");
  expect_that_it_works();
  isolate();
  EXPECT_THAT(
      outcome_of("stop the parent"),
      testing::AllOf(testing::StartsWith("crashed: "),
                     testing::HasSubstr("ended with its parent, which was killed by signal 9 (Killed)")));
  expect_that_it_works();
}

TEST_F(WorkerTest, TakesAFreshProcessAfterAnErrorThatStays) {
  const pid_t before = worker_->process();
  begin("poison");
  begin("twice");
  EXPECT_EQ(text(worker_->finish()), "illegal_access: illegal address");
  EXPECT_EQ(first_of(worker_->finish()), 2);
  EXPECT_NE(worker_->process(), before);
}

TEST_F(WorkerTest, KeepsItsProcessAfterWhatDoesNotHarmIt) {
  const pid_t process = worker_->process();
  EXPECT_EQ(outcome_of("refuse"), "launch_failed: refused");
  EXPECT_EQ(outcome_of("break"), "crashed: broken");
  EXPECT_EQ(outcome_of("fill the memory"), "out_of_memory: the device's worker process has no more memory");
  worker_->begin(repetition_of(system_, "twice", 1, std::int64_t{1} << 30));
  EXPECT_EQ(text(worker_->finish()), "out_of_memory: too much");
  expect_that_it_works();
  EXPECT_EQ(worker_->process(), process);
}

TEST_F(WorkerTest, TakesAFreshProcessWhenOneDiedWhileIdle) {
  expect_that_it_works();
  const pid_t before = worker_->process();
  ASSERT_EQ(kill(before, SIGKILL), 0);
  ASSERT_TRUE(fakes::comes_true([&] { return !fakes::is_running(before); }));
  expect_that_it_works();
  EXPECT_NE(worker_->process(), before);
}

TEST_F(WorkerTest, GivesEachRepetitionAProcessWhenIsolated) {
  isolate();
  EXPECT_EQ(worker_->most_under_way(), 1U);
  const pid_t first = worker_->process();
  expect_that_it_works();
  EXPECT_FALSE(fakes::is_running(first));
  EXPECT_EQ(worker_->process(), -1);
  begin("thrice");
  begin("twice");
  const pid_t second = worker_->process();
  EXPECT_NE(second, first);
  EXPECT_EQ(first_of(worker_->finish()), 3);
  EXPECT_NE(worker_->process(), second);
  EXPECT_EQ(first_of(worker_->finish()), 2);
}

TEST_F(WorkerTest, SaysThatAProcessWasKilledFromOutsideWheneverThatWas) {
  for (const char* kernel : {"crash", "crash late"}) {
    isolate();
    const RepetitionResult result = result_of(kernel);
    EXPECT_EQ(result.outcome, Outcome::crashed);
    EXPECT_TRUE(was_killed_from_outside(result.outcome, result.detail)) << result.detail;
  }
}

TEST_F(WorkerTest, TellsOfADeathAfterAllExecutions) {
  isolate();
  EXPECT_EQ(outcome_of("die late"),
            "crashed: after all executions, when its memory was released, the device's worker process was "
            "killed by signal 6 (Aborted)");
  expect_that_it_works();
}

TEST_F(WorkerTest, BelievesNobodyWhoLeavesProcesses) {
  isolate();
  EXPECT_EQ(outcome_of("fork"), "crashed: it left processes behind, which were ended");
  expect_that_it_works();
}

// What an executor that runs foreign code in its process says of times.
class WorkerClockTest : public WorkerTest {
 protected:
  std::string outcome_with_times_of(double time_ns) {
    use({.device =
             [time_ns] {
               auto device = std::make_unique<TroubleExecutor>();
               device->times_ns = {time_ns};
               return device;
             },
         .isolated = true});
    Repetition wanted = repetition_of(system_, "twice", ++number_);
    wanted.steps = {{.looked_at = true}, {.timed = true}};
    wanted.settings.samples = 3;
    wanted.settings.precision = 0;
    worker_->begin(wanted);
    return text(worker_->finish());
  }
};

TEST_F(WorkerClockTest, BelievesTimesThatCanBe) {
  EXPECT_EQ(outcome_with_times_of(1000), "correct: ");
}

TEST_F(WorkerClockTest, BelievesNoTimeThatIsNone) {
  EXPECT_EQ(outcome_with_times_of(0),
            "crashed: an execution took 0 ns, says the clock of its process, which cannot be true");
  EXPECT_EQ(outcome_with_times_of(-5),
            "crashed: an execution took -5 ns, says the clock of its process, which cannot be true");
  EXPECT_EQ(outcome_with_times_of(std::nan("")),
            "crashed: an execution took nan ns, says the clock of its process, which cannot be true");
}

TEST_F(WorkerClockTest, BelievesNoSamplesThatTookLongerThanTheWhole) {
  const std::string outcome = outcome_with_times_of(1e15);
  EXPECT_THAT(outcome, testing::StartsWith("crashed: the device's worker process took "));
  EXPECT_THAT(outcome, testing::HasSubstr(" as a whole, and says that its samples took 3e+06 s of it, "));
  expect_that_it_works();
}

TEST_F(WorkerTest, StopsWhenCancelledWithNothingUnderWay) {
  use({.cancel_grace_s = 0.05});
  begin("hang");
  begin("twice");
  worker_->set_cancelled([] { return true; });
  EXPECT_THROW(worker_->finish(), Cancelled);
  EXPECT_THROW(worker_->finish(), std::logic_error);
  EXPECT_EQ(worker_->process(), -1);
  worker_->set_cancelled([] { return false; });
  expect_that_it_works();
}

TEST_F(WorkerTest, FinishesWhatEndsSoonAfterACancellation) {
  use({.cancel_grace_s = 60});
  begin("sleep");
  worker_->set_cancelled([] { return true; });
  EXPECT_EQ(text(worker_->finish()), "correct: ");
}

TEST_F(WorkerTest, AbandonsWhatIsUnderWay) {
  begin("hang");
  begin("hang");
  const pid_t process = worker_->process();
  worker_->abandon();
  EXPECT_FALSE(fakes::is_running(process));
  EXPECT_THROW(worker_->finish(), std::logic_error);
  expect_that_it_works();
}

TEST_F(WorkerTest, IsStoppedByWhoWaitsAndSaysWhy) {
  std::vector<Watch::Reading> readings;
  worker_->set_waiting([&](const Watch::Reading& reading) -> std::string {
    readings.push_back(reading);
    return readings.size() < 2 ? "" : "slower than the best";
  });
  begin("hang");
  EXPECT_EQ(text(worker_->finish()), "timeout: slower than the best");
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].doing, Watch::Doing::kernels);
  EXPECT_EQ(readings[0].limit_s, 20);
  EXPECT_GT(readings[1].seconds, readings[0].seconds);
  worker_->set_waiting({});
  expect_that_it_works();
}

// A worker whose device is held for each of its turns.
class HoldingWorker : public WorkerTest {
 protected:
  HoldingWorker() {
    use(setup());
    hold_elsewhere();
  }

  WorkerSetup setup() {
    WorkerSetup setup;
    setup.leases = folder_.path();
    setup.holder = "34 tailwave tune y.json";
    setup.tell = [this](const std::string& text) {
      told_.push_back(text);
      if (!goes_on_holding_) lease_->release();
    };
    setup.tell_wait_s = 0;
    return setup;
  }

  // What a worker that is forked later would have, too.
  void hold_elsewhere() {
    lease_.emplace(Lease::Terms{folder_.path(), kDevice, "12 tailwave run x.json"});
    lease_->take();
  }
  [[nodiscard]] bool is_held_by_the_worker() const {
    return lease_holder(folder_.path(), kDevice) == "process 34 (tailwave tune y.json)";
  }

  static constexpr const char* kDevice = "gpu";
  ScratchFolder folder_;
  std::optional<Lease> lease_;    // of another run
  bool goes_on_holding_ = false;  // else the other run goes on when somebody says that he waits
  std::vector<std::string> told_;
};

TEST_F(HoldingWorker, WaitsForItsTurnAndTellsForWhomOnce) {
  begin("twice");
  begin("thrice");
  EXPECT_EQ(first_of(worker_->finish()), 2);
  EXPECT_EQ(first_of(worker_->finish()), 3);
  EXPECT_TRUE(is_held_by_the_worker());
  for (int turn = 0; turn < 3; ++turn) {
    lease_->take();
    begin("twice");
    lease_->release();
    EXPECT_EQ(first_of(worker_->finish()), 2);
  }
  EXPECT_THAT(told_,
              ElementsAre("waiting for fake cuda, which process 12 (tailwave run x.json) measures on"));
}

TEST_F(HoldingWorker, IsCancelledAtOnceWhileItWaits) {
  lease_.reset();
  WorkerSetup patient = setup();
  patient.cancel_grace_s = 1e6;
  use(std::move(patient));
  goes_on_holding_ = true;
  hold_elsewhere();
  worker_->set_cancelled([this] { return !told_.empty(); });
  begin("twice");
  EXPECT_THROW(worker_->finish(), Cancelled);
}

TEST_F(HoldingWorker, FreesTheDeviceWhenItIsKilled) {
  lease_->release();
  begin("hang");
  ASSERT_TRUE(fakes::comes_true([&] { return is_held_by_the_worker(); }));
  kill(worker_->process(), SIGKILL);
  lease_->take();
  lease_->release();
  EXPECT_EQ(worker_->finish().outcome, Outcome::crashed);
  expect_that_it_works();
}

TEST_F(HoldingWorker, HoldsTheDeviceForATaskAndFreesItAfterwards) {
  lease_.reset();
  WorkerSetup with_task = setup();
  with_task.tasks["look"] = [this](DeviceData& /*data*/, Watch& /*watch*/, Packet& /*request*/,
                                   Packet& answer) { answer << is_held_by_the_worker(); };
  use(std::move(with_task));
  Packet answer = worker_->call("look", {});
  EXPECT_TRUE(take<bool>(answer));
  hold_elsewhere();
}

TEST_F(HoldingWorker, WorksWhereTheDeviceCannotBeHeldAndSaysSoOnce) {
  const std::string folder = folder_ / "missing/leases";
  WorkerSetup nowhere = setup();
  nowhere.leases = folder;
  nowhere.isolated = true;
  use(std::move(nowhere));
  expect_that_it_works();
  expect_that_it_works();
  EXPECT_THAT(told_,
              ElementsAre("runs at the same time may disturb times here, since the device cannot be held: " +
                          folder + ": No such file or directory; name another folder with $TAILWAVE_LEASES"));
}

// The processes in which kernels ran, one after another.
struct Log {
  std::atomic<std::size_t> size;
  std::array<std::atomic<pid_t>, 1000> processes;
};

TEST_F(HoldingWorker, TakesTurnsOfWholeRepetitionsWithAnother) {
  constexpr int kSteps = 6, kRounds = 8;
  SharedMemory memory(sizeof(Log));
  Log& log = *new (memory.bytes().data()) Log;
  const auto noting = [&] {
    auto device = std::make_unique<TroubleExecutor>();
    device->kernels["twice"] = [&log](const Launch& launch) {
      log.processes.at(log.size++) = getpid();
      sched_yield();
      TroubleExecutor::multiply(launch, 2);
    };
    return device;
  };
  lease_.reset();
  std::array<std::unique_ptr<ProcessWorker>, 2> workers;
  for (auto& worker : workers) {
    WorkerSetup alike = setup();
    alike.device = noting;
    alike.systems = {&system_};
    worker = std::make_unique<ProcessWorker>(std::move(alike));
  }
  hold_elsewhere();
  Repetition wanted = repetition_of(system_, "twice");
  wanted.steps.resize(kSteps, wanted.steps.front());
  for (auto& worker : workers) worker->begin(wanted);
  lease_->release();
  for (int round = 1; round < kRounds; ++round)
    for (auto& worker : workers) {
      worker->begin(wanted);
      EXPECT_EQ(first_of(worker->finish()), 2);
    }
  for (auto& worker : workers) EXPECT_EQ(first_of(worker->finish()), 2);
  ASSERT_EQ(log.size, std::size_t{2} * kRounds * kSteps);
  for (std::size_t i = 0; i < log.size; ++i)
    EXPECT_EQ(log.processes.at(i), log.processes.at(i - i % kSteps)) << i;
}

TEST_F(WorkerTest, RestsWithoutAProcess) {
  expect_that_it_works();
  const pid_t process = worker_->process();
  worker_->rest();
  EXPECT_FALSE(fakes::is_running(process));
  expect_that_it_works();
}

TEST_F(WorkerTest, LeavesNoProcessBehind) {
  const pid_t process = worker_->process();
  EXPECT_TRUE(fakes::is_running(process));
  begin("hang");
  worker_.reset();
  EXPECT_FALSE(fakes::is_running(process));
}

TEST_F(WorkerTest, EndsBeforeAnotherOneThatWasMadeLater) {
  auto first = std::move(worker_);
  use({});  // whose process has copies of the first one's sockets
  first.reset();
  expect_that_it_works();
}

TEST_F(WorkerTest, KnowsOnlyTheSystemsThatItWasMadeWith) {
  const System other = fakes::trouble_system({"twice"});
  try {
    worker_->begin(repetition_of(other, "twice"));
    FAIL() << "began";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "a worker was not started with this system");
  }
}

// What a call of a task throws: "<outcome>: <text>", "error: <text>".
class TaskTest : public WorkerTest {
 protected:
  TaskTest() {
    Tasks tasks;
    tasks["multiply"] = [](DeviceData&, Watch&, Packet& request, Packet& answer) {
      answer << take<int>(request) * take<int>(request) << getpid();
    };
    tasks["trace"] = [](DeviceData& data, Watch&, Packet&, Packet& answer) {
      const auto program = data.device().load({});
      answer << data.device().trace(*program, {}, {});
    };
    tasks["count"] = [](DeviceData&, Watch&, Packet& request, Packet& answer) {
      const auto made = take<Blob>(request);
      answer << made.bytes().size() << std::to_integer<int>(made.bytes().back());
    };
    tasks["fail"] = [](DeviceData&, Watch&, Packet&, Packet& answer) {
      answer << 1;
      throw Failure(Outcome::exceeds_device_limit, "too wide");
    };
    tasks["err"] = [](DeviceData&, Watch&, Packet&, Packet&) { throw Error("no such thing"); };
    tasks["fill"] = [](DeviceData&, Watch&, Packet&, Packet&) { throw std::bad_alloc(); };
    tasks["crash"] = [](DeviceData&, Watch&, Packet&, Packet&) { std::raise(SIGKILL); };
    tasks["crash in kernels"] = [](DeviceData&, Watch& watch, Packet&, Packet&) {
      const Watch::Scope watched(watch, Watch::Doing::kernels, 10);
      std::raise(SIGKILL);
    };
    tasks["talk"] = [](DeviceData&, Watch&, Packet&, Packet&) {
      fakes::talk_nonsense();
      for (;;) pause();
    };
    tasks["hang"] = [](DeviceData&, Watch& watch, Packet&, Packet&) {
      const Watch::Scope watched(watch, Watch::Doing::kernels, 0.1);
      for (;;) pause();
    };
    use({.tasks = tasks, .overdue_s = 0.1});
  }

  std::string failure_of(const std::string& task) {
    try {
      worker_->call(task, {});
    } catch (const Failure& failure) {
      return std::string(to_string(failure.outcome())) + ": " + failure.what();
    } catch (const Error& error) {
      return std::string("error: ") + error.what();
    }
    return "";
  }
};

TEST_F(TaskTest, TakesARequestAndGivesAnAnswer) {
  Packet request;
  request << 6 << 7;
  Packet answer = worker_->call("multiply", request);
  EXPECT_EQ(take<int>(answer), 42);
  EXPECT_EQ(take<pid_t>(answer), worker_->process());
  expect_that_it_works();
}

TEST_F(TaskTest, IsGivenWhatTravelsBesideTheMessage) {
  Blob made = Blob::shared(std::size_t{3} << 20);
  made.writable().back() = std::byte{7};
  Packet request;
  Packet answer = worker_->call("count", request << made);
  EXPECT_EQ(take<std::size_t>(answer), std::size_t{3} << 20);
  EXPECT_EQ(take<int>(answer), 7);
}

TEST_F(TaskTest, AnswersWithWhatTravelsBesideTheMessage) {
  Packet answer = worker_->call("trace", {});
  const auto trace = take<LaunchTrace>(answer);
  EXPECT_EQ(trace.blocks, std::vector<BlockTime>(10'000, {15, 1, 2}));
  EXPECT_EQ(trace.registers, 32);
}

TEST_F(TaskTest, ThrowsWhatItThrowsThere) {
  const pid_t process = worker_->process();
  EXPECT_EQ(failure_of("fail"), "exceeds_device_limit: too wide");
  EXPECT_EQ(failure_of("err"), "error: no such thing");
  EXPECT_EQ(failure_of("fill"), "out_of_memory: the device's worker process has no more memory");
  EXPECT_EQ(worker_->process(), process);
}

TEST_F(TaskTest, FailsWhenItsProcessDoes) {
  EXPECT_EQ(failure_of("crash"), "crashed: the device's worker process was killed by signal 9 (Killed)");
  EXPECT_EQ(failure_of("crash in kernels"),
            "crashed: crash in kernels: the device's worker process was killed by signal 9 (Killed)");
  EXPECT_EQ(failure_of("talk"),
            "crashed: the device's worker process gave an answer that is none; it was killed");
  EXPECT_EQ(failure_of("hang"), "timeout: hang: not ended after 0.1 s; its process was killed");
  expect_that_it_works();
}

TEST_F(TaskTest, IsNotCalledWhileARepetitionIsUnderWay) {
  begin("twice");
  EXPECT_THROW(worker_->call("multiply", {}), std::logic_error);
  EXPECT_EQ(first_of(worker_->finish()), 2);
}

TEST_F(TaskTest, EndsItsProcessWhenIsolated) {
  use({.tasks = {{"process", [](DeviceData&, Watch&, Packet&, Packet& answer) { answer << getpid(); }}},
       .isolated = true});
  Packet first = worker_->call("process", {}), second = worker_->call("process", {});
  EXPECT_NE(take<pid_t>(first), take<pid_t>(second));
  EXPECT_EQ(worker_->process(), -1);
}

TEST_F(TaskTest, TakesAFreshProcessWhenOneDiedWhileIdle) {
  const pid_t before = worker_->process();
  ASSERT_EQ(kill(before, SIGKILL), 0);
  ASSERT_TRUE(fakes::comes_true([&] { return !fakes::is_running(before); }));
  Packet request;
  Packet answer = worker_->call("multiply", request << 2 << 3);
  EXPECT_EQ(take<int>(answer), 6);
}

// Of what repetitions print.
using PrintingWorkerTest = WorkerTest;

TEST_F(PrintingWorkerTest, EachRepetitionHasItsOwnThoughTwoAreUnderWay) {
  for (const char* kernel : {"say one", "say two", "twice", "say one"}) begin(kernel);
  for (const char* printed : {"one", "two, \x1b[2J\xff\n", "", "one"}) {
    const RepetitionResult result = worker_->finish();
    EXPECT_EQ(text(result), "correct: ");
    EXPECT_EQ(result.printed.text, printed);
    EXPECT_EQ(result.printed.left_out, 0);
  }
}

TEST_F(PrintingWorkerTest, WhatACrashFollowsIsThere) {
  for (int round = 0; round < 2; ++round) {
    const RepetitionResult result = result_of("say and crash");
    EXPECT_EQ(result.outcome, Outcome::crashed);
    EXPECT_EQ(result.printed.text, "it is over\n");
    EXPECT_EQ(result_of("twice").printed.text, "");
  }
}

TEST_F(PrintingWorkerTest, WhatDoesNotEndIsKeptToItsLimit) {
  use({.overdue_s = 0.1});
  Repetition repetition = repetition_of(system_, "say and hang", ++number_);
  repetition.settings.deadline_s = 0.1;
  worker_->begin(repetition);
  const RepetitionResult result = worker_->finish();
  EXPECT_EQ(result.outcome, Outcome::timeout);
  EXPECT_EQ(result.printed.text.size(), kMostPrinted);
  EXPECT_GT(result.printed.left_out, 0);
  expect_that_it_works();
}

TEST_F(PrintingWorkerTest, AFloodIsCounted) {
  const RepetitionResult result = result_of("flood");
  EXPECT_EQ(text(result), "correct: ");
  EXPECT_EQ(result.printed.text, std::string(kMostPrinted, 'x'));
  EXPECT_EQ(result.printed.left_out, fakes::kFloodBytes - kMostPrinted);
  EXPECT_EQ(result_of("twice").printed.text, "");
}

TEST_F(PrintingWorkerTest, WhatAProcessOfItsOwnPrintsAtItsEndIsThere) {
  isolate();
  EXPECT_EQ(result_of("say when ended").printed.text, "good bye\n");
  EXPECT_EQ(result_of("twice").printed.text, "");
}

TEST_F(PrintingWorkerTest, WhoClosesAllFilesIsNotHeard) {
  const RepetitionResult result = result_of("close all files");
  EXPECT_EQ(text(result), "correct: ");
  EXPECT_EQ(result.printed.text, "");
  expect_that_it_works();
}

TEST_F(PrintingWorkerTest, WhatIsNoRepetitionsIsToldAtOnce) {
  std::string heard;
  WorkerSetup setup;
  setup.device = [] {
    std::puts("a device \x1b[2J");
    return std::make_unique<TroubleExecutor>();
  };
  setup.tasks["talk"] = [](DeviceData&, Watch&, Packet&, Packet&) { std::puts("a task"); };
  setup.hear = [&heard](const std::string& text) { heard += text; };
  use(std::move(setup));
  EXPECT_EQ(result_of("say one").printed.text, "one");
  worker_->call("talk", {});
  EXPECT_EQ(heard, "printed by what opens the device:\na device \\x1b[2J\nprinted by 'talk':\na task\n");
}

std::string refusal_to_work(ExecutorFactory factory) {
  try {
    const ProcessWorker worker({.device = std::move(factory)});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ProcessWorker, ThrowsWhatTheFactorySays) {
  EXPECT_EQ(refusal_to_work([]() -> std::unique_ptr<Executor> { throw Error("no device here"); }),
            "no device here");
  EXPECT_EQ(
      refusal_to_work([]() -> std::unique_ptr<Executor> { throw Failure(Outcome::out_of_memory, "full"); }),
      "full");
}

TEST(ProcessWorker, ThrowsWhenEveryProcessDiesThatOpensTheDevice) {
  EXPECT_EQ(refusal_to_work([]() -> std::unique_ptr<Executor> {
              std::raise(SIGKILL);
              return nullptr;
            }),
            "the device's worker process cannot be started: it was killed by signal 9 (Killed)");
  EXPECT_EQ(
      refusal_to_work([]() -> std::unique_ptr<Executor> {
        std::puts("no, never");
        _exit(3);
      }),
      "the device's worker process cannot be started: it exited with status 3, and printed:\nno, never");
}

TEST(ProcessWorker, ForgivesOneProcessThatIsKilledWhileItOpensTheDevice) {
  SharedMemory memory(sizeof(std::atomic<int>));
  auto& opened = *new (memory.bytes().data()) std::atomic<int>(0);
  const ProcessWorker worker({.device = [&opened] {
    if (++opened == 1) std::raise(SIGKILL);
    return std::make_unique<TroubleExecutor>();
  }});
  EXPECT_EQ(worker.description().name, "fake cuda");
  EXPECT_EQ(opened, 2);
}

TEST(ProcessWorker, DoesNotTakeAnotherDeviceForItsOwn) {
  SharedMemory memory(sizeof(std::atomic<int>));
  auto& opened = *new (memory.bytes().data()) std::atomic<int>(0);
  ProcessWorker worker({.device = [&opened] {
    auto device = std::make_unique<TroubleExecutor>();
    device->set_uuid("GPU-" + std::to_string(++opened));
    return device;
  }});
  EXPECT_EQ(worker.description().uuid, "GPU-1");
  worker.rest();
  try {
    worker.revive();
    FAIL() << "GPU-2 was taken for GPU-1";
  } catch (const LostDevice& lost) {
    EXPECT_EQ(&lost.worker(), &worker);
    EXPECT_STREQ(lost.what(), "GPU-1 is not there any more, and GPU-2 in its place");
  }
}

// A host variant on the CPU device, compiled.
class HostWorkerTest : public testing::Test {
 protected:
  std::string outcome_of(const std::string& text, double deadline_s = 20) {
    const fakes::OneVariant source(VariantSpec::Target::host, text, {"run"});
    const BuildRequest request = source.request();
    System system = *request.system;
    VariantSpec variant = *request.variant;
    for (LaunchSpec& launch : variant.launches)
      for (std::size_t i = 0; i < 3; ++i) launch.grid[i] = launch.block[i] = Expression::parse("1");
    system.variants = {variant};
    ProcessWorker worker({.device = cpu_device(1), .systems = {&system}, .isolated = true, .overdue_s = 0.1});
    Repetition repetition;
    repetition.system = &system;
    repetition.configuration = request.configuration;
    repetition.artifact = HostCompiler(source.cache()).build(request);
    repetition.settings.deadline_s = deadline_s;
    repetition.steps = {{.looked_at = true}};
    worker.begin(repetition);
    const RepetitionResult result = worker.finish();
    return std::string(to_string(result.outcome)) + ": " + result.detail;
  }
};

TEST_F(HostWorkerTest, RunsWhatEnds) {
  EXPECT_EQ(outcome_of("extern \"C\" void run() {}"), "correct: ");
}

TEST_F(HostWorkerTest, OutlivesASegmentationFault) {
  if (!HostToolchain::sanitizers().empty()) GTEST_SKIP() << "the sanitizer tells it in its own way";
  EXPECT_EQ(outcome_of("extern \"C\" void run() { *(volatile int*)8 = 1; }"),
            "crashed: run: the device's worker process was killed by signal 11 (Segmentation fault)");
}

TEST_F(HostWorkerTest, EndsWhatRunsForEver) {
  EXPECT_EQ(outcome_of("extern \"C\" void run() { for (volatile int i = 0;; i = 0) {} }", 0.2),
            "timeout: run: not ended after 0.2 s; its process was killed");
}

TEST_F(HostWorkerTest, EndsAnEndlessStaticConstructorOrDestructor) {
  const std::string endless = "{ for (volatile int i = 0;; i = 0) {} } } waits; extern \"C\" void run() {}";
  for (const std::string place : {"Waits()", "~Waits()"})
    EXPECT_EQ(outcome_of("struct Waits { " + place + endless, 0.2),
              "timeout: not ended after 0.2 s; its process was killed")
        << place;
}

}  // namespace
}  // namespace tailwave
