#include "tune/counting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "device/wire.h"
#include "measure/launch_plan.h"
#include "measure/lone_launch.h"
#include "measure/watch.h"
#include "measure/workspace.h"

namespace tailwave {
namespace {

constexpr const char* kPlan = "plan of counters";
constexpr const char* kCount = "counters";

using Counted = std::vector<CounterValue>;

// Of each launch that the plan has on the first GPU.
std::vector<std::optional<Counted>> count_in_worker(DeviceData& data, Watch& watch, const Repetition& subject,
                                                    const std::vector<LaunchRecord>& wanted,
                                                    const CounterPlan& plan) {
  const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
  data.device().set_deadline_s(subject.settings.deadline_s);
  CounterSource& counters = data.device().counters();
  const std::unique_ptr<Program> program = data.device().load(subject.artifact);
  const Workspace workspace(data, *subject.system, variant, subject.configuration.scope());
  const auto watched = [&](double limit_s, const auto& work) {
    const Watch::Scope scope(watch, Watch::Doing::kernels, limit_s);
    work();
  };
  std::vector<std::optional<Counted>> counted;
  for (const LaunchRecord& record : wanted) {
    const std::optional<LoneLaunch> lone = lone_launch(workspace.launches(), record);
    if (!lone) {
      counted.emplace_back();
      continue;
    }
    const auto prepare = [&] {
      watched(kLongestInputsS + 2 * subject.settings.deadline_s,
              [&] { run_before(*lone, data.device(), *program, workspace); });
    };
    const auto launch = [&] {
      watched(subject.settings.deadline_s,
              [&] { data.device().run(*program, std::span(&lone->launch, 1), {.timed = false}); });
    };
    counted.emplace_back(counters.count(plan, prepare, launch));
  }
  return counted;
}

// One of each shape, with the number of all of that shape.
std::vector<LaunchRecord> shapes_of(const std::vector<LaunchRecord>& launches) {
  std::vector<LaunchRecord> shapes;
  for (const LaunchRecord& launch : launches) {
    const auto known =
        std::ranges::find_if(shapes, [&](const LaunchRecord& one) { return same_shape(one, launch); });
    if (known == shapes.end())
      shapes.push_back(launch);
    else
      known->count += launch.count;
  }
  return shapes;
}

CounterPlan ask_plan(Worker& counting, const std::vector<std::string>& metrics) {
  Packet request;
  Packet answer = counting.call(kPlan, request << metrics);
  return take<CounterPlan>(answer);
}

void refuse_unknown(const CounterPlan& plan) {
  if (plan.unknown.empty()) return;
  throw Error(
      Diagnostic{.place = "--metrics",
                 .cause = fmt::format("the chip {} has no {}", plan.chip, fmt::join(plan.unknown, ", ")),
                 .hint = "'ncu --query-metrics --chips " + plan.chip + "' lists what it has"});
}

// In shapes of launches.
std::string not_counted(std::size_t on_other_gpus, std::size_t on_some_sms) {
  std::vector<std::string> parts;
  if (on_other_gpus > 0) parts.push_back(fmt::format("on other GPUs: {}", on_other_gpus));
  if (on_some_sms > 0) parts.push_back(fmt::format("on some of the SMs: {}", on_some_sms));
  return parts.empty() ? "" : fmt::format("launches that were not counted, {}", fmt::join(parts, ", "));
}

CountedLaunch counted_launch(const LaunchRecord& record, Counted values) {
  return {.position = record.position,
          .kernel = record.kernel,
          .grid = record.grid,
          .block = record.block,
          .dynamic_shared_bytes = record.dynamic_shared_bytes,
          .count = record.count,
          .values = std::move(values)};
}

// A process that dies while it counts is started again and asked once more: on an H200 one of 28 configurations did so.
std::vector<std::optional<Counted>> count_launches(Worker& counting, const Repetition& subject,
                                                   const std::vector<LaunchRecord>& wanted,
                                                   const CounterPlan& plan) {
  const auto count = [&] {
    Packet request;
    counting.put_subject(request, subject);
    Packet answer = counting.call(kCount, request << wanted << plan);
    return take<std::vector<std::optional<Counted>>>(answer);
  };
  try {
    return count();
  } catch (const Failure& failure) {
    if (failure.outcome() != Outcome::crashed) throw;
  }
  return count();
}

}  // namespace

CounterPlan plan_counters(Worker& counting, const CountingOptions& options) {
  const bool chosen = options.set == CounterSet::chosen;
  std::vector<std::string> metrics = chosen ? options.chosen : metrics_of(options.set);
  CounterPlan plan = ask_plan(counting, metrics);
  if (chosen) refuse_unknown(plan);
  if (std::ranges::any_of(plan.unknown, [](const std::string& one) { return !stand_in_for(one).empty(); })) {
    for (std::string& metric : metrics)
      if (std::ranges::find(plan.unknown, metric) != plan.unknown.end() && !stand_in_for(metric).empty())
        metric = stand_in_for(metric);
    plan = ask_plan(counting, metrics);
  }
  if (plan.passes > options.most_passes)
    throw Error(
        Diagnostic{.place = chosen ? "--metrics" : "counters",
                   .cause = fmt::format("{} metrics take {} executions of each launch on {}, more than {}",
                                        plan.metrics.size(), plan.passes, plan.chip, options.most_passes),
                   .hint = "name fewer, or allow more with --most-passes"});
  return plan;
}

CounterRun count_configuration(const Experiment& experiment, const Configuration& configuration,
                               const Tools& tools, Worker& counting, const CounterPlan& plan,
                               const CountingOptions& options, std::optional<double> time_ns) {
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  const Artifact artifact = tools.kernels->build({&experiment.system, &variant, configuration});
  const Values scope = scope_of_pe(variant, configuration.scope());
  std::vector<LaunchRecord> wanted = shapes_of(launch_shapes(variant.launches, scope));
  // Counters are of the whole GPU: they would take the SMs that such a launch does not have for idle ones.
  const std::size_t on_some_sms =
      std::erase_if(wanted, [](const LaunchRecord& launch) { return launch.sms_asked.value_or(0) > 0; });
  auto counted = count_launches(counting,
                                {.system = &experiment.system,
                                 .configuration = configuration,
                                 .artifact = artifact,
                                 .settings = experiment.measure},
                                wanted, plan);
  CounterRun run{.configuration = configuration,
                 .metric_set = options.set,
                 .compiler = tools.kernels->version(),
                 .code_hash = artifact.record.code_hash,
                 .chip = plan.chip,
                 .passes = plan.passes,
                 .time_ns = time_ns,
                 .ends_on_value = may_end_early(variant.launches, scope),
                 .left_out = fmt::format("{}", fmt::join(plan.unknown, " "))};
  std::size_t elsewhere = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (counted.at(i))
      run.launches.push_back(counted_launch(wanted[i], *std::move(counted[i])));
    else
      ++elsewhere;
  }
  if (run.launches.empty())
    throw Failure(Outcome::launch_failed, "the plan has no launch on all of the first GPU");
  run.remark = not_counted(elsewhere, on_some_sms);
  return run;
}

Tasks counting_tasks(const std::vector<const System*>& systems) {
  Tasks tasks;
  tasks[kPlan] = [](DeviceData& data, Watch& /*watch*/, Packet& request, Packet& answer) {
    answer << data.device().counters().plan(take<std::vector<std::string>>(request));
  };
  tasks[kCount] = [systems](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
    const Repetition subject = take_repetition(request, systems);
    data.use(subject.inputs);
    const auto wanted = take<std::vector<LaunchRecord>>(request);
    answer << count_in_worker(data, watch, subject, wanted, take<CounterPlan>(request));
  };
  return tasks;
}

}  // namespace tailwave
