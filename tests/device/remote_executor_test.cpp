#include "device/remote_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/error.h"

namespace tailwave {
namespace {

struct HostBuffer final : Buffer {
  explicit HostBuffer(std::size_t size) : bytes(size) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes.size(); }
  std::vector<std::byte> bytes;
};
struct HostProgram final : Program {};

HostBuffer& host(Buffer& buffer) {
  return dynamic_cast<HostBuffer&>(buffer);
}
const HostBuffer& host(const Buffer& buffer) {
  return dynamic_cast<const HostBuffer&>(buffer);
}

// Host memory, and kernels that go wrong in one way each; "fill" sets its buffer to a byte. A run tells in its
// result what it was asked for.
class TroubleExecutor final : public WorkerExecutor {
 public:
  TroubleExecutor() {
    description_.kind = "trouble";
    description_.properties = {{"ratio", 0.5}, {"note", std::string("text")}, {"flag", true}};
  }
  [[nodiscard]] bool usable() const override { return usable_; }
  void set_deadline_s(double seconds) override { deadline_s_ = seconds; }
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] std::string timer() const override { return "steady_clock"; }

  std::unique_ptr<Program> load(const Artifact& artifact) override {
    if (artifact.symbols.at("kernel") != "symbol") throw std::invalid_argument("wrong symbol");
    return std::make_unique<HostProgram>();
  }
  std::optional<int> blocks_per_sm(Program& /*program*/, const Launch& launch) override {
    if (launch.block.x > 1024) return std::nullopt;
    return static_cast<int>(launch.block.x) + launch.stream;
  }
  std::unique_ptr<Buffer> allocate(std::size_t size_bytes) override {
    if (size_bytes > 1'000'000'000) throw Failure(Outcome::out_of_memory, "too much");
    return std::make_unique<HostBuffer>(size_bytes);
  }
  void upload(Buffer& buffer, std::span<const std::byte> bytes) override {
    host(buffer).bytes.assign(bytes.begin(), bytes.end());
  }
  void download(const Buffer& buffer, std::span<std::byte> bytes) override {
    std::copy(host(buffer).bytes.begin(), host(buffer).bytes.end(), bytes.begin());
  }
  void copy(Buffer& to, const Buffer& from) override { host(to).bytes = host(from).bytes; }
  void fill(Buffer& buffer, std::byte value) override {
    std::fill(host(buffer).bytes.begin(), host(buffer).bytes.end(), value);
  }
  std::string guard_damage(const Buffer& buffer) override {
    return buffer.size_bytes() % 2 == 0 ? "" : "odd";
  }
  double copy_bandwidth() override { return 4e12; }
  RunResult run(Program& /*program*/, std::span<const Launch> launches, const RunOptions& options) override {
    walk_plan(launches, [this](const Launch& launch) {
      if (launch.copied != nullptr) variable_ = host(*launch.copied).bytes;
      perform(launch);
      return launch.exit && leaves(*launch.exit, host(*launch.exit->buffer).bytes);
    });
    RunResult result{deadline_s_ + options.executions, {}, {}, ""};
    if (options.sets > 1) result.sm_clock_mhz = options.sets;
    if (options.graph) result.temperature_c = 35.5;
    if (options.flush_cache) result.throttle_reasons = "sw_power_cap+sw_thermal";
    if (!options.timed) result.throttle_reasons += "not timed";
    if (!variable_.empty())
      result.throttle_reasons += std::to_string(std::to_integer<int>(variable_.front()));
    return result;
  }

 private:
  void perform(const Launch& launch) {
    if (launch.kernel == "crash") std::raise(SIGKILL);
    if (launch.kernel == "exit") _exit(3);
    if (launch.kernel == "hang") pause();
    if (launch.kernel == "refuse") throw Failure(Outcome::launch_failed, "refused");
    if (launch.kernel == "break") throw std::runtime_error("broken");
    if (launch.kernel == "poison") {
      usable_ = false;
      throw Failure(Outcome::illegal_access, "illegal address");
    }
    if (launch.kernel == "fill") {
      auto& bytes = host(*std::get<Buffer*>(launch.arguments.at(0))).bytes;
      std::fill(bytes.begin(), bytes.end(), std::get<ScalarBytes>(launch.arguments.at(1)).bytes.at(0));
    }
  }

  DeviceDescription description_;
  std::vector<std::byte> variable_;
  bool usable_ = true;
  double deadline_s_ = 0;
};

Artifact artifact() {
  Artifact artifact;
  artifact.symbols = {{"kernel", "symbol"}};
  return artifact;
}

Launch launch_of(const char* kernel) {
  Launch launch;
  launch.kernel = kernel;
  return launch;
}

class RemoteExecutorTest : public testing::Test {
 protected:
  void load() { program_ = executor_.load(artifact()); }

  std::pair<Outcome, std::string> failure_of(const char* kernel) {
    const Launch launch = launch_of(kernel);
    try {
      executor_.run(*program_, std::span(&launch, 1), {});
    } catch (const Failure& failure) {
      return {failure.outcome(), failure.what()};
    }
    return {Outcome::correct, ""};
  }

  void expect_that_a_fill_works() {
    load();
    const auto buffer = executor_.allocate(1000);
    Launch launch = launch_of("fill");
    launch.arguments = {buffer.get(), scalar(std::byte{7})};
    executor_.run(*program_, std::span(&launch, 1), {});
    std::vector<std::byte> bytes(1000);
    executor_.download(*buffer, bytes);
    EXPECT_THAT(bytes, testing::Each(std::byte{7}));
  }

  [[nodiscard]] pid_t worker() const { return executor_.worker(); }

  RemoteExecutor executor_{[] { return std::make_unique<TroubleExecutor>(); }};
  std::unique_ptr<Program> program_;
};

TEST_F(RemoteExecutorTest, PassesOnLoopsCopiesAndFills) {
  load();
  const auto value = executor_.allocate(8);
  std::vector<Launch> plan(3, launch_of("fill"));
  for (std::size_t i = 0; i < plan.size(); ++i)
    plan[i].arguments = {value.get(), scalar(static_cast<unsigned char>(i))};
  plan[0].exit = LoopExit{value.get(), ScalarType::float64, 0, 3};
  executor_.run(*program_, plan, {});
  std::vector<std::byte> bytes(8, std::byte{9});
  executor_.download(*value, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(8));
  EXPECT_EQ(executor_.copy_bandwidth(), 4e12);
  executor_.fill(*value, std::byte{5});
  executor_.download(*value, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(8, std::byte{5}));
  Launch copy = launch_of("constant");
  copy.copied = value.get();
  EXPECT_EQ(executor_.run(*program_, std::span(&copy, 1), {}).throttle_reasons, "5");
}

TEST_F(RemoteExecutorTest, DescribesTheDeviceOfAnotherProcess) {
  EXPECT_EQ(executor_.description().kind, "trouble");
  EXPECT_EQ(executor_.timer(), "steady_clock");
  EXPECT_NE(worker(), getpid());
  EXPECT_EQ(executor_.description().properties.at("ratio"), Value(0.5));
  EXPECT_EQ(executor_.description().properties.at("note"), Value(std::string("text")));
  EXPECT_EQ(executor_.description().properties.at("flag"), Value(true));
}

TEST_F(RemoteExecutorTest, CarriesDataAndResultsBothWays) {
  std::vector<std::byte> bytes(3'000'001), back(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
  const auto first = executor_.allocate(bytes.size());
  const auto second = executor_.allocate(bytes.size());
  executor_.upload(*first, bytes);
  executor_.copy(*second, *first);
  executor_.download(*second, back);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(executor_.guard_damage(*first), "odd");
  expect_that_a_fill_works();

  Launch launch = launch_of("fill");
  launch.block.x = 96;
  launch.stream = 2;
  EXPECT_EQ(executor_.blocks_per_sm(*program_, launch), 98);
  launch.block.x = 2000;
  EXPECT_EQ(executor_.blocks_per_sm(*program_, launch), std::nullopt);
}

TEST_F(RemoteExecutorTest, PassesTheDeadlineOn) {
  load();
  executor_.set_deadline_s(40);
  EXPECT_EQ(executor_.run(*program_, {}, {.executions = 2}).time_ns, 42);
}

TEST_F(RemoteExecutorTest, CarriesOptionsThereAndResultsBack) {
  load();
  executor_.set_deadline_s(1);
  const std::vector<Launch> launches(6, launch_of("fine"));
  const RunResult several = executor_.run(*program_, launches, {.executions = 4, .sets = 3, .graph = true});
  EXPECT_EQ(several.time_ns, 5);
  EXPECT_EQ(several.sm_clock_mhz, 3);
  EXPECT_EQ(several.temperature_c, 35.5);
  EXPECT_EQ(several.throttle_reasons, "");

  const RunResult cold = executor_.run(*program_, launches, {.flush_cache = true});
  EXPECT_EQ(cold.sm_clock_mhz, std::nullopt);
  EXPECT_EQ(cold.temperature_c, std::nullopt);
  EXPECT_EQ(cold.throttle_reasons, "sw_power_cap+sw_thermal");
  EXPECT_EQ(executor_.run(*program_, launches, {.timed = false}).throttle_reasons, "not timed");
}

TEST_F(RemoteExecutorTest, RefusesInvalidOptionsItself) {
  load();
  const std::vector<Launch> launches(3, launch_of("crash"));
  EXPECT_THROW(executor_.run(*program_, launches, {.executions = 0}), std::invalid_argument);
  EXPECT_THROW(executor_.run(*program_, launches, {.sets = 2}), std::invalid_argument);
}

TEST_F(RemoteExecutorTest, KeepsItsWorkerAfterARefusal) {
  load();
  const pid_t before = worker();
  EXPECT_EQ(failure_of("refuse"), std::pair(Outcome::launch_failed, std::string("refused")));
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::correct, std::string()));
  const Launch broken = launch_of("break");
  EXPECT_THROW(executor_.run(*program_, std::span(&broken, 1), {}), Error);
  EXPECT_EQ(worker(), before);
}

TEST_F(RemoteExecutorTest, TellsOfACallThatDoesNotWaitWithTheNextResult) {
  load();
  const auto small = executor_.allocate(10);
  const auto large = executor_.allocate(2'000'000'000);
  executor_.copy(*small, *small);
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::out_of_memory, std::string("too much")));
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::correct, std::string()));
  EXPECT_EQ(executor_.guard_damage(*small), "");
  EXPECT_THROW(static_cast<void>(executor_.guard_damage(*large)), Failure);
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, TellsNoConfigurationOfTheFailureOfAnEarlierOne) {
  { const auto large = executor_.allocate(2'000'000'000); }
  EXPECT_EQ(executor_.renew(), "");
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, LosesACallThatDidNotWaitWithItsWorker) {
  const auto buffer = executor_.allocate(10);
  ASSERT_EQ(kill(worker(), SIGKILL), 0);
  try {
    static_cast<void>(executor_.guard_damage(*buffer));
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::crashed);
    EXPECT_THAT(failure.what(),
                testing::EndsWith("the device's worker process was killed by signal 9 (Killed)"));
  }
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, TakesAFreshWorkerAfterAPoisoningError) {
  load();
  const pid_t before = worker();
  const auto buffer = executor_.allocate(10);
  EXPECT_EQ(failure_of("poison"), std::pair(Outcome::illegal_access, std::string("illegal address")));
  EXPECT_EQ(failure_of("fine"),
            std::pair(Outcome::crashed,
                      std::string("this buffer or program was lost when an earlier error reset the device")));
  EXPECT_NE(worker(), before);
  EXPECT_THROW(executor_.guard_damage(*buffer), Failure);
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, TellsHowAWorkerDiedAndGoesOn) {
  load();
  EXPECT_EQ(failure_of("crash"),
            std::pair(Outcome::crashed,
                      std::string("crash: the device's worker process was killed by signal 9 (Killed)")));
  expect_that_a_fill_works();
  EXPECT_EQ(
      failure_of("exit"),
      std::pair(Outcome::crashed, std::string("exit: the device's worker process exited with status 3")));
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, KillsAWorkerThatDoesNotAnswer) {
  load();
  executor_.set_deadline_s(0.1);
  EXPECT_EQ(failure_of("hang"),
            std::pair(Outcome::timeout, std::string("hang: not ended after 0.1 s; its process was killed")));
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, KillsAWorkerAfterACancellation) {
  load();
  const auto start = std::chrono::steady_clock::now();
  const auto since = [start] { return std::chrono::steady_clock::now() - start; };
  executor_.set_cancelled([since] { return since() > std::chrono::milliseconds(50); });
  const Launch hang = launch_of("hang");
  EXPECT_THROW(executor_.run(*program_, std::span(&hang, 1), {}), Cancelled);
  EXPECT_LT(since(), std::chrono::seconds(30));  // not at the deadline
  executor_.set_cancelled([] { return false; });
  expect_that_a_fill_works();
}

TEST(RemoteExecutor, ThrowsWhatTheFactorySays) {
  try {
    const RemoteExecutor executor([]() -> std::unique_ptr<WorkerExecutor> { throw Error("no device here"); });
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no device here");
  }
}

TEST(RemoteExecutor, ForgivesOneWorkerThatIsKilledWhileItOpensTheDevice) {
  const auto killed_before = std::filesystem::path(testing::TempDir()) /
                             ("tailwave_killed_while_opening_" + std::to_string(getpid()));
  const auto factory = [&] {
    if (!std::filesystem::exists(killed_before)) {
      std::ofstream(killed_before) << "once";
      std::raise(SIGKILL);
    }
    return std::make_unique<TroubleExecutor>();
  };
  EXPECT_EQ(RemoteExecutor(factory).description().kind, "trouble");
  std::filesystem::remove(killed_before);
}

TEST(RemoteExecutor, ThrowsWhenEveryWorkerDiesThatOpensTheDevice) {
  try {
    const RemoteExecutor executor([]() -> std::unique_ptr<WorkerExecutor> {
      std::raise(SIGKILL);
      return nullptr;
    });
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the device's worker process was killed by signal 9 (Killed)");
  }
}

TEST_F(RemoteExecutorTest, TakesAFreshWorkerWhenOneDiedWhileIdle) {
  load();
  ASSERT_EQ(kill(worker(), SIGKILL), 0);
  usleep(200'000);
  expect_that_a_fill_works();
}

TEST(RemoteExecutor, RenewsItsWorkerWhenIsolatedAndTellsHowOneDied) {
  const auto factory = [] { return std::make_unique<TroubleExecutor>(); };
  RemoteExecutor kept(factory);
  RemoteExecutor isolated(factory, true);
  const pid_t kept_worker = kept.worker();
  const pid_t first = isolated.worker();
  EXPECT_EQ(kept.renew(), "");
  EXPECT_EQ(kill(kept_worker, 0), 0);
  EXPECT_EQ(isolated.renew(), "");
  EXPECT_EQ(kill(first, 0), -1);
  EXPECT_EQ(isolated.renew(), "");  // there is none to end

  const auto program = isolated.load(artifact());
  const Launch crash = launch_of("crash");
  EXPECT_THROW(isolated.run(*program, std::span(&crash, 1), {}), Failure);
  EXPECT_EQ(isolated.renew(), "was killed by signal 9 (Killed)");
  EXPECT_EQ(isolated.renew(), "");
}

TEST(RemoteExecutor, EndsBeforeAnotherOneThatWasMadeLater) {
  const auto factory = [] { return std::make_unique<TroubleExecutor>(); };
  auto first = std::make_unique<RemoteExecutor>(factory);
  const RemoteExecutor second(factory);  // whose process has copies of the first one's sockets
  first.reset();
  EXPECT_EQ(second.timer(), "steady_clock");
}

TEST(RemoteExecutor, LeavesNoProcessBehind) {
  pid_t worker = 0;
  std::unique_ptr<Buffer> buffer;
  {
    RemoteExecutor executor([] { return std::make_unique<TroubleExecutor>(); });
    worker = executor.worker();
    EXPECT_EQ(kill(worker, 0), 0);
    buffer = executor.allocate(8);
  }
  buffer.reset();
  EXPECT_EQ(kill(worker, 0), -1);
}

}  // namespace
}  // namespace tailwave
