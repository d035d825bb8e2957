#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/observed.h"
#include "cli/result_database.h"
#include "core/error.h"
#include "core/printable.h"
#include "store/database.h"
#include "store/observation_store.h"
#include "tune/curve_models.h"
#include "tune/grid_curve.h"

namespace tailwave {
namespace {

struct CurveArguments {
  ObservationArguments observed;
  CurveOptions options;
  bool refit = false;
};

// "1.2", "120".
std::string two_digits(double percent) {
  constexpr double kWhole = 10;
  return percent < kWhole ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent);
}

void print_curve(const std::string& configuration, const GridCurve& curve) {
  print_words(fmt::format("{}\n  {}: {} grids of 1 to {} blocks, {} an SM and {} SMs\n", configuration,
                          curve.kernel, curve.samples.size(), curve.full_grid, curve.blocks_per_sm,
                          curve.sms));
  if (curve.cut_change)
    print_words(
        fmt::format("  its blocks are told the indices of the whole grid, which changes the full grid's time "
                    "by {:+.1f} %\n",
                    100 * *curve.cut_change));
  std::vector<std::string> errors;
  for (const ModelError& one : held_out_errors(curve))
    errors.push_back(fmt::format("{} {} %", one.model, two_digits(100 * one.error)));
  if (!errors.empty())
    print_words(fmt::format("  median error on held-out grids: {}\n", fmt::join(errors, ", ")));
}

// Without predictions, which is said, where there are too few grids.
void predict(GridCurve& curve, const std::string& configuration) {
  try {
    predict_grid_curve(curve);
  } catch (const Error& error) {
    curve.predictions.clear();
    fmt::print(stderr, "{}\n", printable(fmt::format("{}: {}", configuration, error.what())));
  }
}

void measure_curves(const CurveArguments& arguments) {
  observe(arguments.observed, [&](const Observation& seen, const Configuration& configuration) {
    GridCurve curve = measure_grid_curve(seen.experiment, configuration, seen.measurer,
                                         ArtifactCache(ArtifactCache::default_root()), arguments.options);
    predict(curve, configuration.name());
    add_grid_curve(seen.store.database(), seen.record, seen.device, curve);
    print_curve(configuration.name(), curve);
  });
}

void refit_curves(const std::string& file) {
  require_database(file);
  Database database(file, Database::Mode::read_write);
  std::vector<StoredGridCurve> curves = grid_curves(database);
  if (curves.empty())
    throw Error(fmt::format("{}: there are no curves to fit models to", file), Error::kBadUsage);
  for (StoredGridCurve& stored : curves) {
    predict(stored.curve, stored.configuration);
    replace_predictions(database, stored.id, stored.curve.predictions);
    print_curve(stored.configuration, stored.curve);
  }
}

}  // namespace

void add_curve(Command& app) {
  Command* command = app.add_subcommand(
      "curve",
      "Time a kernel by the size of its grid, and test the wave models on grids they were not fitted to");
  auto arguments = std::make_shared<CurveArguments>();
  add_observation_options(*command, arguments->observed);
  command->add_option("--held-out", arguments->options.held_out, "grids that models are not fitted to")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--samples", arguments->options.samples, "of each grid")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->get_option("SPEC")->required(false);
  command
      ->add_flag("--refit", arguments->refit,
                 "fit the models again to all curves that the database has; needs no GPU")
      ->excludes({"SPEC", "--filter", "--config", "--device", "--held-out", "--samples"});
  command->footer(
      "'tailwave query model_errors' compares the models.\n"
      "Examples:\n"
      "  tailwave curve experiments/nbody/residency.json --device cuda:0\n"
      "  tailwave curve --refit --db results/tailwave.db");
  command->callback([arguments] {
    if (arguments->refit) {
      refit_curves(arguments->observed.session.database);
    } else if (arguments->observed.spec.empty()) {
      throw Error(Diagnostic{.place = "curve",
                             .cause = "SPEC is missing",
                             .hint = "an experiment file; or --refit, for the curves that the database has"});
    } else {
      measure_curves(*arguments);
    }
  });
}

}  // namespace tailwave
