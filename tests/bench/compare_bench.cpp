#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "verify/compare.h"

namespace tailwave {
namespace {

// Bytes of a value in each element of an array.
template <class Value>
std::vector<std::byte> array_of(ScalarType type, std::size_t size_bytes, Value value) {
  std::vector<std::byte> bytes(size_bytes);
  visit_scalar(type, [&](auto number) {
    for (std::size_t i = 0; i < size_bytes / sizeof number; ++i) {
      number = static_cast<decltype(number)>(value(i));
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
  return bytes;
}

// Two arrays that agree within the tolerance, though not in their digits unless compared for that; by one thread, or
// by all that compare() takes. The rate is that of the bytes read.
void compare_arrays(benchmark::State& state, ScalarType type, Comparison::Norm norm) {
  const auto size_bytes = static_cast<std::size_t>(state.range(0));
  const double factor = norm == Comparison::Norm::exact ? 1 : 1.000001;
  const auto expected =
      array_of(type, size_bytes, [](std::size_t i) { return 1.0 + static_cast<double>(i % 100); });
  const auto actual = array_of(type, size_bytes,
                               [&](std::size_t i) { return factor * (1.0 + static_cast<double>(i % 100)); });
  const ResolvedComparison comparison{norm, 0.1, -1, 2000};
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(
        compare(type, expected, actual, comparison, static_cast<std::size_t>(state.range(1))));
  }
  const std::int64_t arrays = norm == Comparison::Norm::range ? 1 : 2;
  state.SetBytesProcessed(state.iterations() * arrays * state.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bytes", "threads"})->Args({1 << 16, 1})->Args({1 << 26, 1})->Args({1 << 26, 0});
  bench->UseRealTime();
}

BENCHMARK_CAPTURE(compare_arrays, float32_relative_l2, ScalarType::float32, Comparison::Norm::relative_l2)
    ->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, float32_max_abs, ScalarType::float32, Comparison::Norm::max_abs)
    ->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, float32_max_rel, ScalarType::float32, Comparison::Norm::max_rel)
    ->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, float32_exact, ScalarType::float32, Comparison::Norm::exact)->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, float32_range, ScalarType::float32, Comparison::Norm::range)->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, float64_relative_l2, ScalarType::float64, Comparison::Norm::relative_l2)
    ->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, int32_max_abs, ScalarType::int32, Comparison::Norm::max_abs)->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, int64_exact, ScalarType::int64, Comparison::Norm::exact)->Apply(sizes);
BENCHMARK_CAPTURE(compare_arrays, uint8_exact, ScalarType::uint8, Comparison::Norm::exact)->Apply(sizes);

}  // namespace
}  // namespace tailwave
