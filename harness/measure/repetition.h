#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "compile/artifact.h"
#include "core/members.h"
#include "core/trial.h"
#include "device/blob.h"
#include "device/executor.h"
#include "device/packing.h"
#include "device/print_capture.h"
#include "device/wire.h"
#include "measure/device_data.h"
#include "measure/made_inputs.h"
#include "measure/watch.h"
#include "spec/experiment.h"

namespace tailwave {

// A part of a repetition. All buffers begin as the inputs of a draw have them, output-only ones poisoned.
struct Step {
  std::uint64_t draw = 0;
  // false: one execution of all parts of the plan. true: warm-up and samples as the settings say, each from such
  // buffers. What is looked at is what a single execution left, the last sample or the last of several back to back.
  bool timed = false;
  // What it leaves in the buffers of Repetition::results, after `finish`, is looked at.
  bool looked_at = false;
  // It is timed in place of the last one that was, with the code loaded anew, where that is in doubt: the execution
  // that was looked at took longer than samples do. Otherwise it is left out.
  bool in_doubt = false;
  // It comes after the samples, on a draw that was looked at before: what works in some executions only fails one.
  bool again = false;
  // Quantities in which its problem differs from the configuration's, and what is looked at then instead of
  // Repetition::results. Such steps come before all others.
  Values problem = {};
  std::vector<std::string> results = {};
  MadeInputs inputs = {};  // of that problem, as Repetition::inputs

  static constexpr auto members() {
    return std::tuple{member("draw", &Step::draw),           member("timed", &Step::timed),
                      member("looked_at", &Step::looked_at), member("in_doubt", &Step::in_doubt),
                      member("again", &Step::again),         member("problem", &Step::problem),
                      member("results", &Step::results),     member("inputs", &Step::inputs)};
  }
};

// What a worker process is asked to do with one configuration, in one message: everything between loading its code and
// the last look at its results.
struct Repetition {
  std::uint64_t number = 0;        // counts the messages to a worker
  const System* system = nullptr;  // one of those that the worker was started with
  Configuration configuration;
  Artifact artifact;
  MeasureSettings settings;
  int repetition = 0;
  std::optional<double> race_to_ns;  // see SamplingPlan
  // Where the first execution of its problem surely takes longer, nothing else is done: RepetitionResult::at_least_ns.
  std::optional<double> give_up_ns;
  std::vector<Step> steps;
  std::vector<std::string> results;  // buffers
  bool verifier = false;             // large results are compared where they are, see Examiner
  bool asks_driver = false;          // for the blocks an SM of the plan's launches, and for their SMs
  bool fresh_data = false;           // nothing is used that an earlier repetition could have spoiled
  bool places_anew = false;          // where there is room, see DeviceData::place_anew
  std::optional<int> sms;            // of the plan's launches, instead of what the manifest says; 0: all
  MadeInputs inputs = {};            // what functions fill, see Worker::set_inputs

  static constexpr auto members() {
    // A system is known by its place in the worker's list; see put().
    return std::tuple{member("number", &Repetition::number),
                      member<kNotWire>("system", &Repetition::system),
                      member("configuration", &Repetition::configuration),
                      member("artifact", &Repetition::artifact),
                      member("settings", &Repetition::settings),
                      member("repetition", &Repetition::repetition),
                      member("race_to_ns", &Repetition::race_to_ns),
                      member("give_up_ns", &Repetition::give_up_ns),
                      member("steps", &Repetition::steps),
                      member("results", &Repetition::results),
                      member("verifier", &Repetition::verifier),
                      member("asks_driver", &Repetition::asks_driver),
                      member("fresh_data", &Repetition::fresh_data),
                      member("places_anew", &Repetition::places_anew),
                      member("sms", &Repetition::sms),
                      member("inputs", &Repetition::inputs)};
  }
};
// Systems are known by their place in the list.
void put(Packet& packet, const Repetition& repetition, std::span<const System* const> systems);
Repetition take_repetition(Packet& packet, std::span<const System* const> systems);

// What a step that is looked at left.
struct Look {
  std::size_t number = 0;                // among the steps that are looked at, with those that are left out
  std::optional<double> time_ns;         // of the execution that left it, where that was a sample
  std::map<std::string, Blob> contents;  // by buffer; those that an Examiner compared are not among them
  std::string damage;                    // empty, or which guard words were overwritten
  bool examined = false;                 // an Examiner compared the others
  bool passed = true;                    // as far as the Examiner tells

  static constexpr auto members() {
    return std::tuple{member("number", &Look::number),     member("time_ns", &Look::time_ns),
                      member("contents", &Look::contents), member("damage", &Look::damage),
                      member("examined", &Look::examined), member("passed", &Look::passed)};
  }
};

// The time of an execution among several back to back: among `repeated` where each works on what the one before left,
// and among `own` where each has buffers and inputs of its own. Work that fades (a sorted array, a result that is
// remembered) makes the first less. As many are repeated as there are sets of buffers, or as a sample has. What takes less
// than least_ns among them does not do the work of one with inputs of its own.
struct BackToBack {
  double repeated_ns = 0, own_ns = 0, least_ns = 0;
  int repeated = 0, own = 0;

  static constexpr auto members() {
    return std::tuple{member("repeated_ns", &BackToBack::repeated_ns), member("own_ns", &BackToBack::own_ns),
                      member("least_ns", &BackToBack::least_ns), member("repeated", &BackToBack::repeated),
                      member("own", &BackToBack::own)};
  }
};

struct RepetitionResult {
  Outcome outcome = Outcome::correct;  // of what can be told without comparing
  std::string detail;
  std::vector<std::optional<int>> blocks_per_sm;  // of launch_shapes(), if asked for
  std::vector<std::optional<int>> granted_sms;    // likewise
  std::vector<std::optional<int>> active_clusters;
  std::vector<Look> looks;      // of the steps that were looked at, in their order
  std::vector<Sample> samples;  // Sample::sequence is left to the caller
  std::string stopped_by;
  std::optional<double> at_least_ns;       // of an execution, where nothing more was done because of that
  std::optional<double> fresh_ns;          // see Sampling
  std::optional<BackToBack> back_to_back;  // where an execution among several is quicker than a fresh one
  PhaseTimes phases;                       // load, verify, measure
  Printed printed;                         // by the code that ran

  static constexpr auto members() {
    return std::tuple{member("outcome", &RepetitionResult::outcome),
                      member("detail", &RepetitionResult::detail),
                      member("blocks_per_sm", &RepetitionResult::blocks_per_sm),
                      member("granted_sms", &RepetitionResult::granted_sms),
                      member("active_clusters", &RepetitionResult::active_clusters),
                      member("looks", &RepetitionResult::looks),
                      member("samples", &RepetitionResult::samples),
                      member("stopped_by", &RepetitionResult::stopped_by),
                      member("at_least_ns", &RepetitionResult::at_least_ns),
                      member("fresh_ns", &RepetitionResult::fresh_ns),
                      member("back_to_back", &RepetitionResult::back_to_back),
                      member("phases", &RepetitionResult::phases),
                      member("printed", &RepetitionResult::printed)};
  }
};

// A process that knows what is expected and compares large results in the memory where they are.
class Examiner {
 public:
  // A buffer by the handle that Executor::share gives.
  struct Shared {
    std::string buffer;
    std::vector<std::byte> handle;
    std::size_t size_bytes = 0;
  };
  enum class Answer { passed, failed, cannot_look };

  virtual ~Examiner() = default;
  // What a step of a repetition left; `look` counts the steps that are looked at. Waits.
  virtual Answer examine(std::uint64_t number, std::size_t look, const std::vector<Shared>& buffers) = 0;
  // Before shared memory goes.
  virtual void forget() = 0;

  static constexpr double kLongestS = 60;                            // of an examination
  static constexpr std::size_t kFewestBytes = std::size_t{2} << 20;  // of a buffer that is worth it
};

// Whether samples with this median say less than an execution among them that was looked at.
bool is_in_doubt(double median_ns, double looked_at_ns, DeviceKind kind);

// The whole way of a repetition on a device, in the process where it runs: loads the code, executes, verifies and
// samples step by step, and ends at the first that fails. Does not throw Failure: that is the outcome. `examiner` may
// be null.
RepetitionResult measure_repetition(DeviceData& data, Examiner* examiner, Watch& watch,
                                    const Repetition& repetition);

}  // namespace tailwave
