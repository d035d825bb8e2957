#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/result_database.h"
#include "cli/stored_device.h"
#include "core/printable.h"
#include "core/table.h"
#include "report/explained_pair.h"

namespace tailwave {
namespace {

struct ExplainArguments {
  std::string a = "best", b;
  std::string database = kDefaultDatabase;
  std::string experiment, system, device, baseline;
  std::string format = "table";
};

std::string cell_text(const ExplainedNumber& number, const std::optional<double>& value,
                      const std::string& note) {
  if (!value) return "";
  return show(number.unit, *value) + (note.empty() ? "" : " (" + note + ")");
}

// Backquotes are Markdown's.
std::string without_backquotes(std::string text) {
  std::ranges::replace(text, '`', '\'');
  return text;
}

// For people: the faster one first, as in the sentences.
Table shown(const Explanation& found) {
  const bool b_first = found.verdict == ExplainedVerdict::b_faster;
  Table table{{"", b_first ? "B" : "A", b_first ? "A" : "B", "more has"}, {}};
  for (const ExplainedNumber& one : found.numbers) {
    Cell a = cell_of(cell_text(one, one.a, one.note_a)), b = cell_of(cell_text(one, one.b, one.note_b));
    if (b_first) std::swap(a, b);
    table.rows.push_back({one.quantity, std::move(a), std::move(b), cell_of(more_text(one, "A", "B"))});
  }
  return table;
}

// For programs.
Table numbers(const Explanation& found) {
  Table table{{"quantity", "a", "b", "ratio", "unit", "a_by", "b_by", "says"}, {}};
  for (const ExplainedNumber& one : found.numbers)
    table.rows.push_back({one.quantity, cell_of(one.a), cell_of(one.b), cell_of(one.ratio()),
                          std::string(to_string(one.unit)), cell_of(one.note_a), cell_of(one.note_b),
                          cell_of(without_backquotes(one.says))});
  return table;
}

std::string described(const char* side, const ExplainedTrial& trial) {
  return fmt::format(
      "{}: {} (place {} of {}{}{})\n", side, trial.configuration.name(), trial.place, trial.of_ranked,
      trial.same_as.empty() ? ""
                            : ", measured as " + trial.same_as + ", which has its machine code and launches",
      trial.unverified.empty() ? "" : ", unverified: " + trial.unverified);
}

nlohmann::ordered_json result_json(const ExplainedPair& pair, const Explanation& found) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ExplainedNumber& one : found.numbers) {
    nlohmann::ordered_json& row = rows.emplace_back();
    row["quantity"] = one.quantity;
    row["unit"] = to_string(one.unit);
    row["a"] = one.a ? nlohmann::ordered_json(*one.a) : nlohmann::ordered_json();
    row["b"] = one.b ? nlohmann::ordered_json(*one.b) : nlohmann::ordered_json();
    if (!one.note_a.empty()) row["a_by"] = one.note_a;
    if (!one.note_b.empty()) row["b_by"] = one.note_b;
    if (!one.says.empty()) row["says"] = without_backquotes(one.says);
  }
  nlohmann::ordered_json result{
      {"experiment", pair.a.experiment},     {"device", pair.a.device},
      {"a", pair.a.configuration.name()},    {"b", pair.b.configuration.name()},
      {"verdict", to_string(found.verdict)}, {"text", without_backquotes(found.paragraph())},
      {"numbers", std::move(rows)}};
  if (!pair.a.same_as.empty()) result["a_measured_as"] = pair.a.same_as;
  if (!pair.b.same_as.empty()) result["b_measured_as"] = pair.b.same_as;
  return result;
}

void explain(const ExplainArguments& options, const Console& console) {
  const TableFormat format = parse_table_format(options.format);
  const InterruptGuard interrupts;
  Database database = open_to_read(options.database);
  database.limit_queries({.cancelled = InterruptGuard::requested});
  Values parameters;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) parameters[name] = text;
  };
  add("experiment", options.experiment);
  add("system", options.system);
  add("baseline", options.baseline);
  if (!options.device.empty()) add("device", stored_device(database, options.device));
  const ExplainedPair pair = find_pair(database, options.a, options.b, parameters);
  if (!pair.other_devices.empty())
    console.note(fmt::format("on {}, which ran {} last; --device names another: {}\n", pair.a.device,
                             pair.a.experiment, fmt::join(pair.other_devices, ", ")));
  const Explanation found =
      explain(database, pair,
              {.text = [](const std::string& words) { return printable(words, LineEnds::as_spaces); }});
  if (console.json()) return console.result(result_json(pair, found));
  if (format == TableFormat::csv || format == TableFormat::json)
    return console.result(numbers(found), format);
  console.say(fmt::format("{} on {}\n{}{}\n{}\n\n", pair.a.experiment, pair.a.device, described("A", pair.a),
                          described("B", pair.b), without_backquotes(found.paragraph())));
  if (!found.numbers.empty()) console.result(shown(found), format);
}

}  // namespace

void add_explain(Command& app) {
  Command* command = app.add_subcommand(
      "explain", "Say why one configuration is faster than another, from what is stored of both");
  auto options = std::make_shared<ExplainArguments>();
  command->add_option("A", options->a, kExplainedSideHelp)->capture_default_str();
  command->add_option(
      "B", options->b,
      "the other one, named in the same way; without it the baseline, or where A is that, the worst");
  command->add_option("--experiment", options->experiment,
                      "of which experiment; needed where the database has several");
  command->add_option("--system", options->system, "of which system");
  command->add_option("--device", options->device,
                      "on which device; without it, on the one that ran it last");
  command->add_option("--baseline", options->baseline, "the variant whose best configuration 'baseline' is");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, "table, csv, json, markdown")->capture_default_str();
  command->footer(
      "The faster one's number comes first, and ratios are of the larger to the smaller. Without counters and traces of both only times, "
      "registers, "
      "occupancy and waves are held against each other: 'tailwave counters' and 'tailwave trace' take them; "
      "docs/explaining.md says what the factors mean.\n"
      "Examples: tailwave explain --experiment nbody/variants\n"
      "          tailwave explain variant=tuned variant=shared,BLOCK_STRIDE=32 --experiment nbody/variants "
      "--device h200\n"
      "          tailwave explain best,N=4096 baseline,N=4096 --experiment shared_block_size --baseline basic");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { explain(*options, Console(*output)); });
}

}  // namespace tailwave
