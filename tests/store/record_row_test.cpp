#include "store/record_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "store/observation_store.h"
#include "store/sample_data.h"
#include "store/search_store.h"
#include "store/simulation_store.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::TemporaryFolder;
using Names = std::set<std::string>;

class RecordRow : public ::testing::Test {
 protected:
  // Of those that a record has; `others` are the table's own.
  template <Record... R>
  void expect_columns(const std::string& table, const Names& others) {
    Names expected = others;
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) EXPECT_TRUE(expected.insert(name).second) << table << " " << name;
    };
    (add(column_names<R>()), ...);
    Names columns;
    Statement statement = database_.prepare("SELECT name FROM pragma_table_info(:table)");
    statement.bind(":table", table);
    while (statement.step()) columns.insert(statement.text(0));
    EXPECT_EQ(columns, expected) << table;
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(RecordRow, HasTheColumnsOfItsTable) {
  expect_columns<DeviceDescription>("device", {"id"});
  expect_columns<RunRecord>("run",
                            {"id", "device_id", "finished_at", "status", "merged_from", "recorded_from"});
  expect_columns<Configuration>("configuration", {"id", "name"});
  expect_columns<BuildRecord>("build", {"id"});
  expect_columns<Trial>("trial", {"id", "run_id", "device_id", "configuration_id", "build_id",
                                  "build_seconds", "build_from_cache", "finished_at"});
  expect_columns<LaunchRecord>("launch", {"trial_id"});
  expect_columns<Sample>("sample", {"trial_id"});
  expect_columns<Verification>("verification", {"trial_id", "position"});
  expect_columns<LimitRecord>("time_limit", {"trial_id"});
  expect_columns<SearchRecord>("search", {"run_id", "stopped_by", "final_run_id"});
  expect_columns<SearchStep>("search_step", {"run_id", "configuration_id"});
  expect_columns<ObservationRecord, Trace>("trace", {"id", "device_id", "configuration_id", "traced_at"});
  expect_columns<TracedLaunch>("trace_launch", {"trace_id"});
  expect_columns<BlockTime>("block_trace", {"trace_id", "position"});
  expect_columns<ObservationRecord, GridCurve>("grid_curve",
                                               {"id", "device_id", "configuration_id", "measured_at"});
  expect_columns<GridSample>("grid_sample", {"curve_id", "position", "time_ns"});
  expect_columns<GridPrediction>("grid_prediction", {"curve_id"});
  expect_columns<ObservationRecord, SmCurve>("sm_curve",
                                             {"id", "device_id", "configuration_id", "measured_at"});
  expect_columns<SmSample>("sm_sample", {"curve_id", "position", "time_ns"});
  expect_columns<ObservationRecord, CounterRun>("counter_run",
                                                {"id", "device_id", "configuration_id", "counted_at"});
  expect_columns<CountedLaunch>("counted_launch", {"counter_run_id"});
  expect_columns<CounterValue>("counter_value", {"counter_run_id", "position"});
  expect_columns<ObservationRecord, Timeline>("timeline",
                                              {"id", "device_id", "configuration_id", "observed_at"});
  expect_columns<TimelineRecord>("timeline_record", {"timeline_id"});
  expect_columns<PublishedValue>("published_value", {"id", "system", "experiment"});
  expect_columns<Check>("selftest", {"id", "run_at", "device_id"});
  expect_columns<SimulationRecord>("simulation", {"id"});
  expect_columns<SimulationRecord::Seed>("simulation_seed", {"simulation_id"});
  expect_columns<SimulationRecord::Step>("simulation_step", {"simulation_id"});
}

struct Corner {
  double x = 0;

  static constexpr auto members() { return std::tuple{member("x", &Corner::x)}; }
};

struct Shape {
  std::string name;
  std::string remark;
  Corner first;
  std::optional<Corner> second;
  std::optional<int> sides;
  Outcome outcome = Outcome::correct;
  Values properties;

  static constexpr auto members() {
    return std::tuple{member("name", &Shape::name),
                      member<kMayBeAbsent>("remark", &Shape::remark),
                      member("first_", &Shape::first),
                      member("second_", &Shape::second),
                      member("sides", &Shape::sides),
                      member("outcome", &Shape::outcome),
                      member("properties", &Shape::properties)};
  }
};

TEST_F(RecordRow, HasNullForWhatIsAbsent) {
  database_.execute(
      "CREATE TABLE shape (id INTEGER PRIMARY KEY, owner, name, remark, first_x, second_x, sides, "
      "outcome, properties)");
  RowInsert<Shape> rows(database_, "shape", {"owner"});
  const Shape full{"square", "red", {1}, Corner{2}, 4, Outcome::timeout, {{"flat", true}}};
  EXPECT_EQ(rows.add(full, 7), 1);
  EXPECT_EQ(rows.add(Shape{}, 8), 2);
  EXPECT_EQ(csv(database_, "SELECT * FROM shape WHERE id = 1"),
            "id,owner,name,remark,first_x,second_x,sides,outcome,properties\n"
            "1,7,square,red,1,2,4,timeout,\"{\"\"flat\"\":true}\"\n");
  EXPECT_EQ(csv(database_,
                "SELECT name IS NULL AS a, remark IS NULL AS b, first_x AS c, second_x IS NULL AS d, "
                "sides IS NULL AS e FROM shape WHERE id = 2"),
            "a,b,c,d,e\n0,1,0,1,1\n");
  EXPECT_EQ(find_row(database_, "shape", full), 1);
  EXPECT_EQ(find_row(database_, "shape", Shape{}), 2);
  EXPECT_EQ(find_row(database_, "shape", Shape{.name = "circle"}), std::nullopt);
}

}  // namespace
}  // namespace tailwave
