#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/submission.h"

namespace tailwave {

// The scripts of a submission's jobs, as one would write them by hand. Their #SBATCH lines have what is asked of Slurm,
// tailwave's own first and then the options of the user, in their order: Slurm takes the last of several. What differs from
// round to round (--array, --dependency) is given to sbatch.
std::string array_script(const Submission& submission);
std::string merge_script(const Submission& submission);

// The command lines of sbatch, whose standard output is the job's number.
std::vector<std::string> sbatch_array(const Submission& submission, const std::vector<std::size_t>& shards);
// `array_job` "": it waits for nothing.
std::vector<std::string> sbatch_merge(const Submission& submission, const std::string& array_job);

// As a shell reads it as one word.
std::string shell_word(std::string_view text);
// The same where it is asked: "a", "'b c'".
std::string shell_line(const std::vector<std::string>& words);

// {1, 2, 3, 5} -> "1-3,5", as --array has them; in ascending order.
std::string index_list(const std::vector<std::size_t>& indices);

// Throws Error (bad usage) where words behind -- cannot be options of sbatch: the first is none, one is what submit says
// itself or keeps its jobs from being seen, or has a character that cannot stand in a #SBATCH line.
void require_sbatch_options(const std::vector<std::string>& words);

// Throws Error (bad usage) where a text has a control character, or bytes that are no UTF-8; `what` is what messages call it.
void require_printable(const std::string& what, std::string_view text);

}  // namespace tailwave
