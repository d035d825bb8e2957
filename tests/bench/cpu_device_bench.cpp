#include <benchmark/benchmark.h>

#include "compile/cache.h"
#include "compile/host_compiler.h"
#include "device/cpu/cpu_executor.h"
#include "measure/workspace.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

// Interactions a second of an n-body variant on the CPU device, compiled as `tailwave run --device cpu` does.
void step(benchmark::State& state, const std::string& variant_name, int cores,
          const Values& parameters = {}) {
  Diagnostics diagnostics;
  const auto system = load_system(TAILWAVE_SOURCE_DIR "/kernel_templates/nbody/system.json", diagnostics);
  if (!system) throw Error(diagnostics);
  const VariantSpec& variant = *system->find_variant(variant_name);
  Configuration configuration{"nbody", variant_name, {}, {}};
  for (const auto& [name, value] : variant.parameters) configuration.parameters[name] = value;
  for (const auto& [name, value] : parameters) configuration.parameters[name] = value;
  for (const auto& [name, quantity] : system->problem) configuration.problem[name] = quantity.default_value;
  CpuKernelCompiler compiler{ArtifactCache(ArtifactCache::default_root())};
  CpuExecutor executor(cores);
  const auto program = executor.load(compiler.build({&*system, &variant, configuration}));
  const Values scope = configuration.scope();
  DeviceData data(executor);
  const Workspace workspace(data, *system, variant, scope);
  executor.restore(workspace.fresh_start(0).restored);
  if (!workspace.prepare().empty()) executor.run(*program, workspace.prepare(), {});
  for (auto iteration : state) {
    static_cast<void>(iteration);
    state.SetIterationTime(executor.run(*program, workspace.launches(), {}).time_ns * 1e-9);
  }
  state.counters["interactions_per_second"] = benchmark::Counter(
      system->work.at("interactions").evaluate_double(scope), benchmark::Counter::kIsIterationInvariantRate);
}

const std::string kBasic = "basic", kShared = "shared", kTuned = "tuned";
const Values kTiles128{{"BLOCK_STRIDE", std::int64_t{1}}};
const Values kTiles512{{"BLOCK_SIZE", std::int64_t{512}}, {"BLOCK_STRIDE", std::int64_t{1}}};

// clang-format off
BENCHMARK_CAPTURE(step, basic_one_core, kBasic, 1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, shared_128_one_core, kShared, 1, kTiles128)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, shared_512_one_core, kShared, 1, kTiles512)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, shared_128_all_cores, kShared, 0, kTiles128)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, shared_one_tile_a_thread_one_core, kShared, 1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, tuned_one_core, kTuned, 1)->UseManualTime()->Unit(benchmark::kMillisecond);
// clang-format on

}  // namespace
}  // namespace tailwave
