#include "tune/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

// Stands for a buffer of a plan that is not executed.
struct NamedBuffer final : Buffer {
  [[nodiscard]] std::size_t size_bytes() const override { return 0; }
  std::string name;
};

const std::string& name_of(const Buffer& buffer) {
  return dynamic_cast<const NamedBuffer&>(buffer).name;
}

void add_launch(FieldHasher& hasher, const Launch& launch) {
  hasher.add(launch.kernel);
  for (const Dim3& size : {launch.grid, launch.block})
    hasher.add(fmt::format("{} {} {}", size.x, size.y, size.z));
  hasher.add(fmt::format("{} {} {} {} {}", launch.dynamic_shared_bytes, launch.stream, launch.gpu,
                         launch.cooperative, fmt::join(launch.wait, ",")));
  for (const LaunchArgument& argument : launch.arguments) {
    if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
      hasher.add({reinterpret_cast<const char*>(scalar->bytes.data()), scalar->size});
    } else {
      hasher.add(name_of(*std::get<Buffer*>(argument)));
    }
  }
  hasher.add(launch.copied == nullptr ? "" : name_of(*launch.copied));
  if (!launch.exit) return;
  hasher.add(name_of(*launch.exit->buffer));
  hasher.add(fmt::format("{} {}", launch.exit->at_most, launch.exit->next));
}

}  // namespace

std::string work_identity(const Job& job) {
  if (job.artifact.record.code_hash.empty() || job.artifact.kind != Artifact::Kind::cubin) return "";
  const VariantSpec& variant = *job.system->find_variant(job.configuration.variant);
  const Values scope = job.configuration.scope();
  std::map<std::string, NamedBuffer> buffers;
  const auto find = [&](const std::string& name) {
    NamedBuffer& buffer = buffers[name];
    buffer.name = name;
    return FoundBuffer{job.system->buffers.at(name).type, &buffer};
  };
  FieldHasher hasher;
  hasher.add(job.artifact.record.code_hash).add(job.configuration.variant);
  for (const auto& [name, value] : job.configuration.problem) hasher.add(name).add(to_string(value));
  for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish}) {
    const std::vector<Launch> launches = resolve_plan(*part, scope, find);
    hasher.add(std::to_string(launches.size()));
    for (const Launch& launch : launches) add_launch(hasher, launch);
  }
  const System& system = *job.system;
  for (const auto& [name, count] : buffer_counts(system, variant, scope))
    hasher.add(name).add(std::to_string(count)).add(to_string(system.buffers.at(name).gpu.evaluate(scope)));
  // What is asked of the result, and what is said of it, may depend on parameters that the code does not have.
  for (const auto& [name, comparison] : system.reference.compare)
    hasher.add(name).add(to_string(comparison.tolerance.evaluate(scope)));
  for (const auto& [name, value] : evaluate_work(system, scope)) hasher.add(name).add(to_string(value));
  for (const auto& [name, limit] : system.limits) {
    for (const std::string& used : limit.seconds.names()) {
      const auto found = scope.find(used);
      if (found != scope.end()) hasher.add(used).add(to_string(found->second));
    }
  }
  return hasher.digest();
}

}  // namespace tailwave
