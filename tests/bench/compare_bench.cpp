#include <benchmark/benchmark.h>

#include <span>
#include <vector>

#include "verify/compare.h"

namespace tailwave {
namespace {

// Two arrays that agree within the tolerance, none of whose elements are equal.
void compare_floats(benchmark::State& state, Comparison::Norm norm) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> expected(count), actual(count);
  for (std::size_t i = 0; i < count; ++i) {
    expected[i] = 1.0f + static_cast<float>(i % 1000);
    actual[i] = expected[i] * 1.000001f;
  }
  ResolvedComparison comparison;
  comparison.norm = norm;
  comparison.tolerance = 0.1;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(compare(ScalarType::float32, std::as_bytes(std::span(expected)),
                                     std::as_bytes(std::span(actual)), comparison));
  }
  state.SetBytesProcessed(state.iterations() * 2 * state.range(0) * static_cast<std::int64_t>(sizeof(float)));
}

BENCHMARK_CAPTURE(compare_floats, relative_l2, Comparison::Norm::relative_l2)->Arg(1 << 14)->Arg(1 << 22);
BENCHMARK_CAPTURE(compare_floats, max_abs, Comparison::Norm::max_abs)->Arg(1 << 14)->Arg(1 << 22);
BENCHMARK_CAPTURE(compare_floats, max_rel, Comparison::Norm::max_rel)->Arg(1 << 14)->Arg(1 << 22);

}  // namespace
}  // namespace tailwave
