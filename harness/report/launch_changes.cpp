#include "report/launch_changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/advice_rule.h"
#include "report/queries.h"

namespace tailwave {
namespace {

// A row by the names of its columns, so that a query may have more of them in any order.
class NamedRow {
 public:
  NamedRow(const Table& table, const std::vector<Cell>& row) : table_(table), row_(row) {}
  [[nodiscard]] const Cell& cell(const char* name) const {
    const auto found = std::find(table_.columns.begin(), table_.columns.end(), name);
    return row_.at(static_cast<std::size_t>(found - table_.columns.begin()));
  }
  [[nodiscard]] std::string text(const char* name) const { return std::get<std::string>(cell(name)); }
  [[nodiscard]] std::size_t count(const char* name) const {
    const auto* const number = std::get_if<std::int64_t>(&cell(name));
    return number == nullptr ? 0 : static_cast<std::size_t>(*number);
  }
  [[nodiscard]] std::optional<double> real(const char* name) const {
    if (const auto* const whole = std::get_if<std::int64_t>(&cell(name))) return static_cast<double>(*whole);
    const auto* const real = std::get_if<double>(&cell(name));
    return real == nullptr ? std::nullopt : std::optional(*real);
  }

 private:
  const Table& table_;
  const std::vector<Cell>& row_;
};

template <class Row, class Read>
std::vector<Row> named_rows(const Table& table, Read read) {
  std::vector<Row> rows;
  for (const auto& row : table.rows) rows.push_back(read(NamedRow(table, row)));
  return rows;
}

LaunchChange launch_change_of(const NamedRow& row) {
  LaunchChange change{.experiment = row.text("experiment"),
                      .device = row.text("device"),
                      .configuration = row.text("configuration"),
                      .parameter = row.text("parameter"),
                      .value = row.cell("value"),
                      .new_value = row.cell("new_value"),
                      .waves = row.real("waves").value_or(0),
                      .new_waves = row.real("new_waves").value_or(0),
                      .model = row.text("predicted_by"),
                      .predicted_gain = row.real("predicted_gain").value_or(1),
                      .balance_gain = row.real("balance_gain").value_or(1),
                      .lanes_gain = row.real("lanes_gain").value_or(1),
                      .hiding_gain = row.real("hiding_gain").value_or(1),
                      // A curve that has held out no grid has no error that is known.
                      .worst_error = row.real("worst_error").value_or(1),
                      .measured_gain = row.real("measured_gain"),
                      .gain_low = row.real("gain_low"),
                      .gain_high = row.real("gain_high"),
                      .measured = row.text("measured")};
  if (change.model == "rule") change.model.clear();
  return change;
}

RuleRecord rule_record_of(const NamedRow& row) {
  return {.experiment = row.text("experiment"),
          .device = row.text("device"),
          .parameter = row.text("parameter"),
          .changes = row.count("changes"),
          .advised = row.count("advised"),
          .faster = row.count("faster"),
          .correlation = row.real("correlation")};
}

constexpr std::size_t kFewestHeldOut = 5;

// Grids that were held out, by curve, best model first.
constexpr const char* kHeldOut = R"(
  WITH
    curve AS MATERIALIZED (
      SELECT grid_curve.id, grid_curve.system || '/' || experiment AS experiment, device.name AS device, full_grid,
        row_number() OVER (PARTITION BY device.name, configuration_id, kernel
                           ORDER BY measured_at DESC, grid_curve.id DESC) AS age
      FROM grid_curve JOIN device ON device.id = device_id
      WHERE device.kind = 'cuda'
        AND (:experiment IS NULL OR :experiment IN (experiment, grid_curve.system || '/' || experiment))
        AND (:system IS NULL OR :system = grid_curve.system)
        AND (:device IS NULL OR :device IN (device.name, device.kind))),
    ranked AS (
      SELECT curve_id, model, row_number() OVER (PARTITION BY curve_id ORDER BY median(abs(relative_error)), model)
        AS place
      FROM grid_error WHERE curve_id IN (SELECT id FROM curve WHERE age = 1) GROUP BY curve_id, model)
  SELECT curve.id, curve.experiment, device, 1.0 * full_grid / grid_error.blocks AS fewer, own.time_ns, own_median_ns,
    predicted_ns, median_ns, abs(relative_error)
  FROM curve
    JOIN ranked ON ranked.curve_id = curve.id AND place = 1
    JOIN grid_error ON grid_error.curve_id = curve.id AND grid_error.model = ranked.model
    JOIN grid_prediction AS own ON own.curve_id = curve.id AND own.model = ranked.model AND own.blocks = full_grid
    JOIN (SELECT curve_id, blocks AS own_blocks, median(time_ns) AS own_median_ns FROM grid_sample
          WHERE curve_id IN (SELECT id FROM curve WHERE age = 1) GROUP BY curve_id, blocks) AS taken ON taken.curve_id = curve.id AND own_blocks = full_grid
  WHERE age = 1 AND own.time_ns > 0 AND predicted_ns > 0 AND own_median_ns > 0
  ORDER BY curve.experiment, device, curve.id, grid_error.blocks)";

struct HeldOut {
  CurveChange change;
  double fewer = 1, error = 0;
};

void add_curve(const std::vector<HeldOut>& held_out, std::vector<CurveChange>& changes) {
  if (held_out.size() < kFewestHeldOut) return;
  for (const HeldOut& one : held_out) {
    if (one.fewer < 0.5 || one.fewer > 2 || one.fewer == 1) continue;
    CurveChange change = one.change;
    for (const HeldOut& other : held_out)
      if (&other != &one) change.worst_error = std::max(change.worst_error, other.error);
    changes.push_back(std::move(change));
  }
}

}  // namespace

std::vector<LaunchChange> launch_changes(Database& database, const Values& parameters) {
  return named_rows<LaunchChange>(run_query(database, find_query("launch_changes"), parameters),
                                  launch_change_of);
}

std::vector<RuleRecord> rule_record(Database& database, const Values& parameters) {
  return named_rows<RuleRecord>(run_query(database, find_query("rule_record"), parameters), rule_record_of);
}

std::vector<CurveChange> curve_changes(Database& database, const Values& parameters) {
  const Table rows = database.query(kHeldOut, parameters);
  std::vector<CurveChange> changes;
  std::vector<HeldOut> held_out;
  Cell own;
  for (const auto& row : rows.rows) {
    if (row[0] != own) add_curve(std::exchange(held_out, {}), changes);
    own = row[0];
    const auto real = [&](std::size_t column) { return std::get<double>(row.at(column)); };
    const double fewer = real(3);
    held_out.push_back({{std::get<std::string>(row[1]), std::get<std::string>(row[2]),
                         real(4) / real(6) / fewer, real(5) / real(7) / fewer, 0},
                        fewer,
                        real(8)});
  }
  add_curve(held_out, changes);
  return changes;
}

bool beyond_error(double gain, double worst_error) {
  return worst_error < 1 && gain > (1 + worst_error) / (1 - worst_error);
}

}  // namespace tailwave
