#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/fail_on.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/result_database.h"
#include "cli/result_json.h"
#include "cli/side_name.h"
#include "core/error.h"
#include "core/table.h"
#include "report/comparison.h"
#include "report/comparison_text.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostShown = 40;  // in tables that people read

struct CompareArguments {
  std::string a = "previous", b = "latest";
  std::string database = kDefaultDatabase;
  std::string experiment, system, device;
  std::string margin = "1%";
  std::string format = "table";
  std::string out;
  std::vector<std::string> fail_on;
  std::size_t limit = 0;
  bool all = false;
};

// "1%" or "0.01".
double margin_of(const std::string& text) {
  const bool percent = text.ends_with('%');
  const Value value = parse_value(percent ? text.substr(0, text.size() - 1) : text);
  const double margin = is_number(value) ? to_double(value) / (percent ? 100 : 1) : -1;
  if (!(margin >= 0 && margin <= 1))
    throw Error(Diagnostic{.cause = "--margin '" + text + "' is no share from 0 to 1",
                           .hint = "for example --margin 2%"});
  return margin;
}

bool for_programs(TableFormat format) {
  return format == TableFormat::csv || format == TableFormat::json;
}

void write_result(const SideComparison& comparison, TableFormat format, std::size_t most,
                  const std::string& file) {
  const bool page = format == TableFormat::markdown;
  write_output_file(file, page ? comparison_page(comparison, most)
                               : render(comparison_table(comparison, most), format) +
                                     (for_programs(format) ? "" : left_out_text(comparison, most)));
}

void show_result(const SideComparison& comparison, TableFormat format, std::size_t most,
                 const Console& console) {
  if (console.json()) return;
  if (format == TableFormat::markdown) return print_words(comparison_page(comparison, most));
  console.result(comparison_table(comparison, most), format);
  if (!for_programs(format)) console.say(left_out_text(comparison, most));
}

// Beside the rows.
void tell(const SideComparison& comparison, const Console& console) {
  console.note(fmt::format("A: {}\nB: {}\n", comparison.name_a, comparison.name_b));
  for (const Difference& one : comparison.differences)
    console.note(fmt::format("warning: different {}: {} in A, {} in B\n", one.what,
                             one.a.empty() ? "unknown" : one.a, one.b.empty() ? "unknown" : one.b));
  console.note(fmt::format("B against A, margin {:g} %, intervals within these runs alone: {}\n",
                           100 * comparison.margin, summary_line(comparison)));
}

bool is_a_run(const std::vector<Side>& sides) {
  return sides.size() == 1 &&
         (sides.front().one_run || (!sides.front().current && sides.front().runs.size() == 1));
}

struct FoundSides {
  std::vector<Side> a, b;
};

// A run is of one experiment, which then is the other side's too.
FoundSides find_both(const NamedSide& a, const NamedSide& b, const CompareArguments& options) {
  const auto find = [&](const NamedSide& side, const std::string& experiment) {
    return find_sides(*side.database, side.name, experiment, options.system);
  };
  // A run that is named decides; else B, whose latest run is the one to be judged.
  const bool a_decides = a.name.run && !b.name.run;
  const NamedSide& deciding = a_decides ? a : b;
  const NamedSide& other = a_decides ? b : a;
  const bool both_are_named = a.name.run && b.name.run;
  std::vector<Side> decided = find(deciding, options.experiment);
  const std::string of_run = is_a_run(decided) ? decided.front().name() : "";
  std::vector<Side> found =
      find(other, options.experiment.empty() && !both_are_named ? of_run : options.experiment);
  if (both_are_named && found.front().name() != of_run) {
    throw Error(Diagnostic{.cause = fmt::format("'{}' is a run of {}, '{}' of {}", other.name.text,
                                                found.front().name(), deciding.name.text, of_run),
                           .hint = "name two runs of one experiment; 'tailwave query runs' lists them"});
  }
  if (options.experiment.empty() && is_a_run(found)) decided = find(deciding, found.front().name());
  if (a_decides) std::swap(decided, found);
  return {std::move(found), std::move(decided)};
}

void compare(const CompareArguments& options, const Console& console) {
  const TableFormat format = parse_table_format(options.format);
  const double margin = margin_of(options.margin);
  const NamedSide a = parse_side(options.a, options.database, options.device);
  const NamedSide b = parse_side(options.b, options.database, options.device);
  const FoundSides sides = find_both(a, b, options);
  const SideComparison comparison = compare_sides(*a.database, sides.a, *b.database, sides.b, margin);
  const bool whole = options.all || console.json() || for_programs(format);
  std::size_t most = whole ? comparison.rows.size() : std::min(kMostShown, comparison.on_both());
  if (options.limit > 0) most = std::min(options.limit, whole ? most : comparison.on_both());
  if (options.out.empty())
    show_result(comparison, format, most, console);
  else
    write_result(comparison, format, most, options.out);
  if (console.json()) console.result(comparison_json(comparison, most));
  tell(comparison, console);
  console.note(not_judged(comparison, options.fail_on));
  check_conditions(comparison, options.fail_on);
}

}  // namespace

void add_compare(Command& app) {
  Command* command =
      app.add_subcommand("compare", "Compare two runs, devices, commits or databases, B against A");
  auto options = std::make_shared<CompareArguments>();
  command->add_option("A", options->a, "the side to compare with: " + side_help())->capture_default_str();
  command->add_option("B", options->b, "the side that is judged, named in the same way")
      ->capture_default_str();
  command->add_option("--experiment", options->experiment,
                      "only this experiment (default: all that both sides have)");
  command->add_option("--system", options->system, "only this system");
  command->add_option("--device", options->device, "of both sides only the runs on this device");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--margin", options->margin, "what differs by no more counts as the same")
      ->capture_default_str();
  command
      ->add_option("--fail-on", options->fail_on,
                   "exit with status 3 where there is any: slower (failed in B counts), failed, "
                   "missing (only in A), unclear, any-difference; may be repeated")
      ->one_of(condition_names())
      ->one_value_each();
  command->add_option("--format", options->format, "table, csv, json, markdown")->capture_default_str();
  command->add_option("--out", options->out, "a file to write instead of the terminal");
  command
      ->add_option("--limit", options->limit,
                   "at most so many rows (default: 40 of a table, all of csv and json)")
      ->check(whole_number(1));
  command->add_flag("--all", options->all,
                    "all rows of a table, also those of configurations that one side alone has");
  command->footer(
      "A word of a side that has no key is latest or previous; "
      "a database file if it has a '/' or ends in .db, .sqlite or .sqlite3; else a run's number, "
      "how a commit begins, or a device. A ',' in a name is written twice.\n"
      "Exit status: 0 compared, and no --fail-on is fulfilled; 1 the result cannot be read or written; "
      "2 bad usage, or a --fail-on has nothing to judge; 3 a --fail-on is fulfilled.\n"
      "Example: tailwave compare commit:abc1234 latest --experiment nbody/variants --fail-on slower");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { compare(*options, Console(*output)); });
}

}  // namespace tailwave
