#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "spec/experiment.h"
#include "store/result_store.h"
#include "tune/builder.h"
#include "tune/candidate.h"
#include "tune/workbench.h"

namespace tailwave {

// Makes the trials of one run from its builds: what a sweep and a search have in common.
//
// What has the same machine code, launches and problem as a configuration of the same run, or as one that the run takes from an
// earlier one (remember()), is not measured again: `skipped_identical`.
class TrialMaker {
 public:
  // Sets the experiment's deadline on the devices. All are kept by reference.
  TrialMaker(const Experiment& experiment, Workbench& bench, ResultStore& store,
             const std::function<bool()>& stop_requested);
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
  // As measured with the settings of `experiment`, which may differ from the run's in nothing else.
  [[nodiscard]] std::string key_of(const Experiment& experiment, const Configuration& configuration,
                                   const std::string& build_key, const std::string& reference_key) const;

  // What an earlier run measured: `trial` has the code of `configuration`, and `measured` names the one whose result that is.
  void remember(const Configuration& configuration, std::int64_t trial, const std::string& measured);

  Candidate prepare(const Pending& pending, Built built);
  // What else is to be done; either may be empty.
  struct Work {
    std::function<void()> meanwhile;  // while the device works, or right after; throws nothing
    std::function<void()> then;       // when it is known what the turn was worth
  };
  // Measures one repetition; nothing if the candidate is no longer alive. Races against the fastest of this run so far
  // where the experiment says so. On a GPU, what that was worth is known in the next turn at the latest, or after
  // settle(): until then the candidate has to stay where it is.
  void take_turn(Candidate& candidate, int repetition, Work work);
  void take_turn(Candidate& candidate, int repetition) { take_turn(candidate, repetition, {}); }
  // Does at once what waits for such a moment.
  void settle();
  // Leaves it undone, when a candidate goes that was not stored.
  void forget();
  // A time from before that the next turns race against too.
  void race_against(const Configuration& configuration, double time_ns);
  // Measures the run's drift: one configuration, the first that was correct.
  void measure_drift(std::int64_t run);
  // False, with nothing stored, for what a stop request cut short: it says nothing of the configuration.
  bool store(std::int64_t run, const Candidate& candidate);

  // CompilePool::take() polls it while it waits.
  std::function<bool()> waiting();
  bool stopped();
  [[nodiscard]] PhaseTimes phases() const;  // of this run so far

 private:
  [[nodiscard]] bool is_host(const Configuration& configuration) const;
  [[nodiscard]] Executor& executor_of(const Configuration& configuration) const;
  Measurer& measurer_of(const Configuration& configuration);
  [[nodiscard]] std::string peers_of(const Configuration& configuration) const;
  [[nodiscard]] BuildRequest reference_request() const;
  [[nodiscard]] Compiler& reference_compiler() const;
  void skip_if_identical(Candidate& candidate);
  [[nodiscard]] bool measures_on_gpu(const Candidate& candidate) const;
  void measure(Candidate& candidate, int repetition);
  void learn_from(const Candidate& candidate);

  const Experiment& experiment_;
  Workbench& bench_;
  ResultStore& store_;
  const std::function<bool()>& stop_requested_;
  PhaseTimes phases_, measurers_before_;
  std::map<std::string, std::string> measured_;  // work_identity -> the configuration that was measured
  std::optional<Job> drift_job_;
  int drift_block_ = 0;
  std::int64_t sequence_ = 0;
  Values problem_;                         // of the latest turn
  std::map<std::string, double> best_ns_;  // by peers_of()
  bool stopped_ = false;
};

}  // namespace tailwave
