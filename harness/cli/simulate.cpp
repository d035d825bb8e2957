#include "tune/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "cli/build_scores.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/number_check.h"
#include "cli/result_database.h"
#include "cli/stored_device.h"
#include "core/enum_names.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/printable.h"
#include "core/stopwatch.h"
#include "core/table.h"
#include "interchange/import.h"
#include "json/json.h"
#include "json/json_file.h"
#include "report/queries.h"
#include "store/database.h"
#include "store/simulation_store.h"
#include "tune/environment.h"
#include "tune/recorded_space.h"

namespace tailwave {
namespace {

constexpr const char* kAll = "all";
// Of spaces that nobody named, those with fewer configurations are left out: their budgets are a handful of
// evaluations.
constexpr std::size_t kFewestPoints = 100;

struct SimulateArguments {
  std::vector<std::string> spaces;
  std::vector<std::string> strategies{kAll};
  std::vector<std::string> options;  // "NAME=NUMBER"
  std::string database = kDefaultDatabase;
  std::string device;
  std::string start = "none";
  std::string role;  // a Role; empty: as roles.json says
  std::string format = "table";
  std::uint64_t seed = 1;
  std::size_t seeds = 100;
  unsigned jobs = 0;
  std::size_t batch = 1;           // points at once
  std::size_t builds = 0;          // processes; none: one configuration at a time
  std::vector<std::string> order;  // of TellingOrder; empty: built
};

struct SpaceToSearch {
  Role role = Role::other;
  RecordedSpace recorded;
  SpaceStatistics statistics;
};

std::vector<const StrategyKind*> chosen_strategies(const SimulateArguments& arguments) {
  std::vector<const StrategyKind*> kinds;
  for (const std::string& name : arguments.strategies) {
    if (name == kAll) {
      for (const StrategyKind& kind : strategies()) kinds.push_back(&kind);
    } else {
      kinds.push_back(&find_strategy(name));
    }
  }
  if (kinds.size() > 1 && !arguments.options.empty())
    throw Error(Diagnostic{.cause = fmt::format("--option for {} strategies", kinds.size()),
                           .hint = "options are those of one strategy: name it with --strategy"});
  return kinds;
}

template <NamedEnum Enum>
std::vector<std::string> names_of() {
  return {EnumNames<Enum>::names.begin(), EnumNames<Enum>::names.end()};
}

// "training, test or other".
template <NamedEnum Enum>
std::string alternatives() {
  const std::span names(EnumNames<Enum>::names);
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

// What roles.json beside a file of a space says that the space is for, by the file's name: {"copy.json": "test"}.
// `other` where there is none.
Role role_beside(const std::filesystem::path& file) {
  const std::filesystem::path list = file.parent_path() / "roles.json";
  if (!std::filesystem::is_regular_file(list)) return Role::other;
  const Json root = read_json_file(list).document;
  const std::string name = file.filename().string();
  if (!root.has(name)) return Role::other;
  const std::string text = root.at(name).text();
  const std::optional<Role> role = find_enum<Role>(text);
  if (!role) root.at(name).refuse(fmt::format("unknown role '{}'", text), alternatives<Role>());
  return *role;
}

struct NamedSpaces {
  std::vector<std::string> experiments;
  std::map<std::string, Role> roles;  // of experiments that came from files
};

// The experiments to take from the database, after the files among `spaces` are imported into it.
NamedSpaces import_files(Database& database, const std::vector<std::string>& spaces) {
  NamedSpaces named;
  for (const std::string& space : spaces) {
    if (!std::filesystem::is_regular_file(space)) {
      named.experiments.push_back(space);
      continue;
    }
    const Role role = role_beside(space);
    named.experiments.push_back(import_recorded(database, space).experiment);
    named.roles[named.experiments.back()] = role;
  }
  return named;
}

// Where there is no database yet, one is made only for files that can be imported, as import does.
void rehearse(const SimulateArguments& arguments) {
  std::error_code error;
  if (std::filesystem::exists(arguments.database, error)) return;
  if (std::ranges::none_of(arguments.spaces,
                           [](const auto& space) { return std::filesystem::is_regular_file(space); }))
    require_database(arguments.database);
  Database rehearsal(kInMemory, Database::Mode::read_write);
  static_cast<void>(import_files(rehearsal, arguments.spaces));
}

void say_what_is_missing(const RecordedSpace& space, const Console& console) {
  const std::string name = fmt::format("{} on {}", space.name, space.device);
  if (space.unmeasured > 0)
    console.note(fmt::format("{}: {} of {}'s configurations were not measured; goes on without them\n", name,
                             space.unmeasured, space.experiment));
  else if (!space.finished)
    console.note(name + ": its latest run did not come to its end, so configurations may be missing\n");
}

std::vector<SpaceToSearch> spaces_to_search(Database& database, const SimulateArguments& arguments,
                                            const Console& console) {
  const auto [experiments, roles] = import_files(database, arguments.spaces);
  const auto role_of = [&roles = roles, &arguments](const RecordedSpace& space) {
    if (!arguments.role.empty()) return from_string<Role>(arguments.role);
    const auto listed = roles.find(space.experiment.substr(space.experiment.find('/') + 1));
    return listed == roles.end() ? Role::other : listed->second;
  };
  const std::string device = arguments.device.empty() ? "" : stored_device(database, arguments.device);
  std::vector<SpaceToSearch> found;
  std::size_t small = 0;
  for (RecordedSpace& space : load_spaces(database, experiments, device)) {
    if (experiments.empty() && space.space.size() < kFewestPoints) {
      ++small;
      continue;
    }
    try {
      SpaceStatistics statistics = analyse(space);
      say_what_is_missing(space, console);
      const Role role = role_of(space);
      found.push_back({role, std::move(space), std::move(statistics)});
    } catch (const Error& error) {
      console.note(fmt::format("{}, so the space is left out\n", error.what()));
    }
  }
  if (small > 0)
    console.note(fmt::format("{} of fewer than {} configurations {} left out; name what you want\n",
                             small == 1 ? "1 space" : fmt::format("{} spaces", small), kFewestPoints,
                             small == 1 ? "is" : "are"));
  if (found.empty())
    throw Error(Diagnostic{.file = arguments.database,
                           .cause = "no recorded space to search in",
                           .hint = "'tailwave import' adds recorded ones, 'tailwave run' measures one"},
                Error::kRunFailed);
  return found;
}

constexpr std::array kStarts{"none", "auto", "shuffled"};

// Each begins with what another of them knows.
void begin_elsewhere(std::vector<SpaceToSearch>& spaces, const SimulateArguments& arguments,
                     const Console& console) {
  if (arguments.start == kStarts.front()) return;
  std::optional<std::uint64_t> shuffle;
  if (arguments.start == kStarts.back()) shuffle = arguments.seed;
  std::vector<const RecordedSpace*> all;
  for (const SpaceToSearch& space : spaces) all.push_back(&space.recorded);
  for (SpaceToSearch& space : spaces) {
    space.recorded.prior = costs_elsewhere(space.recorded, all, shuffle);
    if (!space.recorded.prior)
      console.note(
          fmt::format("{} on {}: no other space has its parameters, so it is searched without a start\n",
                      space.recorded.name, space.recorded.device));
  }
}

void show_progress(const std::string& line, const Console& console) {
  if (console.has_status_line()) fmt::print(stderr, "\r\x1b[K{}", printable(line));
}

void print_scores(Database& database, const std::vector<std::int64_t>& simulations, TableFormat format,
                  const Console& console) {
  const Table scores = run_query(database, find_query("simulations", "."),
                                 {{"simulations", fmt::format("[{}]", fmt::join(simulations, ","))}});
  const bool for_people = format == TableFormat::table || format == TableFormat::markdown;
  console.result(for_people && !console.json() ? without_empty_columns(scores) : scores, format);
}

// What is simulated whole is stored.
std::size_t simulate_and_store(Database& database, const std::vector<SpaceToSearch>& spaces,
                               const std::vector<const StrategyKind*>& kinds,
                               const SimulationOptions& options, const std::string& start, TableFormat format,
                               const Console& console) {
  const std::string now = utc_now();
  std::vector<std::int64_t> stored;
  std::size_t evaluations = 0;
  for (const SpaceToSearch& space : spaces) {
    for (const StrategyKind* kind : kinds) {
      show_progress(fmt::format("{}: {} ({} of {})", space.recorded.name, kind->name, stored.size() + 1,
                                spaces.size() * kinds.size()),
                    console);
      SimulationRecord record = simulate(space.recorded, space.statistics, *kind, options);
      record.simulated_at = now;
      record.role = space.role;
      if (space.recorded.prior) record.strategy += fmt::format(" (start {})", start);
      if (options.batch > 1) record.strategy += fmt::format(" (batches of {})", options.batch);
      stored.push_back(add_simulation(database, record));
      evaluations += record.budget * record.seeds.size();
    }
  }
  show_progress("", console);
  print_scores(database, stored, format, console);
  return evaluations;
}

// Scores that are not to be mixed with those in the database, so they are only printed.
std::size_t simulate_with_builds(const SimulateArguments& arguments, const std::vector<SpaceToSearch>& spaces,
                                 const std::vector<const StrategyKind*>& kinds,
                                 const SimulationOptions& options, TableFormat format,
                                 const Console& console) {
  const std::vector<TellingOrder> orders = telling_orders(arguments.order);
  std::vector<BuildSimulation> simulations;
  std::size_t evaluations = 0;
  for (const SpaceToSearch& space : spaces) {
    for (const StrategyKind* kind : kinds) {
      for (const TellingOrder order : orders) {
        show_progress(fmt::format("{}: {} ({} of {})", space.recorded.name, kind->name,
                                  simulations.size() + 1, spaces.size() * kinds.size() * orders.size()),
                      console);
        simulations.push_back(
            simulate_builds(space.recorded, space.statistics, *kind, options, arguments.builds, order));
        evaluations += space.statistics.budget * options.seeds;
      }
    }
  }
  show_progress("", console);
  const Table scores = build_scores(simulations);
  const bool for_people = format == TableFormat::table || format == TableFormat::markdown;
  console.result(for_people && !console.json() ? without_empty_columns(scores) : scores, format);
  console.note("scores with build processes are not stored\n");
  return evaluations;
}

void check(const SimulateArguments& arguments) {
  if (!std::in_range<std::int64_t>(arguments.seed + arguments.seeds - 1))
    throw Error(Diagnostic{
        .cause = fmt::format("--seed {} leaves no room for {} seeds", arguments.seed, arguments.seeds),
        .hint = "the last one has to fit 64 bits with a sign"});
  if (arguments.builds > 0 && arguments.batch > 1)
    throw Error(Diagnostic{.cause = "--batch beside processes that build",
                           .hint = "--builds asks ahead by a rule of its own"});
  if (arguments.builds == 0 && !arguments.order.empty())
    throw Error(Diagnostic{.cause = "--order without processes that build",
                           .hint = "--builds 16 replays a search with 16 of them"});
}

void simulate_all(const SimulateArguments& arguments, const Console& console) {
  const InterruptGuard interrupts;
  const TableFormat format = parse_table_format(arguments.format);
  const std::vector<const StrategyKind*> kinds = chosen_strategies(arguments);
  check(arguments);
  SimulationOptions options{.first_seed = arguments.seed,
                            .seeds = arguments.seeds,
                            .given = parse_strategy_options(arguments.options),
                            .threads = arguments.jobs > 0 ? arguments.jobs : hardware_threads(),
                            .batch = arguments.batch,
                            .stop_requested = InterruptGuard::requested};
  for (const StrategyKind* kind : kinds) static_cast<void>(complete_options(*kind, options.given));
  rehearse(arguments);
  Database database = open_to_write(arguments.database, console);
  std::vector<SpaceToSearch> spaces = spaces_to_search(database, arguments, console);
  begin_elsewhere(spaces, arguments, console);
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t evaluations =
      arguments.builds == 0
          ? simulate_and_store(database, spaces, kinds, options, arguments.start, format, console)
          : simulate_with_builds(arguments, spaces, kinds, options, format, console);
  const std::size_t orders = std::max<std::size_t>(arguments.order.size(), 1);
  console.note(fmt::format("{} searches of {} evaluations in all, {:.1f} s on {} threads\n",
                           spaces.size() * kinds.size() * orders * arguments.seeds, evaluations,
                           seconds_since(begin), options.threads));
}

}  // namespace

void add_simulate(Command& app) {
  Command* command =
      app.add_subcommand("simulate", "Run search strategies on recorded spaces and score them; needs no GPU");
  auto arguments = std::make_shared<SimulateArguments>();
  command->add_option("SPACE", arguments->spaces,
                      "experiments of the database, or files to import first (default: "
                      "every space of the database with 100 configurations or more)");
  command->add_option("--strategy", arguments->strategies, "names (tailwave list strategies), or all")
      ->delimiter(',')
      ->capture_default_str();
  add_strategy_options(*command, arguments->options, "an option of the one strategy named");
  command->add_option("--seeds", arguments->seeds, "searches of each strategy on each space")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option(
          "--start", arguments->start,
          "what each search begins with: none; auto, what the space of another device (or problem) with the "
          "same parameters has; shuffled, the same with costs that are another configuration's each, drawn with --seed")
      ->one_of({kStarts.begin(), kStarts.end()})
      ->capture_default_str();
  add_seed_option(*command, arguments->seed, "the first of them; the others follow");
  command->add_option("--device", arguments->device,
                      "only what this device recorded: its name or a part of it");
  command->add_option("--db", arguments->database, "the result database")->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "threads (default: one for each core)")
      ->check(whole_number(1, 4096));
  command
      ->add_option("--role", arguments->role,
                   fmt::format("what the spaces are for: {} (default: what roles.json beside a file says)",
                               fmt::join(EnumNames<Role>::names, ", ")))
      ->one_of(names_of<Role>());
  command
      ->add_option(
          "--batch", arguments->batch,
          "ask for so many configurations at once, as for several GPUs, and tell their costs together")
      ->check(whole_number(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--builds", arguments->builds,
                   "replay searches as tune makes them, "
                   "with so many processes that build ahead of the device; builds take as long as recorded, "
                   "or else drawn times; scores are then not stored; 0: one configuration after the other")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--order", arguments->order,
                   "with --builds: whether configurations are measured in the order asked for or in "
                   "that built (default), or asked,built to compare the two")
      ->delimiter(',')
      ->one_of(names_of<TellingOrder>());
  command->add_option("--format", arguments->format, "table, csv, json, markdown")->capture_default_str();
  command->footer(
      "'tailwave query simulations' shows the scores again; docs/searching.md says what they mean.\n"
      "Example: tailwave simulate results/spaces/dedispersion_milo-W7800.json.gz --strategy genetic,random");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([arguments, output] { simulate_all(*arguments, Console(*output)); });
}

}  // namespace tailwave
