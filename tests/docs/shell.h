#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fakes/scratch_folder.h"

namespace tailwave::docs {

// An empty folder in which a reader's commands are run, with the built tailwave first on the PATH. Removed at the end.
class Shell {
 public:
  struct Result {
    int exit_status = 0;
    std::string output;  // of both streams
  };

  // Runs all of `commands` in one shell that stops at the first that fails.
  [[nodiscard]] Result run(const std::string& commands) const {
    const std::filesystem::path script = folder_.path().string() + ".sh";
    std::ofstream(script) << "set -e -o pipefail\n"
                          << "export PATH=" << std::filesystem::path(TAILWAVE_BINARY).parent_path()
                          << ":$PATH\n"
                          << "export TAILWAVE_LEASES=" << folder_.path() / ".leases"
                          << "\n"
                          << "cd " << folder_.path() << "\n"
                          << commands;
    Result result;
    FILE* pipe = popen(("bash " + script.string() + " 2>&1").c_str(), "r");
    std::array<char, 4096> part{};
    while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr)
      result.output += part.data();
    const int status = pipe == nullptr ? -1 : pclose(pipe);
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::filesystem::remove(script);
    return result;
  }

 private:
  ScratchFolder folder_;
};

}  // namespace tailwave::docs
