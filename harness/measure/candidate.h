#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "compile/artifact.h"
#include "core/trial.h"
#include "spec/experiment.h"

namespace tailwave {

// One configuration on its way from the spec to the database. Whoever works at it owns it meanwhile:
//
// | stage          | has                                                  | is with                          |
// |----------------|------------------------------------------------------|----------------------------------|
// | to do          | a configuration and the key of its result            | a run or a search                |
// | built          | an artifact, or the outcome of a failed build        | the same                         |
// | under way      | a repetition at the device: begin() to finish()      | the Measurer                     |
// | between blocks | results of the repetitions so far                    | a run with several repetitions   |
// | over           | an outcome; samples where that is `correct`          | the ResultStore, for good        |
struct Candidate {
  const System* system = nullptr;
  const MeasureSettings* settings = nullptr;
  std::size_t number = 0;  // among those of its run or search
  Trial trial;             // what will be stored; has the configuration and the key from the beginning
  std::optional<Artifact> artifact;
  int repetitions = 1;     // in all: each verifies what it times, the first also before that
  int begun = 0;           // of these
  std::optional<int> sms;  // see Repetition
  std::shared_ptr<const VariantSpec> on_sms;  // the variant with these; null: as it is in the system
  int looks_again = 0;  // executions that are verified after the last of these, beside those on further draws
  std::optional<std::size_t> gpu;  // of a Team, where it was begun
  bool is_second_try = false;      // see Team
  // Of TrialMaker's drift: it only tells how fast the device is at the moment, and is not verified again.
  std::optional<int> drift_block;

  [[nodiscard]] const Configuration& configuration() const { return trial.configuration; }
  [[nodiscard]] const VariantSpec& variant() const {
    return on_sms ? *on_sms : *system->find_variant(trial.configuration.variant);
  }
  [[nodiscard]] bool is_alive() const { return artifact && trial.outcome == Outcome::correct; }
  [[nodiscard]] bool is_first() const { return begun == 0; }
  [[nodiscard]] bool is_last() const { return begun == repetitions - 1; }

  // The plan's launches on so many SMs; 0: on all.
  void put_on_sms(int count) {
    sms = count;
    on_sms =
        std::make_shared<VariantSpec>(with_sms(*system->find_variant(trial.configuration.variant), count));
  }
  void take(Artifact built) {
    trial.build = built.record;
    artifact = std::move(built);
  }
  // As before its first repetition, perhaps elsewhere.
  void begin_anew();
  // An execution takes at least so long, which is more than the limit.
  void give_up(double at_least_ns, double limit_ns);
  void fail(Outcome outcome, std::string detail) {
    trial.outcome = outcome;
    trial.detail = std::move(detail);
  }
};

// Everything that decides what the device executes; empty where that is not known from the machine code. Throws
// ExpressionError or Failure for what cannot be evaluated.
std::string work_identity(const System& system, const Configuration& configuration,
                          const std::string& code_hash);

}  // namespace tailwave
