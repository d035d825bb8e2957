#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cluster/slurm.h"
#include "cluster/submission.h"
#include "cluster/task_record.h"
#include "core/enum_names.h"

namespace tailwave {

// How far a shard is.
enum class ShardPhase {
  waiting,
  running,
  finished,    // each of its configurations has a result, which may be a failure
  unfinished,  // killed, timed out, preempted, failed: to be submitted again
  cancelled,   // by scancel: whoever did that decides
  given_up,    // to submit it again would change nothing
  unknown      // Slurm does not answer
};

template <>
struct EnumNames<ShardPhase> {
  static constexpr std::string_view noun = "phase of a shard";
  static constexpr std::array<std::string_view, 7> names{"waiting",   "running",  "finished", "unfinished",
                                                         "cancelled", "given up", "unknown"};
};

struct ShardState {
  std::size_t shard = 1;
  ShardPhase phase = ShardPhase::unknown;
  std::string reason;  // Slurm's word, or the task's own cause; ""
  std::optional<TaskRecord> record;
  std::string job, node;  // of Slurm, where it knows them
  bool record_is_broken = false;
};

// How closely the snapshots of finished shards are looked at: whether they can be opened, or as a merge does, which reads
// them whole.
enum class SnapshotCheck { opens, sound };

// Of every shard by what tasks have published and Slurm says. A shard whose record cannot be read is unknown, with the cause
// and what to do.
std::vector<ShardState> shard_states(const Submission& submission, const SlurmAnswer& slurm,
                                     SnapshotCheck check);

// Of one. `engine_runs`: a local engine works at the submission.
ShardState shard_state(const Submission& submission, std::size_t shard, std::optional<TaskRecord> record,
                       const SlurmJob* job, bool slurm_answered, bool engine_runs);

// Whether a process has the submission's local engine, on this machine.
bool engine_runs(const Submission& submission);

// Those that a merge submits again: the unfinished ones. A shard is submitted again as long as it gets on; once
// `retries` attempts more in a row have published no new result, or one has failed for good, it is given up.
std::vector<std::size_t> shards_to_submit(const std::vector<ShardState>& states);

// Those of a phase.
std::vector<std::size_t> shards_in(const std::vector<ShardState>& states, ShardPhase phase);

}  // namespace tailwave
