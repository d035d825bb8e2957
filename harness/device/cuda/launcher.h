#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "device/cuda/cache_flush.h"
#include "device/cuda/context.h"
#include "device/cuda/green_context.h"
#include "device/cuda/prepared_launch.h"
#include "device/cuda/sm_clock.h"

namespace tailwave {

// Keeps a stream from running what is queued on it until released, so that the host's launch overhead stays
// out of the time between two events. The stream waits for a word in mapped host memory to reach a ticket
// number (cuStreamWaitValue32), which needs no kernel.
class StreamHold {
 public:
  explicit StreamHold(std::shared_ptr<Context> context);

  // Tries one hold on an idle stream; supported() tells how that went. Not with TAILWAVE_STREAM_HOLD=off in the
  // environment: a profiler that runs each kernel alone waits for ever behind a held stream.
  void probe(CUstream stream);
  [[nodiscard]] bool supported() const { return reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // why not, in the driver's words

  CUresult engage(CUstream stream) noexcept;
  void release() noexcept;

 private:
  std::shared_ptr<Context> context_;
  HostMemory word_;
  CUdeviceptr word_on_device_ = 0;
  std::uint32_t ticket_ = 0;
  std::string reason_ = "not tried";
};

// The streams and events of one context.
class Launcher {
 public:
  explicit Launcher(std::shared_ptr<Context> context);

  [[nodiscard]] CUstream main_stream() const { return used_.front()->stream.get(); }
  [[nodiscard]] const StreamHold& hold() const { return hold_; }
  [[nodiscard]] const SmClock& clock() const { return clock_; }
  // SMs that a launch gets which asks for so many. Throws as GreenContexts::of() does.
  [[nodiscard]] int granted_sms(int asked) { return green_contexts_.of(context_, asked)->sms(); }

  // Executes the plans as valid options say, and waits; gives the time an execution, between two events on the first
  // stream, and the SM clock, measured behind the second event, unless options.timed is false. Streams of one
  // execution overlap; the next execution waits for all of them. The first stream has all SMs. Where all launches are
  // in another one, the events and the clock are there too, so that nothing else lies between the events; what comes
  // before and after in the first stream is waited for. `graph` keeps the graph that options.graph asks for.
  // `held`: nothing starts before all, or the first kHeldOperations, are queued (a graph with more is not held);
  // every function must have been launched before, since a first launch may allocate local memory, which waits for
  // the device; a plan with a loop that ends on a value is not held. Where the process is a processing element, all of
  // them wait for each other before the first event and behind the second one. Throws Failure: a refused launch, an error while
  // running, out_of_memory, timeout after deadline_s (0: none) seconds of waiting. After a timeout the context is
  // abandoned.
  RunResult run(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph, bool held,
                double deadline_s);

  // Timed runs of plans that queues_ahead() has nothing against, held, each after what `restore` queues for the run,
  // which counts from 0: the next one is queued, behind its own hold, while one runs, so that the host's time for that
  // is not waited for. `note` adds to each result.
  std::vector<RunResult> repeat(std::span<const PreparedLaunch> plans, const RunOptions& options,
                                PlanGraph& graph, double deadline_s, int times,
                                const std::function<void(int run)>& restore,
                                const std::function<void(RunResult&)>& note);
  static bool queues_ahead(std::span<const PreparedLaunch> plans, const RunOptions& options);

  // Operations queued behind a held stream: the driver's queue takes about a thousand and then blocks.
  static constexpr int kHeldOperations = 400;

 private:
  // A stream of a GPU, or of some of its SMs, which then have to outlive it.
  struct Lane {
    std::shared_ptr<Context> context;
    std::shared_ptr<const GreenContext> green;  // null: it has all SMs
    Stream stream;
    Event done;
  };

  // Of a timed run; `done` comes after the clock's measurement.
  struct Marks {
    Event begin, end, done;
  };

  void use_streams(std::span<const PreparedLaunch> plans);
  Lane& lane(std::size_t index, const std::shared_ptr<Context>& context, int sms);
  [[nodiscard]] CUstream timed_stream() const { return used_[timed_]->stream.get(); }
  // Makes `graph` hold the executions, ready on the device.
  void capture(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph);
  // Queues all of a run and lets it go. Throws after nothing is queued any more.
  void start(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph, bool held,
             std::size_t number);
  // The result of a timed run that was started.
  RunResult collect(std::span<const PreparedLaunch> plans, const RunOptions& options, std::size_t number);
  // Everything of a run, from the cache's flush to the measurement of the clock.
  void enqueue_run(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph,
                   bool held, std::size_t number);
  void enqueue_timed(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph,
                     const Marks& marks, std::size_t number);
  void enqueue_plans(std::span<const PreparedLaunch> plans, const RunOptions& options, PlanGraph& graph);
  void enqueue_executions(std::span<const PreparedLaunch> plans, const RunOptions& options);
  void enqueue_launch(const PreparedLaunch& launch);
  static void call(const PreparedLaunch& launch, CUstream stream);
  void enqueue_collective(const PreparedLaunch& launch, CUstream stream);
  void meet_others();  // all processing elements, where this process is one
  // Waits for the launches so far and looks at the value.
  bool leaves_loop(const PreparedLaunch& launch);
  void fork();  // all that are used wait for the first
  void join();  // and the first for all
  void count_operations(std::size_t operations);
  // Until `query` says something else than CUDA_ERROR_NOT_READY, or the run's deadline has passed.
  [[nodiscard]] CUresult wait(const std::function<CUresult()>& query) const;
  [[nodiscard]] CUresult wait(CUstream stream) const;
  void wait_or_throw(const std::string& what);  // for the main stream
  void check_waited(CUresult result, const std::string& what);
  void drain() noexcept;

  std::shared_ptr<Context> context_;
  GreenContexts green_contexts_;
  std::map<std::tuple<std::size_t, const Context*, int>, Lane> lanes_;  // by index, GPU and SMs
  std::vector<Lane*> used_;                                             // of the run at hand, by index
  std::size_t timed_ = 0;    // the one that all launches are in; 0 where they are in several
  bool in_several_ = false;  // launches are in several
  std::array<Marks, SmClock::kAtOnce> marks_;
  Event forked_;
  StreamHold hold_;
  CacheFlush flush_;
  SmClock clock_;
  std::size_t queued_ = 0;
  double deadline_s_ = 0;
  std::chrono::steady_clock::time_point started_;  // waiting, for the deadline
};

}  // namespace tailwave
