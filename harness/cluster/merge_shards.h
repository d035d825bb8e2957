#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cluster/submission.h"

namespace tailwave {

// What a merge had of a shard.
struct MergedShard {
  std::size_t shard = 1;
  int attempt = 0;          // that the task was at before its snapshot was read
  std::int64_t trials = 0;  // in the snapshot
};

// What a merge says of itself, in merge.json.
struct MergeRecord {
  std::string merged_at;               // UTC
  std::vector<MergedShard> shards;     // that had a snapshot
  std::vector<std::string> problems;   // a line for each snapshot that could not be merged
  std::vector<std::size_t> different;  // of them, those that are not comparable with the others
  std::string kept;                    // why the merged database before was not replaced; "": it was
};

// Puts the snapshots of all shards into one new database in `folder`, a local one: its file. None where there is no
// snapshot. Snapshots that are damaged, or not of one experiment and version, are left out and named in `record`.
std::optional<std::filesystem::path> merge_snapshots(const Submission& submission,
                                                     const std::filesystem::path& folder,
                                                     MergeRecord& record);

// The same, published as the submission's merged database, in place of the one before, with its record; but not one
// with fewer trials, where a snapshot was refused. So what it has
// follows from the snapshots alone, and a merge that is killed leaves what was there.
MergeRecord publish_merged(const Submission& submission);

// None where nothing was merged.
std::optional<MergeRecord> read_merge_record(const Submission& submission);

}  // namespace tailwave
