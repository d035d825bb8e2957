#pragma once

#include <gtest/gtest.h>

#include <string>

#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/spec_tree.h"
#include "spec/t1/reader.h"

namespace tailwave {

// A T1 file t1/scale.json in a project of its own, with the kernel that it names.
constexpr const char* kT1File = "t1/scale.json";
constexpr const char* kT1Scale = R"({
  "General": {"BenchmarkName": "scale up"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[32, 64]", "Default": 64},
      {"Name": "factor", "Type": "int", "Values": "[1, 2]", "Default": 2}],
    "Conditions": [{"Expression": "block_size_x * factor >= 64", "Parameters": ["block_size_x", "factor"]}]},
  "KernelSpecification": {
    "Language": "CUDA",
    "KernelName": "scale",
    "KernelFile": "scale.cu",
    "ProblemSize": [1000],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
       "FillValue": 0, "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}]}
})";

class T1 : public testing::Test {
 protected:
  T1() {
    tree_.write(kT1File, kT1Scale);
    tree_.write("t1/scale.cu", "__global__ void scale(float* y, int n) { y[0] = factor * block_size_x; }\n");
  }

  void replace(const std::string& from, const std::string& to) const { tree_.replace(kT1File, from, to); }
  [[nodiscard]] Experiment load() const { return load_experiment(tree_.root() / kT1File); }
  // What `check` says, errors or else warnings, each without the file's name and the line, which each has that
  // is about a place.
  [[nodiscard]] std::string said() const {
    Diagnostics found;
    const auto experiment = load_experiment(tree_.root() / kT1File, found);
    EXPECT_EQ(experiment.has_value(), found.empty());
    if (experiment) found = experiment->warnings;
    std::string text;
    for (Diagnostic& each : found) {
      EXPECT_EQ(each.file, (tree_.root() / kT1File).string());
      each.file.clear();
      EXPECT_EQ(each.place.starts_with("line "), !each.place.empty()) << each.place;
      each.place.erase(0, each.place.find('/'));
      text += (text.empty() ? "" : "\n") + to_string(each);
    }
    return tree_.without_root(text);
  }

  SpecTree tree_;
};

}  // namespace tailwave
