#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "device/cuda/nvshmem.h"

namespace tailwave {

StreamHold::StreamHold(std::shared_ptr<Context> context)
    : context_(std::move(context)), word_(make_mapped_memory(context_, sizeof(std::uint32_t))) {
  *static_cast<std::uint32_t*>(word_.get()) = 0;
  context_->check(context_->api().host_device_pointer(&word_on_device_, word_.get(), 0),
                  "mapping host memory");
}

void StreamHold::probe(CUstream stream) {
  const DriverApi& api = context_->api();
  if (const char* setting = std::getenv("TAILWAVE_STREAM_HOLD");
      setting != nullptr && std::string_view(setting) == "off") {
    reason_ = "TAILWAVE_STREAM_HOLD=off";
    return;
  }
  if (api.stream_wait_value == nullptr) {
    reason_ = "the driver has no cuStreamWaitValue32_v2";
    return;
  }
  CUresult result = engage(stream);
  release();
  if (result == CUDA_SUCCESS) result = api.stream_synchronize(stream);
  reason_ = result == CUDA_SUCCESS ? "" : api.describe(result);
}

CUresult StreamHold::engage(CUstream stream) noexcept {
  return context_->api().stream_wait_value(stream, word_on_device_, ++ticket_, CU_STREAM_WAIT_VALUE_GEQ);
}

void StreamHold::release() noexcept {
  std::atomic_ref(*static_cast<std::uint32_t*>(word_.get())).store(ticket_, std::memory_order_release);
}

Launcher::Launcher(std::shared_ptr<Context> context)
    : context_(std::move(context)),
      forked_(make_event(context_, CU_EVENT_DISABLE_TIMING)),
      hold_(context_),
      flush_(context_),
      clock_(context_) {
  for (Marks& marks : marks_)
    marks = {make_event(context_), make_event(context_), make_event(context_, CU_EVENT_DISABLE_TIMING)};
  use_streams({});
  hold_.probe(main_stream());
  clock_.probe(main_stream());
}

Launcher::Lane& Launcher::lane(std::size_t index, const std::shared_ptr<Context>& context, int sms) {
  Lane& one = lanes_[{index, context.get(), sms}];
  if (one.done) return one;
  context->enter();
  if (sms > 0) one.green = green_contexts_.of(context, sms);
  one.context = context;
  one.stream = one.green ? one.green->make_stream() : make_stream(context);
  // Whatever the driver does at the first launch in a green context: later ones may follow a held stream.
  if (one.green && clock_.supported()) {
    context->check(clock_.enqueue(one.stream.get(), 0), "launching in a green context");
    context->check(context->api().stream_synchronize(one.stream.get()), "launching in a green context");
  }
  one.done = make_event(context, CU_EVENT_DISABLE_TIMING);
  return one;
}

void Launcher::use_streams(std::span<const PreparedLaunch> plans) {
  timed_ = plans.empty() ? 0 : plans.front().stream;
  std::size_t used = 1;
  for (const PreparedLaunch& launch : plans) used = std::max(used, launch.stream + 1);
  in_several_ = std::any_of(plans.begin(), plans.end(),
                            [this](const PreparedLaunch& launch) { return launch.stream != timed_; });
  if (in_several_) timed_ = 0;
  std::vector<const PreparedLaunch*> first(used);
  const auto context_of = [this](const PreparedLaunch* launch) -> const std::shared_ptr<Context>& {
    return launch != nullptr && launch->context ? launch->context : context_;
  };
  for (const PreparedLaunch& launch : plans) {
    const PreparedLaunch*& known = first[launch.stream];
    if (known != nullptr && context_of(known) != context_of(&launch))
      throw Failure(Outcome::launch_failed, launch.text + ": a stream cannot have launches on several GPUs");
    if (known != nullptr && known->sms != launch.sms)
      throw std::logic_error("a stream of the driver has launches on several numbers of SMs");
    if (known == nullptr) known = &launch;
  }
  if (context_of(first.front()) != context_)
    throw Failure(Outcome::launch_failed, "the first of a plan's streams has to be on the run's own GPU");
  used_.clear();
  for (std::size_t i = 0; i < used; ++i)
    used_.push_back(&lane(i, context_of(first[i]), first[i] == nullptr ? 0 : first[i]->sms));
  context_->enter();
}

RunResult Launcher::run(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph,
                        bool held, double deadline_s) {
  use_streams(plans);
  deadline_s_ = deadline_s;
  started_ = std::chrono::steady_clock::now();
  start(plans, options, graph, held, 0);
  if (options.timed) return collect(plans, options, 0);
  wait_or_throw(names_of(plan_of(plans, options, 0)));
  return {};
}

bool Launcher::queues_ahead(std::span<const PreparedLaunch> plans, const RunOptions& options) {
  constexpr std::size_t kMost = kHeldOperations / (2 * SmClock::kAtOnce);
  const std::size_t launches =
      plans.size() / static_cast<std::size_t>(options.sets) * static_cast<std::size_t>(options.executions);
  return options.timed && !options.graph && !options.flush_cache && !has_exit(plans) && launches <= kMost &&
         std::all_of(plans.begin(), plans.end(), [&](const PreparedLaunch& launch) {
           return launch.stream == plans.front().stream && launch.copy_bytes == 0 &&
                  launch.prefetch_bytes == 0;
         });
}

std::vector<RunResult> Launcher::repeat(std::span<const PreparedLaunch> plans, const RunOptions& options,
                                        PlanGraph& graph, double deadline_s, int times,
                                        const std::function<void(int run)>& restore,
                                        const std::function<void(RunResult&)>& note) {
  use_streams(plans);
  deadline_s_ = deadline_s;
  std::vector<RunResult> results;
  const auto collect_next = [&] {
    started_ = std::chrono::steady_clock::now();
    results.push_back(collect(plans, options, results.size() % SmClock::kAtOnce));
    note(results.back());
  };
  for (int i = 0; i < times; ++i) {
    try {
      restore(i);
    } catch (const Failure&) {
      drain();
      throw;
    }
    start(plans, options, graph, true, static_cast<std::size_t>(i) % SmClock::kAtOnce);
    if (i > 0) collect_next();
  }
  collect_next();
  return results;
}

void Launcher::start(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph,
                     bool held, std::size_t number) {
  try {
    if (options.graph) capture(plans, options, graph);
    enqueue_run(plans, options, graph, held && !has_exit(plans), number);
  } catch (const Failure&) {
    hold_.release();
    drain();
    throw;
  }
  hold_.release();
}

RunResult Launcher::collect(std::span<const PreparedLaunch> plans, const RunOptions& options,
                            std::size_t number) {
  const DriverApi& api = context_->api();
  const Marks& marks = marks_[number];
  check_waited(wait([&] { return api.event_query(marks.done.get()); }), names_of(plan_of(plans, options, 0)));
  float elapsed_ms = 0;
  context_->check(api.event_elapsed(&elapsed_ms, marks.begin.get(), marks.end.get()), "reading the events");
  RunResult found;
  found.time_ns = static_cast<double>(elapsed_ms) * 1e6 / options.executions;
  found.sm_clock_mhz = clock_.mhz(number);
  return found;
}

void Launcher::enqueue_run(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph,
                           bool held, std::size_t number) {
  if (options.timed && options.flush_cache) flush_.enqueue(main_stream());
  // The driver might block in the launch of a long graph, before the hold could be released.
  const bool too_long = options.graph && graph.operations >= kHeldOperations;
  if (options.timed && held && !too_long) context_->check(hold_.engage(main_stream()), "holding the stream");
  queued_ = 0;
  if (timed_ > 0) fork();
  meet_others();
  if (options.timed)
    enqueue_timed(plans, options, graph, marks_[number], number);
  else
    enqueue_plans(plans, options, graph);
  meet_others();
  if (timed_ > 0) join();
}

void Launcher::enqueue_timed(std::span<const PreparedLaunch> plans, const RunOptions& options,
                             PlanGraph& graph, const Marks& marks, std::size_t number) {
  const DriverApi& api = context_->api();
  context_->check(api.event_record(marks.begin.get(), timed_stream()), "recording an event");
  enqueue_plans(plans, options, graph);
  context_->check(api.event_record(marks.end.get(), timed_stream()), "recording an event");
  // What poisons was the executions' doing; with any other refusal only the clock is not known.
  const CUresult result = clock_.enqueue(timed_stream(), number);
  if (poisons_context(result)) context_->check(result, names_of(plan_of(plans, options, 0)));
  context_->check(api.event_record(marks.done.get(), timed_stream()), "recording an event");
}

void Launcher::enqueue_plans(std::span<const PreparedLaunch> plans, const RunOptions& options,
                             PlanGraph& graph) {
  if (!options.graph) return enqueue_executions(plans, options);
  check_graph(*context_, context_->api().graph_launch(graph.executable.get(), timed_stream()),
              plan_of(plans, options, 0));
}

void Launcher::capture(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph) {
  if (graph.holds(plans, options)) return;
  graph = {};
  const DriverApi& api = context_->api();
  // A launch in a graph has the SMs of the stream in which it was captured (CUDA Programming Guide, Green Contexts).
  context_->check(api.begin_capture(timed_stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                  "capturing a graph");
  CUgraph captured = nullptr;
  queued_ = 0;
  try {
    enqueue_executions(plans, options);
  } catch (...) {
    api.end_capture(timed_stream(), &captured);
    if (captured != nullptr) api.graph_destroy(captured);
    throw;
  }
  const auto plan = plan_of(plans, options, 0);
  check_graph(*context_, api.end_capture(timed_stream(), &captured), plan);
  const Graph owner(captured, {context_});
  CUgraphExec made = nullptr;
  // Else the graph's launches have the priority of the stream in which it runs.
  const bool has_priorities = std::any_of(plans.begin(), plans.end(),
                                          [](const PreparedLaunch& launch) { return launch.priority != 0; });
  const unsigned flags = has_priorities ? CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY : 0;
  check_graph(*context_, api.graph_instantiate(&made, captured, flags), plan);
  GraphExec executable(made, {context_});
  check_graph(*context_, api.graph_upload(made, timed_stream()), plan);
  context_->check(api.stream_synchronize(timed_stream()), "uploading a graph");
  graph.plans.assign(plans.begin(), plans.end());
  graph.executions = options.executions;
  graph.sets = options.sets;
  graph.operations = queued_;
  graph.executable = std::move(executable);
}

void Launcher::enqueue_executions(std::span<const PreparedLaunch> plans, const RunOptions& options) {
  for (int execution = 0; execution < options.executions; ++execution) {
    if (in_several_) fork();
    walk_plan(plan_of(plans, options, execution), [this](const PreparedLaunch& launch) {
      enqueue_launch(launch);
      return launch.exit && leaves_loop(launch);
    });
    if (in_several_) join();
  }
}

void Launcher::enqueue_launch(const PreparedLaunch& launch) {
  const DriverApi& api = context_->api();
  const Lane& own = *used_[launch.stream];
  CUstream const stream = own.stream.get();
  own.context->enter();
  for (const std::size_t number : launch.wait) {
    const Lane& other = *used_[number];
    context_->check(api.event_record(other.done.get(), other.stream.get()), "recording an event");
    context_->check(api.stream_wait_event(stream, other.done.get(), 0), "waiting for an event");
    count_operations(2);
  }
  if (launch.copy_bytes > 0) {
    context_->check(api.copy(launch.copy_to, launch.copy_from, launch.copy_bytes, stream), launch.text);
    return count_operations(1);
  }
  if (launch.prefetch_bytes > 0) {
    context_->check(api.prefetch(launch.prefetched, launch.prefetch_bytes, launch.prefetch_to, stream),
                    launch.text);
    return count_operations(1);
  }
  if (launch.collective != Collective::none) {
    enqueue_collective(launch, stream);
    return count_operations(1);
  }
  if (launch.call != nullptr) {
    call(launch, stream);
    return count_operations(1);
  }
  const DriverLaunchConfig config(launch, stream);
  const auto [grid_x, grid_y, grid_z] = launch.grid;
  const auto [block_x, block_y, block_z] = launch.block;
  void** const arguments = const_cast<void**>(launch.arguments.data());
  const CUresult result = config.has_attributes()
                              ? api.launch_with(&config.get(), launch.function, arguments, nullptr)
                              : api.launch(launch.function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                           launch.dynamic_shared_bytes, stream, arguments, nullptr);
  check_launch(*context_, result, launch);
  count_operations(1);
}

// What it throws names the library's own error.
void Launcher::call(const PreparedLaunch& launch, CUstream stream) {
  constexpr std::size_t kLongest = 1000;
  std::array<char, kLongest> message{};
  launch.library->use_stream(stream);
  if (!launch.call->call(const_cast<void**>(launch.arguments.data()), message.data(), message.size()))
    throw Failure(Outcome::launch_failed, fmt::format("{}: {}", launch.text, message.data()));
}

void Launcher::enqueue_collective(const PreparedLaunch& launch, CUstream stream) {
  const Nvshmem& all = *context_->nvshmem();
  if (launch.collective == Collective::sum)
    all.sum(launch.summed_type, launch.summed, launch.summed_count, stream);
  else
    all.barrier(stream);
}

void Launcher::meet_others() {
  if (context_->nvshmem() == nullptr) return;
  context_->enter();
  context_->nvshmem()->barrier(timed_stream());
  count_operations(1);
}

bool Launcher::leaves_loop(const PreparedLaunch& launch) {
  join();
  wait_or_throw(launch.text);
  std::array<std::byte, sizeof(std::uint64_t)> element{};
  const std::span bytes = std::span(element).first(size_bytes(launch.exit->type));
  const DriverApi& api = context_->api();
  context_->check(
      api.copy(reinterpret_cast<CUdeviceptr>(bytes.data()), launch.exit->value, bytes.size(), main_stream()),
      "reading the value that ends a loop");
  context_->check(api.stream_synchronize(main_stream()), "reading the value that ends a loop");
  fork();
  return leaves(*launch.exit, bytes);
}

void Launcher::fork() {
  if (used_.size() == 1) return;
  const DriverApi& api = context_->api();
  context_->check(api.event_record(forked_.get(), main_stream()), "recording an event");
  for (std::size_t i = 1; i < used_.size(); ++i)
    context_->check(api.stream_wait_event(used_[i]->stream.get(), forked_.get(), 0), "waiting for an event");
  count_operations(used_.size());
}

void Launcher::join() {
  const DriverApi& api = context_->api();
  context_->enter();
  for (std::size_t i = 1; i < used_.size(); ++i) {
    const Lane& other = *used_[i];
    context_->check(api.event_record(other.done.get(), other.stream.get()), "recording an event");
    context_->check(api.stream_wait_event(main_stream(), other.done.get(), 0), "waiting for an event");
  }
  count_operations(2 * (used_.size() - 1));
}

void Launcher::count_operations(std::size_t operations) {
  queued_ += operations;
  if (queued_ >= kHeldOperations) hold_.release();
}

void Launcher::wait_or_throw(const std::string& what) {
  check_waited(wait(main_stream()), what);
}

void Launcher::check_waited(CUresult result, const std::string& what) {
  if (result == CUDA_ERROR_NOT_READY) {
    context_->poison();
    throw Failure(Outcome::timeout, fmt::format("{}: not ended after {:g} s", what, deadline_s_));
  }
  context_->check(result, what);
}

CUresult Launcher::wait(CUstream stream) const {
  return wait([&] { return context_->api().stream_query(stream); });
}

CUresult Launcher::wait(const std::function<CUresult()>& query) const {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(200);
  constexpr auto kLongestSleep = std::chrono::milliseconds(1);
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = query();
    if (result != CUDA_ERROR_NOT_READY) return result;
    const auto now = Clock::now();
    const auto elapsed = now - start;
    if (deadline_s_ > 0 && std::chrono::duration<double>(now - started_).count() > deadline_s_) return result;
    if (elapsed > kSpin) std::this_thread::sleep_for(std::min<Clock::duration>(elapsed / 10, kLongestSleep));
  }
}

void Launcher::drain() noexcept {
  for (const auto& [key, one] : lanes_) {
    if (!context_->usable()) return;
    if (!one.stream) continue;
    const CUresult result = wait(one.stream.get());
    if (result == CUDA_ERROR_NOT_READY || poisons_context(result)) context_->poison();
  }
}

}  // namespace tailwave
#endif
