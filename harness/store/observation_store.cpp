#include "store/observation_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/record_row.h"
#include "store/result_store.h"
#include "store/rows.h"

namespace tailwave {
namespace {

void insert_launch(Database& database, std::int64_t trace, const TracedLaunch& traced) {
  const LaunchRecord& launch = traced.launch;
  const auto resource = [](const std::optional<KernelResources>& of, auto member) {
    return of ? std::optional((*of).*member) : std::nullopt;
  };
  const auto on_gpu = [&](int value) {
    return traced.traced_blocks_per_sm ? std::optional(value) : std::nullopt;
  };
  database
      .prepare(R"(
    INSERT INTO trace_launch (trace_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
      dynamic_shared_bytes, sms, blocks_per_sm, limiter, registers, traced_registers, local_bytes, traced_local_bytes,
      traced_blocks_per_sm, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))")
      .bind_all(trace, launch.position, launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z,
                launch.block.x, launch.block.y, launch.block.z, launch.dynamic_shared_bytes, traced.sms,
                traced.blocks_per_sm, traced.limiter.empty() ? std::nullopt : std::optional(traced.limiter),
                resource(launch.resources, &KernelResources::registers), on_gpu(traced.traced.registers),
                resource(launch.resources, &KernelResources::stack_bytes), on_gpu(traced.traced.local_bytes),
                traced.traced_blocks_per_sm, launch.count)
      .run();
  Statement statement = database.prepare("INSERT INTO block_trace VALUES (?, ?, ?, ?, ?, ?)");
  std::int64_t begun = traced.traced.blocks.empty() ? 0 : traced.traced.blocks.front().start_ns;
  for (const BlockTime& block : traced.traced.blocks) begun = std::min(begun, block.start_ns);
  for (std::size_t i = 0; i < traced.traced.blocks.size(); ++i) {
    const BlockTime& block = traced.traced.blocks[i];
    statement
        .bind_all(trace, launch.position, static_cast<std::int64_t>(i), block.sm, block.start_ns - begun,
                  block.end_ns - begun)
        .run();
  }
}

void insert_predictions(Database& database, std::int64_t curve,
                        const std::vector<GridPrediction>& predictions) {
  RowInsert<GridPrediction> rows(database, "grid_prediction", {"curve_id"});
  for (const GridPrediction& one : predictions) rows.add(one, curve);
}

void load_samples(Database& database, StoredGridCurve& stored) {
  Statement sample = database.prepare(
      "SELECT blocks, fitted, time_ns FROM grid_sample WHERE curve_id = ? ORDER BY blocks, position");
  sample.bind_all(stored.id);
  std::vector<GridSample>& grids = stored.curve.samples;
  while (sample.step()) {
    if (grids.empty() || grids.back().blocks != sample.integer(0))
      grids.push_back({sample.integer(0), sample.integer(1) != 0, {}});
    grids.back().times_ns.push_back(sample.real(2));
  }
  Statement prediction = database.prepare(
      "SELECT model, blocks, time_ns FROM grid_prediction WHERE curve_id = ? ORDER BY model, blocks");
  prediction.bind_all(stored.id);
  while (prediction.step())
    stored.curve.predictions.push_back({prediction.text(0), prediction.integer(1), prediction.real(2)});
}

}  // namespace

std::int64_t insert_trace(Database& database, const ObservationRecord& record, std::int64_t device,
                          const Trace& trace) {
  require_file_names(record.system, record.experiment);
  const std::int64_t configuration = find_or_insert_configuration(database, trace.configuration);
  const std::int64_t id =
      RowInsert<ObservationRecord, Trace>(database, "trace", {"device_id", "configuration_id", "traced_at"})
          .add(record, trace, device, configuration, record.observed_at);
  for (const TracedLaunch& launch : trace.launches) insert_launch(database, id, launch);
  return id;
}

std::int64_t insert_grid_curve(Database& database, const ObservationRecord& record, std::int64_t device,
                               const GridCurve& curve) {
  require_file_names(record.system, record.experiment);
  const std::int64_t configuration = find_or_insert_configuration(database, curve.configuration);
  const std::int64_t id =
      RowInsert<ObservationRecord>(database, "grid_curve",
                                   {"device_id", "configuration_id", "measured_at", "compiler", "position",
                                    "kernel", "sms", "blocks_per_sm", "block_threads", "full_grid"})
          .add(record, device, configuration, record.observed_at, curve.compiler, curve.launch.position,
               curve.launch.kernel, curve.sms, curve.blocks_per_sm, curve.launch.block.count(),
               curve.launch.grid.count());
  Statement sample = database.prepare("INSERT INTO grid_sample VALUES (?, ?, ?, ?, ?)");
  for (const GridSample& grid : curve.samples) {
    for (std::size_t i = 0; i < grid.times_ns.size(); ++i)
      sample.bind_all(id, grid.blocks, static_cast<std::int64_t>(i), grid.times_ns[i], grid.fitted).run();
  }
  insert_predictions(database, id, curve.predictions);
  return id;
}

std::int64_t add_trace(Database& database, const ObservationRecord& record, const DeviceDescription& device,
                       const Trace& trace) {
  Transaction transaction(database);
  const std::int64_t id = insert_trace(database, record, find_or_insert_device(database, device), trace);
  transaction.commit();
  return id;
}

std::int64_t add_grid_curve(Database& database, const ObservationRecord& record,
                            const DeviceDescription& device, const GridCurve& curve) {
  Transaction transaction(database);
  const std::int64_t id = insert_grid_curve(database, record, find_or_insert_device(database, device), curve);
  transaction.commit();
  return id;
}

std::vector<StoredGridCurve> grid_curves(Database& database) {
  Statement row = database.prepare(R"(
    SELECT grid_curve.id, configuration.name, kernel, full_grid, block_threads, sms, blocks_per_sm
    FROM grid_curve JOIN configuration ON configuration.id = configuration_id ORDER BY grid_curve.id)");
  std::vector<StoredGridCurve> curves;
  while (row.step()) {
    StoredGridCurve stored{.id = row.integer(0), .configuration = row.text(1), .curve = {}};
    stored.curve.launch.kernel = row.text(2);
    stored.curve.launch.grid = {row.integer(3)};
    stored.curve.launch.block = {row.integer(4)};
    stored.curve.sms = static_cast<int>(row.integer(5));
    stored.curve.blocks_per_sm = static_cast<int>(row.integer(6));
    load_samples(database, stored);
    curves.push_back(std::move(stored));
  }
  return curves;
}

void replace_predictions(Database& database, std::int64_t curve,
                         const std::vector<GridPrediction>& predictions) {
  Transaction transaction(database);
  database.prepare("DELETE FROM grid_prediction WHERE curve_id = ?").bind_all(curve).run();
  insert_predictions(database, curve, predictions);
  transaction.commit();
}

}  // namespace tailwave
