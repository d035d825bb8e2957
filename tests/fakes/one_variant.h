#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "core/outcome.h"
#include "fakes/scratch_folder.h"

namespace tailwave::fakes {

// A system of one variant, kernel.cu or host.cpp, with what a request for a build of it points to.
class OneVariant {
 public:
  OneVariant(VariantSpec::Target target, const std::string& text, const std::vector<std::string>& kernels,
             Values parameters = {}) {
    const bool host = target == VariantSpec::Target::host;
    system_.name = "sample";
    system_.directory = folder_.path();
    system_.file = folder_.path() / "system.json";
    variant_.target = target;
    variant_.name = host ? "host" : "kernel";
    variant_.source = folder_.write(host ? "host.cpp" : "kernel.cu", text);
    for (const std::string& kernel : kernels) {
      LaunchSpec launch;
      launch.kernel = kernel;
      variant_.launches.push_back(launch);
    }
    configuration_ = {system_.name, variant_.name, std::move(parameters), {}};
  }

  VariantSpec& variant() { return variant_; }
  Configuration& configuration() { return configuration_; }
  [[nodiscard]] const ScratchFolder& folder() const { return folder_; }
  [[nodiscard]] BuildRequest request() const { return {&system_, &variant_, configuration_}; }
  // In the folder, so that nothing is found there that another test built.
  [[nodiscard]] ArtifactCache cache() const { return ArtifactCache(folder_.path() / "cache"); }

 private:
  ScratchFolder folder_;
  System system_;
  VariantSpec variant_;
  Configuration configuration_;
};

// The Failure that an action throws: "<outcome>: <detail>", or "" when it throws none.
template <class Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const Failure& failure) {
    return std::string(to_string(failure.outcome())) + ": " + failure.what();
  }
  return "";
}

}  // namespace tailwave::fakes
