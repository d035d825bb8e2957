#include "measure/measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/stopwatch.h"
#include "measure/launch_plan.h"
#include "measure/limits.h"
#include "measure/sampler.h"
#include "occupancy/occupancy.h"
#include "verify/compare.h"

namespace tailwave {
namespace {

const VariantSpec& variant_of(const Job& job) {
  return *job.experiment->system.find_variant(job.configuration.variant);
}

void add_counters(const Job& job, const Trial& trial, std::map<std::string, double>& counters) {
  const LaunchRecord* main = main_launch(trial.launches, variant_of(job).main);
  if (main != nullptr && main->occupancy) counters["occupancy"] = main->occupancy->occupancy;
  if (main == nullptr || !main->waves) return;
  counters["waves"] = main->waves->waves;
  counters["tail_fraction"] = main->waves->tail_fraction;
}

// Executions back to back work on what the one before left. A kernel that finds its work done (a sorted array, a result
// that is there already) would then get a time that no first execution has.
void refuse_work_that_fades(double fresh_ns, const std::string& device_kind, Trial& trial) {
  constexpr double kShare = 0.25;
  const double latency_ns = device_kind == "cuda" ? 5e3 : 2e5;  // that a single execution may have on top
  const double time_ns = median_ns(trial);
  if (time_ns >= kShare * (fresh_ns - latency_ns)) return;
  trial.outcome = Outcome::wrong_result;
  trial.detail = fmt::format(
      "an execution on fresh inputs takes {:.4g} us, executions back to back {:.4g} us each: they do not do "
      "the same "
      "work; measure it with the mode 'isolated'",
      fresh_ns / 1e3, time_ns / 1e3);
}

// Throws Failure(wrong_result) where nothing is compared.
std::map<std::string, ResolvedComparison> comparisons_of(const Job& job) {
  const System& system = job.experiment->system;
  const bool is_reference = job.configuration.variant == system.reference.variant &&
                            variant_of(job).target == VariantSpec::Target::host;
  const std::vector<std::string> used = used_buffers(system, variant_of(job));
  std::map<std::string, ResolvedComparison> comparisons;
  for (const auto& [buffer, comparison] : system.reference.compare) {
    if (std::find(used.begin(), used.end(), buffer) == used.end()) continue;
    Comparison own = comparison;
    // The reference need not have the parameters that a tolerance names, and differs from itself in nothing.
    if (is_reference) own.tolerance = Expression();
    if (const auto resolved = resolve(own, job.configuration.scope())) comparisons.emplace(buffer, *resolved);
  }
  if (comparisons.empty())
    throw Failure(Outcome::wrong_result, "no comparison of the manifest holds for this problem");
  return comparisons;
}

// Where the device does not say, what is safely more than the last-level cache of anything.
std::int64_t l2_bytes(const DeviceDescription& device) {
  const auto known = device.properties.find("l2_bytes");
  const auto* bytes = known == device.properties.end() ? nullptr : std::get_if<std::int64_t>(&known->second);
  return bytes != nullptr && *bytes > 0 ? *bytes : std::int64_t{256} << 20;
}

// Of a comparison that failed, for people.
std::string why_wrong(const Verification& result) {
  if (!std::isfinite(result.error) || result.norm == to_string(Comparison::Norm::exact)) return result.detail;
  return fmt::format("{} {:.3g} exceeds {:.3g}; {}", result.norm, result.error, result.tolerance,
                     result.detail);
}

}  // namespace

std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device) {
  std::vector<LaunchRecord> records;
  for (const auto& [position, shape, count] : launch_shapes(variant.launches, scope)) {
    LaunchRecord record;
    record.position = static_cast<int>(position);
    record.count = count;
    record.kernel = shape.kernel;
    record.grid = shape.grid;
    record.block = shape.block;
    record.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    for (const KernelResources& kernel : resources) {
      if (kernel.kernel == shape.kernel) record.resources = kernel;
    }
    if (device && record.resources && occupancy_available(*device)) {
      record.occupancy_device = device->name;
      record.occupancy =
          compute_occupancy(*device, *record.resources, shape.block, shape.dynamic_shared_bytes);
      if (record.occupancy->blocks_per_sm > 0) {
        record.waves = compute_waves(*device, shape.grid, record.occupancy->blocks_per_sm);
      }
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device) {
  for (const LaunchRecord& launch : launches) {
    if (!launch.resources) continue;
    const std::string obstacle =
        launch_obstacle(device, *launch.resources, launch.grid, launch.block, launch.dynamic_shared_bytes);
    if (!obstacle.empty()) return launch.kernel + ": " + obstacle;
  }
  return "";
}

Values evaluate_work(const System& system, const Values& scope) {
  Values work;
  for (const auto& [name, expression] : system.work) {
    try {
      work[name] = expression.evaluate(scope);
    } catch (const ExpressionError& error) {
      throw Error({.file = system.file.string(),
                   .place = "/work/" + name,
                   .cause = error.what(),
                   .excerpt = expression.text(),
                   .column = error.column,
                   .hint = error.hint});
    }
  }
  return work;
}

Job make_job(const Experiment& experiment, Configuration configuration, Artifact artifact,
             std::optional<DeviceSpec> occupancy_device) {
  Job job{.experiment = &experiment,
          .configuration = std::move(configuration),
          .artifact = std::move(artifact),
          .resources = {},
          .occupancy_device = std::move(occupancy_device)};
  job.resources = job.artifact.resources;
  return job;
}

Trial new_trial(const Job& job) {
  Trial trial;
  trial.configuration = job.configuration;
  trial.build = job.artifact.record;
  return trial;
}

Trial Measurer::measure(const Job& job) {
  Trial trial = new_trial(job);
  take_turn(job, trial, {});
  return trial;
}

void Measurer::take_turn(const Job& job, Trial& trial, const Turn& turn) {
  try {
    try_turn(job, trial, turn);
  } catch (const Failure& failure) {
    trial.outcome = failure.outcome();
    trial.detail = failure.what();
    // On the CPU device occupancy is that of a GPU which has refused nothing.
    const bool refused =
        failure.outcome() == Outcome::launch_failed && executor_.description().kind == "cuda";
    const std::string obstacle =
        refused && job.occupancy_device ? plan_obstacle(trial.launches, *job.occupancy_device) : "";
    if (!obstacle.empty()) {
      trial.outcome = Outcome::exceeds_device_limit;
      trial.detail += " (" + obstacle + ")";
    }
  }
  const std::string death = executor_.renew();
  if (!death.empty() && trial.outcome == Outcome::correct) {
    trial.outcome = Outcome::crashed;
    trial.detail =
        "the device's worker process " + death + " after all executions, when its memory was released";
  }
  later([&trial] {
    if (trial.outcome != Outcome::correct) trial.samples.clear();
  });
}

void Measurer::later(std::function<void()> work) {
  if (backlog_ == nullptr) return work();
  backlog_->add(std::move(work));
}

void Measurer::try_turn(const Job& job, Trial& trial, const Turn& turn) {
  const Values scope = job.configuration.scope();
  Stopwatch loading(phases_.load);
  const std::unique_ptr<Program> program = executor_.load(job.artifact);
  // While the device loads.
  if (turn.first) {
    trial.work = evaluate_work(job.experiment->system, scope);
    trial.launches = describe_launches(variant_of(job), scope, job.resources, job.occupancy_device);
    trial.limits = time_limits(job.experiment->system, scope, executor_, job.occupancy_device);
  }
  Workspace workspace(executor_, job.experiment->system, variant_of(job), scope);
  workspace.upload(*inputs_.get(job.experiment->system, variant_of(job), scope, 0));
  if (has_exit(std::span(workspace.launches()))) {
    // How many iterations there are is not known, and so neither is the work.
    trial.work.clear();
    trial.limits.clear();
  }
  const Comparisons comparisons = turn.first || turn.last ? comparisons_of(job) : Comparisons();
  // Google Benchmark's preparations are a part of this, too.
  take_samples(job, *program, workspace, trial, turn, [&]() -> std::optional<double> {
    if (turn.first) ask_driver(*program, trial);
    loading.stop();
    if (!turn.first) {
      run_untimed(executor_, *program, workspace.prepare());
      return 0;
    }
    const double run_s = verify(job, *program, workspace, trial, comparisons, 0);
    return trial.outcome == Outcome::correct ? std::optional(run_s) : std::nullopt;
  });
  if (trial.outcome != Outcome::correct || !turn.last) return;
  workspace.upload(*inputs_.get(job.experiment->system, variant_of(job), scope, 1));
  verify(job, *program, workspace, trial, comparisons, 1);
}

void Measurer::ask_driver(Program& program, Trial& trial) {
  std::vector<Launch> shapes;
  for (const LaunchRecord& record : trial.launches)
    shapes.push_back({record.kernel, record.grid, record.block, record.dynamic_shared_bytes, {}});
  const std::vector<std::optional<int>> blocks = executor_.blocks_per_sm(program, shapes);
  for (std::size_t i = 0; i < shapes.size(); ++i) trial.launches[i].driver_blocks_per_sm = blocks[i];
}

double Measurer::verify(const Job& job, Program& program, Workspace& workspace, Trial& trial,
                        const Comparisons& comparisons, std::uint64_t draw) {
  Stopwatch verifying(phases_.verify);
  const System& system = job.experiment->system;
  const bool uses_reference = std::any_of(comparisons.begin(), comparisons.end(), [](const auto& entry) {
    return entry.second.norm != Comparison::Norm::range;
  });
  Check check{draw == 0 ? "before" : "after", {}};
  if (uses_reference) check.expected = reference_.expected(system, job.configuration.problem, draw);

  std::vector<std::string> compared;
  for (const auto& [buffer, comparison] : comparisons) compared.push_back(buffer);
  Workspace::Execution execution = workspace.execute(program, compared);
  verifying.stop();
  for (const auto& [buffer, comparison] : comparisons) {
    // What is put off is kept until then; what has more bytes comes and goes one by one.
    const bool much = !execution.results.contains(buffer);
    Stopwatch downloading(phases_.verify);
    std::vector<std::byte> actual = workspace.take_result(execution, buffer);
    downloading.stop();
    later([this, &system, &trial, check, buffer = buffer, comparison = comparison,
           actual = std::move(actual)] { compare_buffer(system, trial, check, buffer, comparison, actual); });
    if (much && backlog_ != nullptr) backlog_->finish();
  }
  if (!execution.damage.empty()) {
    trial.outcome = Outcome::illegal_access;
    trial.detail = (draw == 0 ? "before timing, " : "while or after timing, ") + execution.damage;
  }
  return execution.run_s;
}

void Measurer::compare_buffer(const System& system, Trial& trial, const Check& check,
                              const std::string& buffer, const ResolvedComparison& comparison,
                              std::span<const std::byte> actual) {
  double hidden_s = 0;
  const Stopwatch comparing(backlog_ != nullptr && backlog_->hidden() ? hidden_s : phases_.verify);
  const bool range = comparison.norm == Comparison::Norm::range;
  Verification result = compare(system.buffers.at(buffer).type,
                                range ? actual : check.expected.contents->at(buffer), actual, comparison);
  result.phase = check.phase;
  result.buffer = buffer;
  if (result.passed && !range && result.detail.empty()) result.detail = check.expected.weakness;
  if (!result.passed && trial.outcome == Outcome::correct) {
    trial.outcome = Outcome::wrong_result;
    trial.detail = fmt::format("{} timing, buffer '{}': {}", check.phase, buffer, why_wrong(result));
  }
  trial.verifications.push_back(std::move(result));
}

void Measurer::take_samples(const Job& job, Program& program, Workspace& workspace, Trial& trial,
                            const Turn& turn, const std::function<std::optional<double>()>& begin) {
  std::optional<Stopwatch> measuring;
  const MeasureSettings& settings = job.experiment->measure;
  int sets = 1;
  FreshStart start;
  Subject subject;
  subject.name = job.configuration.name();
  subject.begin = [&] {
    const std::optional<double> run_s = begin();
    if (!run_s) return run_s;
    measuring.emplace(phases_.measure);
    if (settings.cache == "rotate") sets = workspace.rotate(l2_bytes(executor_.description()));
    start = workspace.fresh_start();
    return run_s;
  };
  subject.run = [&](int executions, int runs) {
    return executor_.run_fresh(program, start, workspace.launches(),
                               {.executions = executions,
                                .sets = sets,
                                .graph = settings.mode == "graph",
                                .flush_cache = settings.cache == "cold"},
                               runs);
  };
  for (const auto& [name, amount] : trial.work) subject.work[name] = to_double(amount);
  add_counters(job, trial, subject.counters);
  Sampling sampling = sample(subject, {.settings = &settings,
                                       .repetition = turn.repetition,
                                       .first_sequence = turn.first_sequence,
                                       .race_to_ns = turn.race_to_ns,
                                       .backlog = backlog_});
  if (sampling.samples.empty()) return;
  std::move(sampling.samples.begin(), sampling.samples.end(), std::back_inserter(trial.samples));
  if (sampling.fresh_ns) {
    later([&trial, fresh_ns = *sampling.fresh_ns, kind = executor_.description().kind] {
      if (trial.outcome == Outcome::correct) refuse_work_that_fades(fresh_ns, kind, trial);
    });
  }
  trial.stopped_by = std::move(sampling.stopped_by);
  trial.mode = settings.cache == "hot" ? settings.mode : settings.mode + ", " + settings.cache;
  trial.timer = executor_.timer();
  if (turn.last) return;  // the verification that follows looks, too
  const std::string damage = workspace.guard_damage();
  if (!damage.empty()) {
    trial.outcome = Outcome::illegal_access;
    trial.detail = "while timing, " + damage;
  }
}

}  // namespace tailwave
