#include "interchange/observed_import.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "interchange/recorded_run.h"
#include "json/members_json.h"
#include "spec/system.h"
#include "store/rows.h"

namespace tailwave {
namespace {

// A whole number within bounds.
std::int64_t within(const Json& place, std::int64_t least, std::int64_t most) {
  const std::int64_t number = place.whole();
  if (number < least || number > most)
    place.refuse(fmt::format("{} is not within {} and {}", number, least, most));
  return number;
}

constexpr std::int64_t kLongestNs = 3'600'000'000'000;  // an hour
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;

// What a member of an object may be, if the object has it.
struct Bounds {
  const char* key;
  std::int64_t least, most;
};

void require_within(const Json& place, std::span<const Bounds> all) {
  for (const auto& [key, least, most] : all)
    if (place.has(key)) within(place.at(key), least, most);
}

// Of a launch.
constexpr std::array kShape{Bounds{"grid_x", 1, kMostBlocks}, Bounds{"grid_y", 1, 65535},
                            Bounds{"grid_z", 1, 65535},       Bounds{"block_x", 1, 1024},
                            Bounds{"block_y", 1, 1024},       Bounds{"block_z", 1, 1024},
                            Bounds{"count", 1, kMostBlocks}};

std::vector<BlockTime> blocks(const Json& place, std::int64_t grid) {
  const std::size_t count = place.at("block").size();
  for (const std::string& column : column_names<BlockTime>())
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, block has {}", place.at(column).size(), count));
  if (static_cast<std::int64_t>(count) > grid)
    place.at("block").refuse(fmt::format("has {} values, the grid has {} blocks", count, grid));
  std::vector<BlockTime> blocks;
  blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    BlockTime time;
    time.block = within(place.at("block").at(i), i == 0 ? 0 : blocks.back().block + 1, grid - 1);
    time.start_ns = within(place.at("start_ns").at(i), 0, kLongestNs);
    time.end_ns = within(place.at("end_ns").at(i), time.start_ns, kLongestNs);
    time.left_ns = within(place.at("left_ns").at(i), time.start_ns, time.end_ns);
    // PTX ISA, %smid: numbers may be missing, and so be larger than there are SMs.
    time.sm = within(place.at("sm").at(i), 0, kMostSms - 1);
    time.weight = place.at("weight").at(i).real();
    if (!(time.weight >= 1 && time.weight <= static_cast<double>(grid)))
      place.at("weight").at(i).refuse(fmt::format("{} is not within 1 and {}", time.weight, grid));
    blocks.push_back(time);
  }
  return blocks;
}

TracedLaunch traced_launch(const Json& place) {
  require_within(place, kShape);
  require_within(place, std::array{Bounds{"sms", 1, kMostSms}, Bounds{"noted_one_in", 1, kMostBlocks},
                                   Bounds{"duration_ns", 0, kLongestNs}});
  auto traced = read_record<TracedLaunch>(place);
  traced.blocks = blocks(place.at("blocks"), traced.grid.count());
  return traced;
}

Trace trace(const Json& place, const std::string& system) {
  auto result = read_record<Trace>(place);
  result.configuration = recorded_configuration(place, system);
  if (place.at("launches").size() == 0) place.at("launches").refuse("has no launch");
  for (std::size_t i = 0; i < place.at("launches").size(); ++i)
    result.launches.push_back(traced_launch(place.at("launches").at(i)));
  return result;
}

std::vector<GridSample> grid_samples(const Json& place, std::int64_t full) {
  std::vector<GridSample> samples;
  const std::size_t count = place.at("blocks").size();
  for (const char* column : {"fitted", "time_ns"})
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, blocks has {}", place.at(column).size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t grid = within(place.at("blocks").at(i), 1, full);
    if (samples.empty() || samples.back().blocks != grid)
      samples.push_back({grid, place.at("fitted").at(i).flag(), {}});
    samples.back().times_ns.push_back(place.at("time_ns").at(i).real());
  }
  return samples;
}

GridCurve curve(const Json& place, const std::string& system) {
  require_within(place, std::array{Bounds{"full_grid", 1, kMostBlocks}, Bounds{"block_threads", 1, 1024},
                                   Bounds{"sms", 1, kMostSms}});
  auto result = read_record<GridCurve>(place);
  result.configuration = recorded_configuration(place, system);
  result.samples = grid_samples(place.at("samples"), result.full_grid);
  return result;
}

std::vector<CounterValue> counter_values(const Json& place) {
  const std::size_t count = place.at("metric").size();
  for (const char* column : {"value", "unit"})
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, metric has {}", place.at(column).size(), count));
  std::vector<CounterValue> values;
  for (std::size_t i = 0; i < count; ++i) {
    const Json number = place.at("value").at(i);
    const double value = number.type() == "null" ? std::numeric_limits<double>::quiet_NaN() : number.real();
    values.push_back(counter_value(place.at("metric").at(i).text(), value, place.at("unit").at(i).text()));
  }
  return values;
}

CounterRun counters(const Json& place, const std::string& system) {
  auto result = read_record<CounterRun>(place);
  result.configuration = recorded_configuration(place, system);
  if (place.at("launches").size() == 0) place.at("launches").refuse("has no launch");
  for (std::size_t i = 0; i < place.at("launches").size(); ++i) {
    const Json launch = place.at("launches").at(i);
    require_within(launch, kShape);
    result.launches.push_back(read_record<CountedLaunch>(launch));
    result.launches.back().values = counter_values(launch.at("values"));
  }
  return result;
}

// A value that may be null.
std::optional<std::int64_t> maybe_within(const Json& place, std::int64_t least, std::int64_t most) {
  if (place.type() == "null") return {};
  return within(place, least, most);
}

std::vector<TimelineRecord> timeline_records(const Json& place) {
  const std::size_t count = place.at("number").size();
  for (const std::string& column : column_names<TimelineRecord>())
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, number has {}", place.at(column).size(), count));
  if (count > Timeline::kMostRecords)
    place.at("number").refuse(fmt::format("has {} values, more than {}", count, Timeline::kMostRecords));
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::vector<TimelineRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    TimelineRecord& record = records.emplace_back();
    record.number =
        within(place.at("number").at(i), static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
    const Json kind = place.at("kind").at(i);
    kind.guarded([&] { return record.kind = from_string<ActivityKind>(kind.text()); });
    record.name = place.at("name").at(i).text();
    if (const auto position = maybe_within(place.at("position").at(i), 0, kMost))
      record.position = static_cast<int>(*position);
    record.gpu = static_cast<int>(within(place.at("gpu").at(i), -kMost, kMost));
    record.stream = static_cast<int>(within(place.at("stream").at(i), 0, kMost));
    record.begin_ns = within(place.at("begin_ns").at(i), i == 0 ? 0 : records[i - 1].begin_ns, kLongestNs);
    record.end_ns = within(place.at("end_ns").at(i), record.begin_ns, kLongestNs);
    record.bytes = maybe_within(place.at("bytes").at(i), 0, std::numeric_limits<std::int64_t>::max());
  }
  return records;
}

Timeline timeline(const Json& place, const std::string& system) {
  require_within(place, std::array{Bounds{"executions", 1, kMostBlocks}, Bounds{"found", 1, kMostBlocks}});
  auto result = read_record<Timeline>(place);
  result.configuration = recorded_configuration(place, system);
  result.records = timeline_records(place.at("records"));
  return result;
}

std::vector<SmSample> sm_samples(const Json& place) {
  std::vector<SmSample> samples;
  const std::size_t count = place.at("sms").size();
  for (const char* column : {"sms_asked", "time_ns"})
    if (place.at(column).size() != count)
      place.at(column).refuse(fmt::format("has {} values, sms has {}", place.at(column).size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    const auto asked = static_cast<int>(within(place.at("sms_asked").at(i), 0, kMostSms));
    const auto sms = static_cast<int>(within(place.at("sms").at(i), 1, kMostSms));
    if (samples.empty() || samples.back().sms_asked != asked) samples.push_back({asked, sms, {}});
    samples.back().times_ns.push_back(place.at("time_ns").at(i).real());
    if (place.has("cluster_slots") && place.at("cluster_slots").at(i).type() != "null")
      samples.back().cluster_slots = within(place.at("cluster_slots").at(i), 1, kMostBlocks);
  }
  return samples;
}

SmCurve sm_curve(const Json& place, const std::string& system) {
  require_within(place, std::array{Bounds{"grid", 1, kMostBlocks}, Bounds{"block_threads", 1, 1024},
                                   Bounds{"blocks_per_sm", 1, 1024}});
  auto result = read_record<SmCurve>(place);
  result.configuration = recorded_configuration(place, system);
  result.samples = sm_samples(place.at("samples"));
  return result;
}

bool is_there(Database& database, const std::string& table, const std::string& at, std::int64_t device,
              const Configuration& configuration, const ObservationRecord& record,
              const std::string& and_is = "") {
  Statement statement = database.prepare(
      fmt::format("SELECT 1 FROM {} JOIN configuration ON configuration.id = configuration_id "
                  "WHERE device_id = ? AND name = ? AND experiment = ? AND {} = ?{}",
                  table, at, and_is));
  return statement.bind_all(device, configuration.name(), record.experiment, record.observed_at).step();
}

// What else has to be the same.
template <class Observation>
std::string alike(const Observation& /*one*/) {
  return "";
}
std::string alike(const CounterRun& one) {
  return fmt::format(" AND method = '{}' AND metric_set = '{}'", to_string(one.method),
                     to_string(one.metric_set));
}

}  // namespace

ImportSummary import_observed(Database& database, const Json& document, const std::string& file) {
  ImportSummary summary{.experiment = recorded_name(document.at("experiment")),
                        .device = document.at("device").text(),
                        .what = "traces, curves, counters and timelines"};
  const std::string system = recorded_system(document.at("system"));
  const auto add_all = [&](const char* list, const std::string& table, const std::string& at, auto read,
                           auto insert) {
    for (std::size_t i = 0; i < document.at(list).size(); ++i) {
      const Json place = document.at(list).at(i);
      const std::int64_t device =
          find_or_insert_device(database, read_record<DeviceDescription>(place.at("device")));
      const auto one = read(place, system);
      auto record = read_record<ObservationRecord>(place);
      record.system = system;
      record.experiment = summary.experiment;
      record.observed_at = place.at(at).text();
      record.recorded_from = file;
      if (is_there(database, table, at, device, one.configuration, record, alike(one))) {
        ++summary.trials_present;
        continue;
      }
      place.guarded([&] { return insert(database, record, device, one); });
      ++summary.trials_added;
    }
  };
  add_all("traces", "trace", "traced_at", trace, insert_trace);
  add_all("curves", "grid_curve", "measured_at", curve, insert_grid_curve);
  if (document.has("sm_curves"))  // recordings of before have none
    add_all("sm_curves", "sm_curve", "measured_at", sm_curve, insert_sm_curve);
  if (document.has("counters")) add_all("counters", "counter_run", "counted_at", counters, insert_counters);
  if (document.has("timelines")) add_all("timelines", "timeline", "observed_at", timeline, insert_timeline);
  return summary;
}

}  // namespace tailwave
