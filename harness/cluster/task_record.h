#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/enum_names.h"
#include "core/members.h"

namespace tailwave {

// What a task says of itself. Of one that was killed the last state that it wrote stays: running.
enum class TaskState { running, finished, stopped, failed };

template <>
struct EnumNames<TaskState> {
  static constexpr std::string_view noun = "state of a task";
  static constexpr std::array<std::string_view, 4> names{"running", "finished", "stopped", "failed"};
};

// A shard of a submission, as its latest attempt published it beside the snapshot.
struct TaskRecord {
  TaskState state = TaskState::running;
  int attempt = 0;           // from 1
  int fruitless = 0;         // attempts in a row, with this one, that have published no result that was new
  bool permanent = false;    // failed for what another attempt would not change: another spec or tailwave
  std::int64_t trials = 0;   // stored in the snapshot
  std::string began_at;      // the attempt; UTC
  std::string published_at;  // the snapshot; "": there is none
  std::string ended_at;      // "": it has not, or was killed
  std::string machine;       // its name in the network
  std::string local;         // its database there
  std::string job;           // Slurm's "12_3"; "": none
  std::string log;           // the file that it wrote its output to; "": none in the submission's folder
  std::string cause;         // why it failed or stopped; ""

  static constexpr auto members() {
    return std::tuple(member("state", &TaskRecord::state), member("attempt", &TaskRecord::attempt),
                      member("fruitless", &TaskRecord::fruitless),
                      member("permanent", &TaskRecord::permanent), member("trials", &TaskRecord::trials),
                      member("began_at", &TaskRecord::began_at),
                      member("published_at", &TaskRecord::published_at),
                      member("ended_at", &TaskRecord::ended_at), member("machine", &TaskRecord::machine),
                      member("local", &TaskRecord::local), member("job", &TaskRecord::job),
                      member("log", &TaskRecord::log), member("cause", &TaskRecord::cause));
  }
};

// None where there is no file. Throws Error (bad usage) for one that cannot be read.
std::optional<TaskRecord> read_task_record(const std::filesystem::path& file);
void write_task_record(const std::filesystem::path& file, const TaskRecord& record);

}  // namespace tailwave
