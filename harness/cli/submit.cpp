#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/new_submission.h"
#include "cli/number_check.h"
#include "cluster/engine.h"
#include "cluster/merge_shards.h"
#include "cluster/scripts.h"
#include "cluster/shards.h"
#include "cluster/slurm.h"
#include "cluster/status.h"
#include "cluster/submission.h"
#include "cluster/task.h"
#include "cluster/task_record.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/shard.h"
#include "core/temporary_folder.h"
#include "report/section_text.h"

namespace tailwave {
namespace {

std::vector<std::size_t> all_shards(const Submission& submission) {
  std::vector<std::size_t> shards;
  for (std::size_t shard = 1; shard <= submission.tasks; ++shard) shards.push_back(shard);
  return shards;
}

nlohmann::ordered_json json_of(const Submission& submission) {
  return {{"folder", submission.folder.string()},
          {"engine", to_string(submission.engine)},
          {"device", submission.device},
          {"tasks", submission.tasks}};
}

void show_scripts(const Submission& submission, const Console& console) {
  if (console.json()) {
    nlohmann::ordered_json json = json_of(submission);
    json["array_script"] = array_script(submission);
    json["merge_script"] = merge_script(submission);
    if (submission.engine == Engine::slurm) {
      json["array_command"] = sbatch_array(submission, all_shards(submission));
      json["merge_command"] = sbatch_merge(submission, "JOB");  // of the first
    }
    return console.result(json);
  }
  print_words(fmt::format("# {}\n{}\n# {}\n{}\n", submission.array_script().string(),
                          array_script(submission), submission.merge_script().string(),
                          merge_script(submission)));
  if (submission.engine == Engine::local)
    return print_words(
        fmt::format("# here, {} at a time: array.sh with SLURM_ARRAY_TASK_ID 1 to {}, on {}; then merge.sh\n",
                    submission.local_jobs(), submission.tasks, submission.device));
  print_words(fmt::format("# what would be typed, JOB for the number of the first\n{}\n{}\n",
                          shell_line(sbatch_array(submission, all_shards(submission))),
                          shell_line(sbatch_merge(submission, "JOB"))));
}

nlohmann::ordered_json json_of(const Submission& submission, const Round& round) {
  nlohmann::ordered_json json = json_of(submission);
  json["submitted"] = round.shards;
  json["array_job"] = round.array_job;
  json["merge_job"] = round.merge_job;
  return json;
}

void say_submitted(const Submission& submission, const Round& round, const Console& console) {
  const std::string tasks = round.shards.empty()
                                ? "no task"
                                : fmt::format("{} of {} as job {}", plural(round.shards.size(), "task"),
                                              submission.tasks, round.array_job);
  console.say(
      fmt::format("submitted {}, and the merge that follows as job {}\n{}\n'tailwave status' shows how far "
                  "it is\n",
                  tasks, round.merge_job, submission.folder.string()));
}

// The local engine, until nothing more can be done here.
LocalEnd run_here(Submission& submission, const std::vector<std::size_t>& shards, const Console& console) {
  const InterruptGuard interrupts;
  console.note(fmt::format("{}\n", submission.folder.string()));
  const auto note = [&](const std::string& line) { console.note(line + "\n"); };
  LocalEnd end = run_locally(submission, shards, note, InterruptGuard::requested);
  if (end.stopped)
    throw Error(fmt::format("interrupted: what was measured is kept; 'tailwave submit {}' continues",
                            shell_word(submission.folder.string())));
  return end;
}

void require_all_finished(const Submission& submission) {
  const std::vector<ShardState> states = shard_states(submission, {}, SnapshotCheck::sound);
  std::vector<std::size_t> missing;
  for (const ShardState& state : states)
    if (state.phase != ShardPhase::finished) missing.push_back(state.shard);
  if (missing.empty()) return;
  throw Error(fmt::format("{} of {} tasks did not finish: {}\n  'tailwave status {}' says why",
                          missing.size(), submission.tasks, index_list(missing),
                          shell_word(submission.folder.string())));
}

// To merge again would not help.
void require_comparable(const Submission& submission, const MergeRecord& record) {
  if (record.different.empty()) return;
  throw Error(fmt::format(
      "task {} cannot be merged, since it measured something else than the others:\n{}\n  a new submission measures all "
      "alike; or put back what differs, remove its .db and .json in {}, and continue with 'tailwave submit {}'",
      index_list(record.different), fmt::join(record.problems, "\n"),
      shell_word((submission.folder / "shards").string()), shell_word(submission.folder.string())));
}

// What it merged last has all that the tasks have published.
void require_merged(const Submission& submission, const LocalEnd& end) {
  constexpr std::size_t kLines = 3;
  const MergeRecord record = read_merge_record(submission).value_or(MergeRecord{});
  require_comparable(submission, record);
  std::string cause;
  if (end.merge_status != 0)
    cause = fmt::format("their merge ended with status {}:\n{}\n{}", end.merge_status, end.merge_log,
                        last_lines(end.merge_log, kLines));
  else if (!record.problems.empty())
    cause = fmt::format("not all of them are merged:\n{}", fmt::join(record.problems, "\n"));
  if (cause.empty()) return;
  throw Error(fmt::format("all {} tasks are finished, but {}\n  'tailwave submit {}' merges again",
                          submission.tasks, cause, shell_word(submission.folder.string())));
}

void start(Submission& submission, const std::vector<std::size_t>& shards, const Console& console) {
  if (submission.engine == Engine::slurm) {
    const Round round = submit_round(submission, shards);
    say_submitted(submission, round, console);
    return console.result(json_of(submission, round));
  }
  const LocalEnd end = run_here(submission, shards, console);
  require_all_finished(submission);
  require_merged(submission, end);
  console.say(fmt::format("all {} tasks are finished and merged into {}\n", submission.tasks,
                          submission.merged().string()));
  nlohmann::ordered_json json = json_of(submission);
  json["submitted"] = shards;
  json["merged"] = submission.merged().string();
  console.result(json);
}

void begin(const SubmitArguments& arguments, const Console& console) {
  Submission submission = new_submission(arguments);
  if (arguments.dry_run) return show_scripts(submission, console);
  if (submission.engine == Engine::slurm) require_sbatch();
  claim(submission, arguments);
  const Descriptor held = hold_engine(submission);
  write_folder(submission);
  try {
    start(submission, all_shards(submission), console);
  } catch (const SbatchRefused&) {  // the array: a corrected command is to find the name free
    remove_temporary_folder(submission.folder);
    throw;
  }
}

void refuse_options_of_new(const SubmitArguments& arguments) {
  const bool is_new = arguments.tasks || !arguments.folder.empty() || !arguments.gres.empty() ||
                      !arguments.partition.empty() || !arguments.options.empty();
  if (is_new)
    throw Error(
        Diagnostic{.file = arguments.target,
                   .cause = "is a submission, which has its options already",
                   .hint = "continue it without them (its array.sh can be edited), or submit its spec anew"});
}

// What a task has said is known, if it said something.
void require_readable_records(const Submission& submission, const std::vector<ShardState>& states) {
  for (const ShardState& state : states)
    if (state.record_is_broken)
      throw Error(fmt::format("{}\n  'rm {}' helps: the shard then goes on from its snapshot", state.reason,
                              shell_word(submission.record(state.shard).string())));
}

// Nothing of it waits or runs any more.
void require_idle(const Submission& submission, const std::vector<ShardState>& states,
                  const SlurmAnswer& slurm) {
  const std::string hint =
      fmt::format("'tailwave status {}' shows how far it is", shell_word(submission.folder.string()));
  if (!slurm.why_not.empty())
    throw Error(Diagnostic{.file = submission.folder.string(),
                           .cause = "Slurm does not say whether its tasks still run: " + slurm.why_not,
                           .hint = "try again when squeue answers"},
                Error::kRunFailed);
  for (const ShardState& state : states)
    if (state.phase == ShardPhase::waiting || state.phase == ShardPhase::running)
      throw Error(Diagnostic{.file = submission.folder.string(),
                             .cause = fmt::format("task {} is {} (job {})", state.shard,
                                                  to_string(state.phase), state.job),
                             .hint = hint},
                  Error::kRunFailed);
  const SlurmJob* const merge = slurm.find(0);
  if (merge != nullptr && is_under_way(merge->state))
    throw Error(Diagnostic{.file = submission.folder.string(),
                           .cause = fmt::format("its merge is {} (job {})",
                                                is_waiting(merge->state) ? "waiting" : "running", merge->job),
                           .hint = hint},
                Error::kRunFailed);
}

// Of a task that has finished, and whose snapshot is damaged: it is measured again.
void withdraw_result(const Submission& submission, ShardState& state) {
  if (!state.record || state.record->state != TaskState::finished) return;
  state.record->state = TaskState::failed;
  state.record->cause = state.reason;
  write_task_record(submission.record(state.shard), *state.record);
}

// Whoever asks has seen to the cause: what was given up is tried again, too.
void forgive(const Submission& submission, ShardState& state) {
  if (!state.record) return;
  state.record->fruitless = 0;
  state.record->permanent = false;
  write_task_record(submission.record(state.shard), *state.record);
}

void go_on(const SubmitArguments& arguments, const Console& console) {
  refuse_options_of_new(arguments);
  const Submission named = read_submission(arguments.target);
  require_in_place(named);
  const Descriptor held = arguments.dry_run ? Descriptor() : hold_engine(named);
  Submission submission = read_submission(arguments.target);  // another one may have submitted meanwhile
  require_unchanged(submission);
  const bool is_local = submission.engine == Engine::local;
  const SlurmAnswer slurm = is_local ? SlurmAnswer{} : ask_slurm(submission);
  std::vector<ShardState> states = shard_states(submission, slurm, SnapshotCheck::sound);
  require_readable_records(submission, states);
  if (!is_local) require_idle(submission, states, slurm);
  std::erase_if(states, [](const ShardState& state) { return state.phase == ShardPhase::finished; });
  std::vector<std::size_t> shards;
  for (const ShardState& state : states) shards.push_back(state.shard);
  if (arguments.dry_run) {
    console.say(fmt::format("would submit {}, and the merge\n",
                            shards.empty() ? "no task" : "task " + index_list(shards)));
    nlohmann::ordered_json json = json_of(submission);
    json["would_submit"] = shards;
    return console.result(json);
  }
  for (ShardState& state : states) {
    withdraw_result(submission, state);
    forgive(submission, state);
  }
  start(submission, shards, console);
}

void say_merged(const MergeRecord& record, const Submission& submission, const Console& console) {
  for (const std::string& problem : record.problems) console.note(fmt::format("not merged: {}\n", problem));
  if (!record.kept.empty()) return console.say(record.kept + "\n");
  console.say(fmt::format("merged {} of {} shards into {}\n", record.shards.size(), submission.tasks,
                          submission.merged().string()));
}

std::string missing_text(const std::vector<ShardState>& states) {
  std::string text;
  for (const ShardState& state : states)
    if (state.phase != ShardPhase::finished)
      text += fmt::format("task {}: {}{}\n", state.shard, to_string(state.phase),
                          state.reason.empty() ? "" : ", " + state.reason);
  return text;
}

// None where there is nothing to submit again, or where that is not known yet.
std::optional<Round> submit_unfinished(const Submission& named, const Console& console) {
  const Descriptor held = hold_engine(named);
  Submission submission = read_submission(named.folder);
  const SlurmAnswer slurm = ask_slurm(submission);
  std::vector<ShardState> states = shard_states(submission, slurm, SnapshotCheck::sound);
  console.say(missing_text(states));
  require_readable_records(submission, states);
  const std::vector<std::size_t> again = shards_to_submit(states);
  const bool some_run =
      !shards_in(states, ShardPhase::waiting).empty() || !shards_in(states, ShardPhase::running).empty();
  const bool all_known = shards_in(states, ShardPhase::unknown).empty();
  if ((again.empty() && all_known) || some_run) return std::nullopt;
  if (!slurm.why_not.empty())
    throw Error(fmt::format("Slurm does not answer, so nothing is submitted again: {}", slurm.why_not));
  require_unchanged(submission);
  for (ShardState& state : states)
    if (state.phase == ShardPhase::unfinished) withdraw_result(submission, state);
  const Round round = submit_round(submission, again);
  say_submitted(submission, round, console);
  return round;
}

nlohmann::ordered_json json_of(const Submission& submission, const MergeRecord& record) {
  nlohmann::ordered_json json = json_of(submission);
  std::vector<std::size_t> shards;
  if (record.kept.empty())
    for (const MergedShard& one : record.shards) shards.push_back(one.shard);
  json["merged"] = submission.merged().string();
  json["merged_shards"] = shards;
  json["problems"] = record.problems;
  json["kept"] = record.kept;
  return json;
}

// What the merge's job does.
void merge(const SubmitArguments& arguments, const Console& console) {
  const Submission submission = read_submission(arguments.target);
  const MergeRecord record = publish_merged(submission);
  say_merged(record, submission, console);
  nlohmann::ordered_json json = json_of(submission, record);
  try {
    if (submission.engine == Engine::slurm)
      if (const std::optional<Round> round = submit_unfinished(submission, console))
        json.update(json_of(submission, *round));
  } catch (const Error&) {
    console.result(json);
    throw;
  }
  console.result(json);
  require_comparable(submission, record);
}

void submit(const SubmitArguments& arguments, const Console& console) {
  if (arguments.merge) return merge(arguments, console);
  if (arguments.task)
    return run_task(read_submission(arguments.target), static_cast<std::size_t>(*arguments.task),
                    [&](const std::string& line) { console.note(line + "\n"); });
  require_sbatch_options(arguments.options);
  if (is_submission(arguments.target)) return go_on(arguments, console);
  begin(arguments, console);
}

void add_options(Command& command, SubmitArguments& arguments) {
  command.add_option("SPEC", arguments.target, "an experiment, or the folder of a submission to continue")
      ->required();
  command.add_option("SBATCH", arguments.options,
                     "behind --: options of sbatch, such as --time=1:00:00, for all its jobs");
  command.add_option("--tasks", arguments.tasks, "in how many shards, each a task of the job array")
      ->check(whole_number(1, Shard::kMost));
  command.add_option("--gres", arguments.gres, "what each task gets, as sbatch has it: gpu:1");
  command.add_option("--partition", arguments.partition, "of Slurm");
  command.add_option(
      "--device", arguments.device,
      "that tasks measure on, as 'tailwave run' has it (cuda:0 with --gres gpu, cuda:all with several, else auto)");
  command
      .add_choice<Engine>("--engine", arguments.engine, {{"slurm", Engine::slurm}, {"local", Engine::local}},
                          "slurm, or local: the same scripts as processes of this machine, to try them out")
      ->default_str("slurm");
  command.add_option("--jobs", arguments.jobs, "tasks at the same time, at most (Slurm: no limit; local: 1)")
      ->check(whole_number(1, Shard::kMost));
  command
      .add_option("--retries", arguments.retries,
                  "times in a row that a task is submitted again without a new result of it")
      ->check(whole_number(0, 1000))
      ->capture_default_str();
  command
      .add_option("--publish-every", arguments.publish_s,
                  "seconds between snapshots of what a task has measured")
      ->check(whole_number(1, 86400))
      ->capture_default_str();
  command.add_option("--folder", arguments.folder,
                     "of the submission, on a file system that all nodes have (results/submissions/NAME)");
  command.add_flag("--dry-run", arguments.dry_run, "only show the scripts and what would be typed");
  command.add_option("--task", arguments.task, "what the array's script calls: measure this shard")
      ->check(whole_number(1, Shard::kMost));
  command.add_flag("--merge", arguments.merge, "what the merge's script calls");
}

}  // namespace

void add_submit(Command& app) {
  Command* command = app.add_subcommand(
      "submit", "Measure an experiment as a job array of Slurm, and merge it; continues what was cut off");
  auto arguments = std::make_shared<SubmitArguments>();
  add_options(*command, *arguments);
  command->footer(
      "Exit status: 0 it is submitted, or with --engine local finished; 1 it could not be, or did not finish; 2 bad usage.\n"
      "Examples:\n"
      "  tailwave submit experiments/nbody/variants.json --tasks 6 --gres gpu:1 -- --time=1:00:00 --account=name\n"
      "  tailwave submit experiments/nbody/variants.json --tasks 2 --engine local --device cpu\n"
      "  tailwave submit results/submissions/variants");
  const auto output = add_output_options(*command, JsonResult::offered);
  command->callback([arguments, output] { submit(*arguments, Console(*output)); });
}

}  // namespace tailwave
