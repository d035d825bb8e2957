#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {

inline const std::string kWays = "experiments/said/ways.json";
inline const std::string kFolder = "results/submissions/ways";

// An experiment of eleven configurations whose times are said by a program, not taken, and of which WAY 7 fails.
class SubmissionFixture : public ProjectFixture {
 protected:
  SubmissionFixture() {
    write("kernel_templates/said/copy.sh",
          "cp \"$1\" \"$2\"; sleep 0.01\n"
          "[ \"$3\" != 7 ] || exit 1\n"
          "echo \"{\\\"time_s\\\": $((3 + ($3 - 5) * ($3 - 5)))e-6}\"\n");
    write(
        "kernel_templates/said/same.cpp",
        "extern \"C\" void same(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
    write("kernel_templates/said/system.json", R"({
      "schema_version": 1, "name": "said", "problem": {"N": {"type": "int", "default": 100}},
      "buffers": {"x": {"type": "float32", "count": "N", "fill": {"kind": "uniform"}},
                  "y": {"type": "float32", "count": "N", "output_only": true}},
      "reference": {"variant": "same", "compare": {"y": {"norm": "exact"}}},
      "variants": {
        "same": {"target": "host", "source": "same.cpp", "launches": [{"function": "same", "args": ["x", "y", "N"]}]},
        "copy": {"target": "reporting_program", "source": "copy.sh", "parameters": {"WAY": 1},
                 "launches": [{"command": ["sh", "{program}", "{x}", "{y}", "{WAY}"]}]}}})");
    write_spec("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
  }
  ~SubmissionFixture() override { setenv("PATH", path_.c_str(), 1); }

  void write_spec(const std::string& ways) const {
    write(kWays, R"({"schema_version": 1, "name": "ways", "system": "said", "question": "Which?",
                     "cases": [{"variant": "copy", "parameters": {"WAY": [)" +
                     ways + R"(]}}], "metric": {"name": "time"},
                     "measure": {"samples": 5, "time_cap_s": 60, "warmup": 0}})");
  }

  [[nodiscard]] CommandResult submit(std::vector<std::string> more) const {
    more.insert(more.begin(), "submit");
    return tailwave(more);
  }
  [[nodiscard]] CommandResult submit_here(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{kWays, "--engine", "local", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return submit(words);
  }
  [[nodiscard]] nlohmann::json status(const std::string& folder = kFolder) const {
    const CommandResult result = tailwave({"status", folder, "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  [[nodiscard]] std::string best_of(const std::string& database) const {
    return tailwave({"query", "best", "--db", database, "--json"}).out;
  }
  [[nodiscard]] std::string counts_in(const std::string& database) const {
    return tailwave({"query", "--db", database, "--format", "csv", "--sql",
                     "SELECT count(*) || ' ' || count(DISTINCT configuration_id) AS n FROM trial"})
        .out;
  }

  // PATH has these alone before the rest: they answer as Slurm's commands. `bin/answers` has a number for each call of
  // sbatch, `bin/queue` what squeue prints; without the one sbatch refuses, without the other squeue does not answer.
  void fake_slurm() const {
    write(
        "bin/sbatch",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nprintf '%s\\n' \"$*\" >>calls\n"
        "[ -s answers ] || { echo 'sbatch: error: Batch job submission failed: Invalid account' >&2; exit 1; }\n"
        "echo 'sbatch: a remark' >&2\nhead -n 1 answers\nsed -i 1d answers\n");
    write(
        "bin/squeue",
        "#!/bin/sh\ncat \"$(dirname \"$0\")/queue\" 2>/dev/null || { echo 'slurm_load_jobs error: Unable to contact "
        "slurm controller' >&2; exit 1; }\n");
    for (const char* name : {"sbatch", "squeue"})
      std::filesystem::permissions(project_ / "bin" / name, std::filesystem::perms::owner_all);
    setenv("PATH", ((project_ / "bin").string() + ":" + path_).c_str(), 1);
    write("bin/answers", "12\n13;cluster\n");
    write("bin/queue", "");
  }
  void write_queue(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write("bin/queue", text);
  }

  // The process of this submission whose command line ends with these words; waits for it.
  [[nodiscard]] pid_t process_of(const std::vector<std::string>& words) const {
    std::string wanted;
    for (const std::string& word : words) wanted += word + '\0';
    for (int i = 0; i < 3000; ++i) {
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream stream(entry.path() / "cmdline");
        const std::string line{std::istreambuf_iterator<char>(stream), {}};
        if (line.ends_with(wanted) && line.find(project_.string()) != std::string::npos)
          return std::stoi(name);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
  }

  // Waits for a file.
  [[nodiscard]] bool comes_to_be(const std::string& file) const {
    for (int i = 0; i < 3000 && !std::filesystem::exists(project_ / file); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return std::filesystem::exists(project_ / file);
  }

  // Waits for a text in a file.
  [[nodiscard]] bool comes_to_say(const std::string& file, const std::string& text) const {
    for (int i = 0; i < 3000; ++i) {
      if (std::filesystem::exists(project_ / file) &&
          text_of(project_ / file).find(text) != std::string::npos)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  std::string path_ = std::getenv("PATH");
};

}  // namespace tailwave
