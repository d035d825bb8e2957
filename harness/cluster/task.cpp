#include "cluster/task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

#include "cluster/child.h"
#include "cluster/local_folder.h"
#include "cluster/task_record.h"
#include "core/error.h"
#include "core/whole_file.h"
#include "store/database.h"
#include "store/merge.h"
#include "store/shard_progress.h"
#include "store/snapshot.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Note = std::function<void(const std::string& line)>;

constexpr const char* kSuperseded = "another attempt at this shard has begun, so this one stops";

// Slurm's "12_3"; "" in no array.
std::string job_of_this_process() {
  const char* const array = std::getenv("SLURM_ARRAY_JOB_ID");
  const char* const index = std::getenv("SLURM_ARRAY_TASK_ID");
  return array == nullptr || index == nullptr ? "" : fmt::format("{}_{}", array, index);
}

// The file of the submission that this process writes its output to; "" for another one, or none.
std::string log_of_this_process(const Submission& submission) {
  std::error_code error;
  const fs::path output = fs::read_symlink("/proc/self/fd/2", error);
  return !error && output.parent_path() == submission.logs() ? output.string() : "";
}

bool is_sound(const fs::path& file) {
  try {
    Database database(file, Database::Mode::read_only);
    require_sound(database);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void remove_database(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(file.string() + suffix, ignored);
}

std::int64_t trials_in(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return 0;
  Database database(file, Database::Mode::read_only);
  return stored_trials(database);
}

class Attempt {
 public:
  Attempt(const Submission& submission, std::size_t shard, Note note)
      : submission_(submission), shard_(shard), note_(std::move(note)) {}

  void run() {
    const StopSignals signals;  // from the first, so that whatever ends it is told
    begin();
    try {
      require_unchanged(submission_);
      folder_ = local_folder(submission_, shard_);
      lock_ = lock_local_folder(folder_, static_cast<double>(submission_.publish_s) + kPatienceS);
      take_up();
      measure();
    } catch (const Error& error) {
      end_badly(error);
      throw;
    }
  }

 private:
  static constexpr double kPatienceS = 60;

  // Every attempt that has begun earlier is superseded from now on.
  void begin() {
    last_ = read_task_record(submission_.record(shard_)).value_or(TaskRecord{});
    record_ = last_;
    record_.state = TaskState::running;
    ++record_.attempt;
    ++record_.fruitless;
    record_.permanent = false;
    record_.began_at = utc_now();
    record_.ended_at = record_.cause = "";
    record_.job = job_of_this_process();
    record_.log = log_of_this_process(submission_);
    record_.machine = machine_name();
    write_task_record(submission_.record(shard_), record_);
  }

  // Where the last attempt was.
  void take_up() {
    database_ = folder_ / fmt::format("{}.db", shard_);
    record_.local = database_.string();
    std::error_code error;
    const fs::path snapshot = submission_.snapshot(shard_);
    const bool was_here = last_.machine == record_.machine && last_.local == record_.local;
    if (was_here && fs::exists(database_, error) && is_sound(database_)) {
      note_(fmt::format("goes on with {}", database_.string()));
    } else {
      remove_database(database_);
      if (fs::exists(snapshot, error)) copy_from(snapshot);
      if (!fs::exists(database_, error)) record_.trials = 0;
    }
    write_task_record(submission_.record(shard_), record_);
  }

  void copy_from(const fs::path& snapshot) {
    if (!is_sound(snapshot))
      return note_(
          fmt::format("{} is damaged, so the shard is measured from its beginning", snapshot.string()));
    replace_with_copy(database_, snapshot);
    note_(fmt::format("goes on with what {} has", snapshot.string()));
  }

  [[nodiscard]] ChildStart command() const {
    return {.command = {submission_.program, "run", submission_.spec, "--shard",
                        fmt::format("{}/{}", shard_, submission_.tasks), "--db", database_.string(),
                        "--device", submission_.device},
            .environment = {},
            .folder = submission_.directory,
            .output = {},
            .inherited = lock_.number()};
  }

  void measure() {
    Child child(command());
    const int status = wait_for(child);
    publish();
    all_is_published_ = true;
    require_done(status);
    record_.state = TaskState::finished;
    record_.fruitless = 0;
    record_.ended_at = utc_now();
    write_task_record(submission_.record(shard_), record_);
    remove_folder();
  }

  int wait_for(Child& child) {
    constexpr auto kBetween = std::chrono::milliseconds(50);
    const auto period = std::chrono::seconds(submission_.publish_s);
    auto next = Clock::now() + period;
    bool told = false;
    for (;;) {
      if (const std::optional<int> status = child.poll()) return *status;
      if (StopSignals::requested() && !told) {
        child.stop();
        told = true;
        publish_or_note();  // what follows may not be given the time
      }
      if (Clock::now() >= next) {
        publish_or_note();
        next = Clock::now() + period;
      }
      std::this_thread::sleep_for(kBetween);
    }
  }

  // A shared file system that is full or away for a while is no reason to stop.
  void publish_or_note() {
    require_own();
    try {
      if (!has_published_ || trials_in(database_) != record_.trials) publish();
    } catch (const Error& error) {
      note_(fmt::format("not published now: {}", error.what()));
    }
  }

  // Throws where this attempt was superseded.
  void require_own() {
    const std::optional<TaskRecord> now = read_task_record(submission_.record(shard_));
    is_superseded_ = now && now->attempt != record_.attempt;
    if (is_superseded_) throw Error(kSuperseded);
  }

  void publish() {
    require_own();
    const std::int64_t trials = trials_in(database_);
    std::error_code error;
    if (!fs::exists(database_, error)) return;
    publish_snapshot(database_, folder_, submission_.snapshot(shard_));
    if (trials > record_.trials) record_.fruitless = 0;
    record_.trials = trials;
    record_.published_at = utc_now();
    write_task_record(submission_.record(shard_), record_);
    has_published_ = true;
  }

  void require_done(int status) const {
    constexpr int kSignalled = 128;
    if (status == 0) return;
    if (StopSignals::requested()) throw Error("was asked to stop: what was measured is published");
    // Here alone every attempt ends like that; of several machines another one may have the device.
    if (status == Error::kBadUsage && submission_.engine == Engine::local)
      throw Error("tailwave run refuses it: its log says why", Error::kBadUsage);
    throw Error(status > kSignalled ? fmt::format("tailwave run was ended by signal {}", status - kSignalled)
                                    : "tailwave run failed: its log says why");
  }

  void end_badly(const Error& error) {
    if (is_superseded_) return;
    record_.state = StopSignals::requested() ? TaskState::stopped : TaskState::failed;
    record_.permanent = error.exit_status() == Error::kBadUsage;
    record_.cause = error.what();
    record_.ended_at = utc_now();
    try {
      write_task_record(submission_.record(shard_), record_);
      if (all_is_published_) remove_folder();
    } catch (const Error& unwritable) {
      note_(unwritable.what());
    }
  }

  // All that it had is published.
  void remove_folder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  const Submission& submission_;
  std::size_t shard_;
  Note note_;
  TaskRecord last_, record_;
  fs::path folder_, database_;
  Descriptor lock_;
  bool is_superseded_ = false;
  bool has_published_ = false;     // this attempt, something
  bool all_is_published_ = false;  // it has ended, and so has its child
};

}  // namespace

void run_task(const Submission& submission, std::size_t shard, const Note& note) {
  if (shard < 1 || shard > submission.tasks)
    throw Error(Diagnostic{.file = submission.file().string(),
                           .cause = fmt::format("has no task {}", shard),
                           .hint = fmt::format("they are 1 to {}", submission.tasks)});
  if (std::getenv("SLURM_JOB_ID") != nullptr && submission.engine == Engine::slurm) stop_with_parent();
  Attempt(submission, shard, note).run();
}

}  // namespace tailwave
