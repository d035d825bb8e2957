#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/check_races.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/confinement.h"
#include "cli/console.h"
#include "cli/result_json.h"
#include "cli/spec_warnings.h"
#include "compile/source_check.h"
#include "core/error.h"
#include "measure/python_reference.h"
#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/problem_space.h"
#include "spec/published_file.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

Count counted(std::size_t number) {
  return {static_cast<double>(number)};
}

std::string to_text(const std::map<std::string, Expression>& problem) {
  std::string text;
  for (const auto& [name, value] : problem)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value.text());
  return text;
}

// What its variants are made for, and what they are verified with besides the problem at hand.
OrderedJson verification_json(const System& system) {
  OrderedJson domains = OrderedJson::object();
  for (const VariantSpec& variant : system.variants)
    if (variant.domain) domains[variant.name] = variant.domain->text();
  OrderedJson problems = OrderedJson::array();
  for (const auto& problem : system.verify.problems) problems.push_back(to_text(problem));
  return {{"requires", domains}, {"draws", system.verify.draws}, {"other_problems", problems}};
}

// The same for people; "" where nothing is said but what holds for all manifests.
std::string verification_text(const System& system) {
  std::string domains, problems;
  for (const VariantSpec& variant : system.variants)
    if (variant.domain)
      domains +=
          fmt::format("{}{} where {}", domains.empty() ? "" : "; ", variant.name, variant.domain->text());
  for (const auto& problem : system.verify.problems)
    problems += (problems.empty() ? "" : "; ") + to_text(problem);
  return (domains.empty() ? "" : fmt::format("  made for some problems only: {}\n", domains)) +
         (problems.empty()
              ? ""
              : fmt::format("  verified with {} draws of the inputs, and for other problems: {}\n",
                            system.verify.draws, problems));
}

// Checks files and says of each that is right what it is.
class Checker {
 public:
  explicit Checker(const Console& console) : console_(console) {}

  // A file is a manifest when it is called system.json, or has published figures, else it is an experiment.
  void check_file(const fs::path& file) {
    try {
      if (file.filename() == "system.json") {
        std::optional<System> system = load_system(file, diagnostics_);
        if (!system) return;
        Diagnostics warnings = check_sources(*system);
        add_python_warning(*system, warnings);
        say_ok(file, "system", "variants", counted(system->variants.size()), warnings);
        files_.back()["verification"] = verification_json(*system);
        console_.say(verification_text(*system));
        if (const std::string hint = sizes_hint(*system); !hint.empty()) console_.say("  " + hint + "\n");
        right_.push_back(defaults_of(std::move(*system)));
        return;
      }
      if (is_published_file(file)) {
        const std::optional<std::size_t> figures = check_published_file(file, diagnostics_);
        if (figures) say_ok(file, "published", "figures", counted(*figures), {});
        return;
      }
      std::optional<Experiment> experiment = load_experiment(file, diagnostics_);
      if (!experiment) return;
      check_experiment(file, *experiment);
      right_.push_back(std::move(*experiment));
    } catch (const ExpressionError& error) {
      diagnostics_.push_back(
          {.file = file.string(), .place = "/constraints", .cause = error.what(), .hint = error.hint});
    } catch (const Error& error) {
      diagnostics_.push_back({.file = file.string(), .cause = error.what()});
    }
  }

  // What was wrong; two experiments of one broken system report the same places.
  [[nodiscard]] Diagnostics distinct_errors() const {
    Diagnostics distinct;
    std::set<std::string> seen;
    for (const Diagnostic& diagnostic : diagnostics_)
      if (seen.insert(to_string(diagnostic)).second) distinct.push_back(diagnostic);
    return distinct;
  }

  // Those that were right, as JSON.
  [[nodiscard]] const OrderedJson& files() const { return files_; }
  // The same as experiments, a system with the defaults of its variants.
  [[nodiscard]] const std::vector<Experiment>& right() const { return right_; }

 private:
  void check_experiment(const fs::path& file, const Experiment& experiment) {
    const Count count = count_configurations(experiment, false);
    Diagnostics warnings = warnings_of(experiment);
    add_python_warning(experiment.system, warnings);
    say_ok(file, "experiment", "configurations", count, warnings);
    if (!count.is_exact)
      console_.say(
          "  more than can be counted: constraints couple too many values; 'tailwave tune' searches them\n");
  }

  // That its reference cannot be computed here, as a run would say. Python is asked once.
  void add_python_warning(const System& system, Diagnostics& warnings) {
    if (!system.reference.python) return;
    if (!python_lacks_) {
      try {
        (void)find_python();
        python_lacks_ = "";
      } catch (const Error& error) {
        python_lacks_ = error.what();
      }
    }
    if (python_lacks_->empty()) return;
    const std::size_t end = python_lacks_->find("\n  ");
    warnings.push_back({.file = shown_path(system.file),
                        .place = "/reference/python",
                        .cause = python_lacks_->substr(0, end),
                        .hint = end == std::string::npos ? "" : python_lacks_->substr(end + 3)});
  }

  void say_ok(const fs::path& file, const char* kind, const char* what, const Count& count,
              const Diagnostics& warnings) {
    warnings_.say(warnings);
    OrderedJson& one =
        files_.emplace_back(OrderedJson{{"file", file.string()}, {"kind", kind}, {what, count.whole()}});
    if (kind == std::string("experiment")) one["configurations_are"] = counted_as(count);
    one["warnings"] = warnings_json(warnings);
    const std::string number = to_string(count);
    std::string counted(what);
    if (number == "1") counted.pop_back();
    console_.say(fmt::format("{}: ok: {}, {} {}{}\n", file.string(), kind, number, counted,
                             warnings.empty()       ? ""
                             : warnings.size() == 1 ? ", 1 warning"
                                                    : fmt::format(", {} warnings", warnings.size())));
  }

  const Console& console_;
  Diagnostics diagnostics_;
  SpecWarnings warnings_{console_};
  OrderedJson files_ = OrderedJson::array();
  std::vector<Experiment> right_;
  std::optional<std::string> python_lacks_;  // in words; "": nothing
};

std::vector<fs::path> files_in(const fs::path& folder) {
  if (fs::exists(folder / "system.json")) return {folder / "system.json"};
  std::vector<fs::path> files = find_specs(folder);
  for (fs::path& manifest : find_manifests(folder)) files.push_back(std::move(manifest));
  if (files.empty())
    throw Error(Diagnostic{.file = folder.string(),
                           .cause = "neither an experiment (*.json) nor a system.json in this folder",
                           .hint = "'tailwave new NAME' writes both to start from"});
  return files;
}

// The shell gives all that is in a folder for folder/*: what is no JSON is passed over, unless there is nothing else.
std::vector<fs::path> files_to_check(const std::vector<std::string>& paths, const Console& console) {
  std::vector<fs::path> files;
  std::vector<std::string> others;
  for (const std::string& path : paths) {
    if (fs::is_directory(path)) {
      for (fs::path& file : files_in(path)) files.push_back(std::move(file));
    } else if (fs::exists(path) && fs::path(path).extension() != ".json") {
      others.push_back(path);
    } else {
      for (fs::path& file : expand_specs({path})) files.push_back(std::move(file));
    }
  }
  if (files.empty())
    throw Error(Diagnostic{.file = others.front(),
                           .cause = "not a JSON file",
                           .hint = "name experiments, system.json files, or folders of them"});
  if (!others.empty()) console.note(fmt::format("passed over, not JSON: {}\n", fmt::join(others, ", ")));
  return files;
}

void check(const std::vector<std::string>& paths, bool races, const SandboxOptions& sandbox,
           const Console& console) {
  Checker checker(console);
  for (const fs::path& file : files_to_check(paths, console)) checker.check_file(file);
  const Diagnostics errors = checker.distinct_errors();
  OrderedJson problems = OrderedJson::array();
  for (const Diagnostic& diagnostic : errors) problems.push_back(diagnostic_json(diagnostic));
  OrderedJson result{{"files", checker.files()}, {"problems", problems}};
  RacesSaid said;
  if (races && errors.empty()) {
    said = say_races(checker.right(), sandbox, console);
    result["races"] = said.configurations;
  }
  console.result(result);
  if (!errors.empty()) throw Error(errors);
  if (!said.failure.empty()) throw Error(said.failure);
}

}  // namespace

void add_check(Command& app) {
  Command* command =
      app.add_subcommand("check", "Say what is wrong or missing in experiments and systems; needs no GPU");
  auto paths = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("SPEC", *paths,
                   "experiment files, system.json files, published figures, or folders of them")
      ->required();
  auto races = std::make_shared<bool>(false);
  auto sandbox = std::make_shared<SandboxOptions>();
  add_unsafe_options(*command);
  add_sandbox_options(*command, *sandbox);
  command->add_flag(
      "--races", *races,
      "also run a few small configurations of each cuda variant on the CPU, with ThreadSanitizer, and "
      "say where two CUDA threads race, or one is outside of a buffer");
  command->footer("Example: tailwave check experiments kernel_templates/nbody");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([paths, races, sandbox, output] { check(*paths, *races, *sandbox, Console(*output)); });
}

}  // namespace tailwave
