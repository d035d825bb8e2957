#include "cli/new_submission.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <random>
#include <sstream>
#include <system_error>

#include "cli/device_name.h"
#include "cli/other_gpus.h"
#include "cli/session.h"
#include "cluster/engine.h"
#include "cluster/scripts.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/shard.h"
#include "core/version.h"
#include "spec/experiment.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

std::string drawn_identity() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += std::to_string(device()) + ' ';
  constexpr std::size_t kDigits = 16;
  return content_hash(bytes).substr(0, kDigits);
}

// results/submissions/NAME, or with the first number behind it that is free.
fs::path free_folder(const std::string& experiment) {
  const fs::path first = fs::path(kSubmissions) / experiment;
  fs::path folder = first;
  std::error_code error;
  for (int number = 2; fs::exists(folder, error); ++number)
    folder = fmt::format("{}.{}", first.string(), number);
  return folder;
}

void require_free(const fs::path& folder, const std::string& spec) {
  std::error_code error;
  if (is_submission(folder)) {
    const Submission there = read_submission(folder);
    const bool is_same = there.spec == fs::canonical(spec).string();
    throw Error(Diagnostic{
        .file = folder.string(),
        .cause = is_same ? "is a submission of this spec already" : "is a submission of " + there.spec,
        .hint = is_same ? fmt::format("'tailwave submit {}' continues it; another --folder begins anew",
                                      shell_word(folder.string()))
                        : "name another --folder"});
  }
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    throw Error(Diagnostic{.file = folder.string(),
                           .cause = "is there already, and no submission",
                           .hint = "name another --folder"});
}

// Of "gpu", "gpu:2", "gpu:h100:2" and these among others, separated by commas: GPUs of a task.
int gpus_of(const std::string& gres) {
  std::istringstream all(gres);
  for (std::string one; std::getline(all, one, ',');) {
    if (one != "gpu" && !one.starts_with("gpu:")) continue;
    const std::string last = one.substr(one.rfind(':') + 1);
    int count = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), count);
    return error == std::errc{} && end == last.data() + last.size() ? count : 1;
  }
  return 0;
}

// A node whose GPU does not answer is not to measure on its CPU instead.
std::string default_device(const std::string& gres, const Experiment& experiment, Engine engine) {
  const int gpus = gpus_of(gres);
  const bool takes_them_itself = has_other_gpus(experiment) || has_pes(experiment);
  if (gpus > 1 && engine == Engine::slurm && !takes_them_itself) return "cuda:all";
  return gpus > 0 ? "cuda:0" : "auto";
}

}  // namespace

Submission new_submission(const SubmitArguments& arguments) {
  std::error_code error;
  if (fs::is_directory(arguments.target, error))
    throw Error(Diagnostic{.file = arguments.target,
                           .cause = "is a folder, and none of a submission",
                           .hint = "submit takes one experiment, or the folder of a submission to continue"});
  if (!arguments.tasks)
    throw Error(Diagnostic{
        .place = "submit",
        .cause = "--tasks is missing",
        .hint = fmt::format("in how many shards the experiment is measured, 1 to {}; each is a task of "
                            "the job array",
                            Shard::kMost)});
  require_printable("--gres", arguments.gres);
  require_printable("--partition", arguments.partition);
  require_printable("--folder", arguments.folder);
  require_printable("--device", arguments.device);
  if (!arguments.device.empty()) require_device_name(arguments.device);
  require_printable("the name of the spec", arguments.target);
  require_printable("the current folder", fs::current_path().string());
  const Experiment experiment = load_experiments({arguments.target}).front();
  const fs::path folder =
      arguments.folder.empty() ? free_folder(experiment.name) : fs::path(arguments.folder);
  require_free(folder, arguments.target);
  Submission submission;
  submission.identity = drawn_identity();
  submission.folder = fs::weakly_canonical(fs::absolute(folder));
  submission.system = experiment.system.name;
  submission.experiment = experiment.name;
  submission.spec = fs::canonical(arguments.target).string();
  submission.spec_hash = hash_of_file(submission.spec);
  submission.system_hash = system_hash_of_spec(submission.spec);
  submission.directory = fs::current_path().string();
  submission.program = fs::read_symlink("/proc/self/exe").string();
  submission.version = program_version();
  submission.submitted_at = utc_now();
  submission.tasks = static_cast<std::size_t>(*arguments.tasks);
  submission.device = arguments.device.empty() ? default_device(arguments.gres, experiment, arguments.engine)
                                               : arguments.device;
  submission.engine = arguments.engine;
  submission.jobs = arguments.jobs;
  submission.retries = arguments.retries;
  submission.publish_s = arguments.publish_s;
  submission.gres = arguments.gres;
  submission.partition = arguments.partition;
  submission.options = arguments.options;
  return submission;
}

void claim(Submission& submission, const SubmitArguments& arguments) {
  while (!claim_folder(submission)) {
    if (!arguments.folder.empty())
      throw Error(Diagnostic{.file = arguments.folder,
                             .cause = "was taken by another 'tailwave submit' just now",
                             .hint = "name another --folder"},
                  Error::kRunFailed);
    submission.folder = fs::weakly_canonical(fs::absolute(free_folder(submission.experiment)));
  }
}

}  // namespace tailwave
