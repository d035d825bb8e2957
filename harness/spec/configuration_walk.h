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

  ConfigurationWalk(const Experiment& experiment, bool for_cpu_device, Visit visit);
  // Leaves out the cases of variants with another target.
  void keep(VariantSpec::Target target) { target_ = target; }

  // Throws ConstraintFailure.
  void run();

 private:
  void use_cpu_problem();
  bool walk_case(const Case& each, const Values& problem);

  const Experiment& experiment_;
  Visit visit_;
  std::vector<Parameter> quantities_;  // of the problem
  std::optional<VariantSpec::Target> target_;
};

// What devices.cpu.constraints say. Throws ConstraintFailure.
bool allowed_on_cpu(const Experiment& experiment, const Configuration& configuration);

[[noreturn]] void throw_error(const Experiment& experiment, const ConstraintFailure& failure);

}  // namespace tailwave
