#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include "compile/source_check.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/temporary_folder.h"
#include "json/parser.h"
#include "judge/request.h"
#include "measure/launch_description.h"
#include "spec/enumerate.h"
#include "spec/experiment_reader.h"
#include "spec/problem_space.h"
#include "spec/system_reader.h"
#include "target.h"

namespace tailwave::fuzz {
namespace {

namespace fs = std::filesystem;

std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic) + "\n";
  return text;
}

// What the first configurations of an accepted experiment ask for; a Failure is an outcome.
void walk(const Experiment& experiment) {
  constexpr double kMany = 2000;
  constexpr std::size_t kMost = 20;
  try {
    if (count_configurations(experiment, false).number > kMany) return;
    std::size_t left = kMost;
    for (const Configuration& configuration : enumerate(experiment, true).configurations) {
      if (left-- == 0) return;
      const VariantSpec* variant = experiment.system.find_variant(configuration.variant);
      if (variant == nullptr) throw std::logic_error("a configuration of no variant");
      try {
        static_cast<void>(evaluate_work(experiment.system, configuration.scope()));
        refuse_impossible_plan(experiment.system, *variant, configuration.scope());
      } catch (const Failure&) {
        continue;
      }
    }
  } catch (const Error&) {
    return;
  }
}

// The first text member of this name, if it is a plain word: files and folders are called by what they say.
std::string word_of(const std::string& json, const std::string& key, const std::string& otherwise) {
  constexpr std::size_t kLongest = 40;
  std::size_t begin = json.find('"' + key + '"');
  if (begin == std::string::npos) return otherwise;
  begin = json.find('"', begin + key.size() + 2);
  if (begin == std::string::npos) return otherwise;
  const std::size_t end = json.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", begin + 1);
  const bool is_word = end != std::string::npos && json[end] == '"' && end > begin + 1;
  return is_word && end - begin <= kLongest ? json.substr(begin + 1, end - begin - 1) : otherwise;
}

// A copy of the project's kernels and experiments, to be put wrong.
class Project {
 public:
  Project() {
    for (const char* part : {"kernel_templates", "experiments"})
      fs::copy(project_folder() / part, folder_.path() / part, fs::copy_options::recursive);
  }
  [[nodiscard]] fs::path write(const fs::path& name, const std::string& text) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    fs::remove(file);  // some file systems wait for the disk when a file is written over
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  [[nodiscard]] fs::path operator/(const fs::path& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
};

std::string feed_experiment(const fs::path& file) {
  Diagnostics diagnostics;
  const std::optional<Experiment> experiment = load_experiment(file, diagnostics);
  if (experiment.has_value() == !diagnostics.empty())
    throw std::logic_error("an experiment that is refused without a reason, or has errors and is there");
  if (experiment) walk(*experiment);
  return text_of(diagnostics);
}

class Specs : public Subject {
 public:
  std::string feed(const std::string& input) override {
    const fs::path folder = fs::path("experiments") / word_of(input, "system", "nbody");
    const fs::path file = project_.write(folder / (word_of(input, "name", "fuzzed") + ".json"), input);
    std::string said = feed_experiment(file);
    fs::remove(file);
    return said;
  }

 private:
  Project project_;
};

class T1 : public Subject {
 public:
  T1() { fs::copy(project_folder() / "tests/data/t1", project_ / "t1", fs::copy_options::recursive); }
  std::string feed(const std::string& input) override {
    return feed_experiment(project_.write("t1/fuzzed.json", input));
  }

 private:
  Project project_;
};

class Manifests : public Subject {
 public:
  std::string feed(const std::string& input) override {
    std::string folder = word_of(input, "name", "nbody");
    if (!fs::exists(project_ / "kernel_templates" / folder)) folder = "nbody";
    Diagnostics diagnostics;
    const std::optional<System> system = load_system(
        project_.write(fs::path("kernel_templates") / folder / "system.json", input), diagnostics);
    if (system.has_value() == !diagnostics.empty())
      throw std::logic_error("a system that is refused without a reason, or has errors and is there");
    if (!system) return text_of(diagnostics);
    static_cast<void>(check_sources(*system));
    Values problem;
    for (const auto& [name, quantity] : system->problem) problem[name] = quantity.default_value;
    for (const VariantSpec& variant : system->variants) {
      static_cast<void>(used_buffers(*system, variant));
      static_cast<void>(default_configuration(*system, variant, problem).name());
    }
    return "";
  }

 private:
  Project project_;
};

class Requests : public Subject {
 public:
  Requests() {
    for (const char* name : {"jacobi", "nbody"}) {
      Diagnostics diagnostics;
      systems_.push_back(*load_system(project_ / "kernel_templates" / name / "system.json", diagnostics));
    }
    for (const System& system : systems_) defaults_.systems.push_back(&system);
  }
  std::string feed(const std::string& input) override {
    try {
      const JudgeRequest request = read_request(require_json(input, "request"), defaults_);
      static_cast<void>(request.configuration.name());
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  Project project_;
  std::vector<System> systems_;
  JudgeDefaults defaults_;
};

}  // namespace

std::vector<Target> spec_targets() {
  const std::vector<std::string> spec_words{
      "schema_version",  "name",        "question",   "system",      "variants", "variant",
      "parameters",      "constraints", "problem",    "metric",      "measure",  "mode",
      "graph",           "batched",     "cache",      "cold",        "rotate",   "samples",
      "repetitions",     "precision",   "deadline_s", "devices",     "cpu",      "published",
      "BLOCK_SIZE <= N", "N",           "1 // 0",     "range(10**9)"};
  const std::vector<std::string> manifest_words{
      "buffers",   "type",     "float32",   "int64",   "count",       "fill",
      "uniform",   "gpu",      "reference", "compare", "norm",        "exact",
      "tolerance", "launches", "grid",      "block",   "arguments",   "repeat",
      "until",     "counter",  "stream",    "wait",    "cooperative", "when",
      "prepare",   "finish",   "work",      "limits",  "options",     "verify",
      "problems",  "2**62",    "1 // 0",    "domain",  "main",        "dynamic_shared_bytes",
      "../cpu.cpp"};
  const std::vector<std::string> t1_words{"ConfigurationSpace",
                                          "TuningParameters",
                                          "KernelSpecification",
                                          "Conditions",
                                          "Expression",
                                          "Values",
                                          "Arguments",
                                          "Type",
                                          "MemoryType",
                                          "Vector",
                                          "Scalar",
                                          "Size",
                                          "FillValue",
                                          "FillType",
                                          "Random",
                                          "Generator",
                                          "ProblemSize",
                                          "ProblemSize[0]",
                                          "GlobalSize",
                                          "LocalSize",
                                          "GridDivX",
                                          "KernelFile",
                                          "KernelName",
                                          "Language",
                                          "Default",
                                          "Defaults",
                                          "list(range(1, 1000000))",
                                          "[2**i for i in range(70)]",
                                          "BinaryRaw",
                                          "DataSource",
                                          "float4",
                                          "SharedMemory"};
  return {
      {"specs",
       {Form::json, spec_words},
       {{"experiments", ".json"}, {"tests/data/spec/experiments", ".json"}},
       [] { return std::make_unique<Specs>(); },
       {}},
      {"manifests",
       {Form::json, manifest_words},
       {{"kernel_templates", "system.json"}, {"tests/data/spec/kernel_templates", "system.json"}},
       [] { return std::make_unique<Manifests>(); },
       {}},
      {"t1", {Form::json, t1_words}, {{"tests/data/t1", ".json"}}, [] { return std::make_unique<T1>(); }, {}},
      {"requests",
       {Form::json,
        {"system", "source", "file", "name", "variant", "params", "problem", "samples", "reuse", "id",
         "jacobi", "nbody", "BLOCK_SIZE", "N"}},
       {},
       [] { return std::make_unique<Requests>(); },
       {}},
  };
}

}  // namespace tailwave::fuzz
