#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "spec/experiment.h"
#include "store/result_store.h"
#include "tune/builder.h"
#include "tune/candidate.h"
#include "tune/compile_pool.h"
#include "tune/workbench.h"

namespace tailwave {

// Makes the trials of one run from its builds: what a sweep and a search have in common.
//
// What has the same machine code, launches and problem as a configuration of the same run, or as one that the run takes from an
// earlier one (remember()), is not measured again: `skipped_identical`.
class TrialMaker {
 public:
  // All are kept by reference.
  TrialMaker(const Experiment& experiment, const MeasureSettings& settings, Workbench& bench,
             ResultStore& store, const std::function<bool()>& stop_requested);
  ~TrialMaker();
  TrialMaker(const TrialMaker&) = delete;
  TrialMaker& operator=(const TrialMaker&) = delete;

  // For a compile process.
  [[nodiscard]] Built build(const Configuration& configuration) const;
  // Leaves it in the artifact cache, where the first verification looks.
  [[nodiscard]] Built build_reference() const;
  // A configuration that has no build key (an option without a value) is known by its failure, which its build will
  // meet again.
  [[nodiscard]] std::string build_key(const Configuration& configuration) const;
  [[nodiscard]] std::string reference_key() const;
  [[nodiscard]] std::string key_of(const MeasureSettings& settings, const Configuration& configuration,
                                   const std::string& build_key, const std::string& reference_key) const;

  // What an earlier run measured: `trial` has the code of `configuration`, and `measured` names the one whose result that is.
  void remember(const Configuration& configuration, std::int64_t trial, const std::string& measured);

  // Lets the devices prepare for such configurations, in the background.
  void prepare_for(const Configuration& configuration);
  Candidate prepare(const Pending& pending, Built built);

  // Turns are finished in the order in which they begin; a candidate has to stay where it is until then. The next one should
  // begin before the oldest is finished, so that the device works while its results are compared and stored.
  //
  // Whether a turn of this candidate can begin now: there is room, and what is under way is of the same problem on the same
  // device.
  [[nodiscard]] bool ready_for(const Candidate& candidate) const;
  // The next repetition of a candidate; of one that is not alive nothing is measured. Races against the fastest of this run so
  // far where the settings say so.
  void begin(Candidate& candidate);
  [[nodiscard]] bool is_idle() const { return under_way_.empty(); }
  // Whether finish() probably need not wait.
  [[nodiscard]] bool answer_is_there() const;
  // The oldest turn; waits for it. Throws Cancelled, after which nothing is under way.
  Candidate& finish();
  // Waits for a moment: for a build, or for the oldest turn to end. Throws Cancelled when a stop is requested.
  void wait(CompilePool& pool);

  // A time from before that the next turns race against too.
  void race_against(const Configuration& configuration, double time_ns);
  // Measures the run's drift while nothing is under way: one configuration, the first that was correct.
  void measure_drift(std::int64_t run);
  void store(std::int64_t run, const Candidate& candidate);

  bool stopped();
  [[nodiscard]] PhaseTimes phases() const;  // of this run so far

 private:
  struct UnderWay {
    Candidate* candidate;
    Measurer* measurer;  // null: there was nothing to measure
    std::size_t samples_before;
  };
  [[nodiscard]] bool is_host(const Configuration& configuration) const;
  [[nodiscard]] const Worker& worker_of(const Configuration& configuration) const;
  Measurer& measurer_of(const Configuration& configuration) const;
  [[nodiscard]] std::string peers_of(const Configuration& configuration) const;
  [[nodiscard]] BuildRequest reference_request() const;
  [[nodiscard]] Compiler& reference_compiler() const;
  void skip_if_identical(Candidate& candidate);
  Turn next_turn(const Candidate& candidate);
  void learn_from(const Candidate& candidate);
  void abandon();

  const Experiment& experiment_;
  const MeasureSettings& settings_;
  Workbench& bench_;
  ResultStore& store_;
  const std::function<bool()>& stop_requested_;
  PhaseTimes phases_, measurers_before_;
  std::deque<UnderWay> under_way_;
  std::map<std::string, std::string> measured_;  // work_identity -> the configuration that was measured
  std::optional<Job> drift_job_;
  int drift_block_ = 0;
  std::int64_t sequence_ = 0;
  Values problem_;                         // of the latest turn
  std::map<std::string, double> best_ns_;  // by peers_of()
  bool stopped_ = false;
};

}  // namespace tailwave
