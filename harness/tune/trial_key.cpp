#include "core/hash.h"
#include "spec/system_fields.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

void add_comparisons(FieldHasher& hasher, const ReferenceSpec& reference) {
  for (const auto& [name, comparison] : reference.compare) {
    hasher.add(name).add(std::to_string(static_cast<int>(comparison.norm)));
    hasher.add(comparison.tolerance.text()).add(comparison.when ? comparison.when->text() : "");
    hasher.add(to_string(Value{comparison.low})).add(to_string(Value{comparison.high}));
  }
}

}  // namespace

std::string trial_key(const std::string& build_key, const std::string& reference_key,
                      const Experiment& experiment, const MeasureSettings& settings,
                      const Configuration& configuration, const DeviceDescription& device,
                      const std::string& occupancy_device) {
  FieldHasher hasher;
  hasher.add(build_key).add(configuration.name());
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  add_plan(hasher, variant);
  add_buffers(hasher, experiment.system);
  add_comparisons(hasher, experiment.system.reference);
  const VariantSpec& reference = *experiment.system.find_variant(experiment.system.reference.variant);
  hasher.add(reference_key);
  add_plan(hasher, reference);
  for (const auto& [name, amount] : experiment.system.work) hasher.add(name).add(amount.text());
  for (const auto& [name, limit] : experiment.system.limits) hasher.add(name).add(limit.seconds.text());
  hasher.add(experiment.metric.name);
  add_members(hasher, settings);
  add_members(hasher, device);
  hasher.add(occupancy_device);
  return hasher.digest();
}

}  // namespace tailwave
