#include "store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/rows.h"
#include "store/table_shape.h"

namespace tailwave {
namespace {

// What results have to have in common to be compared.
struct Aspect {
  const char* column;
  const char* what;
};
constexpr Aspect kSpec{"spec_text", "the spec"};
constexpr std::array<Aspect, 4> kOthers{{{"system_hash", "the manifest or a source"},
                                         {"compiler", "the compiler"},
                                         {"host_compiler", "the compiler"},
                                         {"tailwave_version", "the version of tailwave"}}};

// The latest measured run of an experiment on a device.
struct LatestRun {
  std::int64_t run = 0;
  std::string started_at, spec;
  std::array<std::optional<std::string>, kOthers.size()> others;
};

struct RunSeries {
  std::string system, experiment, kind, device;

  [[nodiscard]] std::string name() const { return fmt::format("{}/{} on {}", system, experiment, device); }
};

// Of what was timed by the other compiler this one says nothing.
constexpr const char* kLatest = R"(
  SELECT run.id, started_at, spec_text, system_hash, iif(device.kind = 'cuda', compiler, NULL),
    iif(device.kind = 'cpu', host_compiler, NULL), tailwave_version
  FROM run JOIN device ON device.id = run.device_id
  WHERE system = ? AND experiment = ? AND device.kind = ? AND device.name = ? AND recorded_from IS NULL
  ORDER BY started_at DESC, identity DESC LIMIT 1)";

std::optional<LatestRun> latest_run(Database& database, const RunSeries& series) {
  Statement row = database.prepare(kLatest);
  row.bind_all(series.system, series.experiment, series.kind, series.device);
  if (!row.step()) return std::nullopt;
  LatestRun latest{row.integer(0), row.text(1), row.text(2), {}};
  for (std::size_t i = 0; i < kOthers.size(); ++i)
    if (const int column = static_cast<int>(i) + 3; !row.is_null(column)) latest.others[i] = row.text(column);
  return latest;
}

std::vector<std::string> identities(Database& database) {
  Statement row = database.prepare("SELECT identity FROM run ORDER BY identity");
  std::vector<std::string> all;
  while (row.step()) all.push_back(row.text(0));
  return all;
}

// Of which the source has a measured run that is new here.
std::vector<RunSeries> series_with_new_runs(Database& into, Database& source) {
  const std::vector<std::string> known = identities(into);
  Statement row = source.prepare(R"(
    SELECT system, experiment, device.kind, device.name, identity FROM run JOIN device ON device.id = run.device_id
    WHERE recorded_from IS NULL ORDER BY 1, 2, 3, 4)");
  std::vector<RunSeries> all;
  while (row.step()) {
    if (std::ranges::binary_search(known, row.text(4))) continue;
    RunSeries one{row.text(0), row.text(1), row.text(2), row.text(3)};
    if (all.empty() || all.back().name() != one.name() || all.back().kind != one.kind)
      all.push_back(std::move(one));
  }
  return all;
}

// "line 3: '"N": 8' and '"N": 9'"
std::string first_difference(const std::string& one, const std::string& other) {
  std::istringstream lines(one), other_lines(other);
  std::string line, other_line;
  for (int number = 1;; ++number) {
    const bool has_line = static_cast<bool>(std::getline(lines, line));
    const bool has_other = static_cast<bool>(std::getline(other_lines, other_line));
    if (!has_line) line.clear();
    if (!has_other) other_line.clear();
    if (line != other_line || (!has_line && !has_other))
      return fmt::format("line {}: '{}' and '{}'", number, line, other_line);
  }
}

std::string difference(const LatestRun& one, const LatestRun& other) {
  if (one.spec != other.spec)
    return fmt::format("{}, {}", kSpec.what, first_difference(one.spec, other.spec));
  for (std::size_t i = 0; i < kOthers.size(); ++i) {
    if (!one.others[i] || !other.others[i] || *one.others[i] == *other.others[i]) continue;
    if (i == 0) return fmt::format("{} of its variants or its reference", kOthers[i].what);
    return fmt::format("{}, '{}' and '{}'", kOthers[i].what, *one.others[i], *other.others[i]);
  }
  return "";
}

}  // namespace

void require_alike(Database& into, Database& source) {
  for (const RunSeries& series : series_with_new_runs(into, source)) {
    const auto here = latest_run(into, series), there = latest_run(source, series);
    if (!here || !there) continue;
    const std::string differing = difference(*there, *here);
    if (differing.empty()) continue;
    throw Error(Diagnostic{
        .file = source.file().string(),
        .cause = fmt::format("run {} of {}, {}, is not comparable with run {} of {}, {}: they differ in {}",
                             there->run, series.name(), there->started_at, here->run, into.file().string(),
                             here->started_at, differing),
        .hint = "--allow-different keeps both, and the later run then says which configurations count"});
  }
}

void require_sound(Database& source) {
  Statement row = source.prepare("PRAGMA quick_check(1)");
  if (row.step() && row.text(0) != "ok")
    throw Error(Diagnostic{.file = source.file().string(),
                           .cause = "the database is damaged: " + row.text(0),
                           .hint = "nothing of it was merged"},
                Error::kRunFailed);
}

namespace {

// Reports and exports make files of them.
void require_names(Database& source, const std::vector<TableShape>& tables) {
  for (const TableShape& table : tables) {
    if (!table.has("system") || !table.has("experiment")) continue;
    Statement row = source.prepare(
        fmt::format("SELECT DISTINCT coalesce(system, 'any'), experiment FROM main.{}", table.name));
    while (row.step()) {
      try {
        require_file_names(row.text(0), row.text(1));
      } catch (const Error& error) {
        throw Error(Diagnostic{.file = source.file().string(), .cause = error.what()});
      }
    }
  }
}

class Attached {
 public:
  Attached(Database& into, const Database& source) : into_(into) { into.attach(source, kMerged); }
  ~Attached() {
    sqlite3_exec(into_.handle(), fmt::format("DETACH {}", kMerged).c_str(), nullptr, nullptr, nullptr);
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  Database& into_;
};

}  // namespace

MergedRows merge_database(Database& into, Database& source, const MergeOptions& options) {
  const std::vector<TableShape> tables = table_shapes(into);
  require_names(source, tables);
  if (!options.allow_different) require_alike(into, source);
  // Indices are filled in an order of their own, and what does not fit is read again and again.
  into.execute("PRAGMA cache_size = -262144");
  into.execute("PRAGMA temp_store = MEMORY");
  const Attached attached(into, source);
  Transaction transaction(into);
  MergedRows merged = merge_rows(into, tables, source.file().string());
  into.execute("DELETE FROM unfinished_trial WHERE key IN (SELECT key FROM trial)");
  transaction.commit();
  return merged;
}

}  // namespace tailwave
