#pragma once

#include <CLI/CLI.hpp>

namespace tailwave {

// Each adds one subcommand with its options; the command runs while the line is parsed and throws Error when
// it cannot do what was asked.
void add_new(CLI::App& app);
void add_check(CLI::App& app);
void add_plan(CLI::App& app);
void add_run(CLI::App& app);
void add_tune(CLI::App& app);
void add_trace(CLI::App& app);
void add_curve(CLI::App& app);
void add_query(CLI::App& app);
void add_compare(CLI::App& app);
void add_report(CLI::App& app);
void add_import(CLI::App& app);
void add_export(CLI::App& app);
void add_list(CLI::App& app);
void add_selftest(CLI::App& app);
void add_simulate(CLI::App& app);
// These describe all commands of `app`, which must outlive its parsing.
void add_help(CLI::App& app);
void add_completion(CLI::App& app);
void add_man(CLI::App& app);

}  // namespace tailwave
