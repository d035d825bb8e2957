#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/version.h"
#include "core/error.h"
#include "core/printable.h"

namespace tailwave {
namespace {

// CLI11 says no more of it than that a command is needed.
void refuse_unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string near = nearest(word, names);
  throw Error(Diagnostic{.cause = fmt::format("unknown command '{}'", word),
                         .hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean '{}'?", near)});
}

int run_command(int argc, char** argv) {
  CLI::App app{"tailwave finds, measures and explains the fastest configuration of a CUDA kernel",
               "tailwave"};
  app.set_version_flag("--version", std::function<std::string()>(describe_version),
                       "the version, and what was loaded and what was not");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done; 1 the run itself failed; 2 bad usage or spec; 3 a --fail-on of compare is "
      "fulfilled. "
      "A configuration's failure is data, not an exit status.\nExample: tailwave run "
      "experiments/nbody/variants.json && tailwave report");
  for (auto* add :
       {add_new, add_check, add_plan, add_run, add_tune, add_query, add_compare, add_report, add_import,
        add_export, add_list, add_selftest, add_trace, add_curve, add_simulate, add_completion, add_man}) {
    add(app);
  }
  if (argc > 1) refuse_unknown_command(app, argv[1]);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return Error::kBadUsage;
  }
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : Error::kBadUsage;
  }
}

}  // namespace
}  // namespace tailwave

int main(int argc, char** argv) {
  try {
    return tailwave::run_command(argc, argv);
  } catch (const tailwave::Error& error) {
    std::fprintf(stderr, "%s\n", tailwave::printable(error.what()).c_str());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailwave: unexpected error: %s\n", tailwave::printable(error.what()).c_str());
    return tailwave::Error::kRunFailed;
  }
}
