#include "cluster/engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>

#include "cluster/child.h"
#include "cluster/scripts.h"
#include "cluster/shards.h"
#include "cluster/slurm.h"
#include "core/error.h"
#include "core/whole_file.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using Note = std::function<void(const std::string& line)>;

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw Error(Diagnostic{.file = folder.string(),
                         .cause = "cannot be made: " + error.message(),
                         .hint = "name another folder with --folder"},
              Error::kRunFailed);
}

// The tasks of a round on this machine.
class LocalTasks {
 public:
  LocalTasks(const Submission& submission, const std::vector<std::size_t>& shards)
      : submission_(submission), waiting_(shards.begin(), shards.end()) {}

  // Whether it was asked to stop.
  bool run(const Note& note, const std::function<bool()>& stop_requested) {
    bool told = false;
    while (!waiting_.empty() || !running_.empty()) {
      if (stop_requested() && !told) {
        told = true;
        waiting_.clear();
        for (const Running& one : running_) one.child->stop();
      }
      reap(note);
      start();
      std::this_thread::sleep_for(kBetweenLooks);
    }
    return told;
  }

 private:
  struct Running {
    std::size_t shard;
    std::unique_ptr<Child> child;
  };

  void start() {
    while (!waiting_.empty() && running_.size() < submission_.local_jobs()) {
      const std::size_t shard = waiting_.front();
      waiting_.pop_front();
      running_.push_back(
          {shard, std::make_unique<Child>(ChildStart{
                      .command = {"bash", submission_.array_script().string()},
                      .environment = {{"SLURM_ARRAY_TASK_ID", std::to_string(shard)}},
                      .folder = {},
                      .output = submission_.logs() /
                                fmt::format("local_{}_{}.log", submission_.rounds.size(), shard)})});
    }
  }

  void reap(const Note& note) {
    std::erase_if(running_, [&](const Running& one) {
      const std::optional<int> status = one.child->poll();
      if (status)
        note(fmt::format("task {}: {}", one.shard,
                         *status == 0 ? "finished" : fmt::format("ended with status {}", *status)));
      return status.has_value();
    });
  }

  const Submission& submission_;
  std::deque<std::size_t> waiting_;
  std::vector<Running> running_;
};

LocalEnd merge_locally(const Submission& submission, const Note& note) {
  const fs::path log = submission.logs() / fmt::format("merge_local_{}.log", submission.rounds.size());
  Child merge({.command = {"bash", submission.merge_script().string()},
               .environment = {},
               .folder = {},
               .output = log});
  std::optional<int> status;
  while (!(status = merge.poll())) std::this_thread::sleep_for(kBetweenLooks);
  if (*status != 0) note(fmt::format("the merge ended with status {}", *status));
  return {.stopped = false, .merge_status = *status, .merge_log = log.string()};
}

constexpr int kLockMode = 0644;

[[noreturn]] void refuse_lock(const fs::path& file) {
  throw Error(
      Diagnostic{.file = file.string(), .cause = fmt::format("cannot be written: {}", std::strerror(errno))},
      Error::kRunFailed);
}

}  // namespace

bool claim_folder(const Submission& submission) {
  make_folder(submission.folder);
  const fs::path file = submission.engine_lock();
  const Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kLockMode));
  if (lock.number() < 0 && errno != EEXIST) refuse_lock(file);
  return lock.number() >= 0;
}

void write_folder(const Submission& submission) {
  for (const fs::path& folder : {submission.folder, submission.logs(), submission.folder / "shards"})
    make_folder(folder);
  replace_file(submission.array_script(), array_script(submission));
  replace_file(submission.merge_script(), merge_script(submission));
  write_submission(submission);
}

Round submit_round(Submission& submission, const std::vector<std::size_t>& shards) {
  require_sbatch();
  Round& round = submission.rounds.emplace_back(
      Round{.submitted_at = utc_now(), .shards = shards, .array_job = {}, .merge_job = {}});
  if (!shards.empty()) {
    round.array_job = submit_job(sbatch_array(submission, shards));
    write_submission(submission);
  }
  try {
    round.merge_job = submit_job(sbatch_merge(submission, round.array_job));
  } catch (const Error& error) {
    if (shards.empty()) throw;
    throw Error(fmt::format(
        "{}\n  the tasks are submitted as job {}, and their merge is not: when they have ended, 'tailwave "
        "submit {}' merges",
        error.what(), round.array_job, shell_word(submission.folder.string())));
  }
  write_submission(submission);
  return round;
}

Descriptor hold_engine(const Submission& submission) {
  const fs::path file = submission.engine_lock();
  Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kLockMode));
  if (lock.number() < 0) refuse_lock(file);
  if (flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return lock;
  throw Error(Diagnostic{.file = submission.folder.string(),
                         .cause = "is worked at by another 'tailwave submit'",
                         .hint = "'tailwave status' shows how far it is"},
              Error::kRunFailed);
}

LocalEnd run_locally(Submission& submission, std::vector<std::size_t> shards, const Note& note,
                     const std::function<bool()>& stop_requested) {
  for (;;) {
    submission.rounds.push_back(
        {.submitted_at = utc_now(), .shards = shards, .array_job = {}, .merge_job = {}});
    write_submission(submission);
    const bool stopped = LocalTasks(submission, shards).run(note, stop_requested);
    LocalEnd end = merge_locally(submission, note);
    end.stopped = stopped;
    if (stopped) return end;
    std::vector<ShardState> states;
    for (std::size_t shard = 1; shard <= submission.tasks; ++shard)
      states.push_back(
          shard_state(submission, shard, read_task_record(submission.record(shard)), nullptr, true, false));
    shards = shards_to_submit(states);
    if (shards.empty()) return end;
    note(fmt::format("again: task {}", index_list(shards)));
  }
}

}  // namespace tailwave
