#include "core/hash.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

void add_loop(FieldHasher& hasher, const LoopSpec* loop) {
  if (loop == nullptr) {
    hasher.add("once");
    return;
  }
  hasher.add(loop->repeat.text()).add(loop->counter);
  hasher.add(loop->until ? loop->until->buffer : "").add(loop->until ? loop->until->at_most.text() : "");
}

void add_launches(FieldHasher& hasher, const std::vector<LaunchSpec>& launches) {
  hasher.add(std::to_string(launches.size()));
  const LoopSpec* previous = nullptr;
  for (const LaunchSpec& launch : launches) {
    hasher.add(launch.kernel).add(launch.copied).add(launch.loop.get() == previous ? "" : "begins");
    previous = launch.loop.get();
    for (const auto* sizes : {&launch.grid, &launch.block}) {
      for (const Expression& size : *sizes) hasher.add(size.text());
    }
    hasher.add(launch.dynamic_shared_bytes.text());
    hasher.add(launch.stream.text()).add(launch.gpu.text()).add(launch.cooperative ? "cooperative" : "");
    hasher.add(std::to_string(launch.wait.size()));
    for (const Expression& stream : launch.wait) hasher.add(stream.text());
    hasher.add(launch.when ? launch.when->text() : "");
    add_loop(hasher, launch.loop.get());
    for (const Argument& argument : launch.arguments) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        hasher.add("buffer").add(buffer->buffer);
      } else if (const auto* choice = std::get_if<BufferChoice>(&argument)) {
        hasher.add("buffers").add(std::to_string(choice->buffers.size())).add(choice->index.text());
        for (const std::string& name : choice->buffers) hasher.add(name);
      } else {
        const auto& scalar = std::get<ScalarArgument>(argument);
        hasher.add(to_string(scalar.type)).add(scalar.value.text());
      }
    }
  }
}

void add_buffers(FieldHasher& hasher, const System& system) {
  for (const auto& [name, buffer] : system.buffers) {
    hasher.add(name).add(to_string(buffer.type)).add(buffer.count.text()).add(buffer.gpu.text());
    hasher.add(std::to_string(static_cast<int>(buffer.fill.kind))).add(to_string(Value{buffer.fill.value}));
    hasher.add(to_string(Value{buffer.fill.low})).add(to_string(Value{buffer.fill.high}));
    hasher.add(std::to_string(buffer.fill.seed)).add(buffer.output_only ? "output_only" : "");
    hasher.add(buffer.fill.element.text()).add(buffer.fill.digest);
  }
  for (const auto& [name, comparison] : system.reference.compare) {
    hasher.add(name).add(std::to_string(static_cast<int>(comparison.norm)));
    hasher.add(comparison.tolerance.text()).add(comparison.when ? comparison.when->text() : "");
    hasher.add(to_string(Value{comparison.low})).add(to_string(Value{comparison.high}));
  }
}

void add_settings(FieldHasher& hasher, const MeasureSettings& settings) {
  hasher.add(settings.mode).add(settings.cache).add(std::to_string(settings.samples));
  hasher.add(std::to_string(settings.max_samples)).add(to_string(Value{settings.precision}));
  hasher.add(std::to_string(settings.warmup)).add(to_string(Value{settings.race}));
  hasher.add(std::to_string(settings.repetitions)).add(to_string(Value{settings.time_cap_s}));
  hasher.add(to_string(Value{settings.batch_ms})).add(to_string(Value{settings.deadline_s}));
}

}  // namespace

std::string trial_key(const std::string& build_key, const std::string& reference_key,
                      const Experiment& experiment, const Configuration& configuration,
                      const DeviceDescription& device, const std::string& occupancy_device) {
  FieldHasher hasher;
  hasher.add(build_key).add(configuration.name());
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish}) add_launches(hasher, *part);
  add_buffers(hasher, experiment.system);
  const VariantSpec& reference = *experiment.system.find_variant(experiment.system.reference.variant);
  hasher.add(reference_key);
  for (const auto* part : {&reference.prepare, &reference.launches, &reference.finish})
    add_launches(hasher, *part);
  for (const auto& [name, amount] : experiment.system.work) hasher.add(name).add(amount.text());
  for (const auto& [name, limit] : experiment.system.limits) hasher.add(name).add(limit.seconds.text());
  hasher.add(experiment.metric.name);
  add_settings(hasher, experiment.measure);
  hasher.add(device.kind).add(device.name).add(std::to_string(device.sms)).add(device.driver);
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
