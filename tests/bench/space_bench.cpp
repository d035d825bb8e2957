// SearchSpace on the spaces of spaces.json: Kernel Tuner's hotspot for a GPU with 48 KiB of shared memory a block,
// without and with blocks_per_sm, and dedispersion. constraint_rate.py enumerates the same with python-constraint2.
#include <benchmark/benchmark.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "space/search_space.h"

namespace tailwave {
namespace {

using nlohmann::json;

const json& spaces() {
  static const json all = json::parse(std::ifstream(TAILWAVE_SOURCE_DIR "/tests/bench/spaces.json"));
  return all;
}

ParameterSpace space_of(const json& entry) {
  std::vector<Parameter> parameters;
  for (const json& parameter : entry.at("parameters")) {
    const auto values = parameter.at(1).get<std::vector<std::int64_t>>();
    parameters.push_back({parameter.at(0), {values.begin(), values.end()}});
  }
  std::vector<Expression> constraints;
  for (const json& text : entry.at("constraints"))
    constraints.push_back(Expression::parse(text.get<std::string>()));
  return {parameters, constraints};
}

void enumerate_space(benchmark::State& state) {
  const json& entry = spaces().at(static_cast<std::size_t>(state.range(0)));
  std::size_t valid = 0;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    valid = SearchSpace::of(space_of(entry)).size();
  }
  if (valid != entry.at("valid")) throw std::runtime_error("not the number of valid configurations");
  state.SetLabel(entry.at("name"));
  state.counters["raw"] = space_of(entry).cartesian_size();
  state.counters["valid"] = static_cast<double>(valid);
  state.counters["valid_per_second"] =
      benchmark::Counter(static_cast<double>(valid), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(enumerate_space)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

void find_neighbours(benchmark::State& state) {
  static const SearchSpace space = SearchSpace::of(space_of(spaces().at(0)));
  const auto neighbourhood = static_cast<Neighbourhood>(state.range(0));
  state.SetLabel(neighbourhood == Neighbourhood::hamming ? "hamming" : "adjacent");
  Generator random(1);
  std::vector<Point> found;
  for (auto iteration : state) {
    static_cast<void>(iteration);
    space.neighbours(random.below(static_cast<std::uint32_t>(space.size())), neighbourhood, found);
    benchmark::DoNotOptimize(found.data());
  }
}
BENCHMARK(find_neighbours)->DenseRange(0, 1);

void sample_points(benchmark::State& state) {
  static const SearchSpace space = SearchSpace::of(space_of(spaces().at(0)));
  Generator random(1);
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(space.sample(1000, random));
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(sample_points);

}  // namespace
}  // namespace tailwave
