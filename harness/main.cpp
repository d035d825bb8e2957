#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "core/error.h"

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
  app.set_version_flag("--version", TAILWAVE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done; 1 the run itself failed; 2 bad usage or spec. A configuration's failure is data, "
      "not an exit status.\nExample: tailwave run experiments/nbody/variants.json && tailwave report");
  for (auto* add : {add_check, add_plan, add_run, add_query, add_report, add_import, add_export, add_list,
                    add_selftest}) {
    add(app);
  }
  if (argc > 1) refuse_unknown_command(app, argv[1]);
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
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailwave: unexpected error: %s\n", error.what());
    return tailwave::Error::kRunFailed;
  }
}
