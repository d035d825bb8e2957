#include "spec/configuration_walk.h"

#include <algorithm>

#include "spec/reporter.h"

namespace tailwave {
namespace {

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

}  // namespace

Configuration ConfigurationWalk::Place::configuration(const std::string& system) const {
  Configuration configuration{system, each.variant, defaults, problem};
  for (std::size_t i = 0; i < indices.size(); ++i)
    configuration.parameters.emplace(each.parameters[i].name, each.parameters[i].values[indices[i]]);
  return configuration;
}

ConfigurationWalk::ConfigurationWalk(const Experiment& experiment, bool for_cpu_device, Visit visit)
    : experiment_(experiment), visit_(std::move(visit)), quantities_(experiment.problem) {
  if (for_cpu_device) use_cpu_problem();
}

void ConfigurationWalk::run() {
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

void ConfigurationWalk::use_cpu_problem() {
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

bool ConfigurationWalk::walk_case(const Case& each, const Values& problem) {
  const VariantSpec& variant = *experiment_.system.find_variant(each.variant);
  if (target_ && variant.target != *target_) return true;
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
          go_on = visit_({each, defaults, problem, indices});
          return go_on;
        });
  } catch (const ExpressionError& error) {
    throw ConstraintFailure{
        pointer_to_constraint(error, experiment_.constraints, experiment_.constraints_pointer), error};
  }
  return go_on;
}

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

void throw_error(const Experiment& experiment, const ConstraintFailure& failure) {
  throw Error(Diagnostic{experiment.file.string(), failure.pointer, failure.error.what(), failure.error.text,
                         failure.error.column, failure.error.hint});
}

}  // namespace tailwave
