#include "tune/read_activities.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tailwave {
namespace {

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

bool is_of_program(const Activity& done, const std::map<std::string, std::string>& symbols) {
  return done.kind == ActivityKind::kernel &&
         std::ranges::any_of(symbols, [&](const auto& symbol) { return symbol.second == done.name; });
}

bool did_launch(const Activity& done, const Launch& launch,
                const std::map<std::string, std::string>& symbols) {
  if (!launch.is_kernel()) return done.kind == ActivityKind::copy && launch.copied != nullptr;
  const auto symbol = symbols.find(launch.kernel);
  return done.kind == ActivityKind::kernel && symbol != symbols.end() && done.name == symbol->second &&
         done.grid == launch.grid && done.block == launch.block;
}

// That called: of a plan without processing elements it is one, whichever GPUs it uses.
std::size_t process_of(const Activity& done, int processes) {
  return processes > 1 ? static_cast<std::size_t>(done.gpu) : 0;
}

// By process.
using Calls = std::vector<const Activity*>;
std::vector<Calls> calls_of_each(const std::vector<Activity>& activities, int processes) {
  std::vector<Calls> all(static_cast<std::size_t>(processes));
  for (const Activity& done : activities) all.at(process_of(done, processes)).push_back(&done);
  for (Calls& calls : all) std::ranges::sort(calls, {}, &Activity::order);
  return all;
}

// Which launch an activity is of.
using LaunchesDone = std::map<const Activity*, const Launch*>;

// Of one process. False where its calls are not those launches.
bool match(const Calls& calls, const std::vector<const Launch*>& launches,
           const std::map<std::string, std::string>& symbols, LaunchesDone& matched) {
  if (std::ranges::adjacent_find(calls, {}, &Activity::order) != calls.end()) return false;
  auto call = calls.begin();
  for (const Launch* const launch : launches) {
    if (launch->collective != Collective::none) {
      for (; call != calls.end() && !is_of_program(**call, symbols); ++call) matched[*call] = launch;
      continue;
    }
    if (call == calls.end() || !did_launch(**call, *launch, symbols)) return false;
    matched[*call++] = launch;
  }
  return call == calls.end();
}

std::optional<LaunchesDone> planned_launches(const std::vector<Activity>& activities,
                                             const RecordedPlan& plan) {
  const std::vector<Calls> calls = calls_of_each(activities, plan.pes());
  LaunchesDone matched;
  for (int pe = 0; pe < plan.pes(); ++pe) {
    std::vector<const Launch*> launches;
    for (const Launch& launch : plan.launches)
      if (launch.pe == pe) launches.push_back(&launch);
    if (!match(calls[static_cast<std::size_t>(pe)], launches, plan.symbols, matched)) return {};
  }
  return matched;
}

struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
};

// Of each collective of a process, in the order of its plan.
std::vector<Interval> collectives_of(int pe, const RecordedPlan& plan, const LaunchesDone& matched) {
  std::map<const Launch*, Interval> intervals;  // by the place in the plan
  for (const auto& [done, launch] : matched) {
    if (launch->pe != pe || launch->collective == Collective::none) continue;
    Interval& one = intervals.try_emplace(launch, Interval{done->begin_ns, done->end_ns}).first->second;
    one.begin_ns = std::min(one.begin_ns, done->begin_ns);
    one.end_ns = std::max(one.end_ns, done->end_ns);
  }
  std::vector<Interval> all;
  for (const Launch& launch : plan.launches)
    if (const auto found = intervals.find(&launch); found != intervals.end()) all.push_back(found->second);
  return all;
}

std::int64_t clocks_apart_ns(const RecordedPlan& plan, const LaunchesDone& matched) {
  std::vector<Interval> together;  // the last begin and the first end
  for (int pe = 0; pe < plan.pes(); ++pe) {
    const std::vector<Interval> own = collectives_of(pe, plan, matched);
    if (pe == 0) together = own;
    if (own.size() != together.size()) return 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      together[i].begin_ns = std::max(together[i].begin_ns, own[i].begin_ns);
      together[i].end_ns = std::min(together[i].end_ns, own[i].end_ns);
    }
  }
  std::int64_t apart_ns = 0;
  for (const Interval& one : together) apart_ns = std::max(apart_ns, one.begin_ns - one.end_ns);
  return apart_ns;
}

std::optional<int> position_of(const Activity& done, const std::string& kernel, const RecordedPlan& plan) {
  if (done.kind != ActivityKind::kernel) return {};
  const auto& shapes = plan.shapes.at(process_of(done, plan.pes()));
  const auto shape = std::ranges::find_if(shapes, [&](const LaunchRecord& one) {
    return one.kernel == kernel && one.grid == done.grid && one.block == done.block;
  });
  if (shape == shapes.end()) return {};
  return shape->position;
}

}  // namespace

ReadActivities read_activities(std::vector<Activity> activities, const RecordedPlan& plan) {
  std::ranges::sort(activities, {}, [](const Activity& one) {
    return std::tuple(one.begin_ns, one.end_ns, one.gpu, one.order, one.stream);
  });
  std::map<std::string, std::string> kernels;  // by symbol
  for (const auto& [kernel, symbol] : plan.symbols) kernels[symbol] = kernel;
  const auto planned = planned_launches(activities, plan);
  std::map<int, std::map<std::uint64_t, int>> appeared;  // of each GPU
  ReadActivities read{.records = {}, .streams_as_planned = planned.has_value()};
  if (planned) read.clocks_apart_ns = clocks_apart_ns(plan, *planned);
  for (const Activity& done : activities) {
    TimelineRecord& record = read.records.emplace_back();
    record.number = static_cast<std::int64_t>(read.records.size()) - 1;
    record.kind = done.kind;
    const auto kernel = kernels.find(done.name);
    record.name = done.kind != ActivityKind::kernel ? done.name
                  : kernel != kernels.end()         ? kernel->second
                                                    : demangled(done.name);
    record.position = position_of(done, record.name, plan);
    record.gpu = done.gpu;
    auto& streams = appeared[done.gpu];
    const int next = static_cast<int>(streams.size());
    record.stream =
        planned ? planned->at(&done)->stream : streams.try_emplace(done.stream, next).first->second;
    record.begin_ns = done.begin_ns - activities.front().begin_ns;
    record.end_ns = done.end_ns - activities.front().begin_ns;
    if (done.kind != ActivityKind::kernel) record.bytes = done.bytes;
  }
  return read;
}

std::vector<Activity> without_meeting(std::vector<Activity> execution, const std::vector<Activity>& meeting) {
  std::set<int> gpus;
  for (const Activity& one : meeting) gpus.insert(one.gpu);
  const auto of_gpu = [](const std::vector<Activity>& all, int gpu) {
    std::vector<Activity> own;
    std::ranges::copy_if(all, std::back_inserter(own), [&](const Activity& one) { return one.gpu == gpu; });
    std::ranges::sort(own, {}, &Activity::order);
    return own;
  };
  for (const int gpu : gpus) {
    std::vector<Activity> own = of_gpu(execution, gpu), around = of_gpu(meeting, gpu);
    const auto half = static_cast<std::ptrdiff_t>(around.size() / 2);
    if (std::ssize(own) < 2 * half) continue;
    std::erase_if(execution, [&](const Activity& one) { return one.gpu == gpu; });
    execution.insert(execution.end(), own.begin() + half, own.end() - half);
  }
  return execution;
}

}  // namespace tailwave
