#include "cluster/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/process.h"

namespace tailwave {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);  // a busy controller takes its time

// Output may have remarks of Slurm between its lines.
constexpr std::size_t kFields = 7;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
  return fields;
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

// "12_3" -> 12
std::size_t array_of(std::string_view job) {
  return number_in(job.substr(0, job.find('_')));
}

bool is_job_of(const Submission& submission, const std::string& number, const std::string& name) {
  const auto has = [&](const Round& round) { return number == round.array_job || number == round.merge_job; };
  return name == submission.job_name() || name == submission.merge_name() ||
         (!number.empty() && std::ranges::any_of(submission.rounds, has));
}

std::vector<std::string> numbers_of(const Submission& submission) {
  std::vector<std::string> numbers;
  for (const Round& round : submission.rounds)
    for (const std::string& number : {round.array_job, round.merge_job})
      if (!number.empty()) numbers.push_back(number);
  return numbers;
}

bool knows_all(const SlurmAnswer& answer, const Submission& submission) {
  for (std::size_t shard = 0; shard <= submission.tasks; ++shard)
    if (answer.find(shard) == nullptr) return false;
  return true;
}

// sacct has no field for the index: "12_3|12|3|..." is made of "12_3|FAILED|vm|NAME".
std::string as_squeue_has_it(const std::string& accounts) {
  std::string text;
  std::istringstream stream(accounts);
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> fields = split(line);
    if (fields.size() != 4) continue;
    const std::string& job = fields[0];
    const std::size_t underline = job.find('_');
    text += fmt::format("{}|{}|{}|{}||{}|{}\n", job, job.substr(0, underline),
                        underline == std::string::npos ? "N/A" : job.substr(underline + 1),
                        fields[1].substr(0, fields[1].find(' ')), fields[2], fields[3]);
  }
  return text;
}

// What squeue has forgotten; nothing where this Slurm keeps no accounts.
std::string accounts_of(const Submission& submission) {
  const std::vector<std::string> numbers = numbers_of(submission);
  if (numbers.empty()) return "";
  try {
    const ProcessResult result = run_process(
        {"sacct", "--noheader", "--parsable2", "--allocations", "--array",
         fmt::format("--jobs={}", fmt::join(numbers, ",")), "--format=JobID,State,NodeList,JobName"},
        kPatience);
    return result.exit_status == 0 ? as_squeue_has_it(result.output) : "";
  } catch (const Error&) {
    return "";
  }
}

std::string without_last_break(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// "12", or "12;cluster", in a line of its own.
std::optional<std::string> number_said(const std::string& output) {
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);)
    if (const std::string number = line.substr(0, line.find(';')); number_in(number) > 0) return number;
  return {};
}

bool is_on_path(const char* name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

const SlurmJob* SlurmAnswer::find(std::size_t shard) const {
  const auto found = std::ranges::find(jobs, shard, &SlurmJob::shard);
  return found == jobs.end() ? nullptr : &*found;
}

SlurmAnswer read_slurm_jobs(std::string_view lines, const Submission& submission) {
  SlurmAnswer answer;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> fields = split(line);
    if (fields.size() != kFields || !is_job_of(submission, fields[1], fields[6])) continue;
    SlurmJob job{fields[0], number_in(fields[2]), fields[3], fields[4], fields[5]};
    if (job.shard > submission.tasks) continue;
    const auto known = std::ranges::find(answer.jobs, job.shard, &SlurmJob::shard);
    if (known == answer.jobs.end())
      answer.jobs.push_back(job);
    else if (array_of(job.job) > array_of(known->job))
      *known = job;
  }
  return answer;
}

SlurmAnswer ask_slurm(const Submission& submission) {
  SlurmAnswer answer;
  try {
    const ProcessResult result =
        run_process({"squeue", "--noheader", "--array", "--states=all", fmt::format("--user={}", geteuid()),
                     "--format=%i|%F|%K|%T|%r|%N|%j"},
                    kPatience);
    if (result.timed_out)
      answer.why_not = fmt::format("squeue did not answer within {} s", kPatience.count());
    else if (result.exit_status != 0)
      answer.why_not = without_last_break(result.output);
    else
      answer = read_slurm_jobs(result.output, submission);
    if (answer.why_not.empty() && !knows_all(answer, submission))
      answer = read_slurm_jobs(result.output + "\n" + accounts_of(submission), submission);
  } catch (const Error& error) {
    answer.why_not = error.what();
  }
  return answer;
}

bool is_waiting(std::string_view state) {
  static constexpr std::array<std::string_view, 6> kWords{"PENDING",      "CONFIGURING", "REQUEUED",
                                                          "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"};
  return std::ranges::find(kWords, state) != kWords.end();
}

bool is_under_way(std::string_view state) {
  static constexpr std::array<std::string_view, 7> kWords{"RUNNING",   "SUSPENDED", "STOPPED",   "RESIZING",
                                                          "SIGNALING", "STAGE_OUT", "COMPLETING"};
  return is_waiting(state) || std::ranges::find(kWords, state) != kWords.end();
}

void require_sbatch() {
  if (is_on_path("sbatch")) return;
  throw Error(Diagnostic{
      .place = "submit",
      .cause = "there is no sbatch on PATH, so no Slurm to submit to",
      .hint =
          "go to a machine of the cluster from which jobs are submitted; --engine local runs the tasks on "
          "this machine, and --dry-run shows the scripts"});
}

std::string submit_job(const std::vector<std::string>& sbatch) {
  require_sbatch();
  const ProcessResult result = run_process(sbatch, kPatience);
  if (result.exit_status == 0)
    if (const std::optional<std::string> number = number_said(result.output)) return *number;
  if (result.timed_out) throw Error(fmt::format("sbatch does not answer within {} s", kPatience.count()));
  const std::string said = without_last_break(result.output);
  if (result.exit_status == 0) throw Error("sbatch named no job: " + said);
  throw SbatchRefused("sbatch refused: " + said);
}

}  // namespace tailwave
