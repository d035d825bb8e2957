// choose() of an exported header, which has to answer within a microsecond: 17 configurations in waves on the last of 4
// devices, for sizes that were not measured (choice_header_make.cpp).
#include <benchmark/benchmark.h>

#include "bench_choice.h"

namespace {

using namespace tailwave_wisdom::bench_choice;

void choose_between_sizes(benchmark::State& state) {
  Problem problem;
  double others = 0, all = 0;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    problem.N = 1000 + (problem.N * 7919 + 13) % 200'000;
    const Choice choice = choose("NVIDIA L40S", problem);
    benchmark::DoNotOptimize(choice.configuration.BLOCK_SIZE);
    others += choice.is_default ? 0 : 1;
    ++all;
  }
  state.counters["share_not_default"] = others / all;
}
BENCHMARK(choose_between_sizes);

void choose_for_an_unknown_device(benchmark::State& state) {
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(choose("NVIDIA L4", Problem{}, 89, 58));
  }
}
BENCHMARK(choose_for_an_unknown_device);

}  // namespace
