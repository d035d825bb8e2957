#pragma once

#include <optional>
#include <utility>

#include "compile/artifact.h"
#include "measure/measurer.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// The compilers and workers of a run. Not owned.
struct Toolchain {
  Compiler* kernels = nullptr;  // makes cuda variants run on `device`
  Compiler* host = nullptr;     // host variants and the reference
  Compiler* planner =
      nullptr;  // compiles cuda variants for occupancy where `kernels` makes no cubin; may be null
  Worker* device = nullptr;       // runs cuda variants
  Worker* host_device = nullptr;  // runs host variants; the same as `device` on a CPU run
  Verifier* verifier = nullptr;   // compares large results of `device`; may be null
  ReferenceTools reference;
  std::optional<DeviceSpec> occupancy_device;  // what occupancy is computed for
};

// A toolchain with what can be kept from one run to the next: the reference's results.
struct Workbench {
  explicit Workbench(Toolchain toolchain)
      : tools(std::move(toolchain)),
        reference(tools.reference),
        measurer(*tools.device, reference, tools.verifier),
        host_measurer(*tools.host_device, reference) {}
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  Toolchain tools;
  ReferenceProvider reference;
  Measurer measurer, host_measurer;
};

}  // namespace tailwave
