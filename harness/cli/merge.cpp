#include "store/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/result_database.h"
#include "core/error.h"
#include "report/section_text.h"
#include "store/database.h"

namespace tailwave {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::string into;
  MergeOptions options;
};

// Before anything is written.
void require_mergeable(const std::string& file, const std::string& into) {
  std::error_code error;
  if (std::filesystem::equivalent(file, into, error))
    throw Error(Diagnostic{.file = file,
                           .cause = "would be merged into itself",
                           .hint = "leave it out, or name another file with --into"});
  Database source = open_to_read(file);
  require_sound(source);
}

std::string said(const MergedRows& merged) {
  std::vector<std::string> parts;
  if (merged.runs_added > 0) parts.push_back(plural(static_cast<std::size_t>(merged.runs_added), "run"));
  if (merged.runs_extended > 0)
    parts.push_back(
        fmt::format("{} that went on", plural(static_cast<std::size_t>(merged.runs_extended), "run")));
  if (parts.empty() && merged.rows_added == 0) return "nothing new";
  if (parts.empty()) return fmt::format("no run, {} rows", merged.rows_added);
  return fmt::format("{}, {}", fmt::join(parts, ", "),
                     plural(static_cast<std::size_t>(merged.trials_added), "trial"));
}

nlohmann::ordered_json json_of(const std::string& file, const MergedRows& merged) {
  return {{"file", file},
          {"runs_added", merged.runs_added},
          {"runs_extended", merged.runs_extended},
          {"runs_known", merged.runs_known},
          {"trials_added", merged.trials_added},
          {"rows_added", merged.rows_added}};
}

// What was merged before stays.
[[noreturn]] void stop_at(const Error& error, const std::vector<std::string>& merged) {
  if (merged.empty()) throw Error(fmt::format("{}\n  nothing was merged", error.what()), error.exit_status());
  throw Error(fmt::format("{}\n  merged before it: {}", error.what(), fmt::join(merged, ", ")),
              error.exit_status());
}

void merge(const MergeArguments& arguments, const Console& console) {
  for (const std::string& file : arguments.files) require_mergeable(file, arguments.into);
  Database into = open_to_write(arguments.into, console);
  nlohmann::ordered_json sources = nlohmann::ordered_json::array();
  std::vector<std::string> merged;
  for (const std::string& file : arguments.files) {
    try {
      Database source = open_to_read(file);
      const MergedRows rows = merge_database(into, source, arguments.options);
      console.say(fmt::format("{}: {}\n", file, said(rows)));
      sources.push_back(json_of(file, rows));
    } catch (const Error& error) {
      if (!merged.empty()) keep_rankings_or_note(into, console);
      stop_at(error, merged);
    }
    merged.push_back(file);
  }
  keep_rankings_or_note(into, console);
  console.result({{"into", arguments.into}, {"sources", sources}});
}

}  // namespace

void add_merge(Command& app) {
  Command* command = app.add_subcommand("merge", "Put the results of several databases into one");
  auto arguments = std::make_shared<MergeArguments>();
  command->add_option("DB", arguments->files, "databases, which stay as they are")->required();
  command
      ->add_option("--into", arguments->into,
                   "the database that gets what it lacks; made where there is none")
      ->required();
  command->add_flag(
      "--allow-different", arguments->options.allow_different,
      "also runs of an experiment on a device that differ in spec, manifest, sources, compiler or "
      "version of tailwave from those there");
  command->footer(
      "A database that was merged before adds what came since. Each is merged whole or not at all.\n"
      "Examples:\n"
      "  tailwave merge shard1.db shard2.db shard3.db --into all.db\n"
      "  tailwave query best --experiment variants --db all.db");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([arguments, output] { merge(*arguments, Console(*output)); });
}

}  // namespace tailwave
