#include "cluster/merge_shards.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "cluster/local_folder.h"
#include "core/error.h"
#include "core/whole_file.h"
#include "json/json_file.h"
#include "store/database.h"
#include "store/merge.h"
#include "store/rankings.h"
#include "store/snapshot.h"
#include "tune/environment.h"

namespace tailwave {

namespace fs = std::filesystem;

std::optional<fs::path> merge_snapshots(const Submission& submission, const fs::path& folder,
                                        MergeRecord& record) {
  const fs::path file = folder / "merged.db";
  std::optional<Database> into;
  for (std::size_t shard = 1; shard <= submission.tasks; ++shard) {
    std::error_code error;
    const fs::path snapshot = submission.snapshot(shard);
    if (!fs::exists(snapshot, error)) continue;
    try {
      Database source(snapshot, Database::Mode::read_only);
      require_sound(source);
      if (!into) into.emplace(file, Database::Mode::read_write);
      merge_database(*into, source, {});
      record.shards.push_back(shard);
    } catch (const Error& problem) {
      record.problems.emplace_back(problem.what());
    }
  }
  if (!into) return {};
  return file;
}

MergeRecord publish_merged(const Submission& submission) {
  MergeRecord record;
  const LocalScratch scratch("tailwave-merge");
  const std::optional<fs::path> merged = merge_snapshots(submission, scratch.path(), record);
  record.merged_at = utc_now();
  if (merged) {
    {
      Database database(*merged, Database::Mode::read_write);
      keep_rankings(database);
    }
    publish_snapshot(*merged, scratch.path(), submission.merged());
  }
  const nlohmann::ordered_json json{
      {"merged_at", record.merged_at}, {"shards", record.shards}, {"problems", record.problems}};
  replace_file(submission.merge_record(), json.dump(2) + "\n");
  return record;
}

std::optional<MergeRecord> read_merge_record(const Submission& submission) {
  std::error_code error;
  if (!fs::exists(submission.merge_record(), error)) return {};
  const Json json = read_json_file(submission.merge_record()).document;
  MergeRecord record{.merged_at = json.at("merged_at").text(), .shards = {}, .problems = {}};
  for (const Json& shard : json.at("shards").items())
    record.shards.push_back(static_cast<std::size_t>(shard.whole()));
  for (const Json& problem : json.at("problems").items()) record.problems.push_back(problem.text());
  return record;
}

}  // namespace tailwave
