#include "tune/trial_key.h"

#include <utility>

#include "core/hash.h"
#include "measure/input_maker.h"
#include "spec/system_fields.h"

namespace tailwave {
namespace {

void add_comparisons(FieldHasher& hasher, const ReferenceSpec& reference) {
  for (const auto& [name, comparison] : reference.compare) {
    hasher.add(name).add(to_string(comparison.norm));
    hasher.add(comparison.tolerance.text()).add(comparison.when ? comparison.when->text() : "");
    if (comparison.norm == Comparison::Norm::close) hasher.add(comparison.absolute.text());
    hasher.add(to_string(Value{comparison.low})).add(to_string(Value{comparison.high}));
  }
  hasher.add(std::to_string(reference.by.size()));
  for (const std::string& parameter : reference.by) hasher.add(parameter);
}

void add_verified(FieldHasher& hasher, const VerifySpec& verify, const VariantSpec& variant) {
  hasher.add(std::to_string(verify.draws)).add(std::to_string(verify.problems.size()));
  for (const auto& problem : verify.problems) {
    hasher.add(std::to_string(problem.size()));
    for (const auto& [name, value] : problem) hasher.add(name).add(value.text());
  }
  hasher.add(variant.domain ? variant.domain->text() : "");
}

}  // namespace

TrialKeys::TrialKeys(const Experiment& experiment, const Tools& tools, std::string reference_key)
    : experiment_(experiment), tools_(tools), reference_key_(std::move(reference_key)) {}

std::string TrialKeys::build_key(const Configuration& configuration) const {
  const VariantSpec& variant = *experiment_.system.find_variant(configuration.variant);
  const BuildRequest request{&experiment_.system, &variant, configuration};
  try {
    std::string key = tools_.compiler_of(variant).key(request);
    if (variant.target != VariantSpec::Target::cuda || tools_.planner == nullptr) return key;
    return FieldHasher().add(key).add(tools_.planner->key(request)).digest();
  } catch (const Failure& failure) {
    return content_hash(failure.what());
  }
}

std::string TrialKeys::key(const Configuration& configuration, const std::string& build_key,
                           const MeasureSettings& settings) const {
  FieldHasher hasher;
  hasher.add(build_key).add(configuration.name());
  const VariantSpec& variant = *experiment_.system.find_variant(configuration.variant);
  add_plan(hasher, variant);
  add_buffers(hasher, experiment_.system);
  add_comparisons(hasher, experiment_.system.reference);
  add_verified(hasher, experiment_.system.verify, variant);
  hasher.add(reference_key_);
  add_makers(hasher, tools_.reference.host_compiler, experiment_.system, configuration.problem,
             configuration.parameters);
  if (const VariantSpec* reference = experiment_.system.find_variant(experiment_.system.reference.variant))
    add_plan(hasher, *reference);
  for (const auto& [name, amount] : experiment_.system.work) hasher.add(name).add(amount.text());
  for (const auto& [name, limit] : experiment_.system.limits)
    hasher.add(name).add(limit.seconds.text()).add(limit.hard ? "hard" : "");
  hasher.add(experiment_.metric.name);
  add_members(hasher, settings);
  add_members(hasher, tools_.worker_of(variant).description());
  hasher.add(tools_.occupancy_device ? tools_.occupancy_device->name : "");
  return hasher.digest();
}

}  // namespace tailwave
