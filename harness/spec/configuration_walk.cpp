#include "spec/configuration_walk.h"

#include <algorithm>

#include "spec/reporter.h"

namespace tailwave {
namespace {

constexpr const char* kCpuConstraints = "/devices/cpu/constraints";

std::size_t place_of_constraint(const ExpressionError& error, const std::vector<Expression>& constraints) {
  const auto found = std::find_if(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
    return constraint.text() == error.text;
  });
  return static_cast<std::size_t>(found - constraints.begin());
}

}  // namespace

Configuration ConfigurationWalk::Place::configuration(const std::string& system) const {
  Configuration configuration{system, each.variant, defaults, problem};
  for (std::size_t i = 0; i < indices.size(); ++i)
    configuration.parameters.emplace(each.parameters[i].name, each.parameters[i].values[indices[i]]);
  return configuration;
}

bool ConfigurationWalk::run(const std::function<bool()>& stop) const {
  return parts_.for_each([&](CasePart& part) {
    return part.space.for_each(
        [&](const std::vector<std::uint32_t>& indices) {
          return visit_({part.each, part.defaults, part.problem, indices});
        },
        stop);
  });
}

CaseParts::CaseParts(const Experiment& experiment, bool for_cpu_device)
    : experiment_(experiment), quantities_(experiment.problem), sizes_(experiment.sizes) {
  if (!for_cpu_device) return;
  if (experiment.has_cpu_problem()) sizes_ = experiment.cpu_sizes;
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

double CaseParts::problems() const {
  return sizes_.empty() ? ParameterSpace(quantities_, {}).cartesian_size()
                        : static_cast<double>(sizes_.size());
}

bool CaseParts::for_each(const std::function<bool(CasePart&)>& visit) const {
  if (!sizes_.empty())
    return std::ranges::all_of(sizes_,
                               [&](const ProblemSize& size) { return of_problem(size.problem, visit); });
  return ParameterSpace(quantities_, {}).for_each([&](const std::vector<std::uint32_t>& indices) {
    Values problem;
    for (const auto& [name, quantity] : experiment_.system.problem) {
      problem.emplace(name, quantity.default_value);
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
      problem[quantities_[i].name] = quantities_[i].values[indices[i]];
    }
    return of_problem(problem, visit);
  });
}

bool CaseParts::of_problem(const Values& problem, const std::function<bool(CasePart&)>& visit) const {
  return std::all_of(experiment_.cases.begin(), experiment_.cases.end(), [&](const Case& each) {
    if (target_ && experiment_.system.find_variant(each.variant)->target != *target_) return true;
    try {
      CasePart one = part(each, problem);
      return visit(one);
    } catch (const ExpressionError& error) {
      throw failure_of(experiment_, error);
    }
  });
}

CasePart CaseParts::part(const Case& each, const Values& problem) const {
  const VariantSpec& variant = *experiment_.system.find_variant(each.variant);
  Values defaults(variant.parameters.begin(), variant.parameters.end());
  for (const Parameter& parameter : each.parameters) defaults.erase(parameter.name);
  Values fixed = problem;
  fixed.insert(defaults.begin(), defaults.end());
  std::vector<Expression> constraints;
  const auto add = [&](const std::vector<Expression>& some) {
    for (const Expression& constraint : some)
      if (has_names_of(constraint, variant, experiment_.system)) constraints.push_back(constraint);
  };
  add(experiment_.constraints);
  if (with_cpu_constraints_) add(experiment_.cpu_constraints);
  if (variant.domain) constraints.push_back(*variant.domain);
  return {each, variant, std::move(defaults), problem, ParameterSpace(each.parameters, constraints, fixed)};
}

ConstraintFailure failure_of(const Experiment& experiment, const ExpressionError& error) {
  const std::size_t place = place_of_constraint(error, experiment.constraints);
  if (place < experiment.constraints.size())
    return {pointer_to(experiment.constraints_pointer, place), error};
  const std::size_t cpu_place = place_of_constraint(error, experiment.cpu_constraints);
  if (cpu_place < experiment.cpu_constraints.size()) return {pointer_to(kCpuConstraints, cpu_place), error};
  return {"/system", {error.what(), error.column, "the manifest's 'requires' of a variant", error.text}};
}

bool allowed_on_cpu(const Experiment& experiment, const Configuration& configuration) {
  const std::vector<Expression>& constraints = experiment.cpu_constraints;
  if (constraints.empty()) return true;
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  const Values scope = configuration.scope();
  return std::all_of(constraints.begin(), constraints.end(), [&](const Expression& constraint) {
    if (!has_names_of(constraint, variant, experiment.system)) return true;
    try {
      return constraint.evaluate_bool(scope);
    } catch (const ExpressionError& error) {
      const std::string cause = error.what() + values_of_names(constraint, scope);
      throw ConstraintFailure{pointer_to(kCpuConstraints, place_of_constraint(error, constraints)),
                              ExpressionError(cause, error.column, error.hint, error.text)};
    }
  });
}

void throw_error(const Experiment& experiment, const ConstraintFailure& failure) {
  throw Error(Diagnostic{experiment.file.string(), failure.pointer, failure.error.what(), failure.error.text,
                         failure.error.column, failure.error.hint});
}

}  // namespace tailwave
