#include "interchange/ncu_import.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/statistics.h"
#include "interchange/ncu_csv.h"
#include "json/compressed_file.h"
#include "spec/select.h"
#include "store/observation_store.h"
#include "store/record_row.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHowToWriteOne =
    "'ncu --csv --page raw --set full PROGRAM > FILE' writes what can be imported";

// A launch of a current trial's plan.
struct Known {
  std::string system, experiment, device;
  std::int64_t device_id = 0;
  int compute_capability = 0;
  Configuration configuration;
  std::string name;  // of the configuration
  LaunchRecord launch;

  [[nodiscard]] std::string series() const { return system + "/" + experiment; }
};

std::vector<Known> known_launches(Database& database, const NcuScope& scope) {
  Statement row = database.prepare(
      "SELECT run.system, run.experiment, device.name, trial.device_id, device.compute_capability, "
      "configuration.name, " +
      columns_of<Configuration>("configuration") + ", " + columns_of<LaunchRecord>("launch") + R"(
    FROM current_trial
      JOIN run ON run.id = current_trial.run_id
      JOIN trial ON trial.id = current_trial.trial_id
      JOIN device ON device.id = trial.device_id
      JOIN configuration ON configuration.id = trial.configuration_id
      JOIN launch ON launch.trial_id = trial.id
    WHERE trial.outcome = 'correct' AND device.kind = 'cuda'
      AND (:experiment = '' OR :experiment IN (run.experiment, run.system || '/' || run.experiment))
      AND (:device = '' OR :device IN (device.name, device.kind))
    ORDER BY configuration.name, run.experiment, launch.position)");
  row.bind(":experiment", scope.experiment).bind(":device", scope.device);
  std::vector<Known> all;
  while (row.step()) {
    Known& one = all.emplace_back();
    one.system = row.text(0);
    one.experiment = row.text(1);
    one.device = row.text(2);
    one.device_id = row.integer(3);
    one.compute_capability = static_cast<int>(row.integer(4));
    one.name = row.text(5);
    constexpr int kFirst = 6;
    one.configuration = read_row<Configuration>(row, kFirst);
    one.launch = read_row<LaunchRecord>(row, kFirst + static_cast<int>(column_names<Configuration>().size()));
  }
  return all;
}

void select(std::vector<Known>& known, const NcuScope& scope, const std::string& file) {
  if (scope.configurations.empty()) return;
  std::vector<Configuration> all;
  for (const Known& one : known)
    if (std::ranges::none_of(all, [&](const Configuration& other) { return other.name() == one.name; }))
      all.push_back(one.configuration);
  std::set<std::string> chosen;
  for (const Configuration& one : select_configurations(all, scope.configurations, file))
    chosen.insert(one.name());
  std::erase_if(known, [&](const Known& one) { return !chosen.contains(one.name); });
}

bool fits(const NcuLaunch& seen, const Known& known) {
  const auto same_size = [](const std::optional<Dim3>& dimensions, const std::optional<std::int64_t>& size,
                            const Dim3& wanted) {
    if (dimensions) return *dimensions == wanted;
    return !size || *size == wanted.count();
  };
  return kernel_base_name(known.launch.kernel) == seen.kernel &&
         same_size(seen.grid, seen.grid_size, known.launch.grid) &&
         same_size(seen.block, seen.block_size, known.launch.block);
}

// One of each kernel, grid and block, with the median of each counter.
std::vector<NcuLaunch> by_shape(std::vector<NcuLaunch> launches) {
  std::vector<NcuLaunch> shapes;
  std::vector<std::map<std::string, std::vector<double>>> seen;
  for (NcuLaunch& launch : launches) {
    const auto alike = std::ranges::find_if(shapes, [&](const NcuLaunch& one) {
      return one.kernel == launch.kernel && one.grid == launch.grid && one.block == launch.block &&
             one.grid_size == launch.grid_size && one.block_size == launch.block_size;
    });
    const auto place = static_cast<std::size_t>(alike - shapes.begin());
    if (alike == shapes.end()) seen.emplace_back();
    for (const CounterValue& value : launch.values)
      if (value.value) seen[place][value.metric].push_back(*value.value);
    if (alike == shapes.end()) shapes.push_back(std::move(launch));
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (CounterValue& value : shapes[i].values)
      if (const auto& all = seen[i][value.metric]; !all.empty())
        value = counter_value(value.metric, median(all), value.unit);
  }
  return shapes;
}

std::string shape_text(const NcuLaunch& launch) {
  const auto size = [](const std::optional<Dim3>& dimensions, const std::optional<std::int64_t>& count) {
    if (dimensions) return fmt::format("{} x {} x {}", dimensions->x, dimensions->y, dimensions->z);
    return count ? fmt::format("{}", *count) : std::string("?");
  };
  return fmt::format("{} (grid {}, block {})", launch.kernel, size(launch.grid, launch.grid_size),
                     size(launch.block, launch.block_size));
}

// When the file was written, which is what it is known by.
std::string time_of(const fs::path& file) {
  const auto written = std::chrono::file_clock::to_sys(fs::last_write_time(file));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(written))));
}

class NcuImport {
 public:
  NcuImport(Database& database, const fs::path& file, const NcuScope& scope)
      : database_(database), file_(file), scope_(scope), known_(known_launches(database, scope)) {}

  ImportSummary run(NcuReport report) {
    std::vector<NcuLaunch>& launches = report.launches;
    if (const auto empty = std::erase_if(launches, [](const NcuLaunch& one) { return one.values.empty(); });
        empty > 0)
      report.faults.push_back(fmt::format("launches without a counter: {}", empty));
    if (launches.empty())
      refuse(fmt::format("holds no number of a metric: {}", some_of(report.faults)), kHowToWriteOne);
    if (known_.empty())
      refuse("the database has no correct configuration" + of_scope(),
             "'tailwave run' measures some, whose launches are then looked for in the file");
    select(known_, scope_, file_.string());
    require_one_device(launches);
    std::vector<std::string> unknown;
    for (const NcuLaunch& launch : by_shape(std::move(launches)))
      if (!take(launch)) unknown.push_back(shape_text(launch));
    if (counted_.empty())
      refuse(fmt::format("no configuration{} launches {}", of_scope(), fmt::join(unknown, " or ")),
             "--experiment and --config name what was profiled; kernel, grid and block have to be the same");
    ImportSummary summary{.experiment = series_, .device = known_.front().device, .what = "configurations"};
    for (const auto& [name, one] : counted_) store(one, summary);
    if (!unknown.empty())
      report.faults.insert(report.faults.begin(), fmt::format("no configuration{} launches {}", of_scope(),
                                                              fmt::join(unknown, ", ")));
    if (!report.faults.empty()) summary.remark = "left out: " + some_of(report.faults, "; ");
    return summary;
  }

 private:
  struct Counted {
    const Known* known = nullptr;
    CounterRun counters;
  };

  [[noreturn]] void refuse(const std::string& cause, const std::string& hint) const {
    throw Error(Diagnostic{.file = file_.string(), .cause = cause, .hint = hint});
  }

  [[nodiscard]] std::string of_scope() const {
    return (scope_.experiment.empty() ? "" : " of '" + scope_.experiment + "'") +
           (scope_.configurations.empty() ? "" : " with '" + scope_.configurations + "'") +
           (scope_.device.empty() ? "" : " on " + scope_.device);
  }

  void require_one_device(const std::vector<NcuLaunch>& launches) {
    std::set<std::string> devices;
    for (const Known& one : known_) devices.insert(one.device);
    if (devices.size() > 1)
      refuse(fmt::format("several GPUs have run such configurations: {}", fmt::join(devices, ", ")),
             "--device names the one that was profiled");
    const int own = known_.front().compute_capability;
    for (const NcuLaunch& launch : launches)
      if (launch.compute_capability != 0 && launch.compute_capability != own)
        refuse(fmt::format("was profiled on a GPU of compute capability {}, and {} has {}",
                           launch.compute_capability, *devices.begin(), own),
               "--device names the one that was profiled");
  }

  // Whether a configuration launches it.
  bool take(const NcuLaunch& seen) {
    std::set<std::string> names, series;
    const Known* found = nullptr;
    for (const Known& one : known_) {
      if (!fits(seen, one)) continue;
      names.insert(one.name);
      series.insert(one.series());
      if (found == nullptr) found = &one;
    }
    if (found == nullptr) return false;
    if (names.size() > 1)
      refuse(fmt::format("{} may be of {} configurations: {}", shape_text(seen), names.size(),
                         some_of({names.begin(), names.end()})),
             "--config (and --experiment) name the one that was profiled");
    if (series.size() > 1)
      refuse(fmt::format("'{}' is a configuration of {}", found->name, fmt::join(series, ", ")),
             "--experiment names the one that was profiled");
    add(*found, seen);
    return true;
  }

  static std::string some_of(const std::vector<std::string>& texts, std::string_view between = ", ") {
    constexpr std::size_t kMost = 5;
    const std::span<const std::string> some(texts.data(), std::min(texts.size(), kMost));
    return fmt::format("{}{}", fmt::join(some, between),
                       texts.size() > kMost ? fmt::format("{}...", between) : "");
  }

  void add(const Known& known, const NcuLaunch& seen) {
    series_ = known.series();
    Counted& one = counted_[known.name];
    if (one.known == nullptr)
      one = {&known,
             {.configuration = known.configuration,
              .method = CounterMethod::ncu,
              .metric_set = CounterSet::imported,
              .compiler = ""}};
    std::int64_t count = 0;
    for (const Known& other : known_)
      if (other.name == known.name && other.series() == series_ && fits(seen, other))
        count += other.launch.count;
    one.counters.launches.push_back({.position = known.launch.position,
                                     .kernel = known.launch.kernel,
                                     .grid = known.launch.grid,
                                     .block = known.launch.block,
                                     .dynamic_shared_bytes = known.launch.dynamic_shared_bytes,
                                     .count = count,
                                     .values = seen.values});
  }

  void store(const Counted& one, ImportSummary& summary) {
    const ObservationRecord record{.system = one.known->system,
                                   .experiment = one.known->experiment,
                                   .observed_at = time_of(file_),
                                   .driver = "",  // which it was nobody knows
                                   .commit = "",
                                   .recorded_from = file_.string()};
    Statement present = database_.prepare(R"(
      SELECT 1 FROM counter_run JOIN configuration ON configuration.id = configuration_id
      WHERE device_id = ? AND name = ? AND counter_run.experiment = ? AND counted_at = ? AND method = 'ncu')");
    if (present.bind_all(one.known->device_id, one.known->name, record.experiment, record.observed_at)
            .step()) {
      ++summary.trials_present;
      return;
    }
    insert_counters(database_, record, one.known->device_id, one.counters);
    ++summary.trials_added;
  }

  Database& database_;
  const fs::path& file_;
  const NcuScope& scope_;
  std::vector<Known> known_;
  std::map<std::string, Counted> counted_;  // by configuration
  std::string series_;
};

}  // namespace

ImportSummary import_ncu(Database& database, const fs::path& file, const NcuScope& scope) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  NcuReport report = parse_ncu_csv(read_decompressed(file, kMostBytes));
  if (report.launches.empty())
    throw Error(Diagnostic{.file = file.string(),
                           .cause = !report.obstacle.empty()
                                        ? report.obstacle
                                        : "has no launch in a table as 'ncu --csv' prints it" +
                                              (report.faults.empty() ? "" : "; " + report.faults.front()),
                           .hint = kHowToWriteOne});
  Transaction transaction(database);
  ImportSummary summary = NcuImport(database, file, scope).run(std::move(report));
  transaction.commit();
  return summary;
}

}  // namespace tailwave
