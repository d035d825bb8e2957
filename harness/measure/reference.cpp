#include "measure/reference.h"

namespace tailwave {

const BufferContents& ReferenceProvider::expected(const System& system, const Values& problem,
                                                  std::uint64_t draw) {
  const Configuration configuration{system.name, system.reference.variant, {}, problem};
  return computed_.get(configuration.name() + " " + std::to_string(draw), [&] {
    BufferContents expected = compute(system, problem, draw);
    host_.renew();  // its memory is needed elsewhere
    return expected;
  });
}

BufferContents ReferenceProvider::compute(const System& system, const Values& problem, std::uint64_t draw) {
  const VariantSpec& variant = *system.find_variant(system.reference.variant);
  const Configuration configuration = default_configuration(system, variant, problem);
  try {
    const Artifact artifact = compiler_.build({&system, &variant, configuration});
    const std::unique_ptr<Program> program = host_.load(artifact);
    const Values scope = configuration.scope();
    Workspace workspace(host_, system, variant, scope);
    workspace.upload(make_inputs(system, variant, scope, draw));
    for (const std::vector<Launch>* part :
         {&workspace.prepare(), &workspace.launches(), &workspace.finish()}) {
      if (!part->empty()) host_.run(*program, *part, {.timed = false});
    }
    BufferContents expected;
    for (const auto& [buffer, comparison] : system.reference.compare) {
      expected[buffer] = workspace.download(buffer);
    }
    return expected;
  } catch (const Failure& failure) {
    throw Error(
        {.file = system.file.string(),
         .place = "/reference/variant",
         .cause = "the reference '" + variant.name + "' cannot be computed, so nothing can be verified",
         .excerpt = failure.what(),
         .hint = ""},
        Error::kRunFailed);
  }
}

}  // namespace tailwave
