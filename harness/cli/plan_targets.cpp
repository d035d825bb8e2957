#include "cli/plan_targets.h"

#include <fmt/format.h>

#include <utility>

#include "compile/cache.h"
#include "core/error.h"

namespace tailwave {

PlanTargets make_targets(const std::string& command, std::vector<DeviceSpec> specs,
                         const SandboxOptions& sandbox, const Console& console) {
  std::string why_not;
  const std::shared_ptr<const NvrtcLibrary> nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) throw Error(fmt::format("{} needs NVRTC: {}", command, why_not));
  const ArtifactCache cache(ArtifactCache::default_root());
  set_sandboxes(sandbox, cache, console);
  allow_nvrtc(nvrtc.get());
  PlanTargets targets;
  targets.compiler_version = nvrtc->version();
  targets.library = nvrtc->file();
  for (DeviceSpec& spec : specs) {
    const int target = nearest_target(nvrtc->targets(), spec.compute_capability);
    auto& compiler = targets.compilers[target];
    // For the target, not for the device's capability: so devices with the same target share builds.
    if (!compiler) compiler = std::make_unique<NvrtcCompiler>(nvrtc, cache, target);
    targets.devices.push_back({std::move(spec), compiler.get(), target});
  }
  return targets;
}

void warn_of_other_code(const PlanTargets& targets, const Console& console) {
  for (const PlannedDevice& device : targets.devices) {
    if (device.has_own_code()) continue;
    console.note(fmt::format(
        "{}: {} cannot compile for sm_{}: registers, and what follows from them, "
        "are those of code for sm_{}\n",
        device.spec.name, targets.compiler_version, device.spec.compute_capability, device.target));
  }
}

}  // namespace tailwave
