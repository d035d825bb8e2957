#include "store/observation_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/record_row.h"
#include "store/result_store.h"
#include "store/rows.h"

namespace tailwave {
namespace {

void insert_launch(Database& database, std::int64_t trace, const TracedLaunch& launch) {
  RowInsert<TracedLaunch>(database, "trace_launch", {"trace_id"}).add(launch, trace);
  RowInsert<BlockTime> rows(database, "block_trace", {"trace_id", "position"});
  std::int64_t begun = launch.blocks.empty() ? 0 : launch.blocks.front().start_ns;
  for (const BlockTime& block : launch.blocks) begun = std::min(begun, block.start_ns);
  for (BlockTime block : launch.blocks) {
    for (std::int64_t* time_ns : {&block.start_ns, &block.end_ns, &block.left_ns}) *time_ns -= begun;
    rows.add(block, trace, launch.position);
  }
}

void insert_sm_sample(Database& database, std::int64_t curve, const SmSample& sample) {
  RowInsert<SmSample> rows(database, "sm_sample", {"curve_id", "position", "time_ns"});
  std::int64_t position = 0;
  for (const double time_ns : sample.times_ns) rows.add(sample, curve, position++, time_ns);
}

void insert_predictions(Database& database, std::int64_t curve,
                        const std::vector<GridPrediction>& predictions) {
  RowInsert<GridPrediction> rows(database, "grid_prediction", {"curve_id"});
  for (const GridPrediction& one : predictions) rows.add(one, curve);
}

void load_samples(Database& database, StoredGridCurve& stored) {
  Statement sample =
      database.prepare("SELECT " + columns_of<GridSample>("grid_sample") +
                       ", time_ns FROM grid_sample WHERE curve_id = ? ORDER BY blocks, position");
  sample.bind_all(stored.id);
  std::vector<GridSample>& grids = stored.curve.samples;
  while (sample.step()) {
    const auto grid = read_row<GridSample>(sample);
    if (grids.empty() || grids.back().blocks != grid.blocks) grids.push_back(grid);
    grids.back().times_ns.push_back(sample.real(sample.column_count() - 1));
  }
  Statement prediction = database.prepare("SELECT " + columns_of<GridPrediction>("grid_prediction") +
                                          " FROM grid_prediction WHERE curve_id = ? ORDER BY model, blocks");
  prediction.bind_all(stored.id);
  while (prediction.step()) stored.curve.predictions.push_back(read_row<GridPrediction>(prediction));
}

std::string curve_sql(const std::string& rest) {
  return "SELECT grid_curve.id, configuration.name, " + columns_of<GridCurve>("grid_curve") +
         " FROM grid_curve JOIN configuration ON configuration.id = configuration_id " + rest;
}

std::vector<StoredGridCurve> read_curves(Database& database, Statement& row) {
  std::vector<StoredGridCurve> curves;
  while (row.step()) {
    StoredGridCurve stored{
        .id = row.integer(0), .configuration = row.text(1), .curve = read_row<GridCurve>(row, 2)};
    load_samples(database, stored);
    curves.push_back(std::move(stored));
  }
  return curves;
}

// The row of what was observed, in `table`; `at`: the column of when.
template <typename Observed>
std::int64_t insert_observed(Database& database, const char* table, const char* at,
                             const ObservationRecord& record, std::int64_t device, const Observed& observed) {
  require_file_names(record.system, record.experiment);
  const std::int64_t configuration = find_or_insert_configuration(database, observed.configuration);
  return RowInsert<ObservationRecord, Observed>(database, table, {"device_id", "configuration_id", at})
      .add(record, observed, device, configuration, record.observed_at);
}

// In one transaction, with the device.
template <typename Insert>
std::int64_t add_observed(Database& database, const DeviceDescription& device, const Insert& insert) {
  Transaction transaction(database);
  const std::int64_t id = insert(find_or_insert_device(database, device));
  transaction.commit();
  return id;
}

}  // namespace

std::int64_t insert_trace(Database& database, const ObservationRecord& record, std::int64_t device,
                          const Trace& trace) {
  const std::int64_t id = insert_observed(database, "trace", "traced_at", record, device, trace);
  for (const TracedLaunch& launch : trace.launches) insert_launch(database, id, launch);
  return id;
}

std::int64_t insert_grid_curve(Database& database, const ObservationRecord& record, std::int64_t device,
                               const GridCurve& curve) {
  const std::int64_t id = insert_observed(database, "grid_curve", "measured_at", record, device, curve);
  RowInsert<GridSample> rows(database, "grid_sample", {"curve_id", "position", "time_ns"});
  for (const GridSample& grid : curve.samples) {
    std::int64_t position = 0;
    for (const double time_ns : grid.times_ns) rows.add(grid, id, position++, time_ns);
  }
  insert_predictions(database, id, curve.predictions);
  return id;
}

std::int64_t insert_counters(Database& database, const ObservationRecord& record, std::int64_t device,
                             const CounterRun& counters) {
  const std::int64_t id = insert_observed(database, "counter_run", "counted_at", record, device, counters);
  RowInsert<CountedLaunch> launches(database, "counted_launch", {"counter_run_id"});
  RowInsert<CounterValue> values(database, "counter_value", {"counter_run_id", "position"});
  for (const CountedLaunch& launch : counters.launches) {
    launches.add(launch, id);
    for (const CounterValue& value : launch.values) values.add(value, id, launch.position);
  }
  return id;
}

std::int64_t insert_sm_curve(Database& database, const ObservationRecord& record, std::int64_t device,
                             const SmCurve& curve) {
  const std::int64_t id = insert_observed(database, "sm_curve", "measured_at", record, device, curve);
  for (const SmSample& sample : curve.samples) insert_sm_sample(database, id, sample);
  return id;
}

std::int64_t insert_timeline(Database& database, const ObservationRecord& record, std::int64_t device,
                             const Timeline& timeline) {
  const std::int64_t id = insert_observed(database, "timeline", "observed_at", record, device, timeline);
  RowInsert<TimelineRecord> rows(database, "timeline_record", {"timeline_id"});
  for (const TimelineRecord& one : timeline.records) rows.add(one, id);
  return id;
}

std::int64_t add_trace(Database& database, const ObservationRecord& record, const DeviceDescription& device,
                       const Trace& trace) {
  return add_observed(database, device,
                      [&](std::int64_t id) { return insert_trace(database, record, id, trace); });
}

std::int64_t add_grid_curve(Database& database, const ObservationRecord& record,
                            const DeviceDescription& device, const GridCurve& curve) {
  return add_observed(database, device,
                      [&](std::int64_t id) { return insert_grid_curve(database, record, id, curve); });
}

std::int64_t add_counters(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const CounterRun& counters) {
  return add_observed(database, device,
                      [&](std::int64_t id) { return insert_counters(database, record, id, counters); });
}

std::int64_t add_sm_curve(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const SmCurve& curve) {
  return add_observed(database, device,
                      [&](std::int64_t id) { return insert_sm_curve(database, record, id, curve); });
}

std::int64_t add_timeline(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const Timeline& timeline) {
  return add_observed(database, device,
                      [&](std::int64_t id) { return insert_timeline(database, record, id, timeline); });
}

std::vector<StoredGridCurve> grid_curves(Database& database) {
  Statement row = database.prepare(curve_sql("ORDER BY grid_curve.id"));
  return read_curves(database, row);
}

std::vector<StoredGridCurve> grid_curves_on(Database& database, const std::string& device) {
  Statement row = database.prepare(curve_sql(
      "JOIN device ON device.id = device_id WHERE device.name = ? ORDER BY measured_at, grid_curve.id"));
  row.bind_all(device);
  return read_curves(database, row);
}

std::vector<CountedUnit> counted_units_on(Database& database, const std::string& device) {
  Statement row = database.prepare(
      "SELECT launch.configuration, launch.position, unit, share FROM counter_launch AS launch "
      "JOIN counter_speed_of_light AS light USING (counter_run_id, position) "
      "WHERE launch.device = ? AND launch.kind = 'cuda' AND launch.age = 1 AND light.doubt IS NULL "
      "ORDER BY launch.configuration, launch.count * coalesce(launch.duration_ns, 0), launch.position");
  row.bind_all(device);
  std::vector<CountedUnit> units;
  while (row.step())
    units.push_back({row.text(0), static_cast<int>(row.integer(1)), row.text(2), row.real(3)});
  return units;
}

void replace_predictions(Database& database, std::int64_t curve,
                         const std::vector<GridPrediction>& predictions) {
  Transaction transaction(database);
  database.prepare("DELETE FROM grid_prediction WHERE curve_id = ?").bind_all(curve).run();
  insert_predictions(database, curve, predictions);
  transaction.commit();
}

}  // namespace tailwave
