#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "core/error.h"

namespace tailwave {
namespace {

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
