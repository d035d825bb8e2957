#include <benchmark/benchmark.h>

#include "space/parameter_space.h"

namespace tailwave {
namespace {

std::vector<Value> range(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t value = first; value <= last; ++value) values.emplace_back(value);
  return values;
}

// 37 x 10 x 8 x 10 x 10 x 3 x 5 = 4.4 million raw points, most of them ruled out.
ParameterSpace large_space() {
  std::vector<Value> widths;
  for (std::int64_t width : {1, 2, 4, 8, 16}) widths.emplace_back(width);
  for (std::int64_t width = 32; width <= 1024; width += 32) widths.emplace_back(width);
  const std::vector<Value> heights{std::int64_t{1}, std::int64_t{2},  std::int64_t{4},
                                   std::int64_t{8}, std::int64_t{16}, std::int64_t{32}};
  std::vector<Expression> constraints;
  for (const char* text :
       {"32 <= X * Y <= 1024", "ROUNDS % UNROLL == 0", "X * Y * SM_BLOCKS <= 2048",
        "(X * TILE_X + 2 * ROUNDS) * (Y * TILE_Y + 2 * ROUNDS) * (2 + SHARED) * 4 <= 49152"}) {
    constraints.push_back(Expression::parse(text));
  }
  return {{{"X", widths},
           {"Y", heights},
           {"TILE_X", range(1, 10)},
           {"TILE_Y", range(1, 10)},
           {"ROUNDS", range(1, 10)},
           {"UNROLL", range(1, 10)},
           {"SHARED", range(0, 1)},
           {"SM_BLOCKS", range(0, 0)}},
          constraints};
}

void enumerate_large_space(benchmark::State& state) {
  const ParameterSpace space = large_space();
  std::uint64_t valid = 0;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    valid = space.count();
  }
  state.counters["raw"] = space.cartesian_size();
  state.counters["valid"] = static_cast<double>(valid);
  state.counters["valid_per_second"] =
      benchmark::Counter(static_cast<double>(valid), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(enumerate_large_space)->Unit(benchmark::kMillisecond);

void evaluate_expression(benchmark::State& state) {
  const Expression expression = Expression::parse("ceil_div(N, BLOCK_SIZE) * BLOCK_STRIDE <= 4 * N");
  const std::vector<Value> values{std::int64_t{4096}, std::int64_t{128}, std::int64_t{32}};
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(expression.evaluate(values));
  }
}
BENCHMARK(evaluate_expression);

}  // namespace
}  // namespace tailwave
