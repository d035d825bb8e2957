#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "device/cuda_test_kernels.h"

namespace tailwave {

// The device, in this process, with the test kernels loaded on it; skips where there is no GPU. What ends a context is
// tested with a worker (measure/worker_gpu_test.cpp).
class CudaFixture : public testing::Test {
 protected:
  void SetUp() override {
    if (!Gpu::get().obstacle.empty()) GTEST_SKIP() << Gpu::get().obstacle;
    executor_ = Gpu::get().executor.get();
    executor_->set_deadline_s(10);
    static const TestKernels kernels(executor_->description().compute_capability);
    artifact_ = kernels.artifact();
    program_ = executor_->load(artifact_);
  }

  RunResult run(const std::vector<Launch>& launches, const RunOptions& options = {}) {
    return executor_->run(*program_, launches, options);
  }
  RunResult run(const Launch& launch, const RunOptions& options = {}) {
    return run(std::vector<Launch>{launch}, options);
  }

  Failure failure_of(const std::vector<Launch>& launches, const RunOptions& options = {}) {
    try {
      run(launches, options);
    } catch (const Failure& failure) {
      return failure;
    }
    return {Outcome::correct, "no failure"};
  }

  Executor* executor_ = nullptr;
  Artifact artifact_;
  std::unique_ptr<Program> program_;
};

}  // namespace tailwave
