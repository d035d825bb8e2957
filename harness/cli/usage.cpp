#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/cli_words.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "core/error.h"

namespace tailwave {
namespace {

std::vector<std::string> long_names_of(const CLI::App& command) {
  std::vector<std::string> names{"--help"};
  for (const CLI::Option* option : dashed_options(command))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

void print_help(const CLI::App& app, const std::string& word) {
  // Not app.help(), which is that of the command being parsed.
  if (word.empty())
    return print_words(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
  refuse_unknown_command(app, word);
  for (const CLI::App* command : commands_of(app))
    if (command->get_name() == word) print_words(command->help(app.get_name()));
}

}  // namespace

void refuse_unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string near = nearest(word, names);
  throw Error(Diagnostic{.cause = fmt::format("unknown command '{}'", word),
                         .hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean '{}'?", near)});
}

void refuse_unknown_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining(true)) {
      if (!word.starts_with('-') || word == "--") continue;
      const std::string name = word.substr(0, word.find('='));
      const std::string near = nearest(name, long_names_of(*command));
      throw Error(Diagnostic{
          .cause = fmt::format("{}: unknown option '{}'", command->get_name(), name),
          .hint = near.empty() ? fmt::format("'{} {} --help' lists them", app.get_name(), command->get_name())
                               : fmt::format("did you mean '{}'?", near)});
    }
  }
}

void add_help(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("help", "Say what a command does and which options it has, as its --help");
  auto word = std::make_shared<std::string>();
  command->add_option("COMMAND", *word, "one of the commands; without it, all of them are named");
  command->footer("Example: tailwave help run");
  command->callback([word, &app] { print_help(app, *word); });
}

}  // namespace tailwave
