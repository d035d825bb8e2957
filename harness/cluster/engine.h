#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cluster/submission.h"
#include "core/descriptor.h"

namespace tailwave {

// Makes the submission's folder, which is this process's then. Returns false where another one was first. Throws Error
// (kRunFailed) where it cannot be made.
bool claim_folder(const Submission& submission);

// Makes the submission's folders, writes its file and its scripts. Throws Error (kRunFailed) where they cannot be written.
void write_folder(const Submission& submission);

// Submits an array of these tasks, and a merge that follows it however they end; without tasks the merge alone. The round is
// in the submission's file as soon as Slurm has it. Throws Error with what sbatch said.
Round submit_round(Submission& submission, const std::vector<std::size_t>& shards);

// Holds the submission as long as the result lives, so that one local engine works at it, or one process submits its jobs. Throws Error (kRunFailed) where
// another one has it.
Descriptor hold_engine(const Submission& submission);

// How the local engine ended.
struct LocalEnd {
  bool stopped = false;  // it was asked to
  int merge_status = 0;  // the exit status of the last merge
  std::string merge_log;
};

// The same scripts as processes of this machine, `jobs` at a time, then the merge, and again what did not finish, as Slurm
// and the merge's job would do it. `note` gets remarks, a line each. Once `stop_requested`, tasks are asked to stop and
// waited for.
LocalEnd run_locally(Submission& submission, std::vector<std::size_t> shards,
                     const std::function<void(const std::string& line)>& note,
                     const std::function<bool()>& stop_requested);

}  // namespace tailwave
