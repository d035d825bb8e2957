#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "build/artifact.h"
#include "build/cache.h"
#include "core/outcome.h"

namespace tailwave::fakes {

// A folder that is gone when the test ends.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tailwave-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = std::filesystem::canonical(name);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

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
  [[nodiscard]] const TestFolder& folder() const { return folder_; }
  [[nodiscard]] BuildRequest request() const { return {&system_, &variant_, configuration_}; }
  // In the folder, so that nothing is found there that another test built.
  [[nodiscard]] ArtifactCache cache() const { return ArtifactCache(folder_.path() / "cache"); }

 private:
  TestFolder folder_;
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
