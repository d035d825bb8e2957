#include "cli/search_options.h"

#include <algorithm>
#include <charconv>

#include "cli/number_check.h"
#include "core/error.h"
#include "spec/select.h"

namespace tailwave {

CLI::Option* add_filter_option(CLI::App& command, std::string& filter) {
  return command.add_option("--filter", filter, std::string("only some configurations: ") + kSelectionHelp);
}

void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& description) {
  command.add_option("--seed", seed, description)->check(whole_number(0))->capture_default_str();
}

void add_reference_option(CLI::App& command, ReferencePlace& place) {
  const std::map<std::string, ReferencePlace> places{
      {"auto", ReferencePlace::automatic}, {"cpu", ReferencePlace::cpu}, {"gpu", ReferencePlace::gpu}};
  command
      .add_option(
          "--reference", place,
          "where a reference that is a kernel is computed: cpu, gpu, or auto: that of a T1 file on the CPU "
          "where it takes about 10 s at most, others on the GPU of the run")
      ->transform(CLI::CheckedTransformer(places, CLI::ignore_case).description("auto|cpu|gpu"))
      ->default_str("auto");
}

void add_strategy_options(CLI::App& command, std::vector<std::string>& options,
                          const std::string& description) {
  command.add_option("--option", options, "NAME=NUMBER: " + description)->allow_extra_args(false);
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
