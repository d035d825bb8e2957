#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/observed.h"
#include "cli/result_database.h"
#include "core/error.h"
#include "core/printable.h"
#include "core/table.h"
#include "report/queries.h"
#include "store/database.h"
#include "store/observation_store.h"
#include "tune/curve_models.h"
#include "tune/grid_curve.h"
#include "tune/sm_curve.h"

namespace tailwave {
namespace {

constexpr const char* kOfDevice = "auto";  // instead of a list

struct CurveArguments {
  ObservationArguments observed;
  CurveOptions options;
  std::string sms;  // a list, or kOfDevice; "": the curve is one of grids
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

std::string gains_text(const SmGains& gains) {
  return fmt::format("  in proportion to the SMs up to {}; {}\n", gains.in_proportion_to,
                     gains.enough ? fmt::format("more than {} gain less than 5 %", *gains.enough)
                                  : "the most gain 5 % or more over the next fewer");
}

// What is the same in all rows is said already.
Table narrowed(const Table& points) {
  Table table{{"sms_asked", "sms", "median_us", "speedup", "efficiency", "gain", "waves_begun", "follows"},
              {}};
  table.rows.resize(points.rows.size());
  for (const std::string& name : table.columns) {
    const auto column =
        static_cast<std::size_t>(std::ranges::find(points.columns, name) - points.columns.begin());
    for (std::size_t i = 0; i < points.rows.size(); ++i) table.rows[i].push_back(points.rows[i].at(column));
  }
  return table;
}

void print_sm_curve(const Observation& seen, const MeasuredSmCurve& measured, const Console& console) {
  const std::string name = measured.curve.configuration.name();
  print_words(fmt::format("{}\n", name));
  for (const RefusedSms& one : measured.refused)
    print_words(fmt::format("  {} SMs: {}: {}\n", one.asked, to_string(one.outcome), one.detail));
  print_words(gains_text(gains_of(measured.curve)));
  console.show(narrowed(run_query(seen.store.database(), find_query("sms_curve", "."),
                                  {{"experiment", seen.record.system + "/" + seen.record.experiment},
                                   {"device", seen.device.name},
                                   {"configuration", name}})));
}

void measure_sm_curves(const CurveArguments& arguments) {
  const Console console(*arguments.observed.output);
  SmCurveOptions options{.asked = {}, .seed = arguments.options.seed};
  if (arguments.sms != kOfDevice) options.asked = listed_sms(arguments.sms);
  observe(arguments.observed, [&](const Observation& seen, const Configuration& configuration) {
    if (options.asked.empty())
      options.asked = curve_sms(seen.device.sms, seen.measurer.tools().occupancy_device);
    const MeasuredSmCurve measured = measure_sm_curve(seen.experiment, configuration, seen.measurer, options);
    add_sm_curve(seen.store.database(), seen.record, seen.device, measured.curve);
    print_sm_curve(seen, measured, console);
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

// Of `--sms SPEC`, which is no list.
void take_spec_behind_sms(CurveArguments& arguments) {
  if (!arguments.observed.spec.empty() || arguments.sms.find_first_not_of("0123456789,") == std::string::npos)
    return;
  if (arguments.sms == kOfDevice) return;
  arguments.observed.spec = std::exchange(arguments.sms, kOfDevice);
}

void add_curve(Command& app) {
  Command* command = app.add_subcommand(
      "curve",
      "Time a kernel by the size of its grid, and test the wave models on grids they were not fitted to; or a plan by "
      "the multiprocessors that it may use");
  auto arguments = std::make_shared<CurveArguments>();
  add_observation_options(*command, arguments->observed);
  command->add_option("--held-out", arguments->options.held_out, "grids that models are not fitted to")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--samples", arguments->options.samples, "of each grid")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command
      ->add_option(
          "--sms", arguments->sms,
          "the time of a configuration's whole plan against multiprocessors: 8,16,32, or those that suit "
          "the device")
      ->optional_value(kOfDevice)
      ->type_name("[LIST]")
      ->excludes({"--held-out", "--samples"});
  command->get_option("SPEC")->required(false);
  command
      ->add_flag("--refit", arguments->refit,
                 "fit the models again to all curves that the database has; needs no GPU")
      ->excludes({"SPEC", "--filter", "--config", "--device", "--held-out", "--samples", "--sms"});
  command->footer(
      "'tailwave query model_errors' compares the models, 'tailwave query sms_curve' has the times on some "
      "multiprocessors.\n"
      "Examples:\n"
      "  tailwave curve experiments/nbody/residency.json --device cuda:0\n"
      "  tailwave curve experiments/nbody/sms.json --sms\n"
      "  tailwave curve experiments/nbody/sms.json --sms 8,32,64 --filter SMS=0\n"
      "  tailwave curve --refit --db results/tailwave.db");
  command->callback([arguments] {
    take_spec_behind_sms(*arguments);
    if (arguments->refit) {
      refit_curves(arguments->observed.session.database);
    } else if (arguments->observed.spec.empty()) {
      throw Error(Diagnostic{.place = "curve",
                             .cause = "SPEC is missing",
                             .hint = "an experiment file; or --refit, for the curves that the database has"});
    } else if (!arguments->sms.empty()) {
      measure_sm_curves(*arguments);
    } else {
      measure_curves(*arguments);
    }
  });
}

}  // namespace tailwave
