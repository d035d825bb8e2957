#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "core/trial.h"
#include "device/cuda/context.h"
#include "spec/reference_spec.h"
#include "verify/compare.h"

namespace tailwave {

// compare() for arrays in a GPU's memory, at the speed of that memory, and the guard zones around buffers there: all is
// queued in a stream of its own, then waited for once. Nothing waits for other streams: what is compared must have been
// written. Used from one thread at a time.
class GpuComparison {
 public:
  // Of `count` elements each, in memory that kernels of this context reach. Elements lie at multiples of their size; it
  // is faster where both arrays begin at a multiple of 16 bytes. `expected` does not count for a range.
  struct Arrays {
    ScalarType type = ScalarType::float32;
    CUdeviceptr expected = 0, actual = 0;
    std::size_t count = 0;
    ResolvedComparison comparison;
  };
  // The memory of a CudaBuffer, of this process or another: address() and size_bytes().
  struct Guarded {
    CUdeviceptr address = 0;
    std::size_t size_bytes = 0;
  };
  struct Findings {
    std::vector<Verification> verifications;  // in the order of the arrays, as compare() gives them
    std::vector<std::string> guard_damage;    // in the order of the buffers, as Executor::read has it
  };

  // `kernels`: of build_comparison_kernels() for this context's device. Throws Failure(launch_failed) when the driver
  // does not take the code, Error when the file cannot be read.
  GpuComparison(std::shared_ptr<Context> context, const Artifact& kernels);

  // Throws Failure: launch_failed for a norm and type that were not compiled, else with the driver's words.
  Findings check(std::span<const Arrays> arrays, std::span<const Guarded> guarded = {});

 private:
  [[nodiscard]] unsigned blocks_for(const Arrays& arrays);
  [[nodiscard]] CUfunction kernel_for(const Arrays& arrays) const;
  void make_room(std::size_t size_bytes);
  void queue(const Arrays& arrays, unsigned blocks, CUdeviceptr partial);

  std::shared_ptr<Context> context_;
  Module module_;
  std::map<std::string, CUfunction> kernels_;  // by comparison_kernel()
  Stream stream_;
  HostMemory found_;  // one ArrayDifference for each block, then the guard zones
  std::size_t found_bytes_ = 0;
  CUdeviceptr found_on_device_ = 0;
};

}  // namespace tailwave
