#pragma once

#include "spec/experiment.h"

namespace tailwave::fakes {

// One buffer "x" of N floats, uniform; variant "twice" (cuda, parameter BLOCK_SIZE) doubles it, as does the
// host reference "host_twice". Kernels are named like the variants.
inline Experiment twice_experiment(std::vector<Value> block_sizes) {
  Experiment experiment;
  experiment.name = "block_size";
  experiment.question = "Which block size is best?";
  experiment.file = "experiments/twice/block_size.json";
  experiment.text = "{}";
  experiment.metric = {"items_per_second", true};
  experiment.measure.samples = 5;
  experiment.measure.precision = 0;
  System& system = experiment.system;
  system.name = "twice";
  system.file = "kernel_templates/twice/system.json";
  system.problem["N"] = {ScalarType::int32, std::int64_t{64}};
  BufferSpec buffer;
  buffer.count = Expression::parse("N");
  buffer.fill = {.kind = Fill::Kind::uniform, .low = -1, .high = 1, .seed = 7};
  system.buffers["x"] = buffer;
  system.reference.variant = "host_twice";
  system.reference.compare["x"] = {.norm = Comparison::Norm::relative_l2,
                                   .tolerance = Expression::constant(1e-6)};
  system.work["items"] = Expression::parse("N");
  for (const auto target : {VariantSpec::Target::cuda, VariantSpec::Target::host}) {
    VariantSpec variant;
    variant.target = target;
    variant.name = target == VariantSpec::Target::cuda ? "twice" : "host_twice";
    LaunchSpec launch;
    launch.kernel = variant.name;
    launch.grid = {Expression::parse("1"), Expression::parse("1"), Expression::parse("1")};
    launch.block = launch.grid;
    if (target == VariantSpec::Target::cuda) {
      variant.parameters.emplace_back("BLOCK_SIZE", std::int64_t{32});
      launch.grid[0] = Expression::parse("ceil_div(N, BLOCK_SIZE)");
      launch.block[0] = Expression::parse("BLOCK_SIZE");
    }
    launch.dynamic_shared_bytes = Expression::parse("0");
    launch.arguments = {BufferArgument{"x"}, ScalarArgument{Expression::parse("N"), ScalarType::int32}};
    variant.launches = {launch};
    system.variants.push_back(variant);
  }
  experiment.cases = {{"twice", {{"BLOCK_SIZE", std::move(block_sizes)}}}};
  experiment.problem = {{"N", {std::int64_t{64}}}};
  return experiment;
}

}  // namespace tailwave::fakes
