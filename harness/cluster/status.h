#pragma once

#include <string>
#include <vector>

#include "cluster/merge_shards.h"
#include "cluster/shards.h"
#include "cluster/slurm.h"
#include "cluster/submission.h"
#include "core/enum_names.h"
#include "core/table.h"
#include "store/shard_progress.h"

namespace tailwave {

// Of a submission as a whole.
enum class SubmissionPhase {
  under_way,  // tasks or the merge wait or run
  complete,   // every shard is finished, and all that is published is merged
  ended,      // nothing waits or runs, and something is missing
  unknown     // Slurm does not answer
};

template <>
struct EnumNames<SubmissionPhase> {
  static constexpr std::string_view noun = "phase of a submission";
  static constexpr std::array<std::string_view, 4> names{"under way", "complete", "ended", "unknown"};
};

struct ShardStatus {
  ShardState state;
  ShardProgress progress;  // in the snapshot
  std::string problem;     // why the snapshot cannot be read; ""
};

struct SubmissionStatus {
  SubmissionPhase phase = SubmissionPhase::unknown;
  std::vector<ShardStatus> shards;
  std::string merge;                  // what the merge is at: Slurm's word, "merged", "not merged yet", ...
  std::string merged_at;              // UTC; ""
  std::vector<MergedShard> merged;    // what the last merge had
  std::vector<std::string> problems;  // of the last merge
  bool merged_is_kept = false;        // it left the merged database of an earlier one
  std::string slurm_silent;           // why Slurm did not answer; ""
  Table best;                         // the query "best", one of each device and problem, over all snapshots
  std::vector<std::string> next;      // what to type, and what for
};

SubmissionStatus status_of(const Submission& submission);

// "compile_error 3, wrong_result 1": of all shards, without those that are correct.
std::string failures_text(const SubmissionStatus& status);

// The last lines of a file, at most so many; "" where it cannot be read.
std::string last_lines(const std::string& file, std::size_t most);

}  // namespace tailwave
