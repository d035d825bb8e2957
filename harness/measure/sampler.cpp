#include "measure/sampler.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "core/statistics.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Swallows Google Benchmark's own output: the samples go to the database.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

void initialise_library_once() {
  static const bool done = [] {
    // These would change what the library runs.
    for (const char* name : {"BENCHMARK_FILTER", "BENCHMARK_REPETITIONS", "BENCHMARK_LIST_TESTS"})
      unsetenv(name);
    std::string program = "tailwave";
    std::vector<char*> arguments{program.data(), nullptr};
    int count = 1;
    benchmark::Initialize(&count, arguments.data());
    return true;
  }();
  static_cast<void>(done);
}

// One repetition: the body of one benchmark.
class Repetition {
 public:
  Repetition(const Subject& subject, const MeasureSettings& settings, int number)
      : subject_(subject), settings_(settings), number_(number) {}

  void take_samples() {
    const Clock::time_point start = Clock::now();
    const int executions = warm_up();
    for (int position = 0; position < settings_.samples; ++position) {
      if (position >= kFewestSamples && seconds_since(start) > settings_.time_cap_s) {
        stopped_by_ = fmt::format("time cap of {:g} s", settings_.time_cap_s);
        break;
      }
      subject_.reset();
      Sample sample;
      sample.repetition = number_;
      sample.position = position;
      sample.executions = executions;
      sample.time_ns = subject_.run(executions);
      samples_.push_back(sample);
    }
  }

  [[nodiscard]] double median_ns() const {
    std::vector<double> times;
    for (const Sample& sample : samples_) times.push_back(sample.time_ns);
    return median(times);
  }

  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }

 private:
  // Returns the executions per sample that the mode asks for, from the fastest warm-up execution.
  int warm_up() {
    subject_.reset();
    double fastest_ns = subject_.run(1);
    for (int i = 1; i < settings_.warmup; ++i) fastest_ns = std::min(fastest_ns, subject_.run(1));
    if (settings_.mode != "batched") return 1;
    constexpr double kMostExecutions = 10000;
    const double wanted = std::ceil(settings_.batch_ms * 1e6 / std::max(fastest_ns, 1.0));
    return static_cast<int>(std::clamp(wanted, 1.0, kMostExecutions));
  }

  const Subject& subject_;
  const MeasureSettings& settings_;
  int number_;
  std::vector<Sample> samples_;
  std::string stopped_by_ = "samples";
};

void run_benchmark(const Subject& subject, Repetition& repetition, benchmark::State& state,
                   std::exception_ptr& failed) {
  // The loop is always entered: Google Benchmark 1.7.1 aborts when a benchmark returns before it.
  for (auto iteration : state) {
    static_cast<void>(iteration);
    try {
      repetition.take_samples();
      state.SetIterationTime(repetition.median_ns() * 1e-9);
    } catch (...) {
      failed = std::current_exception();
      state.SkipWithError("failed");
      return;
    }
  }
  for (const auto& [name, amount] : subject.work) {
    state.counters[name + "_per_second"] = benchmark::Counter(amount / (repetition.median_ns() * 1e-9));
  }
  for (const auto& [name, value] : subject.counters) state.counters[name] = value;
}

}  // namespace

Sampling sample(const Subject& subject, const MeasureSettings& settings) {
  initialise_library_once();
  Sampling result;
  result.stopped_by = "samples";
  for (int number = 0; number < settings.repetitions; ++number) {
    Repetition repetition(subject, settings, number);
    std::exception_ptr failed;
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark(
        subject.name.c_str(),
        [&](benchmark::State& state) { run_benchmark(subject, repetition, state, failed); })
        ->UseManualTime()
        ->Iterations(1);
    SilentReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();
    if (failed) std::rethrow_exception(failed);
    if (repetition.samples().empty()) throw std::logic_error("no samples of " + subject.name);
    result.samples.insert(result.samples.end(), repetition.samples().begin(), repetition.samples().end());
    if (repetition.stopped_by() != "samples") result.stopped_by = repetition.stopped_by();
  }
  return result;
}

}  // namespace tailwave
