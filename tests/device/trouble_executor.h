#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/outcome.h"
#include "device/remote_executor.h"

namespace tailwave::fakes {

struct HostBuffer final : Buffer {
  explicit HostBuffer(std::size_t size) : bytes(size) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes.size(); }
  std::vector<std::byte> bytes;
};
struct HostProgram final : Program {};

inline HostBuffer& host(Buffer& buffer) {
  return dynamic_cast<HostBuffer&>(buffer);
}
inline const HostBuffer& host(const Buffer& buffer) {
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
  std::vector<std::optional<int>> blocks_per_sm(Program& /*program*/,
                                                std::span<const Launch> launches) override {
    std::vector<std::optional<int>> all(launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i)
      if (launches[i].block.x <= 1024) all[i] = static_cast<int>(launches[i].block.x) + launches[i].stream;
    return all;
  }
  std::unique_ptr<Buffer> allocate_on(int /*gpu*/, std::size_t size_bytes) override {
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
  LaunchTrace trace(Program& /*program*/, const Launch& launch) override {
    return {{{10, 20, 1}, {15, launch.grid.x, 2}}, 32, 8};
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
    if (launch.kernel.starts_with("sleep")) usleep(400'000);
    if (launch.kernel == "sleep and exit") _exit(3);
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

inline Artifact artifact() {
  Artifact artifact;
  artifact.symbols = {{"kernel", "symbol"}};
  return artifact;
}

inline Launch launch_of(const char* kernel) {
  Launch launch;
  launch.kernel = kernel;
  return launch;
}

// A remote executor of it.
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

}  // namespace tailwave::fakes
