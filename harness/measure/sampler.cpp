#include "measure/sampler.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/statistics.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

// Swallows Google Benchmark's own output: the samples go to the database.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

void initialise_library_once() {
  static const bool done = [] {
    // Variables of the environment (BENCHMARK_FILTER and others) could decide otherwise, and are read before main().
    std::array<std::string, 5> words{"tailwave", "--benchmark_filter=.", "--benchmark_repetitions=1",
                                     "--benchmark_list_tests=false", "--benchmark_out="};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    return true;
  }();
  static_cast<void>(done);
}

// The body of one benchmark.
class SampleTaker {
 public:
  SampleTaker(const Subject& subject, const SamplingPlan& plan)
      : subject_(subject), plan_(plan), settings_(*plan.settings) {}

  // Once.
  void take_all() {
    if (std::exchange(begun_, true)) throw std::logic_error(subject_.name + " was run twice");
    run_s_ = plan_.run_s;
    const Clock::time_point start = Clock::now();
    const int executions = warms_up_at_once() ? 1 : warm_up();
    while (!enough(start)) {
      for (RunResult& result : subject_.run(executions, runs_at_once())) keep(std::move(result), executions);
    }
    mark_dropped(samples_);
    if (executions > 1) time_fresh_inputs();
    if (samples_.empty()) throw std::logic_error("no samples of " + subject_.name);
  }
  [[nodiscard]] bool begun() const { return begun_; }

  [[nodiscard]] double median_ns() const { return median(counted_times_ns(samples_)); }
  [[nodiscard]] std::optional<double> fresh_ns() const { return fresh_ns_; }
  [[nodiscard]] std::vector<Sample>& samples() { return samples_; }
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }

 private:
  void keep(RunResult result, int executions) {
    Sample sample;
    sample.repetition = plan_.repetition;
    sample.position = static_cast<int>(samples_.size());
    sample.executions = executions;
    sample.time_ns = result.time_ns;
    sample.sm_clock_mhz = result.sm_clock_mhz;
    sample.temperature_c = result.temperature_c;
    sample.throttle_reasons = std::move(result.throttle_reasons);
    sample.other_processes = result.other_processes;
    sample.waited_ns = result.waited_ns;
    sample.reported = std::move(result.reported);
    samples_.push_back(std::move(sample));
  }

  // Together with all samples that are wanted anyway.
  bool warms_up_at_once() {
    const int runs = warmups() + settings_.samples;
    if (settings_.mode != TimingMode::isolated || run_s_ <= 0 || runs * run_s_ > longest_s()) return false;
    std::vector<RunResult> results = subject_.run(1, runs);
    for (auto result = results.begin() + warmups(); result != results.end(); ++result)
      keep(std::move(*result), 1);
    return true;
  }

  [[nodiscard]] int warmups() const { return std::max(1, settings_.warmup); }
  [[nodiscard]] double longest_s() const { return std::min(0.02, settings_.time_cap_s); }

  // As many as are wanted anyway, if they take no time in which anybody would want to stop.
  [[nodiscard]] int runs_at_once() const {
    const int wanted = std::max(next_look_, settings_.samples) - static_cast<int>(samples_.size());
    return static_cast<int>(
        std::clamp(longest_s() / run_s_, 1.0, std::max(1.0, static_cast<double>(wanted))));
  }

  void time_fresh_inputs() {
    constexpr int kTimes = 3;
    for (int i = 0; i < kTimes; ++i) {
      const double time_ns = subject_.run(1, 1).front().time_ns;
      fresh_ns_ = std::min(fresh_ns_.value_or(time_ns), time_ns);
    }
  }

  // Also says why.
  bool enough(Clock::time_point start) {
    const auto taken = static_cast<int>(samples_.size());
    if (taken < kFewestAtTimeCap && taken < settings_.samples) return false;
    if (taken >= next_look_ && enough_counted(taken)) return true;
    if (taken >= std::max(settings_.samples, settings_.max_samples)) return stop("samples");
    if (seconds_since(start) <= settings_.time_cap_s) return false;
    return enough_counted(taken) || stop(fmt::format("time cap of {:g} s", settings_.time_cap_s));
  }

  // Looks at all samples, and therefore not after every one when there are many.
  bool enough_counted(int taken) {
    mark_dropped(samples_);
    const std::vector<double> times = counted_times_ns(samples_);
    const int missing = settings_.samples - static_cast<int>(times.size());
    next_look_ = taken + (missing > 0 ? missing : std::max(1, taken / 10));
    if (taken < settings_.max_samples) next_look_ = std::min(next_look_, settings_.max_samples);
    if (missing > 0) return false;
    if (settings_.precision == 0) return stop("samples");
    if (precise(times)) return stop("precision");
    return slower_than_the_best(times) && stop("slower than the best");
  }

  bool stop(const std::string& why) {
    stopped_by_ = why;
    return true;
  }

  [[nodiscard]] bool precise(const std::vector<double>& times) const {
    if (times.size() < kFewestForInterval) return false;
    const Interval interval = median_interval(times);
    return (interval.high - interval.low) / 2 <= settings_.precision * median(times);
  }

  [[nodiscard]] bool slower_than_the_best(const std::vector<double>& times) const {
    return plan_.race_to_ns && median_interval(times).low > *plan_.race_to_ns;
  }

  // Returns the executions per sample that the mode asks for, from the fastest warm-up execution.
  int warm_up() {
    double fastest_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < warmups(); ++i) {
      const Clock::time_point start = Clock::now();
      fastest_ns = std::min(fastest_ns, subject_.run(1, 1).front().time_ns);
      run_s_ = seconds_since(start);
    }
    if (settings_.mode == TimingMode::isolated) return 1;
    constexpr double kMostExecutions = 10000;
    const double wanted = std::ceil(settings_.batch_ms * 1e6 / std::max(fastest_ns, 1.0));
    const double executions = std::clamp(wanted, 1.0, kMostExecutions);
    run_s_ += (executions - 1) * fastest_ns * 1e-9;
    return static_cast<int>(executions);
  }

  // The order statistics of fewer do not reach 95 %.
  static constexpr std::size_t kFewestForInterval = 6;

  const Subject& subject_;
  const SamplingPlan& plan_;
  const MeasureSettings& settings_;
  std::vector<Sample> samples_;
  bool begun_ = false;
  int next_look_ = 0;  // when that many samples are taken
  double run_s_ = 0;   // wall-clock time of a run, about; 0 if not known
  std::string stopped_by_;
  std::optional<double> fresh_ns_;
};

void run_benchmark(SampleTaker& taker, benchmark::State& state, std::exception_ptr& failed) {
  // The loop is always entered: Google Benchmark 1.7.1 aborts when a benchmark returns before it.
  for (auto iteration : state) {
    static_cast<void>(iteration);
    try {
      taker.take_all();
      state.SetIterationTime(taker.median_ns() * 1e-9);
    } catch (...) {
      failed = std::current_exception();
      state.SkipWithError("failed");
      return;
    }
  }
}

}  // namespace

void mark_dropped(std::vector<Sample>& samples) {
  constexpr double kShare = 0.9;
  const auto count = [&](const auto& is_odd) {
    return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), is_odd));
  };
  double fastest_mhz = 0;
  for (const Sample& sample : samples) fastest_mhz = std::max(fastest_mhz, sample.sm_clock_mhz.value_or(0));
  const auto slow = [&](const Sample& sample) {
    return sample.sm_clock_mhz && *sample.sm_clock_mhz < kShare * fastest_mhz;
  };
  const auto waited = [](const Sample& sample) { return sample.waited_ns > 0; };
  const bool drops_slow = 2 * count(slow) <= samples.size();
  const bool drops_waiting = samples.size() >= count(waited) + kFewestAtTimeCap;
  for (Sample& sample : samples) {
    sample.dropped.clear();
    if (drops_slow && slow(sample))
      sample.dropped =
          fmt::format("SM clock {:.0f} MHz, others {:.0f} MHz", *sample.sm_clock_mhz, fastest_mhz);
    else if (drops_waiting && waited(sample))
      sample.dropped = fmt::format("its threads waited {:.0f} us for a core", sample.waited_ns / 1000);
  }
}

Sampling sample(const Subject& subject, const SamplingPlan& plan) {
  initialise_library_once();
  SampleTaker taker(subject, plan);
  std::exception_ptr failed;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(subject.name.c_str(),
                               [&](benchmark::State& state) { run_benchmark(taker, state, failed); })
      ->UseManualTime()
      ->Iterations(1);
  SilentReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  if (failed) std::rethrow_exception(failed);
  if (!taker.begun()) throw std::logic_error("Google Benchmark did not run " + subject.name);
  return {std::move(taker.samples()), taker.stopped_by(), taker.fresh_ns()};
}

}  // namespace tailwave
