#include "tune/pipeline.h"

#include <regex>
#include <set>

#include "core/hash.h"
#include "tune/builder.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

bool is_host(const Experiment& experiment, const Configuration& configuration) {
  return experiment.system.find_variant(configuration.variant)->target == VariantSpec::Target::host;
}

std::regex parse_filter(const std::string& text) try {
  return std::regex(text);
} catch (const std::regex_error&) {
  throw Error("--filter: '" + text + "' is not a regular expression", Error::kBadUsage);
}

// A configuration that is still to be measured.
struct Pending {
  Configuration configuration;
  std::string key;
};

class Pipeline {
 public:
  Pipeline(const Experiment& experiment, const Toolchain& tools, ResultStore& store,
           const PipelineOptions& options, Progress& progress)
      : experiment_(experiment),
        tools_(tools),
        store_(store),
        options_(options),
        progress_(progress),
        reference_(*tools.host, *tools.reference_device) {}

  RunSummary run(const RunRecord& record) {
    for (Executor* executor : {tools_.device, tools_.host_device})
      executor->set_deadline_s(experiment_.measure.deadline_s);
    const std::vector<Pending> pending = find_pending();
    summary_.run = store_.begin_run(record, device_record(tools_.device->description()));
    try {
      measure_all(pending);
    } catch (const Cancelled&) {
      summary_.interrupted = true;
    } catch (...) {
      store_.finish_run(summary_.run, "failed", utc_now());
      throw;
    }
    store_.finish_run(summary_.run, summary_.interrupted ? "interrupted" : "done", utc_now());
    return summary_;
  }

 private:
  Executor& executor_of(const Configuration& configuration) const {
    return is_host(experiment_, configuration) ? *tools_.host_device : *tools_.device;
  }

  std::string reference_key() const {
    const System& system = experiment_.system;
    const VariantSpec* variant = system.find_variant(system.reference.variant);
    const Configuration configuration = default_configuration(system, *variant, {});
    return tools_.host->key({&system, variant, configuration});
  }

  // A configuration that has no build key (an option without a value) is known by its failure, which its build
  // will meet again.
  std::string build_key(const Configuration& configuration) const {
    Compiler& compiler = is_host(experiment_, configuration) ? *tools_.host : *tools_.kernels;
    const VariantSpec* variant = experiment_.system.find_variant(configuration.variant);
    try {
      return compiler.key({&experiment_.system, variant, configuration});
    } catch (const Failure& failure) {
      return content_hash(failure.what());
    }
  }

  std::string key_of(const Configuration& configuration, const std::string& reference) const {
    return trial_key(build_key(configuration), reference, experiment_, configuration,
                     executor_of(configuration).description(),
                     tools_.occupancy_device ? tools_.occupancy_device->name : "");
  }

  std::vector<Pending> find_pending() {
    const bool on_cpu = tools_.device->description().kind == "cpu";
    Enumeration all = enumerate(experiment_, on_cpu);
    std::set<std::string> finished;
    if (!options_.fresh) {
      finished = store_.finished_keys(experiment_.name, device_record(tools_.device->description()),
                                      experiment_.system.name);
    }
    const std::regex filter = parse_filter(options_.filter);
    const std::string reference = reference_key();
    std::vector<Pending> pending;
    for (Configuration& configuration : all.configurations) {
      if (!options_.filter.empty() && !std::regex_search(configuration.name(), filter)) continue;
      std::string key = key_of(configuration, reference);
      if (finished.contains(key)) {
        ++summary_.reused;
      } else {
        pending.push_back({std::move(configuration), std::move(key)});
      }
    }
    summary_.left_out = all.left_out_on_cpu;
    progress_.started(pending.size(), summary_.reused, summary_.left_out);
    return pending;
  }

  void measure_all(const std::vector<Pending>& pending) {
    std::vector<Configuration> configurations;
    for (const Pending& one : pending) configurations.push_back(one.configuration);
    std::vector<Built> built = build_all(experiment_, configurations, tools_, options_, progress_);
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (options_.stop_requested()) {
        summary_.interrupted = true;
        return;
      }
      Trial trial = measure_one(pending[i], std::move(built[i]));
      // What a stop request cut short says nothing of the configuration.
      if (trial.outcome != Outcome::correct && options_.stop_requested()) {
        summary_.interrupted = true;
        return;
      }
      store_.add_trial(summary_.run, device_record(executor_of(pending[i].configuration).description()),
                       trial);
      ++summary_.outcomes[trial.outcome];
      progress_.finished(trial, i + 1, pending.size());
    }
  }

  Trial measure_one(const Pending& pending, Built built) {
    Trial trial;
    if (built.artifact) {
      Job job{.experiment = &experiment_,
              .configuration = pending.configuration,
              .artifact = std::move(*built.artifact),
              .resources = std::move(built.resources),
              .occupancy_device = tools_.occupancy_device};
      Measurer measurer(executor_of(pending.configuration), reference_);
      trial = measurer.measure(job);
    } else {
      trial.configuration = pending.configuration;
      trial.outcome = built.outcome;
      trial.detail = std::move(built.detail);
    }
    trial.key = pending.key;
    return trial;
  }

  const Experiment& experiment_;
  const Toolchain& tools_;
  ResultStore& store_;
  const PipelineOptions& options_;
  Progress& progress_;
  ReferenceProvider reference_;
  RunSummary summary_;
};

}  // namespace

std::vector<PublishedValue> published_values(const Experiment& experiment) {
  std::vector<PublishedValue> values;
  if (!experiment.published) return values;
  const Published& published = *experiment.published;
  for (const PublishedRow& row : published.rows) {
    values.push_back({.experiment = experiment.name,
                      .study = published.study,
                      .device = published.device,
                      .quantity = published.quantity,
                      .unit = published.unit,
                      .variant = row.variant,
                      .parameters = row.parameters,
                      .value = row.value * published.unit_factor,
                      .invalid = row.invalid,
                      .note = row.note});
  }
  return values;
}

RunSummary run_experiment(const Experiment& experiment, const Toolchain& tools, ResultStore& store,
                          RunRecord environment, const PipelineOptions& options, Progress& progress) {
  environment.experiment = experiment.name;
  environment.system = experiment.system.name;
  environment.question = experiment.question;
  environment.metric = experiment.metric.name;
  environment.maximise = experiment.metric.maximise;
  environment.spec_file = experiment.file.string();
  environment.spec_text = experiment.text;
  environment.spec_hash = content_hash(experiment.text);
  // A filtered run replaces what it measures; only a whole one replaces everything.
  environment.fresh = options.fresh && options.filter.empty();
  if (tools.occupancy_device) environment.occupancy_device = tools.occupancy_device->name;
  store.set_published(experiment.name, published_values(experiment), experiment.system.name);
  return Pipeline(experiment, tools, store, options, progress).run(environment);
}

}  // namespace tailwave
