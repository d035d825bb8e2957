#pragma once

#include <optional>
#include <string>

#include "compile/artifact.h"
#include "measure/tools.h"

namespace tailwave {

// What became of one configuration's build, in a compile process: an artifact, or the failure that ends its trial.
struct Built {
  std::optional<Artifact> artifact;
  Outcome outcome = Outcome::correct;
  std::string detail;
};

// In this process. A failure is the outcome. Throws Error only.
Built build_with(Compiler& compiler, const BuildRequest& request);

// The same with the compiler of the configuration's variant. Where the artifact of a cuda variant has no resources of
// its kernels, the planner builds them too, if there is one: what it refuses is no CUDA, whatever a host compiler
// takes, and fails like that; else the artifact gets the resources. What the compiler refuses and the planner takes is
// unavailable, unless the source says itself what is for the CPU device. Without a compiler that is an Error, since no
// configuration is to blame. `deadline_s`: for each compiler.
Built build_configuration(const System& system, const Configuration& configuration, const Tools& tools,
                          double deadline_s);
// Of a variant that need not be the system's own.
Built build_configuration(const BuildRequest& request, const Tools& tools);

}  // namespace tailwave
