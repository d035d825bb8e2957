#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/cli_words.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "core/error.h"
#include "report/queries.h"

namespace tailwave {
namespace {

std::vector<std::string> long_names_of(const Command& command) {
  std::vector<std::string> names{"--help"};
  for (const Option* option : dashed_options(command))
    for (const std::string& name : option->long_names()) names.push_back("--" + name);
  return names;
}

// "'tailwave list --help' says what it takes"
std::string where_help_is(const Command& command, const std::string& what) {
  const Command* const program = command.parent();
  return fmt::format("'{}{} --help' {}", program == nullptr ? "" : program->name() + " ", command.name(),
                     what);
}

void refuse_unknown_option(const Command& command) {
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with('-') || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string near = nearest(name, long_names_of(command));
    throw Error(Diagnostic{.place = command.parent() == nullptr ? "" : command.name(),
                           .cause = fmt::format("unknown option '{}'", name),
                           .hint = near.empty() ? where_help_is(command, "lists them")
                                                : fmt::format("did you mean '{}'?", near)});
  }
}

// "use auto, always or never", or what the help says of it.
std::string what_it_takes(const Command& command, const Option& option) {
  const std::vector<std::string> words = offered_values(command, option).words;
  return words.empty() ? option.description() : fmt::format("use {}", fmt::join(words, ", "));
}

// Of the footer the first command line.
std::string example_of(const Command& command) {
  constexpr std::string_view kSigns = "s: \n";
  const std::string footer = command.footer();
  const std::size_t found = footer.find("Example");
  if (found == std::string::npos) return "";
  const std::size_t begin = footer.find_first_not_of(kSigns, found + std::string_view("Example").size());
  return "for example: " + footer.substr(begin, footer.find('\n', begin) - begin);
}

Diagnostic missing_options(const Command& command) {
  std::vector<std::string> names, hints;
  for (const auto& option : command.options()) {
    if (!option->is_required() || !option->results().empty()) continue;
    names.push_back(option->name());
    hints.push_back(fmt::format("{}: {}", names.back(), option->description()));
  }
  if (names.empty()) return {};
  hints.push_back(example_of(command));
  return {.cause = fmt::format("{} {} missing", fmt::join(names, " and "), names.size() == 1 ? "is" : "are"),
          .hint = fmt::format("{}", fmt::join(hints, "\n  "))};
}

// CLI11 begins its messages with the name of the option, or has it after "Could not convert: ".
const Option* option_in(const Command& command, const std::string& message) {
  const Option* first = nullptr;
  std::size_t least = std::string::npos;
  for (const auto& option : command.options()) {
    const std::size_t place = message.find(option->all_names());
    if (place >= least) continue;
    first = option.get();
    least = place;
  }
  return first;
}

Diagnostic wrong_option(const Command& command, const std::string& message) {
  const Option* const option = option_in(command, message);
  if (option == nullptr) return {};
  const std::string name = option->name();
  const std::vector<std::string>& given = option->results();
  if (message.find(" excludes ") != std::string::npos)
    return {
        .cause = fmt::format("{} and {} exclude each other", name, message.substr(message.rfind(' ') + 1)),
        .hint = "give one of them"};
  if (given.empty() || given.front().empty())
    return {.cause = fmt::format("{} has no value", name), .hint = what_it_takes(command, *option)};
  const std::vector<std::string> words = offered_values(command, *option).words;
  if (words.empty() && given.size() > 1)
    return {.cause = fmt::format("{} is given {} times", name, given.size()), .hint = "give it once"};
  const auto wrong = std::find_if(given.begin(), given.end(), [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) == words.end();
  });
  const std::string value = wrong == given.end() ? given.front() : *wrong;
  const std::string near = nearest(value, words);
  std::string hint = near.empty() ? what_it_takes(command, *option) : fmt::format("did you mean '{}'?", near);
  const std::string of_check = option->all_names() + ": ";
  const std::size_t known = message.find('{');  // of a flag that may have a word
  if (option->is_flag())
    hint = known == std::string::npos
               ? fmt::format("{} takes no value", name)
               : fmt::format("use {} or {}=WORD of {}", name, name, message.substr(known));
  else if (words.empty() && message.starts_with(of_check))
    hint = "use " + message.substr(of_check.size());
  return {.cause = fmt::format("{} cannot be '{}'", name, value), .hint = hint};
}

Diagnostic words_too_many(const Command& command) {
  const std::vector<std::string> words = command.remaining();
  if (words.empty()) return {};
  return {.cause = fmt::format("'{}' is a word too many", words.front()),
          .hint = where_help_is(command, "says what it takes")};
}

// Whose answer somebody may have asked for without "query".
bool is_query(const std::string& word) {
  return std::ranges::any_of(list_queries(), [&](const NamedQuery& query) { return query.name == word; });
}

void print_help(const Command& app, const std::string& word) {
  if (word.empty()) return print_words(app.help());
  refuse_unknown_command(app, word);
  for (const auto& command : app.commands())
    if (command->name() == word) print_words(command->help());
}

}  // namespace

void refuse_unknown_command(const Command& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  std::string near = nearest(word, names);
  if (near.empty() && is_query(word)) near = "query " + word;
  throw Error(Diagnostic{.cause = fmt::format("unknown command '{}'", word),
                         .hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean '{}'?", near)});
}

void refuse_command_line(const Command& app, const CommandLineError& error) {
  const Command& command = app.given();
  refuse_unknown_option(command);
  Diagnostic diagnostic = missing_options(command);
  if (diagnostic.cause.empty()) diagnostic = wrong_option(command, error.message);
  if (diagnostic.cause.empty()) diagnostic = words_too_many(command);
  if (diagnostic.cause.empty())
    diagnostic = {.cause = error.message, .hint = where_help_is(command, "says what it takes")};
  diagnostic.place = command.parent() == nullptr ? "" : command.name();
  throw Error(diagnostic);
}

void add_help(Command& app) {
  Command* command =
      app.add_subcommand("help", "Say what a command does and which options it has, as its --help");
  auto word = std::make_shared<std::string>();
  command->add_option("COMMAND", *word, "one of the commands; without it, all of them are named");
  command->footer("Example: tailwave help run");
  command->callback([word, &app] { print_help(app, *word); });
}

}  // namespace tailwave
