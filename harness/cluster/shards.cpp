#include "cluster/shards.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <filesystem>
#include <utility>

#include "cluster/local_folder.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "store/database.h"
#include "store/merge.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

// Of a task that nothing runs any more, and that has not finished.
void judge_ended(ShardState& state, const Submission& submission) {
  const std::optional<TaskRecord>& record = state.record;
  if (record && !record->cause.empty()) state.reason = record->cause;
  if (record && record->state == TaskState::running && state.reason.empty()) state.reason = "killed";
  state.phase = ShardPhase::unfinished;
  const bool is_hopeless =
      record && (record->permanent || record->fruitless > static_cast<std::int64_t>(submission.retries));
  const bool never_began = !record && submission.rounds_with(state.shard) > submission.retries;
  if (is_hopeless || never_began) state.phase = ShardPhase::given_up;
  if (never_began && state.reason.empty()) state.reason = "never began";
}

// What a task has published may have been lost or damaged since.
bool is_readable(const std::filesystem::path& snapshot, SnapshotCheck check) {
  try {
    Database database(snapshot, Database::Mode::read_only);
    if (check == SnapshotCheck::sound) require_sound(database);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void look_at_snapshot(ShardState& state, const Submission& submission, SnapshotCheck check) {
  const bool has_published = state.record && !state.record->published_at.empty();
  if (state.phase != ShardPhase::finished || !has_published ||
      is_readable(submission.snapshot(state.shard), check))
    return;
  state.phase = ShardPhase::unfinished;
  state.reason = "its snapshot cannot be read, or is damaged";
}

// What was killed did not say so; the engine begins it again when the others have ended.
void look_at_process(ShardState& state) {
  const std::optional<TaskRecord>& record = state.record;
  if (state.phase != ShardPhase::running || record->local.empty() || record->machine != machine_name() ||
      is_held(std::filesystem::path(record->local).parent_path()))
    return;
  state.phase = ShardPhase::waiting;
  state.reason = "killed";
}

ShardState with_broken_record(std::size_t shard, const std::string& problem) {
  return {.shard = shard,
          .phase = ShardPhase::unknown,
          .reason = problem,
          .record = {},
          .job = {},
          .node = {},
          .record_is_broken = true};
}

}  // namespace

ShardState shard_state(const Submission& submission, std::size_t shard, std::optional<TaskRecord> record,
                       const SlurmJob* job, bool slurm_answered, bool engine_runs) {
  ShardState state{.shard = shard,
                   .phase = ShardPhase::unknown,
                   .reason = {},
                   .record = std::move(record),
                   .job = {},
                   .node = {},
                   .record_is_broken = false};
  if (job != nullptr) {
    state.job = job->job;
    state.node = job->node;
  }
  if (state.record && state.record->state == TaskState::finished) {
    state.phase = ShardPhase::finished;
    return state;
  }
  if (job != nullptr && is_under_way(job->state)) {
    state.phase = is_waiting(job->state) ? ShardPhase::waiting : ShardPhase::running;
    if (job->reason != "None") state.reason = job->reason;
    return state;
  }
  const bool is_open = !state.record || state.record->state == TaskState::running;
  if (engine_runs && is_open) {
    state.phase = state.record ? ShardPhase::running : ShardPhase::waiting;
    return state;
  }
  if (job != nullptr && job->state == "CANCELLED") {
    state.phase = ShardPhase::cancelled;
    return state;
  }
  if (!slurm_answered && is_open) return state;
  if (job != nullptr && job->state != "COMPLETED") state.reason = job->state;
  judge_ended(state, submission);
  return state;
}

std::vector<ShardState> shard_states(const Submission& submission, const SlurmAnswer& slurm,
                                     SnapshotCheck check) {
  const bool is_local = submission.engine == Engine::local;
  const bool runs = is_local && engine_runs(submission);
  std::vector<ShardState> states;
  for (std::size_t shard = 1; shard <= submission.tasks; ++shard) {
    try {
      states.push_back(shard_state(submission, shard, read_task_record(submission.record(shard)),
                                   slurm.find(shard), is_local || slurm.why_not.empty(), runs));
      if (is_local) look_at_process(states.back());
      look_at_snapshot(states.back(), submission, check);
    } catch (const Error& error) {
      states.push_back(with_broken_record(shard, error.what()));
    }
  }
  return states;
}

bool engine_runs(const Submission& submission) {
  const Descriptor lock(open(submission.engine_lock().c_str(), O_RDONLY | O_CLOEXEC));
  return lock.number() >= 0 && flock(lock.number(), LOCK_SH | LOCK_NB) != 0;
}

std::vector<std::size_t> shards_in(const std::vector<ShardState>& states, ShardPhase phase) {
  std::vector<std::size_t> shards;
  for (const ShardState& state : states)
    if (state.phase == phase) shards.push_back(state.shard);
  return shards;
}

std::vector<std::size_t> shards_to_submit(const std::vector<ShardState>& states) {
  return shards_in(states, ShardPhase::unfinished);
}

}  // namespace tailwave
