#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/counters.h"
#include "core/device.h"
#include "core/members.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "store/database.h"

namespace tailwave {

// Of a trace, a curve, counters or a timeline: like a run's.
struct ObservationRecord {
  std::string system, experiment;
  std::string observed_at;  // UTC, ISO 8601
  std::string driver;
  std::string commit;
  std::string recorded_from;  // the file that it was imported from; empty: observed into this database

  static constexpr auto members() {
    // As of a run. When it was is traced_at of a trace, measured_at of a curve, counted_at of counters.
    return std::tuple{member<kNotJson>("system", &ObservationRecord::system),
                      member<kNotJson>("experiment", &ObservationRecord::experiment),
                      member<kNotRow | kNotJson>("observed_at", &ObservationRecord::observed_at),
                      member("driver", &ObservationRecord::driver),
                      member("project_commit", &ObservationRecord::commit),
                      member<kNotJson | kMayBeAbsent>("recorded_from", &ObservationRecord::recorded_from)};
  }
};

// A curve as it is stored. Of its configuration there is only the name, which stands beside it.
struct StoredGridCurve {
  std::int64_t id = 0;
  std::string configuration;
  GridCurve curve;
};

// What was traced, timed, counted or recorded, when, for which experiment; gives its id. One transaction.
std::int64_t add_trace(Database& database, const ObservationRecord& record, const DeviceDescription& device,
                       const Trace& trace);
std::int64_t add_grid_curve(Database& database, const ObservationRecord& record,
                            const DeviceDescription& device, const GridCurve& curve);
std::int64_t add_counters(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const CounterRun& counters);
std::int64_t add_sm_curve(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const SmCurve& curve);
std::int64_t add_timeline(Database& database, const ObservationRecord& record,
                          const DeviceDescription& device, const Timeline& timeline);

// The same for a stored device, inside the caller's transaction. Throw Error (bad usage) for a system or experiment
// whose name is a path.
std::int64_t insert_trace(Database& database, const ObservationRecord& record, std::int64_t device,
                          const Trace& trace);
std::int64_t insert_grid_curve(Database& database, const ObservationRecord& record, std::int64_t device,
                               const GridCurve& curve);
std::int64_t insert_counters(Database& database, const ObservationRecord& record, std::int64_t device,
                             const CounterRun& counters);
std::int64_t insert_sm_curve(Database& database, const ObservationRecord& record, std::int64_t device,
                             const SmCurve& curve);
std::int64_t insert_timeline(Database& database, const ObservationRecord& record, std::int64_t device,
                             const Timeline& timeline);

std::vector<StoredGridCurve> grid_curves(Database& database);  // in the order in which they were stored
// What a unit of a device did in a counted launch, as a share of what it can (view counter_speed_of_light).
struct CountedUnit {
  std::string configuration;
  int position = 0;  // of the launch
  std::string unit;
  double share = 0;
};
// Of the latest counters of each configuration on a GPU of that name; of a configuration the launch that took longest last.
std::vector<CountedUnit> counted_units_on(Database& database, const std::string& device);

// Those of a device, by its name, the oldest first.
std::vector<StoredGridCurve> grid_curves_on(Database& database, const std::string& device);
// One transaction.
void replace_predictions(Database& database, std::int64_t curve,
                         const std::vector<GridPrediction>& predictions);

}  // namespace tailwave
