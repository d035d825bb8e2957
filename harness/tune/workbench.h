#pragma once

#include <optional>
#include <utility>

#include "build/artifact.h"
#include "device/executor.h"
#include "measure/measurer.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// The compilers and executors of a run. Not owned.
struct Toolchain {
  Compiler* kernels = nullptr;  // makes cuda variants run on `device`
  Compiler* host = nullptr;     // host variants and the reference
  Compiler* cpu_kernels =
      nullptr;  // makes cuda variants run on `reference_device`, for a T1 file's; may be null
  Compiler* planner =
      nullptr;  // compiles cuda variants for occupancy where `kernels` makes no cubin; may be null
  Executor* device = nullptr;                  // runs cuda variants
  Executor* host_device = nullptr;             // runs host variants; the same as `device` on a CPU run
  Executor* reference_device = nullptr;        // runs the reference: no variant can damage its process
  std::optional<DeviceSpec> occupancy_device;  // what occupancy is computed for
  ReferenceCache kept_references;              // keeps none unless it says so
};

inline ReferenceProvider make_reference(const Toolchain& tools) {
  return {*tools.host,
          *tools.reference_device,
          {tools.cpu_kernels, tools.kernels, tools.device},
          tools.kept_references};
}

// A toolchain with what can be kept from one run to the next: inputs and the reference's results. On a GPU, results are
// compared and stored while it works for the next configuration.
struct Workbench {
  explicit Workbench(Toolchain toolchain)
      : tools(std::move(toolchain)),
        reference(make_reference(tools)),
        measurer(*tools.device, reference, &backlog),
        host_measurer(*tools.host_device, reference, &backlog) {
    if (tools.device->description().kind == "cuda")
      tools.device->set_meanwhile([this] { return backlog.do_one(); });
  }
  ~Workbench() { tools.device->set_meanwhile({}); }
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  Toolchain tools;
  ReferenceProvider reference;
  Backlog backlog;
  Measurer measurer, host_measurer;
};

}  // namespace tailwave
