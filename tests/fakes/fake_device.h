#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compile/artifact.h"
#include "core/hash.h"
#include "device/executor.h"

namespace tailwave::fakes {

class FakeBuffer : public Buffer {
 public:
  static constexpr std::size_t kGuard = 8;
  explicit FakeBuffer(std::size_t size) : bytes(size + kGuard, std::byte{0xA5}), size_(size) {}
  [[nodiscard]] std::size_t size_bytes() const override { return size_; }
  float* floats() { return reinterpret_cast<float*>(bytes.data()); }

  std::vector<std::byte> bytes;

 private:
  std::size_t size_;
};

// Kernels are functions of the test, by the manifest's kernel name; time is whatever the test says.
class FakeExecutor : public Executor {
 public:
  using Kernel = std::function<void(const Launch&)>;

  explicit FakeExecutor(DeviceKind kind = DeviceKind::cuda) {
    description_.kind = kind;
    description_.name = "fake " + std::string(to_string(kind));
    description_.sms = 4;
  }

  std::map<std::string, Kernel> kernels;
  std::vector<double> times_ns{1000};                      // of the runs in turn; the last one repeats
  std::function<double(std::span<const Launch>)> time_of;  // instead, of these launches
  RunResult state;  // clock, temperature and throttle reasons of every run
  RunOptions last_options;
  int runs = 0;  // each, with those that prepare, warm up and are not timed
  std::function<void()> on_run = [] {};

  void set_l2_bytes(std::int64_t bytes) { description_.properties["l2_bytes"] = bytes; }
  void set_memory_bytes(std::int64_t bytes) { description_.memory_bytes = bytes; }
  void set_name(const std::string& name) { description_.name = name; }
  void set_uuid(const std::string& uuid) { description_.uuid = uuid; }

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  std::unique_ptr<Program> load(const Artifact& /*artifact*/) override { return std::make_unique<Program>(); }
  std::vector<std::optional<int>> blocks_per_sm(Program& /*program*/,
                                                std::span<const Launch> launches) override {
    return std::vector<std::optional<int>>(launches.size(), 16);
  }
  std::vector<std::optional<int>> active_clusters(Program& /*program*/,
                                                  std::span<const Launch> launches) override {
    std::vector<std::optional<int>> all;
    for (const Launch& launch : launches) all.push_back(launch.cluster ? std::optional(9) : std::nullopt);
    return all;
  }
  // Of a GPU in twos, as long as there are any.
  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override {
    std::vector<std::optional<int>> all;
    if (description_.kind == DeviceKind::cpu) all.resize(launches.size());
    if (!all.empty()) return all;
    for (const Launch& launch : launches) {
      if (launch.sms > description_.sms)
        throw Failure(Outcome::exceeds_device_limit, "the fake device has not so many SMs");
      all.push_back(launch.sms > 0 ? std::optional((launch.sms + 1) / 2 * 2) : std::nullopt);
    }
    return all;
  }
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size) override {
    refuse_symmetric(place);
    return std::make_unique<FakeBuffer>(size);
  }
  using Executor::upload;
  void upload(Buffer& buffer, const Produce& produce) override {
    produce(0, std::span(bytes_of(buffer), buffer.size_bytes()));
  }
  void restore(std::span<const Restoration> restored) override {
    for (const Restoration& one : restored) {
      const std::size_t size = one.to->size_bytes();
      if (one.random) {
        fill_randomly(*one.random, 0, {bytes_of(*one.to), size});
      } else if (one.from != nullptr) {
        require_same_size(size, one.from->size_bytes());
        std::memcpy(bytes_of(*one.to), bytes_of(*one.from), size);
      } else {
        std::memset(bytes_of(*one.to), std::to_integer<int>(one.byte), size);
      }
    }
  }
  std::vector<std::string> read(const Reading& reading) override {
    for (const auto& [from, to] : reading.contents) std::memcpy(to.data(), bytes_of(*from), to.size());
    std::vector<std::string> damage;
    for (const Buffer* buffer : reading.guarded) {
      const auto& bytes = dynamic_cast<const FakeBuffer&>(*buffer).bytes;
      damage.emplace_back(bytes.at(buffer->size_bytes()) == std::byte{0xA5} ? "" : "1 byte past the end");
    }
    return damage;
  }
  void set_deadline_s(double seconds) override { deadline_s = seconds; }
  double deadline_s = 0;

  std::vector<RunResult> repeat(Program& /*program*/, const FreshStart& start,
                                std::span<const Launch> launches, const RunOptions& options,
                                int times) override {
    require_valid(options, launches);
    std::vector<RunResult> results;
    for (int i = 0; i < times; ++i) {
      restore(start.of_run(i));
      if (!start.prepare.empty()) run_once(start.prepare, {.timed = false});
      results.push_back(run_once(launches, options));
    }
    return results;
  }

  static FakeBuffer& buffer_argument(const Launch& launch, std::size_t position) {
    return dynamic_cast<FakeBuffer&>(*std::get<Buffer*>(launch.arguments.at(position)));
  }

 private:
  RunResult run_once(std::span<const Launch> launches, const RunOptions& options) {
    on_run();
    last_options = options;
    for (int i = 0; i < options.executions; ++i) {
      walk_plan(plan_of(launches, options, i), [this](const Launch& launch) {
        const auto kernel = kernels.find(launch.kernel);
        if (kernel == kernels.end())
          throw Failure(Outcome::launch_failed, "no kernel '" + launch.kernel + "'");
        kernel->second(launch);
        return launch.exit && leaves(*launch.exit, std::span(bytes_of(*launch.exit->buffer),
                                                             launch.exit->buffer->size_bytes()));
      });
    }
    const std::size_t turn = std::min(static_cast<std::size_t>(runs++), times_ns.size() - 1);
    RunResult result = state;
    result.time_ns = time_of ? time_of(launches) : times_ns[turn];
    return result;
  }

  static std::byte* bytes_of(Buffer& buffer) { return dynamic_cast<FakeBuffer&>(buffer).bytes.data(); }
  static const std::byte* bytes_of(const Buffer& buffer) {
    return dynamic_cast<const FakeBuffer&>(buffer).bytes.data();
  }
  DeviceDescription description_;
};

// "Compiles" anything; a configuration whose name contains `broken` fails with `message`.
class FakeCompiler : public Compiler {
 public:
  std::string broken = "\n";
  std::string message = "shared.cu(3): error: no";
  std::string code_hash;  // of every build; empty: not known
  int registers = 32;     // likewise
  int builds = 0;

  Artifact build(const BuildRequest& request) override {
    ++builds;
    if (request.configuration.name().find(broken) != std::string::npos) {
      throw Failure(Outcome::compile_error, message);
    }
    Artifact artifact;
    artifact.record.key = key(request);
    artifact.record.compiler = version();
    artifact.record.target = "sm_90";
    artifact.record.code_hash = code_hash;
    for (const std::string& kernel : kernel_names(*request.variant)) {
      KernelResources resources;
      resources.kernel = kernel;
      resources.registers = registers;
      artifact.resources.push_back(resources);
    }
    return artifact;
  }
  std::string key(const BuildRequest& request) override { return content_hash(request.configuration.name()); }
  [[nodiscard]] std::string version() const override { return "fake 1.0"; }
};

}  // namespace tailwave::fakes
