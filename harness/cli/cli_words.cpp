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

template <class Accept>
std::vector<const CLI::Option*> options_of(const CLI::App& app, Accept accept) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option :
       app.get_options([&](const CLI::Option* each) { return !each->get_group().empty() && accept(*each); }))
    options.push_back(option);
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

std::vector<std::string> words_known_for(const CLI::App& command, const std::string& name) {
  if (name == "--format") return {"table", "csv", "json", "markdown"};
  if (name == "--device") return {"auto", "cpu", "cuda:0"};
  if (name == "--target") return target_names();
  if (name == "--strategy") return strategy_names(command.get_name() == "simulate");
  if (name == "NAME" && command.get_name() == "query") return query_names();
  if (name == "COMMAND" && command.get_parent() != nullptr) return command_names(*command.get_parent());
  return {};
}

bool is_file_name(const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames{"--db", "--out", "--into", "SPEC", "FILE", "SPACE", "DB"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> dashed_options(const CLI::App& app) {
  return options_of(app, [&](const CLI::Option& option) {
    return !option.get_positional() && &option != app.get_help_ptr();
  });
}

std::vector<const CLI::Option*> positional_options(const CLI::App& app) {
  return options_of(app, [](const CLI::Option& option) { return option.get_positional(); });
}

std::string long_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name(true);
}

OfferedValues offered_values(const CLI::App& command, const CLI::Option& option) {
  using Kind = OfferedValues::Kind;
  if (!option.get_positional() && option.get_expected_min() == 0) return {};
  const std::string name = long_name(option);
  std::vector<std::string> words = words_in_braces(option.get_type_name());
  if (words.empty()) words = words_known_for(command, name);
  if (!words.empty()) return {Kind::words, words};
  return {is_file_name(name) ? Kind::files : Kind::free, {}};
}

}  // namespace tailwave
