#include "cluster/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

#include "cluster/local_folder.h"
#include "cluster/scripts.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/temporary_folder.h"
#include "report/queries.h"
#include "store/database.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

ShardStatus shard_status(const Submission& submission, const ShardState& state) {
  ShardStatus status{.state = state, .progress = {}, .problem = {}};
  std::error_code error;
  const fs::path snapshot = submission.snapshot(state.shard);
  if (!fs::exists(snapshot, error)) return status;
  try {
    Database database(snapshot, Database::Mode::read_only);
    status.progress = shard_progress(database, submission.system, submission.experiment);
  } catch (const Error& problem) {
    status.problem = problem.what();
    if (status.state.phase == ShardPhase::finished) status.state.phase = ShardPhase::unfinished;
  }
  return status;
}

bool has(const SubmissionStatus& status, ShardPhase phase) {
  return std::ranges::any_of(status.shards,
                             [&](const ShardStatus& shard) { return shard.state.phase == phase; });
}

// Not by the time, which two machines may see differently.
bool is_merged(const SubmissionStatus& status, const ShardState& state) {
  if (!state.record || state.record->published_at.empty()) return true;
  return std::ranges::any_of(status.merged, [&](const MergedShard& one) {
    return one.shard == state.shard && one.attempt == state.record->attempt &&
           one.trials >= state.record->trials;
  });
}

// All that tasks have published is in the merged database.
bool is_merged(const SubmissionStatus& status) {
  return !status.merged_at.empty() && status.problems.empty() &&
         std::ranges::all_of(status.shards,
                             [&](const ShardStatus& shard) { return is_merged(status, shard.state); });
}

std::string merge_text(const SubmissionStatus& status, const SlurmJob* job) {
  if (job != nullptr && is_under_way(job->state))
    return fmt::format("{} (job {}{})", is_waiting(job->state) ? "waiting" : "running", job->job,
                       job->reason == "None" || job->reason.empty() ? "" : ", " + job->reason);
  std::string text = status.merged_at.empty() ? "not merged yet"
                     : status.merged_is_kept  ? "an earlier one is kept, which has more"
                     : is_merged(status)      ? "merged"
                                              : "merged before what was published since";
  if (job != nullptr && job->state != "COMPLETED")
    text += fmt::format("; its job {} ended as {}", job->job, job->state);
  return text;
}

SubmissionPhase phase_of(const SubmissionStatus& status, bool merge_is_under_way) {
  if (has(status, ShardPhase::waiting) || has(status, ShardPhase::running) || merge_is_under_way)
    return SubmissionPhase::under_way;
  const bool all_finished = std::ranges::all_of(
      status.shards, [](const ShardStatus& shard) { return shard.state.phase == ShardPhase::finished; });
  if (all_finished && is_merged(status)) return SubmissionPhase::complete;
  return status.slurm_silent.empty() ? SubmissionPhase::ended : SubmissionPhase::unknown;
}

// The merge first, so that it does not begin when the tasks have ended.
std::string jobs_of_last_round(const Submission& submission) {
  if (submission.rounds.empty()) return "--name=" + submission.job_name();
  const Round& last = submission.rounds.back();
  return fmt::format("{}{}{}", last.merge_job, last.merge_job.empty() || last.array_job.empty() ? "" : " ",
                     last.array_job);
}

std::vector<std::string> next_steps(const Submission& submission, const SubmissionStatus& status) {
  const std::string folder = shell_word(submission.folder.string());
  switch (status.phase) {
    case SubmissionPhase::under_way:
      if (submission.engine == Engine::local) return {};
      return {fmt::format("scancel {}: ends it; 'tailwave submit {}' continues it then",
                          jobs_of_last_round(submission), folder)};
    case SubmissionPhase::complete:
      return {
          fmt::format("tailwave query best --db {}: the results", shell_word(submission.merged().string())),
          fmt::format("tailwave merge {} --into results/tailwave.db: puts them beside others",
                      shell_word(submission.merged().string()))};
    case SubmissionPhase::ended:
      return {fmt::format("tailwave submit {}: submits what is missing again, and the merge", folder)};
    case SubmissionPhase::unknown:
      return {"tailwave status, where squeue answers: whether its tasks still run"};
  }
  return {};
}

// Of the merged database where it has all, else of one that is made for it.
Table best_of(const Submission& submission, const SubmissionStatus& status) {
  const Values parameters{{"experiment", submission.system + "/" + submission.experiment},
                          {"limit", std::int64_t{1}}};
  const NamedQuery query = find_query("best", submission.directory);
  std::error_code error;
  if ((is_merged(status) || status.merged_is_kept) && fs::exists(submission.merged(), error)) {
    Database database(submission.merged(), Database::Mode::read_only);
    return run_query(database, query, parameters);
  }
  const TemporaryFolder scratch("tailwave-status-", local_disk());
  MergeRecord record;
  const std::optional<fs::path> file = merge_snapshots(submission, scratch.path(), record);
  if (!file) return {};
  Database database(*file, Database::Mode::read_only);
  return run_query(database, query, parameters);
}

std::vector<std::string> repairs(const Submission& submission, const SubmissionStatus& status) {
  std::vector<std::string> steps;
  for (const ShardStatus& shard : status.shards)
    if (shard.state.record_is_broken)
      steps.push_back(fmt::format("rm {}: it cannot be read; the shard then goes on from its snapshot",
                                  shell_word(submission.record(shard.state.shard).string())));
  return steps;
}

// What the last merge says, or that it cannot be read: then nothing counts as merged.
void look_at_merge(const Submission& submission, SubmissionStatus& status) try {
  const MergeRecord merged = read_merge_record(submission).value_or(MergeRecord{});
  status.merged_at = merged.merged_at;
  status.merged = merged.shards;
  status.problems = merged.problems;
  status.merged_is_kept = !merged.kept.empty();
} catch (const Error& error) {
  status.problems = {error.what(), "the next merge writes it anew"};
}

}  // namespace

SubmissionStatus status_of(const Submission& submission) {
  SubmissionStatus status;
  const SlurmAnswer slurm = submission.engine == Engine::slurm ? ask_slurm(submission) : SlurmAnswer{};
  status.slurm_silent = slurm.why_not;
  for (const ShardState& state : shard_states(submission, slurm, SnapshotCheck::opens))
    status.shards.push_back(shard_status(submission, state));
  look_at_merge(submission, status);
  const SlurmJob* const merge = slurm.find(0);
  status.merge = merge_text(status, merge);
  const bool engine = submission.engine == Engine::local && engine_runs(submission);
  status.phase = phase_of(status, engine || (merge != nullptr && is_under_way(merge->state)));
  status.next = repairs(submission, status);
  std::ranges::copy(next_steps(submission, status), std::back_inserter(status.next));
  status.best = best_of(submission, status);
  return status;
}

std::string failures_text(const SubmissionStatus& status) {
  std::map<std::string, std::int64_t> failures;
  for (const ShardStatus& shard : status.shards)
    for (const auto& [name, count] : shard.progress.outcomes)
      if (is_failure(from_string<Outcome>(name))) failures[name] += count;
  std::vector<std::string> parts;
  for (const auto& [name, count] : failures) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string last_lines(const std::string& file, std::size_t most) {
  constexpr std::streamoff kEnd = 4096;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "";
  stream.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(stream.tellg()) - kEnd));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace tailwave
