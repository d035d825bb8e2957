#include "cli/other_gpus.h"

#include <algorithm>
#include <string>

namespace tailwave {
namespace {

bool has_others(const System& system, const VariantSpec& variant) {
  static const std::string kOwn = Expression().text();
  const auto is_elsewhere = [](const auto& one) { return one.gpu.text() != kOwn; };
  return std::ranges::any_of(variant.launches, is_elsewhere) ||
         std::ranges::any_of(variant.prepare, is_elsewhere) ||
         std::ranges::any_of(variant.finish, is_elsewhere) ||
         std::ranges::any_of(used_buffers(system, variant),
                             [&](const std::string& name) { return is_elsewhere(system.buffers.at(name)); });
}

bool has_others(const System& system) {
  return std::ranges::any_of(system.variants,
                             [&](const VariantSpec& variant) { return has_others(system, variant); });
}

}  // namespace

bool has_other_gpus(const Experiment& experiment) {
  const auto is_used = [&](const VariantSpec& variant) {
    return experiment.cases.empty() || variant.name == experiment.system.reference.variant ||
           std::ranges::any_of(experiment.cases,
                               [&](const Case& one) { return one.variant == variant.name; });
  };
  return std::ranges::any_of(experiment.system.variants,
                             [&](const VariantSpec& variant) {
                               return is_used(variant) && has_others(experiment.system, variant);
                             }) ||
         std::ranges::any_of(experiment.regimes, [](const Regime& regime) {
           return regime.system && has_others(*regime.system);
         });
}

bool has_variant(const Experiment& experiment, bool (*is_wanted)(const VariantSpec&)) {
  return std::ranges::any_of(experiment.cases, [&](const Case& one) {
    const VariantSpec* const variant = experiment.system.find_variant(one.variant);
    return variant != nullptr && is_wanted(*variant);
  });
}

bool has_pes(const Experiment& experiment) {
  return has_variant(experiment, [](const VariantSpec& variant) { return variant.pes.has_value(); });
}

}  // namespace tailwave
