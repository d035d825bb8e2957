#include "spec/experiment_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/metric.h"
#include "core/suggestion.h"
#include "spec/document.h"
#include "spec/enumerate.h"
#include "spec/metric_reader.h"
#include "spec/names.h"
#include "spec/other_reference_reader.h"
#include "spec/paths.h"
#include "spec/problem_sizes.h"
#include "spec/published_file.h"
#include "spec/published_reader.h"
#include "spec/regime_reader.h"
#include "spec/system_reader.h"
#include "spec/t1/reader.h"
#include "spec/t1/side_file.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

bool is_system(const fs::directory_entry& entry) {
  std::error_code error;
  return fs::exists(entry.path() / "system.json", error);
}

std::string question_of(const std::string& system) {
  return "Which configuration of " + system + " is the best?";
}

class ExperimentReader {
 public:
  ExperimentReader(const Json& root, Reporter& reporter) : root_(root), reporter_(reporter) {}

  // What a file beside a T1 file says of its experiment.
  void read_beside(Experiment& experiment) {
    if (root_.find("measure")) read_measure(root_.find("measure"), experiment.measure);
    check_mode(experiment);
    if (root_.find("metric") || root_.find("metrics")) read_metrics(root_, experiment, reporter_);
    const fs::path folder = fs::absolute(experiment.file).parent_path();
    experiment.regimes = read_regimes(root_.find("regimes"), experiment, folder, reporter_);
    warn_of_graphs(experiment);
  }

  // All of the spec but its file and text.
  void read(Experiment& experiment) {
    read_names(experiment);
    read_measure(root_.find("measure"), experiment.measure);
    std::optional<System> system = read_named_system(experiment.file);
    if (!system) return;
    experiment.system = std::move(*system);
    const Json cpu = root_.find("devices").find("cpu");
    read_problems(root_.find("problem"), cpu.find("problem"), experiment);
    read_cases(experiment);
    read_constraints(root_.find("constraints"), experiment.system, experiment.constraints);
    read_constraints(cpu.find("constraints"), experiment.system, experiment.cpu_constraints);
    check_mode(experiment);
    read_metrics(root_, experiment, reporter_);
    const fs::path folder = fs::absolute(experiment.file).parent_path();
    experiment.regimes = read_regimes(root_.find("regimes"), experiment, folder, reporter_);
    warn_of_graphs(experiment);
    if (root_.find("published")) {
      experiment.published = read_published(root_.find("published"), experiment, reporter_);
    }
    if (reporter_.clean()) check_enumeration(experiment, reporter_);
  }

 private:
  void read_names(Experiment& experiment) {
    const std::string* system = root_.find("system").as_text();
    experiment.question = question_of(system == nullptr ? "" : *system);
    if (const std::string* question = root_.find("question").as_text()) experiment.question = *question;
    const Json name = root_.find("name");
    if (!name) experiment.name = experiment.file.stem().string();
    if (name.as_text() == nullptr && !experiment.name.empty()) check_name(experiment.name, name.pointer());
    if (name.as_text() == nullptr) return;
    experiment.name = *name.as_text();
    check_name(experiment.name, name.pointer());
    if (experiment.name != experiment.file.stem()) {
      reporter_.report(name.pointer(), "the name '" + experiment.name + "' differs from the file's, '" +
                                           experiment.file.stem().string() + "'");
    }
  }

  void check_name(const std::string& name, const std::string& pointer) {
    const std::string why = why_not_a_name(name);
    if (!why.empty()) reporter_.report(pointer, "'" + name + "' " + why);
  }

  void read_measure(const Json& place, MeasureSettings& measure) {
    const auto count = [&](const char* key, int fallback) {
      return static_cast<int>(place.find(key).as_whole().value_or(fallback));
    };
    // The schema has refused other words.
    if (const std::string* mode = place.find("mode").as_text())
      measure.mode = find_enum<TimingMode>(*mode).value_or(measure.mode);
    if (const std::string* cache = place.find("cache").as_text())
      measure.cache = find_enum<CacheState>(*cache).value_or(measure.cache);
    measure.samples = count("samples", measure.samples);
    const Json most = place.find("max_samples");
    if (most && place.find("samples") && count("max_samples", 0) < measure.samples) {
      reporter_.report(
          most.pointer(), fmt::format("'max_samples' is less than the {} of 'samples'", measure.samples),
          "'samples' count at least, and 'max_samples' end a configuration that is not precise enough");
    }
    measure.max_samples = std::max(measure.samples, count("max_samples", measure.max_samples));
    // Who asks for a number of samples and nothing else gets that number.
    const double precision = place.find("samples") ? 0 : measure.precision;
    measure.precision = place.find("precision").as_real().value_or(precision);
    measure.race = place.find("race").as_real().value_or(measure.race);
    measure.give_up = place.find("give_up").as_real();
    measure.warmup = count("warmup", measure.warmup);
    measure.repetitions = count("repetitions", measure.repetitions);
    measure.time_cap_s = place.find("time_cap_s").as_real().value_or(measure.time_cap_s);
    measure.deadline_s = place.find("deadline_s").as_real().value_or(measure.deadline_s);
    measure.build_deadline_s = place.find("build_deadline_s").as_real().value_or(measure.build_deadline_s);
    measure.batch_ms = place.find("batch_ms").as_real().value_or(measure.batch_ms);
    if (measure.give_up && *measure.give_up > 0 && *measure.give_up < 1)
      reporter_.report(
          place.find("give_up").pointer(),
          "'give_up' is a multiple of the best time, and so at least 1, or 0: nothing is given up",
          "say 10 to give up what takes more than 10 times as long as the best");
    if (const std::string why = why_not_together(measure.mode, measure.cache); !why.empty())
      reporter_.report(place.find("cache").pointer(), why, "use the mode 'isolated', or the cache 'rotate'");
  }

  std::optional<System> read_named_system(const fs::path& file) {
    const Json name = root_.find("system");
    if (name.as_text() == nullptr) return std::nullopt;
    try {
      const fs::path systems = find_project_root(fs::absolute(file).parent_path()) / "kernel_templates";
      const fs::path manifest = systems / *name.as_text() / "system.json";
      std::error_code error;  // of a name that is too long for a file
      if (why_not_a_name(*name.as_text()).empty() && fs::exists(manifest, error)) {
        return read_system(manifest, reporter_.diagnostics());
      }
      if (why_not_a_name(*name.as_text()).empty() && fs::is_directory(manifest.parent_path(), error)) {
        reporter_.report(name.pointer(), "no system.json in " + shown_path(manifest.parent_path()));
      } else {
        reporter_.report_unknown(name.pointer(), "system", *name.as_text(), names_in(systems, is_system));
      }
    } catch (const Error&) {
      reporter_.report(name.pointer(), "no folder above this file holds kernel_templates/",
                       "specs belong into experiments/SYSTEM/ beside kernel_templates/");
    }
    return std::nullopt;
  }

  // The values that `read_one` makes of a list; reports duplicates.
  template <class ReadOne>
  std::vector<Value> read_values(const Json& list, ReadOne read_one) {
    std::vector<Value> values;
    for (const Json& item : list.items()) {
      const std::optional<Value> value = read_one(item);
      if (!value) continue;
      if (std::find(values.begin(), values.end(), *value) != values.end()) {
        reporter_.report(item.pointer(), "the value " + to_string(*value) + " is given twice");
      } else {
        values.push_back(*value);
      }
    }
    return values;
  }

  std::vector<Parameter> read_problem(const Json& problem, const System& system) {
    std::vector<Parameter> quantities;
    for (const auto& [name, place] : problem.members()) {
      const auto quantity = system.problem.find(name);
      if (quantity == system.problem.end()) {
        reporter_.report_unknown(place.pointer(), "problem quantity", name, problem_names(system));
        continue;
      }
      quantities.push_back({name, read_values(place, [&](const Json& item) {
                              return read_quantity(quantity->second.type, item, reporter_);
                            })});
    }
    return quantities;
  }

  void read_problems(const Json& place, const Json& on_cpu, Experiment& experiment) {
    const System& system = experiment.system;
    experiment.problem = read_problem(place, system);
    experiment.cpu_problem = read_problem(on_cpu, system);
    experiment.sizes = read_sizes(place, system, reporter_);
    experiment.cpu_sizes = read_sizes(on_cpu, system, reporter_);
    const auto quantities = [](const std::vector<Parameter>& combined,
                               const std::vector<ProblemSize>& sizes) {
      return sizes.empty() ? combined : quantities_of(sizes);
    };
    check_stored_problem(place, quantities(experiment.problem, experiment.sizes), system, reporter_);
    if (!on_cpu) return;
    std::vector<Parameter> there = quantities(experiment.cpu_problem, experiment.cpu_sizes);
    there.insert(there.end(), experiment.problem.begin(), experiment.problem.end());
    check_stored_problem(on_cpu, there, system, reporter_);
  }

  // The host cannot look at a value in the middle of a graph.
  void check_mode(const Experiment& experiment) {
    if (experiment.measure.mode != TimingMode::graph) return;
    for (const Case& each : experiment.cases) {
      if (!has_until(experiment.system.find_variant(each.variant)->launches)) continue;
      reporter_.report(root_.find("measure").find("mode").pointer(),
                       "the variant '" + each.variant + "' has a loop with 'until', which cannot be a graph",
                       "use the mode 'isolated' or 'batched'");
      return;
    }
  }

  // As a regime it is measured nevertheless, for the sake of other variants.
  void warn_of_graphs(Experiment& experiment) {
    Reporter warnings(reporter_.file(), experiment.warnings);
    const std::vector<Json> places = root_.find("regimes").items();
    for (std::size_t i = 0; i < experiment.regimes.size() && experiment.regimes.size() == places.size();
         ++i) {
      if (experiment.regimes[i].mode != TimingMode::graph) continue;
      for (const Case& each : experiment.cases)
        if (has_until(experiment.system.find_variant(each.variant)->launches))
          return warnings.report(
              places[i].pointer(),
              "the variant '" + each.variant + "' has a loop with 'until', which cannot be a graph",
              "it has no time in this regime");
    }
  }

  void read_cases(Experiment& experiment) {
    for (const Json& place : root_.find("cases").items()) {
      const Json name = place.find("variant");
      if (name.as_text() == nullptr) continue;
      const VariantSpec* variant = experiment.system.find_variant(*name.as_text());
      if (variant == nullptr) {
        reporter_.report_unknown(name.pointer(), "variant", *name.as_text(),
                                 variant_names(experiment.system));
      } else {
        experiment.cases.push_back(read_case(place, *variant));
      }
    }
  }

  Case read_case(const Json& place, const VariantSpec& variant) {
    Case result{variant.name, {}};
    std::vector<std::string> known;
    for (const auto& parameter : variant.parameters) known.push_back(parameter.first);
    for (const auto& [name, values] : place.find("parameters").members()) {
      const auto parameter = std::find_if(variant.parameters.begin(), variant.parameters.end(),
                                          [&name = name](const auto& entry) { return entry.first == name; });
      if (parameter == variant.parameters.end()) {
        reporter_.report(values.pointer(), "variant '" + variant.name + "' has no parameter '" + name + "'",
                         suggestion(name, known));
        continue;
      }
      result.parameters.push_back({name, read_values(values, [&](const Json& item) {
                                     return read_parameter_value(parameter->second, item, reporter_);
                                   })});
    }
    return result;
  }

  void read_constraints(const Json& list, const System& system, std::vector<Expression>& constraints) {
    const std::vector<std::string> known = names_in_scope(system);
    for (const Json& item : list.items()) {
      if (const auto constraint = read_expression(item, known, reporter_)) constraints.push_back(*constraint);
    }
  }

  const Json& root_;
  Reporter& reporter_;
};

}  // namespace

void read_experiment_keys(const Json& root, Experiment& experiment, Reporter& reporter) {
  ExperimentReader(root, reporter).read_beside(experiment);
}

namespace {

// A manifest is an experiment, too: of all variants for GPUs but the reference, with the values that their parameters have.
void read_manifest_as_experiment(const Json& root, Experiment& experiment, Reporter& reporter) {
  std::optional<System> system = load_system(experiment.file, reporter.diagnostics());
  if (!system) return;
  experiment.system = std::move(*system);
  experiment.name = experiment.system.name;
  experiment.question = question_of(experiment.name);
  experiment.metric.name = "time";
  for (const VariantSpec& variant : experiment.system.variants) {
    if (variant.target == VariantSpec::Target::host || variant.name == experiment.system.reference.variant)
      continue;
    Case& each = experiment.cases.emplace_back(Case{variant.name, {}});
    for (const auto& [name, values] : variant.values) each.parameters.push_back({name, values});
  }
  if (experiment.cases.empty())
    return reporter.report("/variants", "no variant is a kernel besides the reference",
                           "an experiment in experiments/SYSTEM/ names the variants that it is about");
  experiment.constraints_pointer = "/variants";
  if (const std::string* metric = root.find("metric").as_text()) {
    experiment.metric = metric_named(*metric, experiment.system, "/metric", reporter);
  }
  if (reporter.clean()) check_enumeration(experiment, reporter);
}

}  // namespace

std::optional<Experiment> load_experiment(const fs::path& file, Diagnostics& diagnostics) {
  Reporter reporter(file.string(), diagnostics);
  std::optional<Document> document = read_document(file, reporter);
  if (!document) return std::nullopt;
  Experiment experiment;
  experiment.file = file;
  const Json& root = document->json;
  if (file.filename() == "system.json") {
    read_manifest_as_experiment(root, experiment, reporter);
  } else if (is_side_file(file)) {
    reporter.report("", "what a T1 file cannot say, not an experiment",
                    "name the T1 file beside it, which this one is read with");
  } else if (has_published_figures(document->json, file)) {
    reporter.report(
        "", "published figures, not an experiment",
        "name an experiment that reproduces them, in the folder above; 'tailwave check' checks these, too");
  } else if (is_t1(root)) {
    read_t1(*document, experiment, reporter);
  } else {
    if (!check_document(*document, "experiment.schema.json", reporter)) return std::nullopt;
    ExperimentReader(root, reporter).read(experiment);
  }
  if (experiment.text.empty()) experiment.text = std::move(document->text);
  return reporter.clean() ? std::optional(std::move(experiment)) : std::nullopt;
}

Experiment load_experiment(const fs::path& file) {
  Diagnostics diagnostics;
  std::optional<Experiment> experiment = load_experiment(file, diagnostics);
  if (!experiment) throw Error(diagnostics);
  return std::move(*experiment);
}

}  // namespace tailwave
