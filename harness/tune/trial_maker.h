#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_factors.h"
#include "measure/candidate.h"
#include "measure/team.h"
#include "spec/experiment.h"
#include "store/result_store.h"
#include "tune/builder.h"
#include "tune/compile_pool.h"
#include "tune/metric_values.h"
#include "tune/trial_key.h"

namespace tailwave {

// Takes the candidates of one run through their stages (measure/candidate.h): what a sweep and a search have in common.
//
// What has the same machine code, launches and problem as a configuration of the same run, or as one that the run
// takes from an earlier one (remember()), is not measured again: `skipped_identical`.
class TrialMaker {
 public:
  // All are kept by reference.
  TrialMaker(const Experiment& experiment, const MeasureSettings& settings, Team& team, ResultStore& store,
             const std::function<bool()>& stop_requested);
  ~TrialMaker() { team_.abandon(); }
  TrialMaker(const TrialMaker&) = delete;
  TrialMaker& operator=(const TrialMaker&) = delete;

  // Before the first candidate, while it is built.
  void prepare(const Configuration& first);
  // Of a trial from before: what the spec now says of its metrics.
  void refresh(std::int64_t trial) { metrics_.store(trial); }

  // For a compile process.
  [[nodiscard]] Built build(const Configuration& configuration) const;
  // Leaves it in the artifact cache, where the first verification looks, which also says what is wrong with it.
  [[nodiscard]] Built build_reference() const;

  [[nodiscard]] TrialKeys keys();
  // What an earlier run measured: `trial` has the code of `configuration`, and `measured` names the one whose result
  // that is.
  void remember(const Configuration& configuration, std::int64_t trial, const std::string& measured);

  // What an earlier run left of it: its repetitions so far. Without such, or with what makes no sense, it begins anew.
  void resume(Candidate& candidate, const std::map<std::string, UnfinishedTrial>& left);
  // Of a candidate that has repetitions to come.
  void keep(std::int64_t run, const Candidate& candidate);

  // The stages. The next candidate should begin before the oldest is finished, so that the device works while its
  // results are compared and stored.
  [[nodiscard]] Candidate to_do(const Configuration& configuration, std::string key,
                                std::size_t number) const;
  // After the reference was built.
  void take(Candidate& candidate, Built built);
  // The next repetition, which races against the fastest of this run so far where the settings say so, and is given up
  // where it is hopeless beside the best.
  void begin(Candidate candidate);
  // The oldest that is under way; waits for it. Throws as Measurer::finish().
  Candidate finish();
  // Gives the trial.
  std::int64_t store(std::int64_t run, const Candidate& candidate);

  // Waits for a moment: for a build, or for the oldest candidate that is under way. Throws Cancelled when a stop is
  // requested.
  void wait(CompilePool& pool);
  // A correct time from before that the next repetitions race against too.
  void race_against(const Configuration& configuration, double time_ns);
  // The same for giving up alone: what takes far longer than this is hopeless.
  void give_up_beside(const Configuration& configuration, double time_ns);
  // Whether what was given up once, with this least time, would be again beside the best that is known now.
  [[nodiscard]] bool is_hopeless(const Configuration& configuration, double at_least_ns) const;
  // A block of the run's drift, to be begun: the first configuration that was correct. With several GPUs for each of them,
  // and a few (kAnchors) take turns; gpu_factors() follow from these. None where none was correct yet.
  [[nodiscard]] std::vector<Candidate> next_drift();
  // Of what finish() gave, with Candidate::drift_block.
  void store_drift(std::int64_t run, Candidate measured);
  // Such a block, while nothing else is under way.
  void measure_drift(std::int64_t run);
  void store_gpu_factors(std::int64_t run, const std::vector<GpuFactor>& factors);
  // Of the GPUs that are left, beside the first of these, stored for the run; measures the drift more often where it was
  // measured too seldom to tell. None with one GPU.
  std::vector<GpuFactor> compare_gpus(std::int64_t run);

  bool stopped();
  [[nodiscard]] PhaseTimes phases() const;  // of this run so far

 private:
  [[nodiscard]] const VariantSpec& variant_of(const Configuration& configuration) const;
  [[nodiscard]] bool is_kernel(const Configuration& configuration) const;
  [[nodiscard]] std::string peers_of(const Configuration& configuration) const;
  [[nodiscard]] BuildRequest reference_request() const;
  [[nodiscard]] std::string reference_key() const;
  void complete_key(Candidate& candidate);
  void skip_if_identical(Candidate& candidate);
  [[nodiscard]] std::optional<double> cost_of_a_ns(const Configuration& configuration) const;
  [[nodiscard]] std::optional<double> give_up_ns(const Configuration& configuration) const;
  void learn_from(const Candidate& candidate);
  void make_anchor_of(const Candidate& candidate);
  [[nodiscard]] const Tools& tools() const { return team_.tools(); }

  const Experiment& experiment_;
  const MeasureSettings& settings_;
  Team& team_;
  ResultStore& store_;
  const std::function<bool()>& stop_requested_;
  MetricValues metrics_;
  PhaseTimes phases_, phases_before_;
  std::map<std::string, std::string> measured_;    // work_identity -> the configuration that was measured
  std::string reference_key_;                      // before anything was built
  std::optional<bool> reference_reads_elsewhere_;  // nothing: the reference is not built yet
  static constexpr std::size_t kAnchors = 3;
  std::vector<Candidate> anchors_;  // whose drift is measured
  int drift_block_ = 0;
  std::vector<AnchorTime> anchor_times_;  // with several GPUs
  std::int64_t sequence_ = 0;
  std::map<std::string, double> best_ns_, best_cost_;  // by peers_of()
  bool stopped_ = false;
};

}  // namespace tailwave
