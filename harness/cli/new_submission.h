#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/submission.h"

namespace tailwave {

// Where submissions are that have no other --folder.
inline constexpr const char* kSubmissions = "results/submissions";

struct SubmitArguments {
  std::string target;  // a spec, or the folder of a submission
  std::optional<std::int64_t> tasks;
  std::string folder, device, gres, partition;
  Engine engine = Engine::slurm;
  std::uint64_t jobs = 0, retries = 3, publish_s = 60;
  std::vector<std::string> options;  // of sbatch
  bool dry_run = false;
  // What the scripts call.
  std::optional<std::int64_t> task;
  bool merge = false;
};

// Of a spec: what is to be submitted, with nothing written yet. Throws Error (bad usage) for a spec that is wrong, and where
// the folder is taken.
Submission new_submission(const SubmitArguments& arguments);

// Makes its folder, which no other `tailwave submit` has then; the next free one where another was faster, and Error
// (kRunFailed) where the folder was named.
void claim(Submission& submission, const SubmitArguments& arguments);

}  // namespace tailwave
