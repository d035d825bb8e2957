#include "tune/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/device_kind.h"
#include "core/error.h"
#include "core/outcome.h"
#include "json/json.h"
#include "json/values.h"
#include "occupancy/launch_speed.h"
#include "store/no_trials.h"

namespace tailwave {
namespace {

constexpr const char* kRows = R"(
  SELECT problem, variant, parameters, outcome, cost, block, trial_waves.blocks_per_sm, occupancy, waves, tail_fraction, grid,
    (SELECT sms FROM run JOIN device ON device.id = run.device_id WHERE run.id = space_cost.run_id)
  FROM space_cost
    LEFT JOIN trial_waves ON run_kind = 'cuda' AND trial_waves.trial_id = coalesce(timed_trial_id, space_cost.trial_id)
  WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
  ORDER BY space_cost.configuration_id)";
constexpr int kFirstFeature = 5;
constexpr std::size_t kFeatures = 5;

constexpr const char* kVariant = "variant";

// The trials of an experiment on a run device.
struct Sweep {
  std::string system, experiment, device;
  DeviceKind kind = DeviceKind::cuda;
  std::size_t unmeasured = 0;
  bool finished = true;

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
};

struct Row {
  std::string variant;
  Values values;
  double cost = kFailed;
  bool impossible = false;
  std::optional<std::vector<float>> features;
  float predicted = std::numeric_limits<float>::quiet_NaN();
};

float predicted_cost(std::int64_t grid, std::int64_t block, std::int64_t sms, std::int64_t blocks_per_sm) {
  if (std::min({grid, block, sms, blocks_per_sm}) <= 0) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(
      relative_time({.grid = grid, .block = block, .sms = sms, .blocks_per_sm = blocks_per_sm}));
}

// By problem, in the order in which the database got to know their configurations.
using Problems = std::map<std::string, std::vector<Row>>;

std::vector<Sweep> sweeps(Database& database) {
  Statement row = database.prepare(R"(
    WITH latest AS (
      SELECT run.id, run.system, run.experiment, device.name, device.kind, status, row_number() OVER (
          PARTITION BY run.system, run.experiment, device.kind, device.name ORDER BY run.started_at DESC, run.id DESC) AS age
      FROM run JOIN device ON device.id = run.device_id)
    SELECT latest.system, latest.experiment, latest.name, latest.kind, status <> 'done',
      max(0, (SELECT count(*) FROM run_plan WHERE run_id = latest.id) - count(*))
    FROM latest
      JOIN current_trial ON current_trial.system = latest.system AND current_trial.experiment = latest.experiment
        AND run_device = latest.name AND run_kind = latest.kind
    WHERE age = 1
    GROUP BY latest.id
    ORDER BY latest.system, latest.experiment, latest.kind DESC, latest.name)");
  std::vector<Sweep> found;
  while (row.step()) {
    found.push_back({row.text(0), row.text(1), row.text(2), from_string<DeviceKind>(row.text(3)),
                     static_cast<std::size_t>(row.integer(5)), row.integer(4) == 0});
  }
  return found;
}

Problems load_rows(Database& database, const Sweep& sweep) {
  Statement row = database.prepare(kRows);
  row.bind(":system", sweep.system).bind(":experiment", sweep.experiment);
  row.bind(":device", sweep.device).bind(":kind", sweep.kind);
  Problems problems;
  while (row.step()) {
    Row& read = problems[row.text(0)].emplace_back();
    read.variant = row.text(1);
    read.values = from_json(row.text(2));
    if (row.real(4) > 0) read.cost = row.real(4);
    // What another tuner found out may have cost it an evaluation.
    read.impossible =
        sweep.kind == DeviceKind::cuda && row.text(3) == to_string(Outcome::exceeds_device_limit);
    if (row.is_null(kFirstFeature)) continue;
    std::vector<float>& features = read.features.emplace();
    for (std::size_t i = 0; i < kFeatures; ++i)
      features.push_back(static_cast<float>(row.real(kFirstFeature + static_cast<int>(i))));
    read.predicted = predicted_cost(row.integer(10), row.integer(kFirstFeature), row.integer(11),
                                    row.integer(kFirstFeature + 1));
  }
  return problems;
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
    for (const auto& [name, value] : row.values) {
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
      const auto found = row.values.find(name);
      if (found == row.values.end() && name != kVariant) {
        digits.push_back(own_value ? static_cast<std::uint32_t>(known.size() - 1) : 0);
        continue;
      }
      const Value value = found == row.values.end() ? Value{row.variant} : found->second;
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

Knowledge knowledge_of(const std::vector<Row>& rows) {
  const bool planned =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.features.has_value(); });
  std::vector<PointFacts> facts;
  for (const Row& row : rows) {
    PointFacts& one = facts.emplace_back(PointFacts{.impossible = row.impossible});
    if (!planned) continue;
    one.features = row.features.value_or(std::vector<float>(kFeatures));
    one.predicted_cost = row.predicted;
  }
  std::vector<std::string> names;
  if (planned) names = {"threads", "blocks_per_sm", "occupancy", "waves", "tail_fraction"};
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

void append_spaces(Database& database, const Sweep& sweep, std::vector<StoredSpace>& spaces) {
  const Problems problems = load_rows(database, sweep);
  for (const auto& [problem, rows] : problems) {
    spaces.push_back({{sweep.name() + problem_label(problem, problems),
                       sweep.device,
                       space_of(rows),
                       {},
                       knowledge_of(rows)},
                      sweep.name(),
                      sweep.unmeasured,
                      sweep.finished});
    for (const Row& row : rows) spaces.back().recorded.costs.push_back(row.cost);
  }
}

}  // namespace

std::vector<StoredSpace> load_spaces(Database& database, const std::vector<std::string>& experiments,
                                     const std::string& device) {
  std::vector<Sweep> known = sweeps(database);
  std::erase_if(known, [&](const Sweep& sweep) {
    return !device.empty() && device != sweep.device && device != to_string(sweep.kind);
  });
  refuse_unknown(database, known, experiments);
  std::vector<StoredSpace> spaces;
  for (const Sweep& sweep : known) {
    const auto is_this = [&](const std::string& name) {
      return name == sweep.experiment || name == sweep.name();
    };
    if (experiments.empty() || std::any_of(experiments.begin(), experiments.end(), is_this))
      append_spaces(database, sweep, spaces);
  }
  return spaces;
}

}  // namespace tailwave
