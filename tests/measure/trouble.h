#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "fakes/fake_device.h"
#include "fakes/sample_experiment.h"
#include "measure/repetition.h"

namespace tailwave::fakes {

// Says something to whoever has the other end of a stream that this process has.
inline void talk_nonsense(const std::string& nonsense = std::string(100, '\xff')) {
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM)
      ::send(descriptor, nonsense.data(), nonsense.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

inline constexpr std::size_t kFloodBytes = std::size_t{1} << 30;

// A device with kernels that go wrong in one way each; "twice" and "thrice" multiply x.
class TroubleExecutor final : public FakeExecutor {
 public:
  explicit TroubleExecutor(DeviceKind kind = DeviceKind::cuda) : FakeExecutor(kind) {
    kernels["twice"] = [](const Launch& launch) { multiply(launch, 2); };
    kernels["thrice"] = [](const Launch& launch) { multiply(launch, 3); };
    kernels["crash"] = [](const Launch&) { std::raise(SIGKILL); };
    kernels["exit"] = [](const Launch&) { _exit(3); };
    kernels["hang"] = [](const Launch&) {
      for (;;) pause();
    };
    kernels["sleep"] = [](const Launch&) { usleep(200'000); };
    kernels["refuse"] = [](const Launch&) { throw Failure(Outcome::launch_failed, "refused"); };
    kernels["break"] = [](const Launch&) { throw std::runtime_error("broken"); };
    kernels["fill the memory"] = [](const Launch&) { throw std::bad_alloc(); };
    kernels["say one"] = [](const Launch& launch) {
      std::printf("one");
      multiply(launch, 2);
    };
    kernels["say two"] = [](const Launch& launch) {
      std::cout << "two";
      std::cerr << ", \x1b[2J\xff\n";
      multiply(launch, 2);
    };
    kernels["say and crash"] = [](const Launch&) {
      std::puts("it is over");
      std::raise(SIGKILL);
    };
    kernels["say and hang"] = [](const Launch&) {
      for (;;) std::puts("again");
    };
    kernels["flood"] = [](const Launch& launch) {
      const std::string text(std::size_t{1} << 20, 'x');
      for (std::size_t i = 0; i < kFloodBytes; i += text.size())
        if (write(STDOUT_FILENO, text.data(), text.size()) != std::ssize(text)) std::raise(SIGABRT);
      multiply(launch, 2);
    };
    kernels["say when ended"] = [this](const Launch& launch) {
      multiply(launch, 2);
      says_late_ = true;
    };
    kernels["close all files"] = [](const Launch& launch) {
      for (int descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
      std::puts("unheard");
      multiply(launch, 2);
    };
    kernels["fork"] = [](const Launch&) {
      if (fork() != 0) return;
      for (;;) pause();
    };
    kernels["kill the parent"] = [](const Launch&) {
      kill(getppid(), SIGKILL);
      for (;;) pause();
    };
    kernels["stop the parent"] = [](const Launch& launch) {
      kill(getppid(), SIGSTOP);
      multiply(launch, 2);
    };
    kernels["promise much"] = [](const Launch& launch) {
      talk_nonsense(std::string("\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0", 16));  // 64 MiB, with no descriptors
      multiply(launch, 2);
    };
    kernels["talk"] = [](const Launch&) {
      talk_nonsense();
      for (;;) pause();
    };
    kernels["poison"] = [this](const Launch&) {
      usable_ = false;
      throw Failure(Outcome::illegal_access, "illegal address");
    };
    kernels["crash late"] = [this](const Launch& launch) {
      multiply(launch, 2);
      killed_late_ = true;
    };
    kernels["die late"] = [this](const Launch& launch) {
      multiply(launch, 2);
      dies_late_ = true;
    };
  }
  ~TroubleExecutor() override {
    if (says_late_) std::puts("good bye");
    if (dies_late_) std::raise(SIGABRT);
    if (killed_late_) std::raise(SIGKILL);
  }

  [[nodiscard]] bool usable() const override { return usable_; }
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override {
    if (size_bytes > 1'000'000'000) throw Failure(Outcome::out_of_memory, "too much");
    return FakeExecutor::allocate_at(place, size_bytes);
  }
  LaunchTrace trace(Program& /*program*/, const Launch& launch, const NotedEntry& /*noted*/) override {
    return {std::vector<BlockTime>(10'000, {15, launch.grid.x, 2}), 5, 32, 8};
  }

  static void multiply(const Launch& launch, float by) {
    FakeBuffer& x = buffer_argument(launch, 0);
    for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= by;
  }

 private:
  bool usable_ = true, dies_late_ = false, says_late_ = false, killed_late_ = false;
};

// A system whose variants are these kernels on one buffer "x" of N ones.
inline System trouble_system(const std::vector<std::string>& kernels) {
  System system = twice_experiment({std::int64_t{32}}).system;
  system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
  VariantSpec variant = *system.find_variant("twice");
  system.variants.clear();
  for (const std::string& kernel : kernels) {
    variant.name = kernel;
    variant.launches.front().kernel = kernel;
    system.variants.push_back(variant);
  }
  return system;
}

// One look at what the variant leaves.
inline Repetition repetition_of(const System& system, const std::string& variant, std::uint64_t number = 1,
                                std::int64_t count = 64) {
  Repetition repetition;
  repetition.number = number;
  repetition.system = &system;
  repetition.configuration = {system.name, variant, {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", count}}};
  repetition.settings.deadline_s = 20;
  repetition.steps = {{.draw = 0, .timed = false, .looked_at = true}};
  repetition.results = {"x"};
  return repetition;
}

// The first element of the first look at x; a NaN where there is none.
inline float first_of(const RepetitionResult& result) {
  float first = std::numeric_limits<float>::quiet_NaN();
  if (!result.looks.empty() && result.looks.front().contents.contains("x"))
    std::memcpy(&first, result.looks.front().contents.at("x").bytes().data(), sizeof first);
  return first;
}

}  // namespace tailwave::fakes
