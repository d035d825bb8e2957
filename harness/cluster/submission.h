#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace tailwave {

// Who starts tasks: a Slurm, by its commands, or `tailwave submit` itself as processes of this machine.
enum class Engine { slurm, local };

template <>
struct EnumNames<Engine> {
  static constexpr std::string_view noun = "engine";
  static constexpr std::array<std::string_view, 2> names{"slurm", "local"};
};

// Tasks that were submitted together, and the merge that follows them.
struct Round {
  std::string submitted_at;         // UTC
  std::vector<std::size_t> shards;  // may be empty: the merge alone
  std::string array_job;            // Slurm's number; "": none, or not known
  std::string merge_job;
};

// An experiment whose configurations are measured in shards, each a task: all that a task, a merge and people have to know,
// in one file of the submission's folder.
struct Submission {
  std::string identity;               // 16 hexadecimal digits, random
  std::filesystem::path folder;       // absolute
  std::filesystem::path made_folder;  // what it was when the scripts were written; "": not known
  std::string system, experiment;
  std::string spec;         // absolute
  std::string spec_hash;    // content_hash() of its bytes
  std::string system_hash;  // of its manifest and sources, as runs have it; "": not known
  std::string directory;    // where tasks run: the current one of who submitted
  std::string program;      // tailwave itself, absolute
  std::string version;      // of it
  std::string submitted_at;
  std::size_t tasks = 1;
  std::string device = "auto";
  Engine engine = Engine::slurm;
  std::size_t jobs = 0;     // tasks at the same time, at most; 0: as many as there is room for, locally one
  std::size_t retries = 3;  // see shards_to_submit()
  std::size_t publish_s = 60;        // between snapshots
  std::string gres, partition;       // of sbatch; "": none is asked for
  std::vector<std::string> options;  // of sbatch, as they were given
  std::vector<Round> rounds;

  [[nodiscard]] std::size_t local_jobs() const { return jobs > 0 ? jobs : 1; }

  // Of all its jobs, so that they are found whatever became of their numbers: "tailwave-NAME-ab12cd34", and with "-merge"
  // that of the merge.
  [[nodiscard]] std::string job_name() const;
  [[nodiscard]] std::string merge_name() const { return job_name() + "-merge"; }

  [[nodiscard]] std::filesystem::path file() const { return folder / "submission.json"; }
  [[nodiscard]] std::filesystem::path array_script() const { return folder / "array.sh"; }
  [[nodiscard]] std::filesystem::path merge_script() const { return folder / "merge.sh"; }
  [[nodiscard]] std::filesystem::path logs() const { return folder / "logs"; }
  [[nodiscard]] std::filesystem::path merged() const { return folder / "merged.db"; }
  [[nodiscard]] std::filesystem::path engine_lock() const { return folder / "engine.lock"; }
  [[nodiscard]] std::filesystem::path snapshot(std::size_t shard) const;
  [[nodiscard]] std::filesystem::path record(std::size_t shard) const;
  [[nodiscard]] std::filesystem::path merge_record() const { return folder / "merge.json"; }
  [[nodiscard]] std::size_t rounds_with(std::size_t shard) const;
};

bool is_submission(const std::filesystem::path& folder);

// Throws Error (bad usage) where the folder has none, or one that cannot be read, with file, place and cause.
Submission read_submission(const std::filesystem::path& folder);
// Replaces its file.
void write_submission(const Submission& submission);

// What Submission::system_hash is now. Throws Error (bad usage) where the spec or the manifest is wrong.
std::string system_hash_of_spec(const std::string& spec);

// Throws Error (bad usage) where this is another version of tailwave than submitted, or the spec's file, the manifest or a
// source has changed since, or is gone: the results would not be of one experiment.
void require_unchanged(const Submission& submission);

// Throws Error (bad usage) where the folder was copied or moved, so that its scripts name another one.
void require_in_place(const Submission& submission);

// That of `parent` that was submitted last; none where it has none.
std::optional<std::filesystem::path> latest_submission(const std::filesystem::path& parent);

}  // namespace tailwave
