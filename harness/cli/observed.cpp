#include "cli/observed.h"

#include <fmt/format.h>

#include <utility>

#include "cli/common_options.h"
#include "core/outcome.h"
#include "measure/candidate.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/select.h"
#include "tune/environment.h"

namespace tailwave {

void add_observation_options(Command& command, ObservationArguments& arguments) {
  command.add_option("SPEC", arguments.spec, "an experiment file")->required();
  Option* filter = add_filter_option(command, arguments.selection);
  command.add_option("--config", arguments.selection, "the same as --filter")->excludes(filter);
  add_session_options(command, arguments.session);
  arguments.output = add_output_options(command, JsonResult::none);
}

double plain_time_ns(const Observation& seen, const Configuration& configuration) {
  const VariantSpec& variant = *seen.experiment.system.find_variant(configuration.variant);
  Candidate candidate{.system = &seen.experiment.system, .settings = &seen.experiment.measure};
  candidate.trial.configuration = configuration;
  candidate.take(seen.measurer.tools().kernels->build({&seen.experiment.system, &variant, configuration}));
  return median_ns(seen.measurer.measure_correct(std::move(candidate)).trial);
}

void observe(const ObservationArguments& arguments,
             const std::function<void(const Observation&, const Configuration&)>& look) {
  const Console console(*arguments.output);
  Session session(arguments.session, {load_experiment(arguments.spec)}, console);
  const Experiment& experiment = session.experiments().front();
  const Selection selection = select_from(with_target(experiment, VariantSpec::Target::cuda),
                                          session.device().kind == DeviceKind::cpu, arguments.selection);
  const std::vector<Configuration>& selected = selection.chosen(arguments.selection);
  if (arguments.session.counts)
    (void)session.counting();  // before a database is made where nothing can count
  ResultStore& store = session.store();
  store_what_reports_need(experiment, store);
  const RunRecord environment = session.environment(experiment);
  Measurer measurer(session.tools());
  std::size_t failed = 0;
  try {
    for (const Configuration& configuration : selected) {
      try {
        look({experiment,
              measurer,
              store,
              session,
              console,
              session.device(),
              {experiment.system.name, experiment.name, utc_now(), environment.driver, environment.commit,
               ""}},
             configuration);
      } catch (const Failure& failure) {
        print_words(fmt::format("{}\n  {}: {}\n", configuration.name(), to_string(failure.outcome()),
                                failure.what()));
        ++failed;
      }
    }
  } catch (const Cancelled&) {
    throw Error("interrupted: what was observed is stored");
  }
  if (failed == selected.size()) throw Error("no configuration could be observed");
}

}  // namespace tailwave
