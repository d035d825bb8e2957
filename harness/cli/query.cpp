#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/number_check.h"
#include "cli/result_database.h"
#include "cli/stored_device.h"
#include "core/error.h"
#include "core/table.h"
#include "core/value.h"
#include "report/queries.h"
#include "store/database.h"

namespace tailwave {
namespace {

struct QueryArguments {
  std::string name;
  std::optional<std::string> sql;
  std::string database = kDefaultDatabase;
  std::string format = "table";
  std::string experiment, system, device;
  std::vector<std::string> settings;  // "NAME=VALUE"
  std::int64_t limit = 0;
};

// SQLite compares text with a number as unequal, so what reads as a number is bound as one.
void add_setting(const std::string& setting, Values& parameters) {
  const std::size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw Error(Diagnostic{.cause = "--set '" + setting + "' is not NAME=VALUE",
                           .hint = "for example --set baseline=basic"});
  }
  const std::string text = setting.substr(equals + 1);
  const Value value = parse_value(text);
  // true and false stay text: SQL has no word for them.
  parameters[setting.substr(0, equals)] = std::holds_alternative<bool>(value) ? Value{text} : value;
}

Values parameters_of(const QueryArguments& options) {
  Values parameters;
  if (!options.experiment.empty()) parameters["experiment"] = options.experiment;
  if (!options.system.empty()) parameters["system"] = options.system;
  if (!options.device.empty()) parameters["device"] = options.device;
  for (const std::string& setting : options.settings) add_setting(setting, parameters);
  return parameters;
}

// Whether the query itself makes something of --limit.
bool limits_itself(const QueryArguments& options, const NamedQuery& named) {
  return options.sql ? options.sql->find(":limit") != std::string::npos : takes(named, "limit");
}

void print_queries(TableFormat format, const Console& console) {
  Table table{{"query", "title", "parameters"}, {}};
  for (const NamedQuery& query : list_queries("."))
    table.rows.push_back({query.name, query.title, query.parameters});
  console.result(table, format);
}

void query(const QueryArguments& options, const Console& console) {
  const TableFormat format = parse_table_format(options.format);
  if (options.name.empty() && !options.sql) return print_queries(format, console);
  if (!options.name.empty() && options.sql)
    throw Error(Diagnostic{.cause = "query takes a name or --sql, not both"});
  const InterruptGuard interrupts;
  Database database = open_to_read(options.database);
  database.limit_queries({.cancelled = InterruptGuard::requested});
  Values parameters = parameters_of(options);
  if (!options.sql && !options.device.empty()) parameters["device"] = stored_device(database, options.device);
  const NamedQuery named = options.sql ? NamedQuery{} : find_query(options.name, ".");
  const bool limited = limits_itself(options, named);
  if (options.limit > 0 && limited) parameters["limit"] = options.limit;
  if (!options.sql) require_numbers(parameters);
  Table table =
      options.sql ? database.query(*options.sql, parameters) : run_query(database, named, parameters);
  const std::size_t all = table.rows.size();
  if (options.limit > 0 && !limited)
    table.rows.resize(std::min(all, static_cast<std::size_t>(options.limit)));
  if (table.rows.empty() && !options.sql) require_known_names(database, parameters);
  if (!options.sql && format == TableFormat::table && !console.json())
    console.show_rows(table);
  else
    console.result(table, format);
  if (table.rows.empty()) console.note(why_no_rows(database, named, parameters) + "\n");
  if (table.rows.size() < all) console.note(fmt::format("{} of {} rows (--limit)\n", table.rows.size(), all));
}

}  // namespace

void add_query(Command& app) {
  Command* command = app.add_subcommand("query", "Ask the result database, by name or in SQL; never writes");
  auto options = std::make_shared<QueryArguments>();
  command->add_option("NAME", options->name, "a named query; without one, all of them are named");
  command->add_option("--sql", options->sql, "any SQL that reads; tailwave list views names what there is");
  command->add_option("--db", options->database, "the result database")->capture_default_str();
  command->add_option("--format", options->format, "table, csv, json, markdown")->capture_default_str();
  command->add_option("--experiment", options->experiment, "only this experiment");
  command->add_option("--system", options->system, "only this system");
  command->add_option("--device", options->device,
                      "only this device: its name, a part of it, as --target calls it (h200), cuda or cpu");
  command->add_option("--limit", options->limit, "at most so many rows")->check(whole_number(1));
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE: another parameter of the query; tailwave query names them")
      ->one_value_each();
  command->footer("Example: tailwave query best --experiment shared_block_stride --format markdown");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([options, output] { query(*options, Console(*output)); });
}

}  // namespace tailwave
