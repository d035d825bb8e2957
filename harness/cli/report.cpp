#include "report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/chart_process.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/report_inputs.h"
#include "cli/result_database.h"
#include "report/chart_script.h"
#include "spec/experiment.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "store/contents.h"
#include "store/database.h"

namespace tailwave {
namespace {

struct ReportArguments {
  std::vector<std::string> specs;
  std::vector<std::string> experiments;
  std::string database = kDefaultDatabase;
  std::string out = "results/report";
  bool svg = false;
};

// Draws nothing: pictures that an earlier report drew stay.
class NoPictures : public ChartRenderer {
 public:
  explicit NoPictures(const ChartRenderer& other) : version_(other.version()) {}
  std::vector<RenderedChart> render(const std::vector<std::string>& specs) override {
    return std::vector<RenderedChart>(specs.size(), {"", "'report --svg' draws them"});
  }
  [[nodiscard]] bool draws() const override { return false; }
  [[nodiscard]] std::string version() const override { return version_; }

 private:
  std::string version_;
};

// Says each step that begins after the first second.
std::function<void(const std::string&)> progress_of(const Console& console) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience(1);
  return [&console, patient_until = Clock::now() + kPatience](const std::string& what) {
    if (Clock::now() >= patient_until) console.note(fmt::format("report: {} ...\n", what));
  };
}

void say_what_is_missing(const ReportSummary& summary, const Console& console) {
  const bool scripted = !chart_script().empty();
  if (summary.charts_left_out > 0)
    console.note(fmt::format("charts left out{}: {} ({})\n", scripted ? " of the Markdown pages" : "",
                             summary.charts_left_out, summary.why_left_out));
  if (!scripted && !summary.charts.empty())
    console.note(
        "charts are pictures only (this program was built without what draws them in a browser; "
        "'make build' fetches it from PyPI)\n");
}

void report(const ReportArguments& options, const Console& console) {
  Database database = open_to_read(options.database);
  ReportOptions what;
  what.out_dir = options.out;
  what.project = ".";
  std::vector<std::string> unmeasured;
  for (const std::filesystem::path& file : expand_specs({options.specs.begin(), options.specs.end()})) {
    const Experiment experiment = load_experiment(file);
    const std::string name = experiment.system.name + "/" + experiment.name;
    (has_results(database, experiment.system.name, experiment.name) ? what.experiments : unmeasured)
        .push_back(name);
  }
  what.experiments.insert(what.experiments.end(), options.experiments.begin(), options.experiments.end());
  if (what.experiments.empty()) {
    what.experiments = unmeasured;  // an error, which render_report words
  } else if (!unmeasured.empty()) {
    console.note(fmt::format("no trials yet: {}\n", fmt::join(unmeasured, ", ")));
  }
  ChartProcess pictures(what.project);
  NoPictures none(pictures);
  what.script = chart_script();
  // Where no browser draws them, pictures are all the charts there are.
  what.renderer = &none;
  if (options.svg || what.script.empty()) what.renderer = &pictures;
  what.doing = progress_of(console);
  what.inputs = report_inputs(database, what);
  const ReportSummary summary = render_report(database, what);
  say_what_is_missing(summary, console);
  console.say(fmt::format("report: {} (as Markdown: {}){}\n", summary.html.string(), summary.index.string(),
                          summary.unchanged ? ", as it was: nothing has changed" : ""));
  console.result({{"html", summary.html.string()},
                  {"markdown", summary.index.string()},
                  {"charts_left_out", summary.charts_left_out},
                  {"no_trials", unmeasured}});
}

}  // namespace

void add_report(Command& app) {
  Command* command = app.add_subcommand("report", "Write the report tables of experiments from the database");
  auto options = std::make_shared<ReportArguments>();
  command->add_option("SPEC", options->specs, "only these experiments (default: all in the database)");
  add_unsafe_options(*command);
  command
      ->add_option("--experiment", options->experiments,
                   "only this experiment (and those that have no page yet), by its name in the database: "
                   "NAME or SYSTEM/NAME; may be repeated")
      ->one_value_each();
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--out", options->out, "the folder to write")->capture_default_str();
  command->add_flag(
      "--svg", options->svg,
      "also the charts as SVG files, which Markdown pages show (hundreds take a minute; without it they lead to "
      "the HTML pages, whose charts the browser draws)");
  command->footer(
      "Example: tailwave report experiments/nbody --out results/report\n"
      "         tailwave report --experiment nbody/variants");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { report(*options, Console(*output)); });
}

}  // namespace tailwave
