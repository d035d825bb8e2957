#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/trial.h"
#include "measure/candidate.h"
#include "measure/reference.h"
#include "measure/reference_survey.h"
#include "measure/tools.h"
#include "measure/verifier.h"
#include "measure/worker.h"
#include "verify/compare.h"

namespace tailwave {

// How the system's results that are worth comparing on the device (Examiner::kFewestBytes) are compared; none for a
// scope for which that cannot be told.
std::vector<Comparer::Kind> large_comparisons(const System& system, const VariantSpec& variant,
                                              const Values& scope);

// What the best so far means for a repetition.
struct Rivals {
  std::optional<double> race_to_ns;  // see SamplingPlan
  std::optional<double> give_up_ns;  // see Repetition
};

// Has workers execute, verify and sample candidates, one repetition after the other, and compares what they left with
// what the reference says. Fills outcome, detail, launches, samples, verifications, work, limits, timer, mode and
// stopped_by of trials; samples, whose sequence is left to the caller, stay empty unless the outcome is `correct`.
// Throws no Failure: that becomes the outcome.
class Measurer {
 public:
  explicit Measurer(Tools tools)
      : tools_(std::move(tools)), reference_(std::make_shared<ReferenceProvider>(tools_.reference)) {}
  // On another device of the same model, which has the memory rates of that one. What is expected is computed once, with
  // what the other one has for that. The other one has to outlive it.
  Measurer(Tools tools, const Measurer& other)
      : tools_(std::move(tools)), like_(&other), reference_(other.reference_) {}
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  [[nodiscard]] const Tools& tools() const { return tools_; }
  [[nodiscard]] ReferenceProvider& reference() { return *reference_; }

  // Lets what a configuration will need be prepared while it is built.
  void prepare(const System& system, const Configuration& configuration);

  // Of the device, measured once, while nothing is under way; empty where that fails, or is asked before and while
  // something is.
  MemoryRates memory_rates();

  // Whether this candidate's next repetition can begin now: its worker has room, and what is under way is of the same
  // problem on the same device.
  [[nodiscard]] bool has_room_for(const Candidate& candidate) const;
  // Begins the next repetition of a candidate, which comes back from finish(). Nothing is measured of one that is not
  // alive.
  void begin(Candidate candidate, const Rivals& rivals = {});
  // The candidate that has been under way for the longest, judged; waits for it. Throws Cancelled, and Error as
  // Worker::finish(), after which nothing is under way.
  Candidate finish();
  // Both of one; nothing may be under way.
  Candidate measure(Candidate candidate);
  // The same of one that has to be correct: throws Failure where it is not, with `which` before its detail.
  Candidate measure_correct(Candidate candidate, const std::string& which = "");
  [[nodiscard]] bool is_idle() const { return under_way_.empty(); }
  // Whether finish() probably need not wait; readable when that changes, -1: there is no such descriptor.
  [[nodiscard]] bool answer_is_there() const;
  [[nodiscard]] int descriptor() const;
  void abandon();  // all that is under way

  [[nodiscard]] const PhaseTimes& phases() const { return phases_; }  // of all repetitions that are finished

 private:
  using Comparisons = std::map<std::string, ResolvedComparison>;  // by buffer
  // A step that leaves results, and what they are compared with.
  struct LookedAt {
    Step step;
    Comparisons comparisons;
    ReferenceProvider::Expected expected;
  };
  struct UnderWay {
    Candidate candidate;
    Worker* worker = nullptr;  // null: nothing is measured
    std::uint64_t number = 0;  // of the repetition
    Comparisons comparisons;   // of its own problem
    std::vector<LookedAt> looks;
    std::int64_t written_bytes = 0;    // see ReferenceSurvey
    std::optional<double> give_up_ns;  // see Repetition
  };
  void send(UnderWay& one, std::optional<double> race_to_ns);
  static void give_up(UnderWay& one, const RepetitionResult& result);
  void describe(Candidate& candidate);
  const ReferenceSurvey& survey(const UnderWay& one);
  void expect(UnderWay& one, Step& step);
  // What is expected of its looks, for the verifier, of which such contents are known.
  static Verifier::Contents large_contents(const UnderWay& one);
  static std::vector<std::vector<Expectation>> expectations(const UnderWay& one,
                                                            const Verifier::Contents& contents);
  // Whether the verifier will examine what it leaves.
  [[nodiscard]] bool is_examined(const UnderWay& one) const;
  void note_granted_sms(Trial& trial, const std::vector<std::optional<int>>& granted) const;
  void note_active_clusters(Trial& trial, const std::vector<std::optional<int>>& active) const;
  void judge(UnderWay& one, RepetitionResult result);
  void judge_look(UnderWay& one, const Look& look, const std::string& doubt) const;

  Tools tools_;
  const Measurer* like_ = nullptr;  // null: its own
  std::shared_ptr<ReferenceProvider> reference_;
  std::deque<UnderWay> under_way_;
  std::set<const Worker*> spoiled_;  // whose next repetition uses nothing that was there before
  std::optional<MemoryRates> memory_rates_;
  std::map<std::string, ReferenceSurvey> surveys_;  // by what the first draw expects, and buffers
  PhaseTimes phases_;
};

// The tasks that a Measurer asks of its workers.
Tasks measuring_tasks();

}  // namespace tailwave
