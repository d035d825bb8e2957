#include "cli/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/number_check.h"
#include "core/error.h"
#include "spec/compiler_options.h"
#include "spec/select.h"

namespace tailwave {

Option* add_filter_option(Command& command, std::string& filter) {
  return command.add_option("--filter", filter, std::string("only some configurations: ") + kSelectionHelp);
}

void add_seed_option(Command& command, std::uint64_t& seed, const std::string& description) {
  command.add_option("--seed", seed, description)->check(whole_number(0))->capture_default_str();
}

void add_draw_option(Command& command, std::optional<std::int64_t>& draw, const std::string& otherwise) {
  command
      .add_option("--draw", draw,
                  "which random inputs are verified, to repeat what another run or machine saw (default: " +
                      otherwise + ")")
      ->check(whole_number(0, std::int64_t{1} << 62U));
}

Option* add_shard_option(Command& command, Shard& shard) {
  return command
      .add_parsed(
          "--shard", [&shard](const std::string& text) { shard = shard_from(text).value_or(Shard{}); },
          "K/N: only part K of N of the configurations, the same on every machine; 'tailwave merge' puts the "
          "databases of all parts together")
      ->type_name("K/N")
      ->check({[](const std::string& text) {
                 if (shard_from(text)) return std::string();
                 return fmt::format("K/N: part K, a whole number from 1 to N, of N parts, {} at most",
                                    Shard::kMost);
               },
               ""});
}

void add_unsafe_options(Command& command) {
  command.add_flag("--unsafe-options", allow_any_option,
                   "any compiler option that specs have, also those that read and write other files");
}

void add_reference_option(Command& command, ReferencePlace& place) {
  command
      .add_choice<ReferencePlace>(
          "--reference", place,
          {{"auto", ReferencePlace::automatic}, {"cpu", ReferencePlace::cpu}, {"gpu", ReferencePlace::gpu}},
          "where a reference that is a kernel is computed: cpu, gpu, or auto: "
          "that of a T1 file on the CPU where it takes about 10 s at most, others on the GPU of the run")
      ->default_str("auto");
}

void add_strategy_options(Command& command, std::vector<std::string>& options,
                          const std::string& description) {
  command.add_option("--option", options, "NAME=NUMBER: " + description)->one_value_each();
}

std::map<std::string, double> parse_strategy_options(const std::vector<std::string>& options) {
  std::map<std::string, double> values;
  for (const std::string& option : options) {
    const std::size_t equals = std::min(option.find('='), option.size());
    double number = 0;
    const char* const first = option.data() + std::min(equals + 1, option.size());
    const char* const last = option.data() + option.size();
    const auto [end, error] = std::from_chars(first, last, number);
    if (equals == 0 || error != std::errc{} || end != last) {
      throw Error(Diagnostic{.cause = "--option '" + option + "' is not NAME=NUMBER",
                             .hint = "'tailwave list strategies' names the options of each strategy"});
    }
    values[option.substr(0, equals)] = number;
  }
  return values;
}

}  // namespace tailwave
