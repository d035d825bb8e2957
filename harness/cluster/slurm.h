#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/submission.h"
#include "core/error.h"

namespace tailwave {

// A job of a submission as Slurm knows it: a task, or with shard 0 a merge.
struct SlurmJob {
  std::string job;  // "12_3", or "13" of a merge
  std::size_t shard = 0;
  std::string state;   // Slurm's word: RUNNING
  std::string reason;  // why it waits; "None"
  std::string node;
};

// Of each shard, and of the merge, the job that was submitted last.
struct SlurmAnswer {
  std::vector<SlurmJob> jobs;
  std::string why_not;  // Slurm did not answer; "": it did

  // Null where Slurm knows none any more, or did not answer; 0: the merge.
  [[nodiscard]] const SlurmJob* find(std::size_t shard) const;
};

// Asks squeue, which knows the jobs that wait, run or have ended some minutes ago, and sacct for those that it has
// forgotten, where this Slurm keeps accounts.
SlurmAnswer ask_slurm(const Submission& submission);

// Of squeue's or sacct's lines, each "JOB|ARRAY|INDEX|STATE|REASON|NODE|NAME" with an empty or other text for what there is not.
SlurmAnswer read_slurm_jobs(std::string_view lines, const Submission& submission);

// In the queue, or under way: also where its processes have only been told to end.
bool is_under_way(std::string_view state);
bool is_waiting(std::string_view state);

// sbatch said no, so there is no job.
class SbatchRefused : public Error {
 public:
  using Error::Error;
};

// Runs a command line of sbatch: the job's number. Throws SbatchRefused (kRunFailed) with what sbatch said, whole, Error
// (kRunFailed) where it did not say a number or does not answer, so that there may be a job, and (bad usage) where there is no sbatch.
std::string submit_job(const std::vector<std::string>& sbatch);
// Throws Error (bad usage) where there is no sbatch on PATH.
void require_sbatch();

}  // namespace tailwave
