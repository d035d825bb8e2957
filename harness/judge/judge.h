#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/trial.h"
#include "judge/candidate_build.h"
#include "judge/request.h"
#include "measure/measurer.h"
#include "tune/compile_pool.h"

namespace tailwave {

struct JudgeSettings {
  unsigned build_processes = 1;
  MeasureSettings measure;
};

// What became of one candidate.
struct JudgedCandidate {
  JudgeRequest request;  // without its source where it is reused
  Trial trial;
  std::shared_ptr<const Trial> baseline;
  bool reused = false;  // of an earlier request
  double seconds = 0;   // from the request to the answer
};

// The answer to a request: a judgement, or why there is none, which is nothing that the candidate did.
struct JudgeAnswer {
  std::uint64_t number = 0;  // of the request
  std::shared_ptr<const JudgedCandidate> judgement;
  std::string error;
};

// Judges one candidate after the other: builds them ahead in processes, verifies and times them on the device in the
// order in which they are built, and times what they are compared with between them. A baseline is measured for each
// problem when it is needed first, and again when that is kBaselineLastsS ago, since clocks and temperatures drift;
// candidates that come meanwhile wait for it. With several repetitions, those of candidate and baseline take turns.
//
// A candidate that crashes, hangs or does not compile is a judgement, and the next one finds all as it was. Nothing
// here waits, but for the reference of a problem that is new: somebody polls descriptors() for due_s() at most, and
// calls advance() then.
class Judge {
 public:
  // All are kept by reference. To be made while this process has one thread. Throws Error.
  Judge(const std::vector<const System*>& systems, Measurer& measurer, const JudgeSettings& settings);
  ~Judge() { measurer_.abandon(); }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  static constexpr double kBaselineLastsS = 30;
  // Executions of a candidate that are verified after it was timed, beside those of a run: who tries again and again
  // with a source that does its work in half of its executions is then right once in 64 times, not in four.
  static constexpr int kLooksAgain = 4;

  // Whether a request that is taken now would be built before long; what waits is better left where it is fair.
  [[nodiscard]] bool has_room() const { return under_way_.size() < most_under_way_; }
  // Begins with a request; its answer has the number. Throws Error where the machine refuses.
  std::uint64_t take(JudgeRequest request);
  void advance();
  // The next answer that is there.
  std::optional<JudgeAnswer> next_answer();
  [[nodiscard]] bool is_idle() const { return under_way_.empty() && answers_.empty(); }
  // What has not begun on the device is answered with an error.
  void stop();

  [[nodiscard]] std::vector<pollfd> descriptors() const;
  [[nodiscard]] double due_s() const;  // infinite: when one of the descriptors is readable

 private:
  using Clock = std::chrono::steady_clock;
  struct Baseline {
    bool is_under_way = false;
    std::shared_ptr<const Trial> trial;  // the latest
    Clock::time_point since;             // it is known
    std::string error;                   // why there is none
  };
  // A candidate, or a baseline, on its way.
  struct Job {
    std::uint64_t number = 0;
    JudgeRequest request;  // of a baseline: its configuration alone
    bool is_baseline = false;
    std::shared_ptr<Baseline> baseline;  // itself, or what it is compared with
    MeasureSettings settings;
    Candidate candidate;
    Clock::time_point since = Clock::now();
    std::string key;  // of what is remembered
  };
  using Jobs = std::list<std::unique_ptr<Job>>;
  void begin_build(std::unique_ptr<Job> job);
  std::shared_ptr<Baseline> want_baseline(const JudgeRequest& request);
  [[nodiscard]] bool has_answer() const;  // the device
  void take_built();
  void begin_repetitions();
  bool is_prepared(const Candidate& candidate);
  bool begin_repetition(std::unique_ptr<Job>& job);  // false: not now
  void finish_repetition();
  void complete(std::unique_ptr<Job> job);
  void answer_what_waited();
  void answer(std::unique_ptr<Job> job);
  void fail(const Job& job, const std::string& why);
  void fail_all(Jobs& jobs, const std::string& why);
  void remember(const std::string& key, const JudgedCandidate& judgement);

  const std::vector<const System*>& systems_;
  Measurer& measurer_;
  const JudgeSettings& settings_;
  SourceFolder folder_;
  CompilePool pool_;
  std::size_t most_under_way_;
  std::uint64_t last_number_ = 0;
  std::int64_t sequence_ = 0;
  std::set<std::uint64_t> under_way_;  // requests that have no answer
  std::map<std::uint64_t, std::unique_ptr<Job>> building_;
  // Built ones, those at the device, oldest first, and those that only wait for their baseline.
  Jobs built_, measured_, judged_;
  std::map<std::string, std::shared_ptr<Baseline>> baselines_;  // by the configuration's name
  std::set<std::string> prepared_;  // names without parameters: what the device was prepared for
  std::deque<JudgeAnswer> answers_;
  std::map<std::string, std::shared_ptr<const JudgedCandidate>> remembered_;
  std::deque<std::string> remembered_keys_;  // the oldest first
  bool is_stopped_ = false;
};

}  // namespace tailwave
