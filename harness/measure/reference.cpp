#include "measure/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "build/prelude.h"
#include "core/hash.h"
#include "core/program_identity.h"
#include "measure/inputs.h"
#include "spec/system_fields.h"

namespace tailwave {

namespace {

// The files that buffers are filled with are those that the system was loaded with.
bool files_are_unchanged(const System& system) {
  return std::all_of(system.buffers.begin(), system.buffers.end(), [](const auto& entry) {
    const Fill& fill = entry.second.fill;
    return fill.kind != Fill::Kind::file || content_hash(read_file(fill.file)) == fill.digest;
  });
}

bool is_host(const VariantSpec& variant) {
  return variant.target == VariantSpec::Target::host;
}

void add_values(FieldHasher& hasher, const Values& values) {
  hasher.add(std::to_string(values.size()));
  for (const auto& [name, value] : values)
    hasher.add(name).add(std::to_string(value.index())).add(to_string(value));
}

// What is compared by range needs no reference.
std::vector<std::string> compared_buffers(const System& system) {
  std::vector<std::string> compared;
  for (const auto& [buffer, comparison] : system.reference.compare)
    if (comparison.norm != Comparison::Norm::range) compared.push_back(buffer);
  return compared;
}

}  // namespace

ReferenceProvider::Expected ReferenceProvider::expected(const System& system, const Values& problem,
                                                        std::uint64_t draw) {
  const Configuration configuration{system.name, system.reference.variant, {}, problem};
  // T1 files in several folders may call their systems the same.
  const std::string key = fmt::format("{} {} {}", system.file.string(), configuration.name(), draw);
  Expected expected;
  expected.contents = computed_.get(key, [&] {
    Computed computed = find_or_compute(system, problem, draw);
    weak_[key] = std::move(computed.weakness);
    return std::move(computed.contents);
  });
  expected.weakness = weak_.at(key);
  if (!expected.weakness.empty()) weakness_ = expected.weakness;
  return expected;
}

ReferenceProvider::Computed ReferenceProvider::find_or_compute(const System& system, const Values& problem,
                                                               std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(system.reference.variant);
  const Configuration configuration = default_configuration(system, variant, problem);
  const std::string key = key_of(system, configuration, draw);
  if (!key.empty())
    if (std::optional<BufferContents> kept = kept_.find(key)) return {*std::move(kept), ""};
  Computed computed = compute(system, configuration, draw);
  host_.renew();  // its memory is needed elsewhere
  // What has changed meanwhile belongs to no key.
  if (!key.empty() && computed.weakness.empty() && key_of(system, configuration, draw) == key)
    kept_.keep(key, computed.contents);
  return computed;
}

std::string ReferenceProvider::key_of(const System& system, const Configuration& configuration,
                                      std::uint64_t draw) const {
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  Compiler* const compiler = is_host(variant) ? &compiler_ : kernels_.cpu_kernels;
  if (!kept_.keeps_any() || compiler == nullptr) return "";
  FieldHasher hasher;
  try {
    if (!files_are_unchanged(system)) return "";
    hasher.add(program_identity()).add(compiler->key({&system, &variant, configuration}));
  } catch (const std::exception&) {
    return "";  // computing it meets that again
  }
  add_plan(hasher, variant);
  hasher.add(std::to_string(system.buffers.size()));
  add_buffers(hasher, system);
  add_values(hasher, configuration.scope());
  hasher.add(std::to_string(draw));
  const std::vector<std::string> compared = compared_buffers(system);
  hasher.add(std::to_string(compared.size()));
  for (const std::string& buffer : compared) hasher.add(buffer);
  return hasher.digest();
}

ReferenceProvider::Computed ReferenceProvider::compute(const System& system,
                                                       const Configuration& configuration,
                                                       std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  const bool host = is_host(variant);
  try {
    if (!host) return compute_kernels(system, configuration, draw);
    host_.set_deadline_s(kHostDeadlineS);
    return {compute_at({compiler_, host_}, system, configuration, draw), ""};
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

ReferenceProvider::Computed ReferenceProvider::compute_kernels(const System& system,
                                                               const Configuration& configuration,
                                                               std::uint64_t draw) {
  const bool has_gpu = kernels_.device != nullptr && kernels_.device->description().kind == "cuda";
  std::string why_not_here = "no compiler makes it run on the CPU";
  if (kernels_.cpu_kernels != nullptr) {
    try {
      host_.set_deadline_s(has_gpu ? kKernelDeadlineS : kHostDeadlineS);
      return {compute_at({*kernels_.cpu_kernels, host_}, system, configuration, draw), ""};
    } catch (const Failure& failure) {
      if (!has_gpu) throw;
      why_not_here = fmt::format("{}: {}", to_string(failure.outcome()), failure.what());
    }
  }
  if (!has_gpu) throw Failure(Outcome::launch_failed, why_not_here);
  return {compute_at({*kernels_.kernels, *kernels_.device}, system, configuration, draw),
          "compared with the default configuration on the same GPU, since it cannot run on the CPU: " +
              why_not_here.substr(0, why_not_here.find('\n'))};
}

BufferContents ReferenceProvider::compute_at(const Place& place, const System& system,
                                             const Configuration& configuration, std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(configuration.variant);
  const Artifact artifact = place.compiler.build({&system, &variant, configuration});
  const std::unique_ptr<Program> program = place.executor.load(artifact);
  const Values scope = configuration.scope();
  Workspace workspace(place.executor, system, variant, scope);
  workspace.upload(make_inputs(system, variant, scope, draw));
  const std::vector<std::string> compared = compared_buffers(system);
  Workspace::Execution execution = workspace.execute(*program, compared);
  if (!execution.damage.empty()) throw Failure(Outcome::illegal_access, execution.damage);
  BufferContents expected;
  for (const std::string& buffer : compared) expected[buffer] = workspace.take_result(execution, buffer);
  return expected;
}

}  // namespace tailwave
