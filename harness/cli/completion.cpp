// `tailwave completion`: scripts that complete the command line, written from the parser itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "cli/cli_words.h"
#include "cli/command_line.h"
#include "cli/commands.h"

namespace tailwave {
namespace {

using Kind = OfferedValues::Kind;

// What _tailwave_values prints for a place: words, '<file>', or nothing for text of one's own.
std::string offer(const OfferedValues& values) {
  if (values.kind == Kind::files) return "'<file>'";
  return fmt::format("'{}'", fmt::join(values.words, " "));
}

std::string option_names(const Command& app) {
  std::string names = "--help";
  for (const Option* option : dashed_options(app)) names += " " + option->name();
  return names;
}

// The positional that is asked for at the end of the line: the first, since only the last of several repeats.
std::string bash_values(const Command& command) {
  std::string text;
  for (const Option* option : dashed_options(command)) {
    const OfferedValues values = offered_values(command, *option);
    if (values.kind == Kind::none) continue;
    text += fmt::format("    '{} {}') echo {} ;;\n", command.name(), option->name(), offer(values));
  }
  const auto positionals = positional_options(command);
  if (!positionals.empty())
    text += fmt::format("    '{} ') echo {} ;;\n", command.name(),
                        offer(offered_values(command, *positionals.front())));
  return text;
}

constexpr const char* kBash = R"(
_tailwave() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command= words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac
  done
  if [[ $current == '=' ]]; then current=
  elif [[ $option == '=' ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $option != -* ]] || ! words=$(_tailwave_values "$command" "$option"); then
    if [[ $current == -* ]]; then words=$(_tailwave_options "$command")
    else words=$(_tailwave_values "$command" ''); fi
  fi
  if [[ $words == '<file>' ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F _tailwave tailwave
)";

std::string bash_script(const Command& app) {
  std::string commands, options, values;
  for (const auto& command : app.commands()) {
    commands += (commands.empty() ? "" : " ") + command->name();
    options += fmt::format("    '{}') echo '{}' ;;\n", command->name(), option_names(*command));
    values += bash_values(*command);
  }
  return fmt::format(
      "# Written by 'tailwave completion bash'. For one shell: source <(tailwave completion bash)\n"
      "_tailwave_options() {{\n  case $1 in\n    '') echo '{}' ;;\n{}  esac\n}}\n\n"
      "# Fails for what takes no value.\n"
      "_tailwave_values() {{\n  case \"$1 $2\" in\n    ' ') echo '{}' ;;\n{}    *) return 1 ;;\n  "
      "esac\n}}\n{}",
      option_names(app), options, commands, values, kBash);
}

// Text in a single-quoted specification of _arguments, where brackets and colons end parts.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c == '\'' ? "'\\''" : c == '\n' ? " " : std::string(1, c);
  }
  return escaped;
}

std::string zsh_action(const OfferedValues& values) {
  if (values.kind == Kind::files) return "_files";
  if (values.kind != Kind::words) return "";
  std::string words;
  for (const std::string& word : values.words) words += (words.empty() ? "" : " ") + zsh_text(word);
  return "(" + words + ")";
}

std::string zsh_arguments(const Command& command) {
  std::string text = "    _arguments '--help[what it does]'";
  for (const Option* option : dashed_options(command)) {
    const OfferedValues values = offered_values(command, *option);
    text += fmt::format(" \\\n      '{}[{}]", option->name(), zsh_text(option->description()));
    if (values.kind != Kind::none) text += ":value:" + zsh_action(values);
    text += "'";
  }
  for (const Option* option : positional_options(command))
    text += fmt::format(" \\\n      '*:{}:{}'", option->name(), zsh_action(offered_values(command, *option)));
  return text;
}

std::string zsh_script(const Command& app) {
  std::string commands, cases;
  for (const auto& command : app.commands()) {
    commands += fmt::format("    '{}:{}'\n", command->name(), zsh_text(command->description()));
    cases += fmt::format("  {})\n{} ;;\n", command->name(), zsh_arguments(*command));
  }
  return fmt::format(
      "#compdef tailwave\n"
      "# Written by 'tailwave completion zsh'. For one shell: source <(tailwave completion zsh)\n"
      "_tailwave() {{\n  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n}}\n"
      "if [[ $funcstack[1] == _tailwave ]]; then _tailwave \"$@\"; else compdef _tailwave tailwave; fi\n",
      commands, cases);
}

}  // namespace

void add_completion(Command& app) {
  Command* command =
      app.add_subcommand("completion", "Write a script that completes tailwave's command line");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "of which shell")->required()->one_of({"bash", "zsh"});
  command->footer("Example: source <(tailwave completion bash)");
  command->callback(
      [&app, shell] { fmt::print("{}", *shell == "bash" ? bash_script(app) : zsh_script(app)); });
}

}  // namespace tailwave
