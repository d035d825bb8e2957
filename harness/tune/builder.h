#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tune/pipeline.h"

namespace tailwave {

// What became of one configuration's build: an artifact, or the failure that ends its trial.
struct Built {
  std::optional<Artifact> artifact;
  std::vector<KernelResources> resources;  // from the artifact, or from the planner's cubin on a CPU run
  Outcome outcome = Outcome::correct;
  std::string detail;
};

// Builds all configurations with options.build_threads threads; results in the same order. Configurations
// that a stop request kept from being built have neither artifact nor detail.
std::vector<Built> build_all(const Experiment& experiment, const std::vector<Configuration>& configurations,
                             const Toolchain& tools, const PipelineOptions& options, Progress& progress);

}  // namespace tailwave
