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

void add_settings(FieldHasher& hasher, const MeasureSettings& settings) {
  hasher.add(to_string(settings.mode)).add(to_string(settings.cache)).add(std::to_string(settings.samples));
  hasher.add(std::to_string(settings.max_samples)).add(to_string(Value{settings.precision}));
  hasher.add(std::to_string(settings.warmup)).add(to_string(Value{settings.race}));
  hasher.add(std::to_string(settings.repetitions)).add(to_string(Value{settings.time_cap_s}));
  hasher.add(to_string(Value{settings.batch_ms})).add(to_string(Value{settings.deadline_s}));
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
  add_settings(hasher, settings);
  hasher.add(to_string(device.kind)).add(device.name).add(std::to_string(device.sms)).add(device.driver);
  hasher.add(occupancy_device);
  return hasher.digest();
}

DeviceRecord device_record(const DeviceDescription& device) {
  return {.kind = device.kind,
          .name = device.name,
          .uuid = device.uuid,
          .compute_capability = device.compute_capability,
          .sms = device.sms,
          .memory_bytes = device.memory_bytes,
          .clock_mhz = device.clock_mhz,
          .memory_clock_mhz = device.memory_clock_mhz,
          .properties = device.properties};
}

}  // namespace tailwave
