#include "tune/candidate.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "measure/workspace.h"

namespace tailwave {

std::string work_identity(const Job& job) {
  if (job.artifact.record.code_hash.empty() || job.artifact.kind != Artifact::Kind::cubin) return "";
  const VariantSpec& variant = *job.experiment->system.find_variant(job.configuration.variant);
  const Values scope = job.configuration.scope();
  FieldHasher hasher;
  hasher.add(job.artifact.record.code_hash).add(job.configuration.variant);
  for (const auto& [name, value] : job.configuration.problem) hasher.add(name).add(to_string(value));
  for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish}) {
    hasher.add(std::to_string(part->size()));
    for (const LaunchSpec& spec : *part) {
      const Launch launch = resolve_shape(spec, scope);
      for (const Dim3& size : {launch.grid, launch.block})
        hasher.add(fmt::format("{} {} {}", size.x, size.y, size.z));
      hasher.add(std::to_string(launch.dynamic_shared_bytes));
      for (const Argument& argument : spec.arguments) {
        if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
          hasher.add(to_string(scalar->value.evaluate(scope)));
      }
    }
  }
  for (const auto& [name, count] : buffer_counts(job.experiment->system, variant, scope))
    hasher.add(name).add(std::to_string(count));
  return hasher.digest();
}

}  // namespace tailwave
