#include "tune/energy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <set>
#include <thread>

#include "core/stopwatch.h"
#include "measure/workspace.h"
#include "store/energy_store.h"
#include "tune/metric_values.h"

namespace tailwave {
namespace {

constexpr const char* kEnergy = "energy";

// So long before and behind what counts, for the steps that are not in the window.
constexpr double kAroundS = 0.4;
// What one execution takes is seen in such a run, which also warms the GPU up.
constexpr double kTrialS = 0.25;
constexpr std::chrono::milliseconds kPoll{5};

// Reads the counter until it ends.
class PowerPoll {
 public:
  PowerPoll(Executor& device, const std::chrono::steady_clock::time_point start)
      : thread_([this, &device, start] { poll(device, start); }) {}
  ~PowerPoll() { stop(); }
  PowerPoll(const PowerPoll&) = delete;
  PowerPoll& operator=(const PowerPoll&) = delete;

  // Throws what reading threw.
  std::vector<PowerReading> readings() {
    stop();
    if (failed_) std::rethrow_exception(failed_);
    return std::move(readings_);
  }

 private:
  void stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void poll(Executor& device, std::chrono::steady_clock::time_point start) {
    try {
      while (!done_) {
        const double at_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        PowerState state = device.power_state();
        readings_.push_back({at_s, std::move(state)});
        std::this_thread::sleep_for(kPoll);
      }
    } catch (...) {
      failed_ = std::current_exception();
    }
  }

  std::atomic<bool> done_{false};
  std::vector<PowerReading> readings_;
  std::exception_ptr failed_;
  std::thread thread_;  // the last, since it uses the others
};

void note_state(const PowerState& state, std::set<std::string>& reasons, EnergyRecord& record) {
  if (state.sm_clock_mhz) {
    record.sm_clock_low_mhz =
        std::min(record.sm_clock_low_mhz.value_or(*state.sm_clock_mhz), *state.sm_clock_mhz);
    record.sm_clock_high_mhz =
        std::max(record.sm_clock_high_mhz.value_or(*state.sm_clock_mhz), *state.sm_clock_mhz);
  }
  record.temperature_c = state.temperature_c;
  record.power_limit_w = state.power_limit_w;
  if (!state.throttle_reasons.empty()) reasons.insert(state.throttle_reasons);
}

// In the process of the device.
class EnergyBench {
 public:
  EnergyBench(DeviceData& data, Watch& watch, const Repetition& subject)
      : device_(data.device()),
        watch_(watch),
        program_(device_.load(subject.artifact)),
        variant_(*subject.system->find_variant(subject.configuration.variant)),
        workspace_(data, *subject.system, variant_, subject.configuration.scope()),
        deadline_s_(subject.settings.deadline_s) {}

  EnergyRecord measure(double window_s) {
    device_.set_deadline_s(deadline_s_ + 4 * (window_s + kSettleS + kAroundS));
    limit_s_ = kLongestInputsS + 4 * (deadline_s_ + window_s + kSettleS + kAroundS);
    double execution_s = run(1);
    for (int i = 0; i < 2; ++i) execution_s = run(executions_in(kTrialS, execution_s));
    constexpr int kMostTries = 3;
    double wanted_s = window_s + kSettleS + kAroundS;
    for (int i = 1;; ++i, wanted_s *= 1.5) {
      EnergyRecord record = run_window(executions_in(wanted_s, execution_s));
      if (record.counted_s >= window_s) return record;
      execution_s = record.sustained_s();
      if (i == kMostTries)
        throw Failure(
            Outcome::unavailable,
            fmt::format("the counter of energy was seen to step for {:.3g} s of a window of {:.3g} s only",
                        record.counted_s, record.window_s));
    }
  }

 private:
  static int executions_in(double seconds, double execution_s) {
    const double count = std::ceil(seconds / std::max(execution_s, 1e-9));
    return static_cast<int>(std::clamp(count, 1.0, 1e9));
  }

  // Seconds of one of so many.
  double run(int executions) {
    const Watch::Scope watched(watch_, Watch::Doing::kernels, limit_s_);
    return device_
               .repeat(*program_, workspace_.fresh_start(kDraw), workspace_.plan(),
                       {.executions = executions}, 1)
               .front()
               .time_ns /
           1e9;
  }

  EnergyRecord run_window(int executions) {
    const auto start = std::chrono::steady_clock::now();
    PowerPoll poll(device_, start);
    EnergyRecord record{.executions = executions};
    record.window_s = run(executions) * executions;
    const double end_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    count_energy(poll.readings(), end_s, record);
    return record;
  }

  static constexpr std::uint64_t kDraw = 1;
  Executor& device_;
  Watch& watch_;
  std::unique_ptr<Program> program_;
  const VariantSpec& variant_;
  Workspace workspace_;
  double deadline_s_;
  double limit_s_ = 0;  // of a run with its inputs
};

}  // namespace

void count_energy(const std::vector<PowerReading>& readings, double end_s, EnergyRecord& record) {
  const double begin_s = end_s - record.window_s;
  const PowerReading* before = nullptr;  // the reading before this one
  const PowerReading* first = nullptr;   // the first and the last that saw a step
  const PowerReading* last = nullptr;
  std::set<std::string> reasons;
  for (const PowerReading& now : readings) {
    if (now.at_s > end_s) break;
    if (now.at_s >= begin_s) note_state(now.state, reasons, record);
    const bool stepped = before != nullptr && now.state.energy_j != before->state.energy_j;
    before = &now;
    if (!stepped || now.at_s < begin_s + kSettleS) continue;
    if (first == nullptr) first = &now;
    last = &now;
  }
  if (reasons.size() > 1) reasons.erase("none");
  record.throttle_reasons = fmt::format("{}", fmt::join(reasons, "+"));
  if (first == last)
    throw Failure(Outcome::unavailable,
                  fmt::format("the counter of energy did not step twice in {:.3g} s", record.window_s));
  record.counted_s = last->at_s - first->at_s;
  record.joules = last->state.energy_j - first->state.energy_j;
}

EnergyRecord measure_energy(const Experiment& experiment, const Configuration& configuration,
                            const Tools& tools, double window_s) {
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  if (variant.pes)
    throw Failure(Outcome::unavailable, "energy is that of one GPU, and processing elements have several");
  Packet request;
  tools.device->put_subject(request,
                            {.system = &experiment.system,
                             .configuration = configuration,
                             .artifact = tools.kernels->build({&experiment.system, &variant, configuration}),
                             .settings = experiment.measure});
  Packet answer = tools.device->call(kEnergy, request << window_s);
  return take<EnergyRecord>(answer);
}

Tasks energy_tasks(const std::vector<const System*>& systems) {
  return {{kEnergy, [systems](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
             const Repetition subject = take_repetition(request, systems);
             data.use(subject.inputs);
             (void)data.device().power_state();  // before anything runs where there is none
             answer << EnergyBench(data, watch, subject).measure(take<double>(request));
           }}};
}

std::size_t measure_energies(const Experiment& experiment, Measurer& measurer, Database& database,
                             const std::function<bool()>& stop_requested) {
  if (!experiment.energy) return 0;
  MetricValues metrics(experiment, measurer, database);
  const std::vector<TrialToRun> trials =
      trials_without_energy(database, experiment.system.name, experiment.name,
                            measurer.tools().device->description(), experiment.energy->most);
  for (const TrialToRun& one : trials) {
    if (stop_requested && stop_requested()) throw Cancelled();
    EnergyRecord record;
    try {
      record = measure_energy(experiment, one.configuration, measurer.tools(), experiment.energy->window_s);
    } catch (const Failure& failure) {
      record = {};
      record.missing = failure.what();
    }
    set_energy(database, one.trial, record);
    metrics.store(one.trial);
  }
  return trials.size();
}

}  // namespace tailwave
