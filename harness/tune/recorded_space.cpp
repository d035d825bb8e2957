#include "tune/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/device_kind.h"
#include "core/error.h"
#include "json/values.h"
#include "occupancy/launch_speed.h"
#include "store/no_trials.h"
#include "store/rows.h"
#include "store/sweeps.h"
#include "tune/search_cost.h"

namespace tailwave {
namespace {

constexpr const char* kVariant = "variant";

using Row = SweptConfiguration;

// By problem, in the order in which the database got to know their configurations.
using Problems = std::map<std::string, std::vector<Row>>;

Problems load_problems(Database& database, const Sweep& sweep) {
  Problems problems;
  for (Row& row : load_configurations(database, sweep)) problems[row.problem].push_back(std::move(row));
  return problems;
}

// NaN: it cannot be predicted.
float predicted_cost(const WaveFacts& launch, std::int64_t sms) {
  const std::int64_t blocks_per_sm = launch.blocks_per_sm.value_or(0);
  if (std::min({launch.grid, launch.block, sms, blocks_per_sm}) <= 0)
    return std::numeric_limits<float>::quiet_NaN();
  const std::int64_t clusters = launch.cluster.value_or(0) * launch.active_clusters.value_or(0);
  return static_cast<float>(relative_time({.grid = launch.grid,
                                           .block = launch.block,
                                           .sms = clusters > 0 ? filled_sms(clusters, blocks_per_sm) : sms,
                                           .blocks_per_sm = blocks_per_sm}));
}

bool smaller(const Value& one, const Value& other) {
  const bool texts = std::holds_alternative<std::string>(one) || std::holds_alternative<std::string>(other);
  return texts ? to_string(one) < to_string(other) : to_double(one) < to_double(other);
}

// Those with several values, which ascend. Some rows may lack a parameter: it is `partial` then.
struct Columns {
  std::vector<Parameter> parameters;
  std::vector<bool> partial;
};

Columns columns_of(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Value>> values;
  std::map<std::string, std::size_t> counts;
  std::vector<Value> variants;
  const auto note = [](std::vector<Value>& known, const Value& value) {
    if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
  };
  for (const Row& row : rows) {
    note(variants, row.variant);
    for (const auto& [name, value] : row.parameters) {
      note(values[name], value);
      ++counts[name];
    }
  }
  Columns columns;
  const auto add = [&](const std::string& name, std::vector<Value>& known, bool partial) {
    if (known.size() < 2 && !partial) return;
    std::sort(known.begin(), known.end(), smaller);
    columns.parameters.push_back({name, std::move(known)});
    columns.partial.push_back(partial);
  };
  add(kVariant, variants, false);
  for (auto& [name, known] : values) add(name, known, counts[name] < rows.size());
  return columns;
}

// `own_value`: what a row lacks is a value of its own instead of the smallest.
SearchSpace space_of(const std::vector<Row>& rows, Columns columns, bool own_value) {
  if (own_value) {
    for (std::size_t i = 0; i < columns.parameters.size(); ++i)
      if (columns.partial[i]) columns.parameters[i].values.emplace_back(std::string("-"));
  }
  SearchSpace space(columns.parameters);
  std::vector<std::uint32_t> digits;
  for (const Row& row : rows) {
    digits.clear();
    for (const auto& [name, known] : columns.parameters) {
      const auto found = row.parameters.find(name);
      if (found == row.parameters.end() && name != kVariant) {
        digits.push_back(own_value ? static_cast<std::uint32_t>(known.size() - 1) : 0);
        continue;
      }
      const Value value = found == row.parameters.end() ? Value{row.variant} : found->second;
      digits.push_back(
          static_cast<std::uint32_t>(std::find(known.begin(), known.end(), value) - known.begin()));
    }
    space.add(digits);
  }
  return space;
}

SearchSpace space_of(const std::vector<Row>& rows) {
  const Columns columns = columns_of(rows);
  SearchSpace space = space_of(rows, columns, false);
  return space.size() == rows.size() ? space : space_of(rows, columns, true);
}

constexpr std::array kFeatures{"threads", "blocks_per_sm", "occupancy", "waves", "tail_fraction"};

std::vector<float> features_of(const WaveFacts& launch) {
  return {static_cast<float>(launch.block), static_cast<float>(launch.blocks_per_sm.value_or(0)),
          static_cast<float>(launch.occupancy.value_or(0)), static_cast<float>(launch.waves.value_or(0)),
          static_cast<float>(launch.tail_fraction.value_or(0))};
}

Knowledge knowledge_of(const Sweep& sweep, const std::vector<Row>& rows) {
  const bool planned =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.waves.has_value(); });
  std::vector<PointFacts> facts;
  for (const Row& row : rows) {
    // What another tuner found out may have cost it an evaluation.
    const bool impossible = sweep.kind == DeviceKind::cuda && row.outcome == Outcome::exceeds_device_limit;
    PointFacts& one = facts.emplace_back(PointFacts{.impossible = impossible});
    if (!planned) continue;
    one.features = row.waves ? features_of(*row.waves) : std::vector<float>(kFeatures.size());
    one.predicted_cost = row.waves ? predicted_cost(*row.waves, row.waves->sms.value_or(sweep.sms))
                                   : std::numeric_limits<float>::quiet_NaN();
  }
  std::vector<std::string> names;
  if (planned) names.assign(kFeatures.begin(), kFeatures.end());
  Knowledge knowledge = Knowledge::of(std::move(names), std::move(facts));
  knowledge.predicts = planned;
  return knowledge;
}

// "N 8192": what tells a problem from the experiment's others.
std::string problem_label(const std::string& problem, const Problems& all) {
  std::string label;
  for (const auto& one : from_json(problem)) {
    const bool varies = std::any_of(all.begin(), all.end(), [&](const auto& other) {
      const Values values = from_json(other.first);
      const auto found = values.find(one.first);
      return found == values.end() || found->second != one.second;
    });
    if (varies) label += fmt::format(" {}:{}", one.first, to_string(one.second));
  }
  return label;
}

void refuse_unknown(const Database& database, const std::vector<Sweep>& known,
                    const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const Sweep& sweep : known) names.insert(names.end(), {sweep.experiment, sweep.name()});
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error(unknown_experiment(database, name, names));
  }
}

// Empty unless all that ran have both. What is not known of one that failed took no time.
std::vector<EvaluationSeconds> seconds_of(const std::vector<Row>& rows) {
  std::vector<EvaluationSeconds> seconds;
  for (const Row& row : rows) {
    if (row.outcome == Outcome::correct && !(row.build_seconds && row.measure_seconds)) return {};
    seconds.push_back({row.build_seconds.value_or(0), row.measure_seconds.value_or(0)});
  }
  return seconds;
}

void append_spaces(Database& database, const Sweep& sweep, std::vector<RecordedSpace>& spaces) {
  const Problems problems = load_problems(database, sweep);
  for (const auto& [problem, rows] : problems) {
    spaces.push_back({.name = sweep.name() + problem_label(problem, problems),
                      .device = sweep.device,
                      .space = space_of(rows),
                      .knowledge = knowledge_of(sweep, rows),
                      .seconds = seconds_of(rows),
                      .experiment = sweep.name(),
                      .unmeasured = sweep.unmeasured,
                      .finished = sweep.finished});
    for (const Row& row : rows) spaces.back().costs.push_back(swept_cost(row));
  }
}

// Where a value of `from` stands among those of the same parameter of `to`; none: it has no such parameter or value.
using Digits = std::vector<std::vector<std::optional<std::uint16_t>>>;

// By parameter of `to`: its column in `from`.
std::optional<std::vector<std::size_t>> matching_columns(const SearchSpace& to, const SearchSpace& from) {
  std::vector<std::size_t> columns;
  if (to.parameters().size() != from.parameters().size()) return std::nullopt;
  for (const Parameter& parameter : to.parameters()) {
    const auto found = std::ranges::find(from.parameters(), parameter.name, &Parameter::name);
    if (found == from.parameters().end()) return std::nullopt;
    columns.push_back(static_cast<std::size_t>(found - from.parameters().begin()));
  }
  return columns;
}

Digits translated_digits(const SearchSpace& to, const SearchSpace& from,
                         const std::vector<std::size_t>& columns) {
  Digits digits;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& of_parameter = digits.emplace_back();
    const std::vector<Value>& known = to.parameters()[i].values;
    for (const Value& value : from.parameters()[columns[i]].values) {
      const auto found = std::ranges::find(known, value);
      of_parameter.push_back(found == known.end()
                                 ? std::nullopt
                                 : std::optional(static_cast<std::uint16_t>(found - known.begin())));
    }
  }
  return digits;
}

PriorCosts::Costs common_costs(const SearchSpace& to, const RecordedSpace& from) {
  PriorCosts::Costs costs;
  const auto columns = matching_columns(to, from.space);
  if (!columns) return costs;
  const Digits translated = translated_digits(to, from.space, *columns);
  std::vector<std::uint16_t> row(columns->size());
  for (Point point = 0; point < from.space.size(); ++point) {
    const auto own = from.space.digits(point);
    bool is_known = true;
    for (std::size_t i = 0; i < row.size() && is_known; ++i) {
      const auto digit = translated[i][own[(*columns)[i]]];
      is_known = digit.has_value();
      row[i] = digit.value_or(0);
    }
    const auto found = is_known ? to.find(row) : std::nullopt;
    if (found) costs.emplace_back(*found, from.costs[point]);
  }
  return costs;
}

}  // namespace

std::vector<RecordedSpace> load_spaces(Database& database, const std::vector<std::string>& experiments,
                                       const std::string& device) {
  std::vector<Sweep> known = list_sweeps(database);
  std::erase_if(known, [&](const Sweep& sweep) {
    return !device.empty() && device != sweep.device && device != to_string(sweep.kind);
  });
  refuse_unknown(database, known, experiments);
  std::vector<RecordedSpace> spaces;
  for (const Sweep& sweep : known) {
    const auto is_this = [&](const std::string& name) {
      return name == sweep.experiment || name == sweep.name();
    };
    if (experiments.empty() || std::any_of(experiments.begin(), experiments.end(), is_this))
      append_spaces(database, sweep, spaces);
  }
  return spaces;
}

std::shared_ptr<const PriorCosts> costs_elsewhere(const RecordedSpace& of,
                                                  const std::vector<const RecordedSpace*>& spaces,
                                                  std::optional<std::uint64_t> shuffle) {
  std::vector<PriorCosts::Costs> places;
  Generator random(shuffle.value_or(0));
  for (const RecordedSpace* other : spaces) {
    if (other == &of) continue;
    PriorCosts::Costs costs = common_costs(of.space, *other);
    for (std::size_t i = costs.size(); shuffle && i > 1; --i)
      std::swap(costs[i - 1].second, costs[random.below(static_cast<std::uint32_t>(i))].second);
    if (!costs.empty()) places.push_back(std::move(costs));
  }
  if (places.empty()) return nullptr;
  return std::make_shared<const PriorCosts>(PriorCosts::of(places));
}

}  // namespace tailwave
