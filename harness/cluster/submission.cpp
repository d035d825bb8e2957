#include "cluster/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.h"
#include "core/hash.h"
#include "core/version.h"
#include "core/whole_file.h"
#include "json/json_file.h"
#include "spec/experiment_reader.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using Object = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Calls action(key, member) for each text, and each count.
template <class Record, class Action>
void for_each_text(Record& submission, Action action) {
  action("identity", submission.identity);
  action("system", submission.system);
  action("experiment", submission.experiment);
  action("spec", submission.spec);
  action("spec_hash", submission.spec_hash);
  action("directory", submission.directory);
  action("program", submission.program);
  action("version", submission.version);
  action("submitted_at", submission.submitted_at);
  action("device", submission.device);
  action("gres", submission.gres);
  action("partition", submission.partition);
}

template <class Record, class Action>
void for_each_count(Record& submission, Action action) {
  action("tasks", submission.tasks);
  action("jobs", submission.jobs);
  action("retries", submission.retries);
  action("publish_s", submission.publish_s);
}

std::size_t count_of(const Json& place) {
  const std::int64_t value = place.whole();
  if (value < 0) place.refuse("is negative");
  return static_cast<std::size_t>(value);
}

Round round_of(const Json& place) {
  Round round{.submitted_at = place.at("submitted_at").text(),
              .shards = {},
              .array_job = place.at("array_job").text(),
              .merge_job = place.at("merge_job").text()};
  for (const Json& shard : place.at("shards").items()) round.shards.push_back(count_of(shard));
  return round;
}

// None of what is no submission, or a broken one.
std::optional<std::string> when_submitted(const fs::path& folder) {
  if (!is_submission(folder)) return {};
  try {
    return read_submission(folder).submitted_at;
  } catch (const Error&) {
    return {};
  }
}

std::string hash_of_spec(const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) ? hash_of_file(file) : "";
}

}  // namespace

std::string Submission::job_name() const {
  constexpr std::size_t kShown = 8;
  return fmt::format("tailwave-{}-{}", experiment, identity.substr(0, kShown));
}

fs::path Submission::snapshot(std::size_t shard) const {
  return folder / "shards" / fmt::format("{}.db", shard);
}

fs::path Submission::record(std::size_t shard) const {
  return folder / "shards" / fmt::format("{}.json", shard);
}

std::size_t Submission::rounds_with(std::size_t shard) const {
  return static_cast<std::size_t>(std::ranges::count_if(rounds, [&](const Round& round) {
    return std::ranges::find(round.shards, shard) != round.shards.end();
  }));
}

bool is_submission(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "submission.json", error);
}

Submission read_submission(const fs::path& folder) {
  if (!is_submission(folder))
    throw Error(Diagnostic{.file = folder.string(),
                           .cause = "is no folder of a submission: it has no submission.json",
                           .hint = "'tailwave submit SPEC --tasks N' makes one"});
  const Json json = read_json_file(folder / "submission.json").document;
  if (const Json format = json.at("schema_version"); format.whole() != kFormat)
    format.refuse(fmt::format("is not {}, which this version of tailwave knows", kFormat));
  Submission submission;
  submission.folder = fs::canonical(folder);
  for_each_text(submission, [&](const char* key, std::string& text) { text = json.at(key).text(); });
  for_each_count(submission, [&](const char* key, std::size_t& count) { count = count_of(json.at(key)); });
  submission.made_folder = json.text_or_empty("folder");
  submission.system_hash = json.text_or_empty("system_hash");
  submission.engine = json.at("engine").enumerator<Engine>();
  for (const Json& option : json.at("options").items()) submission.options.push_back(option.text());
  for (const Json& round : json.at("rounds").items()) submission.rounds.push_back(round_of(round));
  return submission;
}

void write_submission(const Submission& submission) {
  Object json{{"schema_version", kFormat}};
  for_each_text(submission, [&](const char* key, const std::string& text) { json[key] = text; });
  for_each_count(submission, [&](const char* key, std::size_t count) { json[key] = count; });
  json["folder"] = submission.folder.string();
  json["system_hash"] = submission.system_hash;
  json["engine"] = to_string(submission.engine);
  json["options"] = submission.options;
  json["rounds"] = Object::array();
  for (const Round& round : submission.rounds)
    json["rounds"].push_back({{"submitted_at", round.submitted_at},
                              {"shards", round.shards},
                              {"array_job", round.array_job},
                              {"merge_job", round.merge_job}});
  replace_file(submission.file(), json.dump(2) + "\n");
}

std::string system_hash_of_spec(const std::string& spec) {
  return system_hash(load_experiment(spec));
}

void require_unchanged(const Submission& submission) {
  if (submission.version != program_version())
    throw Error(Diagnostic{
        .file = submission.file().string(),
        .cause = fmt::format("was submitted with tailwave {}, and this is {}", submission.version,
                             program_version()),
        .hint = fmt::format("continue it with that one, or make a new submission of {}", submission.spec)});
  const std::string hash = hash_of_spec(submission.spec);
  const std::string hint = fmt::format("put it back as it was, or make a new submission; what {} has stays",
                                       submission.folder.string());
  if (hash != submission.spec_hash)
    throw Error(
        Diagnostic{.file = submission.spec,
                   .cause = hash.empty() ? "is not there any more" : "has changed since it was submitted",
                   .hint = hint});
  if (!submission.system_hash.empty() && system_hash_of_spec(submission.spec) != submission.system_hash)
    throw Error(
        Diagnostic{.file = submission.spec,
                   .cause = fmt::format("the manifest or a source of {} has changed since it was submitted",
                                        submission.system),
                   .hint = hint});
}

void require_in_place(const Submission& submission) {
  std::error_code error;
  if (submission.made_folder.empty() || submission.made_folder == submission.folder ||
      fs::equivalent(submission.made_folder, submission.folder, error))
    return;
  throw Error(Diagnostic{
      .file = submission.folder.string(),
      .cause =
          fmt::format("was copied or moved from {}, which its scripts name", submission.made_folder.string()),
      .hint =
          "continue it there, or make a new submission; what is measured can be merged from here: tailwave merge"});
}

std::optional<fs::path> latest_submission(const fs::path& parent) {
  std::optional<fs::path> latest;
  std::string when;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::optional<std::string> submitted = when_submitted(entry.path());
    if (!submitted) continue;
    const std::string at = *submitted + entry.path().string();
    if (latest && at < when) continue;
    latest = entry.path();
    when = at;
  }
  return latest;
}

}  // namespace tailwave
