#include "tune/timelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "device/wire.h"
#include "measure/launch_plan.h"
#include "measure/lone_launch.h"
#include "measure/watch.h"
#include "measure/workspace.h"
#include "tune/read_activities.h"

namespace tailwave {
namespace {

constexpr const char* kRecord = "timeline";
constexpr int kUnrecorded = 3;
constexpr int kRecordedExecutions = 5;

// What travels from the worker.
struct RecordedExecution {
  std::int64_t found = 0;
  bool streams_as_planned = false;
  bool moves_pages = false;  // of managed memory
  std::int64_t clocks_apart_ns = 0;
  std::vector<TimelineRecord> records;

  static constexpr auto members() {
    return std::tuple{member("found", &RecordedExecution::found),
                      member("streams_as_planned", &RecordedExecution::streams_as_planned),
                      member("moves_pages", &RecordedExecution::moves_pages),
                      member("clocks_apart_ns", &RecordedExecution::clocks_apart_ns),
                      member("records", &RecordedExecution::records)};
  }
};

// One after another, so that each begins with the inputs of the first draw and an idle device.
std::vector<std::vector<Activity>> record_executions(DeviceData& data, Watch& watch,
                                                     const Repetition& subject, Program& program,
                                                     const Workspace& workspace) {
  const double deadline_s = subject.settings.deadline_s;
  const RunOptions options{.graph = subject.settings.mode == TimingMode::graph, .timed = false};
  const FreshStart start = workspace.fresh_start(0);
  const auto prepare = [&] {
    const Watch::Scope scope(watch, Watch::Doing::kernels, kLongestInputsS + 2 * deadline_s);
    data.device().repeat(program, start, {}, {.timed = false}, 1);
  };
  const auto execute = [&] {
    const Watch::Scope scope(watch, Watch::Doing::kernels, deadline_s);
    data.device().run(program, workspace.plan(), options);
  };
  const auto meet = [&] {
    const Watch::Scope scope(watch, Watch::Doing::kernels, deadline_s);
    data.device().run(program, {}, {.timed = false});
  };
  for (int i = 0; i < kUnrecorded; ++i) {
    prepare();
    execute();
  }
  CounterSource& source = data.device().counters();
  std::vector<Activity> meeting;
  if (data.device().pes() > 0) meeting = source.record(meet);
  std::vector<std::vector<Activity>> recorded;
  for (int i = 0; i < kRecordedExecutions; ++i) {
    prepare();
    recorded.push_back(without_meeting(source.record(execute), meeting));
  }
  return recorded;
}

std::int64_t length_ns(const std::vector<Activity>& activities) {
  if (activities.empty()) return 0;
  std::int64_t begin_ns = activities.front().begin_ns, end_ns = begin_ns;
  for (const Activity& one : activities) {
    begin_ns = std::min(begin_ns, one.begin_ns);
    end_ns = std::max(end_ns, one.end_ns);
  }
  return end_ns - begin_ns;
}

std::vector<Activity> of_median_length(std::vector<std::vector<Activity>> executions) {
  const auto middle = executions.begin() + static_cast<std::ptrdiff_t>((executions.size() - 1) / 2);
  std::ranges::nth_element(executions, middle, {}, length_ns);
  return std::move(*middle);
}

bool has_managed_memory(const System& system, const VariantSpec& variant, const Values& scope) {
  const std::vector<std::string> used = used_buffers(system, variant);
  return std::ranges::any_of(used, [&](const std::string& name) {
    return evaluate_memory(system.buffers.at(name).memory, scope, name) == MemoryKind::managed;
  });
}

RecordedExecution record_in_worker(DeviceData& data, Watch& watch, const Repetition& subject) {
  const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
  data.device().set_deadline_s(subject.settings.deadline_s);
  (void)data.device().counters();  // before anything runs where there are none
  const std::unique_ptr<Program> program = data.device().load(subject.artifact);
  const Workspace workspace(data, *subject.system, variant, subject.configuration.scope());
  std::vector<Activity> activities =
      of_median_length(record_executions(data, watch, subject, *program, workspace));
  RecordedPlan plan{.launches = workspace.plan(), .symbols = subject.artifact.symbols, .shapes = {}};
  for (int pe = 0; pe < std::max(1, data.device().pes()); ++pe)
    plan.shapes.push_back(
        launch_shapes(variant.launches, scope_of_pe(variant, subject.configuration.scope(), pe)));
  ReadActivities read = read_activities(std::move(activities), plan);
  RecordedExecution execution{
      .found = static_cast<std::int64_t>(read.records.size()),
      .streams_as_planned = read.streams_as_planned,
      .moves_pages = has_managed_memory(*subject.system, variant, subject.configuration.scope()),
      .clocks_apart_ns = read.clocks_apart_ns,
      .records = std::move(read.records)};
  if (execution.records.size() > Timeline::kMostRecords) execution.records.resize(Timeline::kMostRecords);
  return execution;
}

std::string remark_on(const RecordedExecution& execution) {
  std::string remark;
  if (execution.found > static_cast<std::int64_t>(execution.records.size()))
    remark = fmt::format("the first {} of {} records", execution.records.size(), execution.found);
  const auto add = [&](const std::string& more) { remark += (remark.empty() ? "" : "; ") + more; };
  if (!execution.streams_as_planned) add("streams are numbered as they appear");
  if (execution.moves_pages) add("moves of managed memory are not recorded");
  if (execution.clocks_apart_ns > 0)
    add(fmt::format("the clocks of the processing elements are apart by {} ns or more",
                    execution.clocks_apart_ns));
  return remark;
}

}  // namespace

Timeline record_timeline(const Experiment& experiment, const Configuration& configuration, const Tools& tools,
                         Worker& counting, double time_ns) {
  const VariantSpec& variant = *experiment.system.find_variant(configuration.variant);
  const Artifact artifact = tools.kernels->build({&experiment.system, &variant, configuration});
  Packet request;
  counting.put_subject(request, {.system = &experiment.system,
                                 .configuration = configuration,
                                 .artifact = artifact,
                                 .settings = experiment.measure});
  Packet answer = counting.call(kRecord, request);
  auto execution = take<RecordedExecution>(answer);
  if (execution.records.empty())
    throw Failure(Outcome::launch_failed, "the plan did nothing that CUPTI records");
  return {.configuration = configuration,
          .compiler = tools.kernels->version(),
          .code_hash = artifact.record.code_hash,
          .time_ns = time_ns,
          .executions = kRecordedExecutions,
          .found = execution.found,
          .remark = remark_on(execution),
          .records = std::move(execution.records)};
}

Tasks timeline_tasks(const std::vector<const System*>& systems) {
  Tasks tasks;
  tasks[kRecord] = [systems](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
    const Repetition subject = take_repetition(request, systems);
    const VariantSpec& variant = *subject.system->find_variant(subject.configuration.variant);
    data.use_pes(evaluate_pes(variant, subject.configuration.scope()));
    data.use(subject.inputs);
    answer << record_in_worker(data, watch, subject);
  };
  return tasks;
}

}  // namespace tailwave
