#include "tune/timelines.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "device/wire.h"
#include "measure/launch_plan.h"
#include "measure/lone_launch.h"
#include "measure/watch.h"
#include "measure/workspace.h"

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
  std::vector<TimelineRecord> records;

  static constexpr auto members() {
    return std::tuple{member("found", &RecordedExecution::found),
                      member("streams_as_planned", &RecordedExecution::streams_as_planned),
                      member("moves_pages", &RecordedExecution::moves_pages),
                      member("records", &RecordedExecution::records)};
  }
};

// What has no mangled name keeps its own: "i" would be an int.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  struct Free {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? text.get() : symbol;
}

bool did_launch(const Activity& done, const Launch& launch,
                const std::map<std::string, std::string>& symbols) {
  if (!launch.is_kernel()) return done.kind == ActivityKind::copy && launch.copied != nullptr;
  const auto symbol = symbols.find(launch.kernel);
  return done.kind == ActivityKind::kernel && symbol != symbols.end() && done.name == symbol->second &&
         done.grid == launch.grid && done.block == launch.block;
}

// Of each activity, by its order among the calls; none where they are not the plan's launches one for one.
std::optional<std::map<std::uint64_t, int>> planned_streams(
    const std::vector<Activity>& activities, std::span<const Launch> plan,
    const std::map<std::string, std::string>& symbols) {
  std::map<std::uint64_t, const Activity*> calls;
  for (const Activity& done : activities) calls[done.order] = &done;
  if (calls.size() != activities.size() || calls.size() != plan.size()) return {};
  std::map<std::uint64_t, int> streams;
  auto launch = plan.begin();
  for (const auto& [order, done] : calls) {
    if (!did_launch(*done, *launch, symbols)) return {};
    streams[order] = launch++->stream;
  }
  return streams;
}

std::optional<int> position_of(const Activity& done, const std::string& kernel,
                               const std::vector<LaunchRecord>& shapes) {
  if (done.kind != ActivityKind::kernel) return {};
  const auto shape = std::ranges::find_if(shapes, [&](const LaunchRecord& one) {
    return one.kernel == kernel && one.grid == done.grid && one.block == done.block;
  });
  if (shape == shapes.end()) return {};
  return shape->position;
}

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
  std::vector<std::vector<Activity>> recorded;
  for (int i = 0; i < kUnrecorded + kRecordedExecutions; ++i) {
    prepare();
    if (i < kUnrecorded)
      execute();
    else
      recorded.push_back(data.device().counters().record(execute));
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
  if (variant.pes)
    throw Failure(Outcome::unavailable,
                  "processing elements are processes of their own, which nothing records");
  data.device().set_deadline_s(subject.settings.deadline_s);
  (void)data.device().counters();  // before anything runs where there are none
  const std::unique_ptr<Program> program = data.device().load(subject.artifact);
  const Workspace workspace(data, *subject.system, variant, subject.configuration.scope());
  std::vector<Activity> activities =
      of_median_length(record_executions(data, watch, subject, *program, workspace));
  const auto shapes = launch_shapes(variant.launches, scope_of_pe(variant, subject.configuration.scope()));
  ReadActivities read =
      read_activities(std::move(activities), workspace.plan(), subject.artifact.symbols, shapes);
  RecordedExecution execution{
      .found = static_cast<std::int64_t>(read.records.size()),
      .streams_as_planned = read.streams_as_planned,
      .moves_pages = has_managed_memory(*subject.system, variant, subject.configuration.scope()),
      .records = std::move(read.records)};
  if (execution.records.size() > Timeline::kMostRecords) execution.records.resize(Timeline::kMostRecords);
  return execution;
}

std::string remark_on(const RecordedExecution& execution) {
  std::string remark;
  if (execution.found > static_cast<std::int64_t>(execution.records.size()))
    remark = fmt::format("the first {} of {} records", execution.records.size(), execution.found);
  const auto add = [&](const char* more) { remark += std::string(remark.empty() ? "" : "; ") + more; };
  if (!execution.streams_as_planned) add("streams are numbered as they appear");
  if (execution.moves_pages) add("moves of managed memory are not recorded");
  return remark;
}

}  // namespace

ReadActivities read_activities(std::vector<Activity> activities, std::span<const Launch> plan,
                               const std::map<std::string, std::string>& symbols,
                               const std::vector<LaunchRecord>& shapes) {
  std::ranges::sort(activities, {}, [](const Activity& one) {
    return std::tuple(one.begin_ns, one.end_ns, one.order, one.stream);
  });
  std::map<std::string, std::string> kernels;  // by symbol
  for (const auto& [kernel, symbol] : symbols) kernels[symbol] = kernel;
  const auto planned = planned_streams(activities, plan, symbols);
  std::map<std::pair<int, std::uint64_t>, int> appeared;
  ReadActivities read{.records = {}, .streams_as_planned = planned.has_value()};
  for (const Activity& done : activities) {
    TimelineRecord& record = read.records.emplace_back();
    record.number = static_cast<std::int64_t>(read.records.size()) - 1;
    record.kind = done.kind;
    const auto kernel = kernels.find(done.name);
    record.name = done.kind != ActivityKind::kernel ? done.name
                  : kernel != kernels.end()         ? kernel->second
                                                    : demangled(done.name);
    record.position = position_of(done, record.name, shapes);
    record.gpu = done.gpu;
    const int next = static_cast<int>(appeared.size());
    record.stream =
        planned ? planned->at(done.order) : appeared.try_emplace({done.gpu, done.stream}, next).first->second;
    record.begin_ns = done.begin_ns - activities.front().begin_ns;
    record.end_ns = done.end_ns - activities.front().begin_ns;
    if (done.kind != ActivityKind::kernel) record.bytes = done.bytes;
  }
  return read;
}

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
    data.use(subject.inputs);
    answer << record_in_worker(data, watch, subject);
  };
  return tasks;
}

}  // namespace tailwave
