#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/context.h"

namespace tailwave {

// A launch as the driver takes it.
struct PreparedLaunch {
  CUfunction function = nullptr;
  std::string text;  // "body_force (grid 32 x 1 x 1, block 128 x 1 x 1, 0 bytes of dynamic shared memory)"
  std::string exceeded_limit;  // "1025 threads a block exceed the 1024 that the device allows", or ""
  std::array<unsigned, 3> grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  std::size_t stream = 0;  // index into the streams used, 0 the first
  bool cooperative = false;
  std::vector<std::array<std::byte, 8>> values;
  std::vector<void*> arguments;  // into values
};

// Throws Failure with the launch's numbers, the driver's words and the limit, if one is exceeded:
// exceeds_device_limit then, else what outcome_of() says.
void check_launch(Context& context, CUresult result, const PreparedLaunch& launch);

// Keeps a stream from running what is queued on it until released, so that the host's launch overhead stays
// out of the time between two events. The stream waits for a word in mapped host memory to reach a ticket
// number (cuStreamWaitValue32), which needs no kernel.
class StreamHold {
 public:
  explicit StreamHold(std::shared_ptr<Context> context);

  // Tries one hold on an idle stream; supported() tells how that went.
  void probe(CUstream stream);
  [[nodiscard]] bool supported() const { return reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // why not, in the driver's words

  CUresult engage(CUstream stream) noexcept;
  void release() noexcept;

 private:
  std::shared_ptr<Context> context_;
  HostMemory word_;
  CUdeviceptr word_on_device_ = 0;
  std::uint32_t ticket_ = 0;
  std::string reason_ = "not tried";
};

// The streams and events of one context.
class Launcher {
 public:
  explicit Launcher(std::shared_ptr<Context> context);

  [[nodiscard]] CUstream main_stream() const { return streams_.front().get(); }
  [[nodiscard]] const StreamHold& hold() const { return hold_; }

  // Executes the plan `executions` times and waits; nanoseconds an execution between two events on the first
  // stream. Streams of one execution overlap; the next execution waits for all of them. `held`: nothing
  // starts before all, or the first kHeldOperations, are queued; every function must have been launched
  // before, since a first launch may allocate local memory, which waits for the device. Throws Failure: a
  // refused launch, an error while running, timeout after deadline_s (0: none) seconds of waiting. After a
  // timeout the context is abandoned.
  double run(std::span<const PreparedLaunch> plan, int executions, bool held, double deadline_s);

  // Operations queued behind a held stream: the driver's queue takes about a thousand and then blocks.
  static constexpr int kHeldOperations = 400;

 private:
  void use_streams(std::size_t count);
  void enqueue(std::span<const PreparedLaunch> plan, int executions, std::size_t streams);
  void enqueue_launch(const PreparedLaunch& launch);
  void fork(std::size_t streams);
  void join(std::size_t streams);
  void count_operations(std::size_t operations);
  // CUDA_ERROR_NOT_READY when the deadline passed first.
  [[nodiscard]] CUresult wait(CUstream stream, double deadline_s) const;
  void drain(double deadline_s) noexcept;

  std::shared_ptr<Context> context_;
  std::vector<Stream> streams_;
  std::vector<Event> done_;  // of the stream with the same index
  Event begin_, end_, forked_;
  StreamHold hold_;
  std::size_t queued_ = 0;
};

}  // namespace tailwave
