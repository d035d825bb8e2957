#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

// Whether the program was built with sanitizers.
#ifdef TAILWAVE_SANITIZE
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct CommandResult {
  int exit_status = 0;  // 128 + signal when killed
  std::string out;
  std::string err;
};

// What a process may not do.
struct Confinement {
  std::size_t file_limit_bytes = 0;    // no file may grow beyond it; 0: any
  bool is_told = false;                // of that limit, by the signal that ends a process
  std::size_t memory_limit_bytes = 0;  // of its address space; 0: any
  // Permissions bind it although the tests may run as root, whom none bind. Its artifact cache is its own. It exits
  // with 127 where it may not even start.
  bool unprivileged = false;
};

// A whole file; fails the test where there is none.
std::string text_of(const std::filesystem::path& file);

// Of the experiment that write_experiment() writes.
inline const std::vector<std::string> kRun{"run", "experiments/transpose/tile_size.json", "--device", "cpu"};

// A project folder of the test's own, with a system "transpose" written into it as a user would: a manifest, a
// CUDA template and a host reference. Its artifact cache is shared by the tests of this program, the folder in which
// devices are held ($TAILWAVE_LEASES) by nobody.
class ProjectFixture : public testing::Test {
 protected:
  ProjectFixture();

  void write(const std::string& path, const std::string& text) const;
  // Runs tailwave in the project folder, or in one below it.
  [[nodiscard]] CommandResult tailwave(const std::vector<std::string>& arguments,
                                       const std::string& folder = "") const;
  // Starts it and goes on; `name` tells what several write apart.
  [[nodiscard]] pid_t begin(const std::vector<std::string>& arguments, const std::string& name,
                            const Confinement& confinement = {}) const;
  // Waits until a process begun has stored so many trials. False when it ends, or two minutes pass, before that.
  [[nodiscard]] bool has_stored(pid_t process, int trials) const;
  [[nodiscard]] CommandResult end(pid_t process, const std::string& name) const;
  // Replaces the first place where `from` stands in a file.
  void replace(const std::string& path, const std::string& from, const std::string& to) const;
  [[nodiscard]] std::string scalar(const std::string& sql) const;  // first cell of the project's database
  void write_experiment(const std::string& tiles, int samples = 3, const std::string& problem = "") const;
  // The host reference adds what this file of its own says, now `offset`; tailwave cannot know of it.
  void write_reference_with_file(int offset) const;
  // Of 13 configurations, for tests that interfere while it is measured.
  void write_long_experiment(int samples) const;

  std::filesystem::path project_;
};

}  // namespace tailwave
