#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "compile/artifact.h"
#include "device/executor.h"

namespace tailwave {

// Compiles the kernels of the self-tests. Compilers read files, so that the text is written to `folder` first.
// Throws Failure(compile_error), and Error where the folder cannot be written.
Artifact build_selftest_kernels(Compiler& compiler, const std::filesystem::path& folder);

// These kernels loaded on a device, and the ways to time them. All but the constructor's may throw what Executor
// does; after a Failure make a new one.
class Instrument {
 public:
  Instrument(Executor& executor, const Artifact& artifact);

  [[nodiscard]] const DeviceDescription& device() const { return executor_.description(); }
  Executor& executor() { return executor_; }

  // One thread each, so that an empty kernel and one that spins differ in nothing but the spinning.
  [[nodiscard]] static Launch empty();
  [[nodiscard]] static Launch spin(double us);
  // Arithmetic on all multiprocessors that takes about so long.
  Launch work(double us);
  // Reads all of a buffer once, 16 bytes at a time.
  [[nodiscard]] Launch read(Buffer& data) const;
  // The smallest step of the timer that spin() waits on.
  double timer_step_us();

  RunResult run(const Launch& launch, const RunOptions& options = {});
  RunResult run(const std::vector<Launch>& plan, const RunOptions& options);
  // After warm-up; per execution.
  std::vector<double> times_us(const Launch& launch, int samples, const RunOptions& options = {});

 private:
  [[nodiscard]] Launch work_of(std::int64_t iterations) const;

  Executor& executor_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Buffer> out_;
};

}  // namespace tailwave
