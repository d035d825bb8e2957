#include <benchmark/benchmark.h>

#include <map>

#include "compile/nvrtc_compiler.h"
#include "compile/prelude.h"
#include "core/parallel.h"
#include "fakes/one_variant.h"
#include "spec/system_reader.h"
#include "tune/plan.h"

namespace tailwave {
namespace {

// n-body's variant with tiles: 10 x 25 x 2 x 2 = 1000 configurations.
Experiment thousand_configurations() {
  Diagnostics diagnostics;
  const auto system = load_system(TAILWAVE_SOURCE_DIR "/kernel_templates/nbody/system.json", diagnostics);
  if (!system) throw Error(diagnostics);
  Experiment experiment;
  experiment.name = "thousand";
  experiment.system = *system;
  Parameter sizes{"BLOCK_SIZE", {}}, strides{"BLOCK_STRIDE", {}};
  for (std::int64_t i = 1; i <= 10; ++i) sizes.values.emplace_back(32 * i);
  for (std::int64_t i = 1; i <= 25; ++i) strides.values.emplace_back(i);
  experiment.cases = {
      {"shared",
       {sizes, strides, {"UNROLL", {std::int64_t{1}, std::int64_t{8}}}, {"FAST_MATH", {false, true}}}}};
  return experiment;
}

// Compiles one configuration, and files the result as that of all of them.
void fill_cache(const Experiment& experiment, NvrtcCompiler& compiler, const ArtifactCache& cache) {
  const VariantSpec* variant = experiment.system.find_variant("shared");
  std::string code;
  Artifact artifact;
  for (const Configuration& configuration : planned_configurations(experiment)) {
    const BuildRequest request{&experiment.system, variant, configuration};
    if (code.empty()) {
      artifact = compiler.build(request);
      code = read_file(artifact.file);
    }
    artifact.record.key = compiler.key(request);
    cache.store(artifact, code);
  }
}

// `tailwave plan` without the start of the program, every build in the cache.
void plan_thousand_configurations(benchmark::State& state, const std::string& names) {
  std::string why_not;
  const std::shared_ptr<const NvrtcLibrary> nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) return state.SkipWithError(why_not.c_str());
  const ScratchFolder folder;
  const ArtifactCache cache(folder.path());
  const Experiment experiment = thousand_configurations();
  std::map<int, std::unique_ptr<NvrtcCompiler>> compilers;
  std::vector<PlannedDevice> devices;
  for (DeviceSpec& spec : find_devices(names)) {
    const int target = nearest_target(nvrtc->targets(), spec.compute_capability);
    auto& compiler = compilers[target];
    if (!compiler) {
      compiler = std::make_unique<NvrtcCompiler>(nvrtc, cache, target);
      fill_cache(experiment, *compiler, cache);
    }
    devices.push_back({std::move(spec), compiler.get(), target});
  }
  const unsigned processes = hardware_threads();
  std::size_t rows = 0;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    rows = plan_table(experiment, planned_configurations(experiment), devices, processes).rows.size();
  }
  state.counters["rows"] = static_cast<double>(rows);
  state.counters["configurations_per_second"] =
      benchmark::Counter(1000, benchmark::Counter::kIsIterationInvariantRate);
}

// clang-format off
BENCHMARK_CAPTURE(plan_thousand_configurations, one_device, "h100")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_thousand_configurations, all_devices, "all")->UseRealTime()->Unit(benchmark::kMillisecond);
// clang-format on

}  // namespace
}  // namespace tailwave
