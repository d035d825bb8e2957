#include "cluster/status.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/new_submission.h"
#include "cluster/submission.h"
#include "core/error.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

using Object = nlohmann::ordered_json;

std::filesystem::path chosen_folder(const std::string& folder) {
  if (!folder.empty()) return folder;
  if (const std::optional<std::filesystem::path> latest = latest_submission(kSubmissions)) return *latest;
  throw Error(Diagnostic{.place = "status",
                         .cause = fmt::format("there is no submission in {}", kSubmissions),
                         .hint = "name its folder, or make one: tailwave submit SPEC --tasks N"});
}

std::int64_t failed(const ShardProgress& progress) {
  std::int64_t count = 0;
  for (const auto& [name, outcomes] : progress.outcomes)
    if (is_failure(from_string<Outcome>(name))) count += outcomes;
  return count;
}

Table shard_table(const SubmissionStatus& status) {
  Table table{
      {"shard", "state", "why", "measured", "of", "failed", "attempts", "job", "machine", "published"}, {}};
  for (const ShardStatus& shard : status.shards) {
    const ShardState& state = shard.state;
    const TaskRecord record = state.record.value_or(TaskRecord{});
    const bool planned = shard.progress.planned > 0;
    const std::string machine = state.node.empty() ? record.machine : state.node;
    const std::string why = shard.problem.empty() ? state.reason : shard.problem;
    table.rows.push_back(
        {static_cast<std::int64_t>(state.shard), std::string(to_string(state.phase)),
         cell_of(why.substr(0, why.find('\n'))), planned ? Cell(shard.progress.measured) : Cell(),
         planned ? Cell(shard.progress.planned) : Cell(), planned ? Cell(failed(shard.progress)) : Cell(),
         std::int64_t{record.attempt}, cell_of(state.job.empty() ? record.job : state.job), cell_of(machine),
         cell_of(record.published_at)});
  }
  return without_empty_columns(table);
}

Object json_of(const ShardStatus& shard) {
  const ShardState& state = shard.state;
  const TaskRecord record = state.record.value_or(TaskRecord{});
  return {{"shard", state.shard},
          {"state", to_string(state.phase)},
          {"reason", state.reason},
          {"measured", shard.progress.measured},
          {"configurations", shard.progress.planned},
          {"outcomes", shard.progress.outcomes},
          {"attempts", record.attempt},
          {"fruitless", record.fruitless},
          {"job", state.job.empty() ? record.job : state.job},
          {"machine", state.node.empty() ? record.machine : state.node},
          {"published_at", record.published_at},
          {"cause", record.cause},
          {"log", record.log},
          {"problem", shard.problem}};
}

Object json_of(const Submission& submission, const SubmissionStatus& status) {
  Object shards = Object::array();
  for (const ShardStatus& shard : status.shards) shards.push_back(json_of(shard));
  return {
      {"folder", submission.folder.string()},
      {"experiment", submission.system + "/" + submission.experiment},
      {"engine", to_string(submission.engine)},
      {"state", to_string(status.phase)},
      {"shards", shards},
      {"merge", {{"state", status.merge}, {"merged_at", status.merged_at}, {"problems", status.problems}}},
      {"slurm_silent", status.slurm_silent},
      {"best", to_json(status.best)},
      {"next", status.next}};
}

// What its log ends with says more than its status.
void say_logs(const SubmissionStatus& status, const Console& console) {
  constexpr std::size_t kLines = 3;
  for (const ShardStatus& shard : status.shards) {
    const bool is_told =
        shard.state.phase == ShardPhase::given_up || shard.state.phase == ShardPhase::unfinished;
    if (!is_told || !shard.state.record || shard.state.record->log.empty()) continue;
    console.say(fmt::format("\ntask {}, {}:\n{}\n", shard.state.shard, shard.state.record->log,
                            last_lines(shard.state.record->log, kLines)));
  }
}

void say_status(const Submission& submission, const SubmissionStatus& status, const Console& console) {
  console.say(fmt::format("{}/{} in {} tasks, submitted {}: {}\n{}\n\n", submission.system,
                          submission.experiment, submission.tasks, submission.submitted_at,
                          to_string(status.phase), submission.folder.string()));
  console.show(shard_table(status));
  if (!status.slurm_silent.empty())
    console.say(fmt::format("\nSlurm does not answer, so what runs is not known: {}\n", status.slurm_silent));
  console.say(fmt::format("\nmerge: {}{}\n", status.merge,
                          status.merged_at.empty() ? "" : ", last at " + status.merged_at));
  for (const std::string& problem : status.problems) console.say(fmt::format("  not merged: {}\n", problem));
  if (const std::string failures = failures_text(status); !failures.empty())
    console.say(fmt::format("failures: {}\n", failures));
  say_logs(status, console);
  if (!status.best.rows.empty()) {
    console.say("\nthe best so far:\n");
    console.show_rows(status.best);
  }
  for (const std::string& step : status.next) console.say(fmt::format("\n{}", step));
  console.say("\n");
}

void show_status(const std::string& folder, const Console& console) {
  const Submission submission = read_submission(chosen_folder(folder));
  const SubmissionStatus status = status_of(submission);
  if (console.json()) return console.result(json_of(submission, status));
  say_status(submission, status, console);
}

}  // namespace

void add_status(Command& app) {
  Command* command =
      app.add_subcommand("status", "Say how far a submission is: its shards, failures, the best so far");
  auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "of the submission (the latest in results/submissions)");
  command->footer(
      "Exit status: 0 it was shown, whatever it is; 1 it could not be; 2 there is no such submission. With --json `state` is "
      "complete, under way, ended or unknown.\n"
      "Examples:\n"
      "  tailwave status\n"
      "  tailwave status results/submissions/variants --json");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([folder, output] { show_status(*folder, Console(*output)); });
}

}  // namespace tailwave
