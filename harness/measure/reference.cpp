#include "measure/reference.h"

#include <fmt/format.h>

namespace tailwave {

std::shared_ptr<const BufferContents> ReferenceProvider::expected(const System& system, const Values& problem,
                                                                  std::uint64_t draw) {
  const Configuration configuration{system.name, system.reference.variant, {}, problem};
  // T1 files in several folders may call their systems the same.
  const std::string key = fmt::format("{} {} {}", system.file.string(), configuration.name(), draw);
  return computed_.get(key, [&] {
    BufferContents expected = compute(system, problem, draw);
    host_.renew();  // its memory is needed elsewhere
    return expected;
  });
}

BufferContents ReferenceProvider::compute(const System& system, const Values& problem, std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(system.reference.variant);
  const Configuration configuration = default_configuration(system, variant, problem);
  const bool host = variant.target == VariantSpec::Target::host;
  weakness_.clear();
  try {
    if (!host) return compute_kernels(system, configuration, draw);
    host_.set_deadline_s(kHostDeadlineS);
    return compute_at({compiler_, host_}, system, configuration, draw);
  } catch (const Failure& failure) {
    throw Error(
        {.file = system.file.string(),
         .place = host ? "/reference/variant" : "/KernelSpecification",
         .cause = host ? fmt::format("the reference '{}' cannot be computed, so nothing can be verified",
                                     variant.name)
                       : "the reference, the default configuration, cannot be computed, so nothing can be "
                         "verified",
         .excerpt = failure.what(),
         .hint =
             !host && failure.outcome() == Outcome::illegal_access ? "is an argument's Size too small?" : ""},
        Error::kRunFailed);
  }
}

BufferContents ReferenceProvider::compute_kernels(const System& system, const Configuration& configuration,
                                                  std::uint64_t draw) {
  const bool has_gpu = kernels_.device != nullptr && kernels_.device->description().kind == "cuda";
  std::string why_not_here = "no compiler makes it run on the CPU";
  if (kernels_.cpu_kernels != nullptr) {
    try {
      host_.set_deadline_s(has_gpu ? kKernelDeadlineS : kHostDeadlineS);
      return compute_at({*kernels_.cpu_kernels, host_}, system, configuration, draw);
    } catch (const Failure& failure) {
      if (!has_gpu) throw;
      why_not_here = fmt::format("{}: {}", to_string(failure.outcome()), failure.what());
    }
  }
  if (!has_gpu) throw Failure(Outcome::launch_failed, why_not_here);
  BufferContents expected = compute_at({*kernels_.kernels, *kernels_.device}, system, configuration, draw);
  weakness_ = "compared with the default configuration on the same GPU, since it cannot run on the CPU: " +
              why_not_here.substr(0, why_not_here.find('\n'));
  return expected;
}

BufferContents ReferenceProvider::compute_at(const Place& place, const System& system,
                                             const Configuration& configuration, std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  const Artifact artifact = place.compiler.build({&system, &variant, configuration});
  const std::unique_ptr<Program> program = place.executor.load(artifact);
  const Values scope = configuration.scope();
  Workspace workspace(place.executor, system, variant, scope);
  workspace.upload(make_inputs(system, variant, scope, draw));
  std::vector<std::string> compared;
  for (const auto& [buffer, comparison] : system.reference.compare)
    if (comparison.norm != Comparison::Norm::range) compared.push_back(buffer);
  Workspace::Execution execution = workspace.execute(*program, compared);
  if (!execution.damage.empty()) throw Failure(Outcome::illegal_access, execution.damage);
  return std::move(execution.results);
}

}  // namespace tailwave
