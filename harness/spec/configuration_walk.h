#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/experiment.h"

namespace tailwave {

// A constraint failed to evaluate; `pointer` says which.
struct ConstraintFailure {
  std::string pointer;
  ExpressionError error;
};

// What an experiment has of one case on one problem.
struct CasePart {
  const Case& each;
  const VariantSpec& variant;
  Values defaults;  // of parameters that the case does not name
  Values problem;
  ParameterSpace space;  // of the case's parameters
};

// The parts of an experiment, whose configurations in this order, some of them perhaps twice, are those of enumerate().
class CaseParts {
 public:
  CaseParts(const Experiment& experiment, bool for_cpu_device);
  // Leaves out the cases of variants with another target.
  void keep(VariantSpec::Target target) { target_ = target; }
  // Further constraints of the parts.
  void add_cpu_constraints() { with_cpu_constraints_ = true; }

  [[nodiscard]] double problems() const;  // how many there are
  // False where `visit` was, which ends it. Throws ConstraintFailure, also for an ExpressionError of `visit`.
  bool for_each(const std::function<bool(CasePart&)>& visit) const;

 private:
  bool of_problem(const Values& problem, const std::function<bool(CasePart&)>& visit) const;
  [[nodiscard]] CasePart part(const Case& each, const Values& problem) const;

  const Experiment& experiment_;
  std::vector<Parameter> quantities_;  // of the problem
  std::vector<ProblemSize> sizes_;     // instead of their combinations
  std::optional<VariantSpec::Target> target_;
  bool with_cpu_constraints_ = false;
};

// Of a constraint of the experiment.
ConstraintFailure failure_of(const Experiment& experiment, const ExpressionError& error);

// The configurations of an experiment in the order of enumerate(), duplicates included.
class ConfigurationWalk {
 public:
  struct Place {
    const Case& each;
    const Values& defaults;  // of parameters that the case does not name
    const Values& problem;
    const std::vector<std::uint32_t>& indices;  // of the values of the case's parameters

    [[nodiscard]] Configuration configuration(const std::string& system) const;
  };
  using Visit = std::function<bool(const Place&)>;  // false: stop

  ConfigurationWalk(const Experiment& experiment, bool for_cpu_device, Visit visit)
      : parts_(experiment, for_cpu_device), visit_(std::move(visit)) {}

  // Leaves out what devices.cpu.constraints do.
  void add_cpu_constraints() { parts_.add_cpu_constraints(); }

  // Throws ConstraintFailure. False where it was stopped, which `stop`, asked now and then, can too.
  bool run(const std::function<bool()>& stop = {}) const;

 private:
  CaseParts parts_;
  Visit visit_;
};

// What devices.cpu.constraints say. Throws ConstraintFailure.
bool allowed_on_cpu(const Experiment& experiment, const Configuration& configuration);

[[noreturn]] void throw_error(const Experiment& experiment, const ConstraintFailure& failure);

}  // namespace tailwave
