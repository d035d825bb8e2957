#include "cluster/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/printable.h"

namespace tailwave {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@%+";

bool is_plain(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
}

// As sbatch reads a word of a #SBATCH line.
std::string sbatch_word(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

// A path in which sbatch has no pattern to replace.
std::string literal(std::string path) {
  for (std::size_t place = 0; (place = path.find('%', place)) != std::string::npos; place += 2)
    path.insert(place, 1, '%');
  return path;
}

std::string directive(std::string_view option, std::string_view value) {
  return fmt::format("#SBATCH {}={}\n", option, sbatch_word(value));
}

// "-A name --mem=4G": a line for each option with its value.
std::string directives_of(const std::vector<std::string>& options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool begins = i == 0 || options[i].starts_with('-');
    if (i > 0) text += begins ? "\n" : " ";
    if (begins) text += "#SBATCH ";
    const std::size_t equals = options[i].find('=');
    text += options[i].starts_with("--") && equals != std::string::npos
                ? options[i].substr(0, equals + 1) + sbatch_word(options[i].substr(equals + 1))
                : sbatch_word(options[i]);
  }
  return options.empty() ? "" : text + "\n";
}

std::string common_directives(const Submission& submission, const std::string& name, const std::string& log) {
  std::string text = directive("--job-name", name);
  text += directive("--output", literal((submission.logs() / "").string()) + log);
  text += "#SBATCH --open-mode=append\n";  // of an attempt that is requeued
  if (!submission.partition.empty()) text += directive("--partition", submission.partition);
  return text;
}

// What submit gives sbatch itself, what submits nothing, and what would hide its jobs from squeue.
constexpr std::array<std::string_view, 8> kRefused{"--array", "--wrap",  "--dependency", "--parsable",
                                                   "--help",  "--usage", "--test-only",  "--clusters"};
constexpr std::array<std::string_view, 4> kRefusedLetters{"-a", "-d", "-M", "-h"};

// sbatch takes a long option that is cut off, too: --arr.
bool is_refused(std::string_view word) {
  if (!word.starts_with("--"))
    return std::ranges::any_of(kRefusedLetters, [&](std::string_view one) { return word.starts_with(one); });
  constexpr std::size_t kShortest = 4;
  const std::string_view name = word.substr(0, word.find('='));
  return name.size() >= kShortest &&
         std::ranges::any_of(kRefused, [&](std::string_view one) { return one.starts_with(name); });
}

std::string command(const Submission& submission, const std::string& what) {
  return fmt::format("cd {} || exit 1\nexec {} submit {} {}\n", shell_word(submission.directory),
                     shell_word(submission.program), shell_word(submission.folder.string()), what);
}

}  // namespace

std::string array_script(const Submission& submission) {
  std::string text = fmt::format("#!/bin/bash\n# A shard of {}, 1 to {}: measured on the node's own disk.\n",
                                 submission.experiment, submission.tasks);
  text += common_directives(submission, submission.job_name(), "%A_%a.log");
  if (!submission.gres.empty()) text += directive("--gres", submission.gres);
  // Time to store and publish before a limit of time or a preemption; the same job again where a node is lost.
  text += "#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n";
  return text + directives_of(submission.options) + command(submission, "--task \"$SLURM_ARRAY_TASK_ID\"");
}

std::string merge_script(const Submission& submission) {
  std::string text =
      "#!/bin/bash\n# Merges what the tasks have published, and submits those again that did not finish.\n";
  text += common_directives(submission, submission.merge_name(), "merge_%j.log");
  text += "#SBATCH --requeue\n";
  return text + directives_of(submission.options) + command(submission, "--merge");
}

std::vector<std::string> sbatch_array(const Submission& submission, const std::vector<std::size_t>& shards) {
  const std::string limit = submission.jobs > 0 ? fmt::format("%{}", submission.jobs) : "";
  return {"sbatch", "--parsable", "--array=" + index_list(shards) + limit,
          submission.array_script().string()};
}

std::vector<std::string> sbatch_merge(const Submission& submission, const std::string& array_job) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  if (!array_job.empty()) words.push_back("--dependency=afterany:" + array_job);
  words.push_back(submission.merge_script().string());
  return words;
}

std::string shell_word(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  std::ranges::transform(words, std::back_inserter(quoted), shell_word);
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::string index_list(const std::vector<std::size_t>& indices) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < indices.size(); first = last + 1) {
    for (last = first; last + 1 < indices.size() && indices[last + 1] == indices[last] + 1;) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", indices[first]);
    if (last > first) text += fmt::format("-{}", indices[last]);
  }
  return text;
}

void require_printable(const std::string& what, std::string_view text) {
  if (printable(text, LineEnds::as_spaces) == text) return;
  throw Error(Diagnostic{.place = "submit",
                         .cause = fmt::format("{} has a control character or bytes that are no UTF-8: '{}'",
                                              what, printable(text, LineEnds::as_spaces)),
                         .hint = "it gets into scripts and submission.json, which cannot have them"});
}

void require_sbatch_options(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    require_printable("an option of sbatch", word);
    if (is_refused(word))
      throw Error(Diagnostic{
          .place = "submit",
          .cause = fmt::format("'{}' cannot be passed on to sbatch", word),
          .hint = "submit says itself what is submitted, and has to see its jobs: --tasks and --jobs "
                  "make the array, and --dry-run shows what would be typed"});
  }
  if (words.empty() || words.front().starts_with('-')) return;
  throw Error(
      Diagnostic{.place = "submit",
                 .cause = fmt::format("'{}' is no option of sbatch", words.front()),
                 .hint = "submit takes one SPEC or FOLDER; behind -- stand options, such as --time=1:00:00"});
}

}  // namespace tailwave
