#pragma once

#include <cstdint>
#include <optional>

#include "compile/artifact.h"
#include "measure/reference.h"
#include "measure/verifier.h"
#include "measure/worker.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// What configurations are built, executed and verified with: the compilers, workers and the verifier of a session. Not
// owned.
struct Tools {
  Compiler* kernels = nullptr;   // makes cuda variants run on `device`
  Compiler* host = nullptr;      // host and library variants, and the reference
  Compiler* nvcc = nullptr;      // library variants in CUDA C++
  Compiler* programs = nullptr;  // what is run as a process
  // Compiles cuda variants for occupancy where `kernels` makes no cubin, which has to succeed, too; may be null.
  Compiler* planner = nullptr;
  Worker* device = nullptr;       // runs cuda and library variants
  Worker* host_device = nullptr;  // runs host variants; the same as `device` on a CPU run
  Worker* pes_device =
      nullptr;  // runs variants on several processing elements; null: `device` says that it cannot
  Worker* program_device = nullptr;  // runs programs, on the device of the run
  Verifier* verifier = nullptr;      // compares large results of `device`; may be null
  ReferenceTools reference;
  std::uint64_t first_draw = 0;                // of the random inputs: this one and the next one are verified
  std::optional<DeviceSpec> occupancy_device;  // what occupancy is computed for

  // The worker that runs such a variant, and the compiler that builds it.
  [[nodiscard]] Worker& worker_of(const VariantSpec& variant) const {
    if (variant.target == VariantSpec::Target::host) return *host_device;
    if (variant.is_program()) return *program_device;
    return variant.pes && pes_device != nullptr ? *pes_device : *device;
  }
  [[nodiscard]] Compiler& compiler_of(const VariantSpec& variant) const {
    if (variant.is_program()) return *programs;
    if (variant.is_nvcc_code()) return *nvcc;
    return variant.is_host_code() ? *host : *kernels;
  }
};

}  // namespace tailwave
