#include "spec/enumerate.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace tailwave {
namespace {

constexpr int kEnough = 10000;

// A constraint failed to evaluate; `pointer` says which.
struct ConstraintFailure {
  std::string pointer;
  ExpressionError error;
};

bool applies(const Expression& constraint, const VariantSpec& variant, const System& system) {
  const std::vector<std::string>& names = constraint.names();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return variant.has_parameter(name) || system.problem.contains(name);
  });
}

std::string pointer_to_constraint(const ExpressionError& error, const std::vector<Expression>& constraints,
                                  const std::string& list) {
  const auto found = std::find_if(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
    return constraint.text() == error.text;
  });
  return pointer_to(list, static_cast<std::size_t>(found - constraints.begin()));
}

// Walks the configurations of an experiment in the order of enumerate(), duplicates included.
class Walk {
 public:
  using Visit = std::function<bool(Configuration&&)>;  // false: stop

  Walk(const Experiment& experiment, bool for_cpu_device, Visit visit)
      : experiment_(experiment), visit_(std::move(visit)), quantities_(experiment.problem) {
    if (for_cpu_device) use_cpu_problem();
  }

  // Throws ConstraintFailure.
  void run() {
    const ParameterSpace problems(quantities_, {});
    problems.for_each([&](const std::vector<std::uint32_t>& indices) {
      Values problem;
      for (const auto& [name, quantity] : experiment_.system.problem) {
        problem.emplace(name, quantity.default_value);
      }
      for (std::size_t i = 0; i < indices.size(); ++i) {
        problem[quantities_[i].name] = quantities_[i].values[indices[i]];
      }
      return std::all_of(experiment_.cases.begin(), experiment_.cases.end(),
                         [&](const Case& each) { return walk_case(each, problem); });
    });
  }

 private:
  void use_cpu_problem() {
    for (const Parameter& on_cpu : experiment_.cpu_problem) {
      const auto same = std::find_if(quantities_.begin(), quantities_.end(),
                                     [&](const Parameter& quantity) { return quantity.name == on_cpu.name; });
      if (same == quantities_.end()) {
        quantities_.push_back(on_cpu);
      } else {
        *same = on_cpu;
      }
    }
  }

  bool walk_case(const Case& each, const Values& problem) {
    const VariantSpec& variant = *experiment_.system.find_variant(each.variant);
    Values defaults(variant.parameters.begin(), variant.parameters.end());
    for (const Parameter& parameter : each.parameters) defaults.erase(parameter.name);
    Values fixed = problem;
    fixed.insert(defaults.begin(), defaults.end());
    std::vector<Expression> constraints;
    for (const Expression& constraint : experiment_.constraints) {
      if (applies(constraint, variant, experiment_.system)) constraints.push_back(constraint);
    }
    bool go_on = true;
    try {
      ParameterSpace(each.parameters, constraints, fixed)
          .for_each([&](const std::vector<std::uint32_t>& indices) {
            Configuration configuration{experiment_.system.name, each.variant, defaults, problem};
            for (std::size_t i = 0; i < indices.size(); ++i) {
              configuration.parameters.emplace(each.parameters[i].name,
                                               each.parameters[i].values[indices[i]]);
            }
            go_on = visit_(std::move(configuration));
            return go_on;
          });
    } catch (const ExpressionError& error) {
      throw ConstraintFailure{pointer_to_constraint(error, experiment_.constraints, "/constraints"), error};
    }
    return go_on;
  }

  const Experiment& experiment_;
  Visit visit_;
  std::vector<Parameter> quantities_;  // of the problem
};

// Throws ConstraintFailure.
bool allowed_on_cpu(const Experiment& experiment, const Configuration& configuration) {
  const std::vector<Expression>& constraints = experiment.cpu_constraints;
  if (constraints.empty()) return true;
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  const Values scope = configuration.scope();
  return std::all_of(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
    if (!applies(constraint, variant, experiment.system)) return true;
    try {
      return constraint.evaluate_bool(scope);
    } catch (const ExpressionError& error) {
      const std::string cause = error.what() + values_of_names(constraint, scope);
      throw ConstraintFailure{pointer_to_constraint(error, constraints, "/devices/cpu/constraints"),
                              ExpressionError(cause, error.column, error.hint, error.text)};
    }
  });
}

}  // namespace

Enumeration enumerate(const Experiment& experiment, bool for_cpu_device) {
  Enumeration result;
  std::unordered_set<std::string> seen;
  const bool may_repeat = experiment.cases.size() > 1;
  try {
    Walk(experiment, for_cpu_device, [&](Configuration&& configuration) {
      if (may_repeat && !seen.insert(configuration.name()).second) return true;
      if (for_cpu_device && !allowed_on_cpu(experiment, configuration)) {
        ++result.left_out_on_cpu;
      } else {
        result.configurations.push_back(std::move(configuration));
      }
      return true;
    }).run();
  } catch (const ConstraintFailure& failure) {
    throw Error(Diagnostic{experiment.file.string(), failure.pointer, failure.error.what(),
                           failure.error.text, failure.error.column, failure.error.hint});
  }
  return result;
}

void check_enumeration(const Experiment& experiment, Reporter& reporter) {
  try {
    for (const bool for_cpu_device : {false, true}) {
      if (for_cpu_device && experiment.cpu_problem.empty() && experiment.cpu_constraints.empty()) break;
      int visited = 0;
      Walk(experiment, for_cpu_device, [&](Configuration&& configuration) {
        if (for_cpu_device) (void)allowed_on_cpu(experiment, configuration);
        return ++visited < kEnough;
      }).run();
      if (visited == 0) {
        return reporter.report("/constraints", for_cpu_device
                                                   ? "no configuration satisfies all constraints with the "
                                                     "problem of the CPU device"
                                                   : "no configuration satisfies all constraints");
      }
    }
  } catch (const ConstraintFailure& failure) {
    reporter.report(failure.pointer, failure.error);
  }
}

}  // namespace tailwave
