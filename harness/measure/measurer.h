#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "core/trial.h"
#include "measure/reference.h"
#include "measure/verifier.h"
#include "measure/worker.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"
#include "verify/compare.h"

namespace tailwave {

// One configuration ready to be measured.
struct Job {
  const System* system = nullptr;
  const MeasureSettings* settings = nullptr;
  Configuration configuration;
  Artifact artifact;
  std::vector<KernelResources> resources;      // for occupancy; empty for a host variant
  std::optional<DeviceSpec> occupancy_device;  // what offline occupancy is computed for
};

// The launches of a configuration with resources, occupancy and waves as far as they are known. A launch that
// the device cannot run has resources but no waves; so has one on a device that occupancy is not available for.
std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device);

// Why no launch of the plan could run on the device, or "".
std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device);

// The work quantities of the system for a scope; throws Error when one cannot be evaluated.
Values evaluate_work(const System& system, const Values& scope);

// How the system's results that are worth comparing on the device (Examiner::kFewestBytes) are compared; none for a scope for
// which that cannot be told.
std::vector<Comparer::Kind> large_comparisons(const System& system, const VariantSpec& variant,
                                              const Values& scope);

// One turn of a configuration at the device.
struct Turn {
  int repetition = 0;
  bool first = true;                 // describes the launches and verifies before timing
  bool last = true;                  // verifies after timing, with inputs not seen before
  std::optional<double> race_to_ns;  // see SamplingPlan
};

// What the pipeline asks of a device: has a worker execute, verify and sample configurations, one repetition after the
// other, and compares what they left with what the reference says. Fills outcome, detail, launches, samples,
// verifications, work, limits, timer, mode and stopped_by of trials; samples, whose sequence is left to the caller, stay
// empty unless the outcome is `correct`.
// Throws no Failure: that becomes the outcome.
class Measurer {
 public:
  // `verifier` compares large results on the device; null: this process compares all.
  Measurer(Worker& worker, ReferenceProvider& reference, Verifier* verifier = nullptr)
      : worker_(worker), reference_(reference), verifier_(verifier) {}

  // All of it in one turn. Nothing may be under way.
  Trial measure(const Job& job);

  // Lets what a configuration will need be prepared while it is built.
  void prepare(const System& system, const Configuration& configuration);
  // Begins a turn of a trial, which begins as new_trial(job); turns are taken in order, and a trial that is no longer
  // correct has no more. Job and trial have to stay where they are until finish() has returned the trial. False where
  // nothing can begin: the outcome says why.
  bool begin(const Job& job, Trial& trial, const Turn& turn);
  // Whether begin() would leave the worker with no more than it takes.
  [[nodiscard]] bool has_room() const { return under_way_.size() < worker_.most_under_way(); }
  [[nodiscard]] bool is_idle() const { return under_way_.empty(); }
  // Waits for the oldest turn that is under way, and judges it.
  void finish();
  void abandon();  // all that is under way

  [[nodiscard]] const Worker& worker() const { return worker_; }
  [[nodiscard]] const PhaseTimes& phases() const { return phases_; }  // of all turns that are finished

 private:
  using Comparisons = std::map<std::string, ResolvedComparison>;  // by buffer
  struct UnderWay {
    const Job* job;
    Trial* trial;
    Comparisons comparisons;
    std::vector<std::uint64_t> draws;                   // of the looks
    std::vector<ReferenceProvider::Expected> expected;  // likewise
    std::uint64_t number = 0;
    bool examined = false;  // as far as it was expected to be
  };
  void describe(const Job& job, Trial& trial);
  double copy_bandwidth();
  // What is expected of its looks, for the verifier, of which such contents are known.
  static Verifier::Contents large_contents(const UnderWay& one);
  static std::vector<std::vector<Expectation>> expectations(const UnderWay& one,
                                                            const Verifier::Contents& contents);
  // Whether the verifier will examine what it leaves.
  bool is_examined(const UnderWay& one);
  void note_examination(bool wanted, const Look& look);
  void judge(const UnderWay& one, RepetitionResult result);
  void judge_look(const UnderWay& one, std::size_t number, const Look& look);
  static void add(Trial& trial, const std::string& phase, Verification verification,
                  const std::string& weakness);

  Worker& worker_;
  ReferenceProvider& reference_;
  Verifier* verifier_;
  std::deque<UnderWay> under_way_;
  bool wants_fresh_data_ = false;
  int unexamined_ = 0;  // looks in a row that the verifier was to examine and did not
  std::optional<double> copy_bandwidth_;
  PhaseTimes phases_;
};

Trial new_trial(const Job& job);

// The tasks that a Measurer asks of its worker.
Tasks measuring_tasks();

}  // namespace tailwave
