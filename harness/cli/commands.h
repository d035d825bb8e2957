#pragma once

namespace tailwave {

class Command;

// Each adds one subcommand with its options; the command runs while the line is parsed and throws Error when
// it cannot do what was asked.
void add_new(Command& app);
void add_check(Command& app);
void add_plan(Command& app);
void add_run(Command& app);
void add_tune(Command& app);
void add_judge(Command& app);
void add_trace(Command& app);
void add_curve(Command& app);
void add_counters(Command& app);
void add_timeline(Command& app);
void add_capture(Command& app);
void add_query(Command& app);
void add_compare(Command& app);
void add_explain(Command& app);
void add_show(Command& app);
void add_report(Command& app);
void add_import(Command& app);
void add_export(Command& app);
void add_merge(Command& app);
void add_submit(Command& app);
void add_status(Command& app);
void add_list(Command& app);
void add_selftest(Command& app);
void add_simulate(Command& app);
// These describe all commands of `app`, which must outlive its parsing.
void add_help(Command& app);
void add_completion(Command& app);
void add_man(Command& app);

}  // namespace tailwave
