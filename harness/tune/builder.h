#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "spec/experiment.h"

namespace tailwave {

// What became of one configuration's build: an artifact, or the failure that ends its trial.
struct Built {
  std::optional<Artifact> artifact;
  std::vector<KernelResources> resources;  // from the artifact, or from the planner's cubin on a CPU run
  Outcome outcome = Outcome::correct;
  std::string detail;
};

// The compilers of a run; see Toolchain. `planner` may be null. `deadline_s`: for each of them.
struct Compilers {
  Compiler* kernels = nullptr;
  Compiler* host = nullptr;
  Compiler* planner = nullptr;
  double deadline_s = kDefaultBuildDeadlineS;
};

// Builds one configuration, in this process. Throws Error only.
Built build_configuration(const System& system, const Configuration& configuration,
                          const Compilers& compilers);

}  // namespace tailwave
