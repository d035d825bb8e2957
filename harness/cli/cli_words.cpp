#include "cli/cli_words.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "occupancy/device_spec.h"
#include "report/queries.h"
#include "search/strategy.h"

namespace tailwave {
namespace {

std::vector<const Option*> options_of(const Command& command, bool positional) {
  std::vector<const Option*> options;
  for (const auto& option : command.options())
    if (!option->is_hidden() && option->is_positional() == positional) options.push_back(option.get());
  return options;
}

// "TEXT:{a,b}" -> a, b
std::vector<std::string> words_in_braces(const std::string& text) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}', open);
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  std::istringstream list(text.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names{"all"};
  for (const DeviceSpec& device : known_devices()) names.push_back(device.name);
  return names;
}

std::vector<std::string> strategy_names(bool with_all) {
  std::vector<std::string> names;
  if (with_all) names.emplace_back("all");
  for (const StrategyKind& kind : strategies()) names.push_back(kind.name);
  return names;
}

std::vector<std::string> query_names() {
  std::vector<std::string> names;
  for (const NamedQuery& query : list_queries(".")) names.push_back(query.name);
  return names;
}

std::vector<std::string> words_known_for(const Command& command, const std::string& name) {
  if (name == "--format") return {"table", "csv", "json", "markdown"};
  if (name == "--device") return {"auto", "cpu", "cuda:0"};
  if (name == "--target") return target_names();
  if (name == "--strategy") return strategy_names(command.name() == "simulate");
  if (name == "NAME" && command.name() == "query") return query_names();
  if (name == "COMMAND" && command.parent() != nullptr) return command_names(*command.parent());
  return {};
}

bool is_file_name(const std::string& name) {
  constexpr std::array<std::string_view, 11> kNames{"--db",     "--out",     "--into", "--socket",
                                                    "--folder", "SPEC",      "FILE",   "SPACE",
                                                    "DB",       "CANDIDATE", "FOLDER"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::vector<std::string> command_names(const Command& app) {
  std::vector<std::string> names;
  for (const auto& command : app.commands()) names.push_back(command->name());
  return names;
}

std::vector<const Option*> dashed_options(const Command& app) {
  return options_of(app, false);
}

std::vector<const Option*> positional_options(const Command& app) {
  return options_of(app, true);
}

OfferedValues offered_values(const Command& command, const Option& option) {
  using Kind = OfferedValues::Kind;
  if (option.is_flag()) return {};
  const std::string name = option.name();
  std::vector<std::string> words = words_in_braces(option.type_name());
  if (words.empty()) words = words_known_for(command, name);
  if (!words.empty()) return {Kind::words, words};
  return {is_file_name(name) ? Kind::files : Kind::free, {}};
}

}  // namespace tailwave
