#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"
#include "fakes/scratch_folder.h"
#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/system.h"

namespace tailwave {

constexpr const char* kManifest = "kernel_templates/stencil/system.json";
constexpr const char* kSpec = "experiments/stencil/block_size.json";
constexpr const char* kPublished = "experiments/stencil/published/study.json";

// A copy of the good project in tests/data/spec in a temporary folder, which tests then break: one system, one
// experiment, published figures.
class SpecTree {
 public:
  SpecTree() {
    std::filesystem::copy(TAILWAVE_TEST_DATA "/spec", root(), std::filesystem::copy_options::recursive);
  }

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

  void write(const std::string& file, const std::string& text) const { folder_.write(file, text); }

  // Replaces the one place where `from` stands in the file.
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::ostringstream stream;
    stream << std::ifstream(root() / file).rdbuf();
    std::string text = stream.str();
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << "no " << from << " in " << file;
    ASSERT_EQ(text.find(from, place + 1), std::string::npos) << "two of " << from << " in " << file;
    write(file, text.replace(place, from.size(), to));
  }

  [[nodiscard]] Experiment load() const { return load_experiment(root() / kSpec); }

  // What load_experiment reports, with paths relative to the project; empty when the experiment is good.
  [[nodiscard]] std::string problems() const {
    Diagnostics diagnostics;
    const bool good = load_experiment(root() / kSpec, diagnostics).has_value();
    EXPECT_EQ(good, diagnostics.empty());
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics)
      text += (text.empty() ? "" : "\n") + to_string(diagnostic);
    return without_root(text);
  }

  [[nodiscard]] std::string without_root(std::string text) const {
    for (const std::string& prefix : {root().string() + "/", root().string()}) {
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
        text.erase(at, prefix.size());
      }
    }
    return text;
  }

 private:
  ScratchFolder folder_;
};

}  // namespace tailwave
