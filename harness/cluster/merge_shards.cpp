#include "cluster/merge_shards.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cluster/local_folder.h"
#include "cluster/task_record.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/whole_file.h"
#include "json/json_file.h"
#include "store/database.h"
#include "store/merge.h"
#include "store/rankings.h"
#include "store/shard_progress.h"
#include "store/snapshot.h"
#include "tune/environment.h"

namespace tailwave {

namespace fs = std::filesystem;

namespace {

// Why a merge would refuse it beside what there is already; "": it would not.
std::string why_different(Database& into, Database& source) {
  try {
    require_alike(into, source);
    return "";
  } catch (const Error& error) {
    if (error.exit_status() != Error::kBadUsage) throw;
    const std::string text = error.what();
    return text.substr(0, text.find("\n  --allow-different"));
  }
}

// 0: it says nothing, or nothing that can be read.
int attempt_of(const Submission& submission, std::size_t shard) {
  try {
    return read_task_record(submission.record(shard)).value_or(TaskRecord{}).attempt;
  } catch (const Error&) {
    return 0;
  }
}

// A merged database that has more than can be merged now is worth more, where a snapshot is refused; "": it has not.
std::string why_kept(const Submission& submission, std::int64_t trials, const MergeRecord& record) {
  std::error_code error;
  if (record.problems.empty() || !fs::exists(submission.merged(), error)) return "";
  try {
    Database earlier(submission.merged(), Database::Mode::read_only);
    require_sound(earlier);
    const std::int64_t had = stored_trials(earlier);
    if (had <= trials) return "";
    return fmt::format("{} stays as it was, with {} results: without what is not merged it would have {}",
                       submission.merged().string(), had, trials);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::optional<fs::path> merge_snapshots(const Submission& submission, const fs::path& folder,
                                        MergeRecord& record) {
  const fs::path file = folder / "merged.db";
  std::optional<Database> into;
  for (std::size_t shard = 1; shard <= submission.tasks; ++shard) {
    std::error_code error;
    const fs::path snapshot = submission.snapshot(shard);
    if (!fs::exists(snapshot, error)) continue;
    const int attempt = attempt_of(submission, shard);
    try {
      Database source(snapshot, Database::Mode::read_only);
      require_sound(source);
      if (!into) into.emplace(file, Database::Mode::read_write);
      if (const std::string why = why_different(*into, source); !why.empty()) {
        record.problems.push_back(why);
        record.different.push_back(shard);
        continue;
      }
      merge_database(*into, source, {});
      record.shards.push_back({shard, attempt, stored_trials(source)});
    } catch (const Error& problem) {
      record.problems.emplace_back(problem.what());
    }
  }
  if (!into) return {};
  return file;
}

MergeRecord publish_merged(const Submission& submission) {
  MergeRecord record;
  const TemporaryFolder scratch("tailwave-merge-", local_disk());
  const std::optional<fs::path> merged = merge_snapshots(submission, scratch.path(), record);
  record.merged_at = utc_now();
  std::int64_t trials = 0;
  if (merged) {
    Database database(*merged, Database::Mode::read_write);
    trials = stored_trials(database);
    keep_rankings(database);
  }
  record.kept = why_kept(submission, trials, record);
  if (merged && record.kept.empty()) publish_snapshot(*merged, scratch.path(), submission.merged());
  auto shards = nlohmann::ordered_json::array();
  for (const MergedShard& one : record.shards)
    shards.push_back({{"shard", one.shard}, {"attempt", one.attempt}, {"trials", one.trials}});
  const nlohmann::ordered_json json{{"merged_at", record.merged_at},
                                    {"shards", shards},
                                    {"problems", record.problems},
                                    {"different", record.different},
                                    {"kept", record.kept}};
  replace_file(submission.merge_record(), json.dump(2) + "\n");
  return record;
}

std::optional<MergeRecord> read_merge_record(const Submission& submission) {
  std::error_code error;
  if (!fs::exists(submission.merge_record(), error)) return {};
  const Json json = read_json_file(submission.merge_record()).document;
  MergeRecord record{.merged_at = json.at("merged_at").text(),
                     .shards = {},
                     .problems = {},
                     .different = {},
                     .kept = json.text_or_empty("kept")};
  for (const Json& shard : json.at("shards").items())
    record.shards.push_back({static_cast<std::size_t>(shard.at("shard").whole()), shard.at("attempt").small(),
                             shard.at("trials").whole()});
  for (const Json& problem : json.at("problems").items()) record.problems.push_back(problem.text());
  for (const Json& shard : json.find("different").items())
    record.different.push_back(static_cast<std::size_t>(shard.whole()));
  return record;
}

}  // namespace tailwave
