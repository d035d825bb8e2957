#include "cli/observed.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/interrupt.h"
#include "cli/search_options.h"
#include "core/outcome.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/select.h"
#include "store/database.h"
#include "tune/environment.h"

namespace tailwave {

void add_observation_options(Command& command, ObservationArguments& arguments) {
  command.add_option("SPEC", arguments.spec, "an experiment file")->required();
  Option* filter = add_filter_option(command, arguments.selection);
  command.add_option("--config", arguments.selection, "the same as --filter")->excludes(filter);
  command.add_option("--device", arguments.device, "auto, cuda:0, cpu")->capture_default_str();
  command.add_option("--db", arguments.database, "the result database")->capture_default_str();
  arguments.output = add_output_options(command, JsonResult::none);
}

void observe(const ObservationArguments& arguments,
             const std::function<void(const Observation&, const Configuration&)>& look) {
  const InterruptGuard interrupts;
  const Experiment experiment = load_experiment(arguments.spec);
  const Console console(*arguments.output);
  Session session(arguments.device, "", {&experiment}, console);
  const Selection selection = select_from(with_target(experiment, VariantSpec::Target::cuda),
                                          session.device().kind == DeviceKind::cpu, arguments.selection);
  const std::vector<Configuration>& selected = selection.chosen(arguments.selection);
  Database database = open_to_write(arguments.database, console);
  ResultStore store(database);
  store.set_main_kernels(experiment.system.name, main_kernels(experiment.system));
  session.cancel_when(InterruptGuard::requested);
  const RunRecord environment = session.environment(folder_of_record(experiment));
  Workbench bench(session.tools());
  std::size_t failed = 0;
  try {
    for (const Configuration& configuration : selected) {
      try {
        look({experiment,
              session,
              bench.measurer,
              store,
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
