#include "judge/judge.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "core/outcome.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace {

// Enough to keep every compile process busy while the device works.
constexpr std::size_t kAheadOfEachProcess = 2;
constexpr std::size_t kMostRemembered = 1000, kMostBaselines = 100, kMostPrepared = 1000;

constexpr const char* kStopped = "stopped before this was judged";

// Of what decides the answer.
std::string key_of(const JudgeRequest& request) {
  FieldHasher hasher;
  hasher.add(std::to_string(request.system)).add(request.configuration.name()).add(request.source);
  hasher.add(request.samples ? std::to_string(*request.samples) : "");
  return hasher.digest();
}

MeasureSettings judge_settings(MeasureSettings settings, const std::optional<int>& samples) {
  if (!samples) return settings;
  settings.samples = settings.max_samples = *samples;
  settings.precision = 0;
  return settings;
}

}  // namespace

Judge::Judge(const std::vector<const System*>& systems, Measurer& measurer, const JudgeSettings& settings)
    : systems_(systems),
      measurer_(measurer),
      settings_(settings),
      pool_(
          settings.build_processes,
          [this](std::size_t /*number*/, const std::string& task) {
            return build_candidate(task, systems_, measurer_.tools(), folder_.path(),
                                   settings_.measure.build_deadline_s);
          },
          settings.measure.build_deadline_s),
      most_under_way_(kAheadOfEachProcess * std::max(1U, settings.build_processes) + 2) {}

std::uint64_t Judge::take(JudgeRequest request) {
  auto job = std::make_unique<Job>();
  const std::uint64_t number = job->number = ++last_number_;
  job->key = key_of(request);
  const auto known = request.reuse ? remembered_.find(job->key) : remembered_.end();
  if (known != remembered_.end()) {
    auto judgement = std::make_shared<JudgedCandidate>(*known->second);
    judgement->reused = true;
    judgement->seconds = seconds_since(job->since);
    answers_.push_back({number, std::move(judgement), ""});
    return number;
  }
  job->request = std::move(request);
  job->baseline = want_baseline(job->request);
  begin_build(std::move(job));
  under_way_.insert(number);
  return number;
}

// Hands it to a compile process. The source is not needed here any longer but for what is stored.
void Judge::begin_build(std::unique_ptr<Job> job) {
  const JudgeRequest& request = job->request;
  job->settings = judge_settings(settings_.measure, request.samples);
  job->candidate = {.system = systems_[request.system],
                    .settings = &job->settings,
                    .number = job->number,
                    .repetitions = job->settings.repetitions,
                    .looks_again = job->is_baseline ? 0 : kLooksAgain};
  job->candidate.trial.configuration = request.configuration;
  CandidateBuild wanted{.system = request.system, .configuration = request.configuration};
  if (!job->is_baseline) {
    wanted.name = request.name;
    wanted.file = folder_.add(job->number, request.source);
  }
  pool_.ask(job->number, task_of(wanted));
  building_.emplace(job->number, std::move(job));
}

std::shared_ptr<Judge::Baseline> Judge::want_baseline(const JudgeRequest& request) {
  const std::string name = request.baseline.name();
  if (!baselines_.contains(name) && baselines_.size() >= kMostBaselines) baselines_.clear();
  std::shared_ptr<Baseline>& baseline = baselines_[name];
  if (!baseline) baseline = std::make_shared<Baseline>();
  // Repetitions of the two take turns, so each candidate has a baseline of its own.
  const bool takes_turns = settings_.measure.repetitions > 1;
  const bool is_fresh = baseline->trial && !takes_turns && seconds_since(baseline->since) < kBaselineLastsS;
  if (baseline->is_under_way || is_fresh) return baseline;
  auto job = std::make_unique<Job>();
  job->number = ++last_number_;
  job->is_baseline = true;
  job->request.system = request.system;
  job->request.configuration = request.baseline;
  job->baseline = baseline;
  begin_build(std::move(job));
  baseline->is_under_way = true;
  return baseline;
}

void Judge::advance() {
  take_built();
  do {
    // Who waits for it gives up what takes longer than a second more when a stop is requested.
    while (has_answer() || (is_stopped_ && !measurer_.is_idle())) finish_repetition();
    begin_repetitions();
  } while (has_answer());
  answer_what_waited();
}

bool Judge::has_answer() const {
  return !measurer_.is_idle() && measurer_.answer_is_there();
}

void Judge::take_built() {
  pool_.receive();
  for (const std::size_t number : pool_.there()) {
    auto entry = building_.extract(number);
    folder_.remove(number);
    if (entry.empty()) continue;
    std::unique_ptr<Job> job = std::move(entry.mapped());
    try {
      Built built = *pool_.take_if_there(number);
      if (built.artifact)
        job->candidate.take(std::move(*built.artifact));
      else
        job->candidate.fail(built.outcome, std::move(built.detail));
    } catch (const Error& error) {
      fail(*job, error.what());
      continue;
    }
    if (job->candidate.is_alive())
      built_.push_back(std::move(job));
    else
      complete(std::move(job));
  }
}

void Judge::begin_repetitions() {
  while (!built_.empty()) {
    if (!begin_repetition(built_.front())) return;
    built_.pop_front();
  }
}

// False: the device has to be idle for that first.
bool Judge::is_prepared(const Candidate& candidate) {
  Configuration prepared = candidate.configuration();
  prepared.parameters.clear();
  const std::string name = prepared.name();
  if (prepared_.contains(name)) return true;
  if (!measurer_.is_idle()) return false;
  if (prepared_.size() >= kMostPrepared) prepared_.clear();
  measurer_.prepare(*candidate.system, candidate.configuration());
  prepared_.insert(name);
  return true;
}

bool Judge::begin_repetition(std::unique_ptr<Job>& job) {
  if (!measurer_.has_room_for(job->candidate)) return false;
  try {
    if (!is_prepared(job->candidate)) return false;
    measurer_.begin(job->candidate);
    measured_.push_back(std::move(job));
  } catch (const Cancelled&) {
    fail(*job, kStopped);
  } catch (const std::exception& error) {
    fail(*job, error.what());
  }
  return true;
}

void Judge::finish_repetition() {
  std::unique_ptr<Job> job = std::move(measured_.front());
  measured_.pop_front();
  try {
    job->candidate = measurer_.finish();
  } catch (const Cancelled&) {
    fail(*job, kStopped);
    return fail_all(measured_, kStopped);
  } catch (const std::exception& error) {
    fail(*job, error.what());
    // Nothing of them was lost but time.
    built_.splice(built_.begin(), measured_);
    return;
  }
  Candidate& candidate = job->candidate;
  for (Sample& sample : candidate.trial.samples)
    if (sample.repetition == candidate.begun - 1) sample.sequence = sequence_++;
  const bool is_over = !candidate.is_alive() || candidate.begun == candidate.repetitions;
  if (is_over)
    complete(std::move(job));
  else if (is_stopped_)
    fail(*job, kStopped);
  else
    built_.push_back(std::move(job));
}

void Judge::complete(std::unique_ptr<Job> job) {
  if (!job->is_baseline) return judged_.push_back(std::move(job));
  *job->baseline = {.trial = std::make_shared<const Trial>(std::move(job->candidate.trial)),
                    .since = Clock::now()};
}

void Judge::answer_what_waited() {
  for (auto job = judged_.begin(); job != judged_.end();) {
    // What is not correct has no speed to be compared.
    const bool is_timed = (*job)->candidate.trial.outcome == Outcome::correct;
    const Baseline& baseline = *(*job)->baseline;
    if (is_timed && baseline.is_under_way) {
      ++job;
      continue;
    }
    if (is_timed && !baseline.error.empty())
      fail(**job, baseline.error);
    else
      answer(std::move(*job));
    job = judged_.erase(job);
  }
}

void Judge::answer(std::unique_ptr<Job> job) {
  auto judgement = std::make_shared<JudgedCandidate>();
  judgement->baseline = job->baseline->trial;
  judgement->trial = std::move(job->candidate.trial);
  FieldHasher key;
  judgement->trial.key = key.add(job->key).add(std::to_string(job->number)).digest();
  judgement->request = std::move(job->request);
  judgement->seconds = seconds_since(job->since);
  remember(job->key, *judgement);
  under_way_.erase(job->number);
  answers_.push_back({job->number, std::move(judgement), ""});
}

void Judge::fail(const Job& job, const std::string& why) {
  if (job.is_baseline) {
    *job.baseline = {.error = why};
  } else {
    under_way_.erase(job.number);
    answers_.push_back({job.number, nullptr, why});
  }
}

void Judge::fail_all(Jobs& jobs, const std::string& why) {
  for (const auto& job : std::exchange(jobs, {})) fail(*job, why);
}

void Judge::stop() {
  is_stopped_ = true;
  for (const auto& [number, job] : std::exchange(building_, {})) fail(*job, kStopped);
  fail_all(built_, kStopped);
}

// Without what takes much memory and nobody asks for again.
void Judge::remember(const std::string& key, const JudgedCandidate& judgement) {
  constexpr std::size_t kLongestDetail = 1 << 16;
  const Trial& trial = judgement.trial;
  if (trial.detail.size() > kLongestDetail || was_killed_from_outside(trial.outcome, trial.detail)) return;
  auto copy = std::make_shared<JudgedCandidate>(judgement);
  copy->request.source.clear();
  if (remembered_.insert_or_assign(key, std::move(copy)).second) remembered_keys_.push_back(key);
  if (remembered_keys_.size() <= kMostRemembered) return;
  remembered_.erase(remembered_keys_.front());
  remembered_keys_.pop_front();
}

std::optional<JudgeAnswer> Judge::next_answer() {
  if (answers_.empty()) return std::nullopt;
  JudgeAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

std::vector<pollfd> Judge::descriptors() const {
  std::vector<pollfd> all = pool_.descriptors();
  if (measurer_.descriptor() >= 0) all.push_back({measurer_.descriptor(), POLLIN, 0});
  return all;
}

double Judge::due_s() const {
  constexpr double kLongestTurnS = 0.05;  // in which nobody looks whether a worker is overdue
  if (!answers_.empty()) return 0;
  const double measuring_s = measurer_.is_idle() ? std::numeric_limits<double>::infinity() : kLongestTurnS;
  return std::min(measuring_s, pool_.due_s());
}

}  // namespace tailwave
