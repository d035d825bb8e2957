#ifdef TAILWAVE_WITH_CUDA
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/cuda/launcher.h"

namespace tailwave {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

int clock_function, test_function, anything, green_stream;  // what handles point to

template <class Handle>
Handle handle(int& of = anything) {
  return reinterpret_cast<Handle>(&of);
}

// A driver that writes down what it is asked to do with streams and graphs, and whose clock runs at 1500 MHz.
struct LoggingDriver {
  static inline std::vector<std::string> log;
  static inline CUresult ptx_answer, launch_answer, instantiate_answer, alloc_answer, wait_answer;
  static inline bool logs_waits;
  static inline std::vector<unsigned> words;
  static inline std::vector<float> values;  // what the host reads, one after another

  static CUresult note(const char* what, CUresult answer = CUDA_SUCCESS) {
    log.emplace_back(what);
    return answer;
  }

  static void add_context(DriverApi& api) {
    api.error_name = [](CUresult, const char** text) { return *text = "CUDA_ERROR", CUDA_SUCCESS; };
    api.error_string = [](CUresult, const char** text) { return *text = "words", CUDA_SUCCESS; };
    api.device_get = [](CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; };
    api.device_attribute = [](int* value, CUdevice_attribute, CUdevice) {
      return *value = 50 << 20, CUDA_SUCCESS;
    };
    api.primary_set_flags = [](CUdevice, unsigned) { return CUDA_SUCCESS; };
    api.primary_retain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
    api.primary_release = [](CUdevice) { return CUDA_SUCCESS; };
    api.ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
    api.host_alloc = [](void** memory, std::size_t size, unsigned) {
      return *memory = ::operator new(size), CUDA_SUCCESS;
    };
    api.host_free = [](void* memory) { return ::operator delete(memory), CUDA_SUCCESS; };
    api.host_device_pointer = [](CUdeviceptr* on_device, void* memory, unsigned) {
      return *on_device = reinterpret_cast<std::uintptr_t>(memory), CUDA_SUCCESS;
    };
    api.mem_alloc = [](CUdeviceptr* memory, std::size_t size) {
      EXPECT_EQ(size, std::size_t{100} << 20);
      return *memory = 4096, alloc_answer;
    };
    api.mem_free = [](CUdeviceptr) { return note("free"); };
  }

  static void add_execution(DriverApi& api) {
    api.module_load = [](CUmodule* module, const void*) { return *module = handle<CUmodule>(), ptx_answer; };
    api.module_unload = [](CUmodule) { return CUDA_SUCCESS; };
    api.module_function = [](CUfunction* function, CUmodule, const char*) {
      return *function = handle<CUfunction>(clock_function), CUDA_SUCCESS;
    };
    api.stream_create = [](CUstream* made, unsigned) { return *made = handle<CUstream>(), CUDA_SUCCESS; };
    api.stream_destroy = [](CUstream) { return CUDA_SUCCESS; };
    api.stream_query = [](CUstream) { return CUDA_SUCCESS; };
    api.stream_synchronize = [](CUstream) { return note("synchronize"); };
    api.stream_wait_event = [](CUstream, CUevent, unsigned) { return note("wait"); };
    api.stream_wait_value = [](CUstream, CUdeviceptr, cuuint32_t, unsigned) { return note("hold"); };
    api.event_create = [](CUevent* made, unsigned) { return *made = handle<CUevent>(), CUDA_SUCCESS; };
    api.event_destroy = [](CUevent) { return CUDA_SUCCESS; };
    api.event_record = [](CUevent, CUstream) { return note("event"); };
    api.event_query = [](CUevent) { return logs_waits ? note("wait for it", wait_answer) : CUDA_SUCCESS; };
    api.event_elapsed = [](float* ms, CUevent, CUevent) { return *ms = 0.5F, CUDA_SUCCESS; };
    api.copy = [](CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream) {
      if (to == 4096) {
        EXPECT_TRUE(from == 8192 && size == 16);
        return note("copy");
      }
      EXPECT_EQ(size, sizeof(float));
      std::memcpy(reinterpret_cast<void*>(to), &values.at(0), sizeof(float));
      values.erase(values.begin());
      return note("read");
    };
    api.prefetch = [](CUdeviceptr from, std::size_t size, CUdevice to, CUstream) {
      EXPECT_TRUE(from == 4096 && size == 16 && to == CU_DEVICE_CPU);
      return note("prefetch");
    };
    api.set_words = [](CUdeviceptr, unsigned word, std::size_t, CUstream) {
      return words.push_back(word), note("flush");
    };
    api.launch = [](CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    CUstream, void** arguments, void**) {
      if (function != handle<CUfunction>(clock_function)) return note("kernel", launch_answer);
      auto* const out = reinterpret_cast<std::uint64_t*>(*static_cast<CUdeviceptr*>(arguments[0]));
      out[0] = 30'000, out[1] = 20'000;
      return note("clock");
    };
    api.launch_with = [](const CUlaunchConfig* config, CUfunction, void**, void**) {
      return note(("kernel" + attributes_of(*config)).c_str(), launch_answer);
    };
  }

  static std::string attributes_of(const CUlaunchConfig& config) {
    std::string text;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
      const CUlaunchAttributeValue& value = config.attrs[i].value;
      switch (config.attrs[i].id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
          text += value.cooperative == 1 ? " cooperative" : " ?";
          break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
          text +=
              fmt::format(" cluster {} {} {}", value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
          break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
          text += value.programmaticStreamSerializationAllowed == 1 ? " dependent" : " ?";
          break;
        case CU_LAUNCH_ATTRIBUTE_PRIORITY:
          text += fmt::format(" priority {}", value.priority);
          break;
        default:
          text += " ?";
      }
    }
    return text;
  }

  // Of 132 SMs, in eights.
  static void add_green_contexts(DriverApi& api) {
    api.device_resource = [](CUdevice, CUdevResource* all, CUdevResourceType) {
      return all->sm.smCount = 132, CUDA_SUCCESS;
    };
    api.split_sms = [](CUdevResource* part, unsigned*, const CUdevResource*, CUdevResource*, unsigned,
                       unsigned least) { return part->sm.smCount = (least + 7) / 8 * 8, CUDA_SUCCESS; };
    api.describe_resource = [](CUdevResourceDesc* made, CUdevResource*, unsigned) {
      return *made = handle<CUdevResourceDesc>(), CUDA_SUCCESS;
    };
    api.green_create = [](CUgreenCtx* made, CUdevResourceDesc, CUdevice, unsigned) {
      return *made = handle<CUgreenCtx>(), note("create part");
    };
    api.green_destroy = [](CUgreenCtx) { return note("destroy part"); };
    api.green_stream_create = [](CUstream* made, CUgreenCtx, unsigned, int) {
      return *made = handle<CUstream>(green_stream), note("stream of part");
    };
    // With the stream: "event" and "wait" in the first one, "event of part" and "wait of part" in another.
    api.event_record = [](CUevent, CUstream stream) { return note(in(stream, "event").c_str()); };
    api.stream_wait_event = [](CUstream stream, CUevent, unsigned) {
      return note(in(stream, "wait").c_str());
    };
    api.launch = [](CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    CUstream stream, void** arguments, void**) {
      if (function != handle<CUfunction>(clock_function))
        return note(in(stream, "kernel").c_str(), launch_answer);
      auto* const out = reinterpret_cast<std::uint64_t*>(*static_cast<CUdeviceptr*>(arguments[0]));
      out[0] = 30'000, out[1] = 20'000;
      return note(in(stream, "clock").c_str());
    };
    api.begin_capture = [](CUstream stream, CUstreamCaptureMode) {
      return note(in(stream, "begin capture").c_str());
    };
    api.graph_launch = [](CUgraphExec, CUstream stream) { return note(in(stream, "graph").c_str()); };
  }
  static std::string in(CUstream stream, const std::string& what) {
    return what + (stream == handle<CUstream>(green_stream) ? " of part" : "");
  }

  static void add_graphs(DriverApi& api) {
    api.begin_capture = [](CUstream, CUstreamCaptureMode) { return note("begin capture"); };
    api.end_capture = [](CUstream, CUgraph* made) { return *made = handle<CUgraph>(), note("end capture"); };
    api.graph_instantiate = [](CUgraphExec* made, CUgraph, unsigned long long flags) {
      const bool priorities = flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
      return *made = handle<CUgraphExec>(),
             note(priorities ? "instantiate with priorities" : "instantiate", instantiate_answer);
    };
    api.graph_upload = [](CUgraphExec, CUstream) { return note("upload"); };
    api.graph_launch = [](CUgraphExec, CUstream) { return note("graph"); };
    api.graph_destroy = [](CUgraph) { return note("destroy graph"); };
    api.graph_exec_destroy = [](CUgraphExec) { return note("destroy executable"); };
  }
};

class LauncherTest : public testing::Test {
 protected:
  using Driver = LoggingDriver;

  LauncherTest() {
    Driver::ptx_answer = Driver::launch_answer = Driver::instantiate_answer = Driver::alloc_answer =
        Driver::wait_answer = CUDA_SUCCESS;
    Driver::logs_waits = false;
    Driver::words.clear();
  }

  Launcher& launcher() {
    if (!launcher_) {
      auto api = std::make_shared<DriverApi>();
      Driver::add_context(*api);
      Driver::add_execution(*api);
      Driver::add_graphs(*api);
      if (has_green_contexts_) Driver::add_green_contexts(*api);
      launcher_ = std::make_unique<Launcher>(Context::create(api, 0));
    }
    return *launcher_;
  }

  static PreparedLaunch kernel(std::size_t stream = 0) {
    PreparedLaunch launch;
    launch.function = handle<CUfunction>(test_function);
    launch.text = "kernel (grid 1 x 1 x 1)";
    launch.stream = stream;
    return launch;
  }

  // What the driver is asked for by one run.
  std::vector<std::string> log_of(const RunOptions& options, bool held = true) {
    launcher();
    Driver::log.clear();
    result_ = launcher().run(plans_, options, graph_, held, 1);
    return Driver::log;
  }

  std::pair<Outcome, std::string> failure_of(const RunOptions& options) {
    try {
      log_of(options);
    } catch (const Failure& failure) {
      return {failure.outcome(), failure.what()};
    }
    return {Outcome::correct, ""};
  }

  // A launch in the second stream, which has so many SMs.
  static PreparedLaunch on_part(int sms, std::vector<std::size_t> wait = {}, std::size_t stream = 1) {
    PreparedLaunch launch = kernel(stream);
    launch.sms = sms;
    launch.wait = std::move(wait);
    return launch;
  }

  bool has_green_contexts_ = false;
  std::vector<PreparedLaunch> plans_{kernel()};
  std::unique_ptr<Launcher> launcher_;
  PlanGraph graph_;
  RunResult result_;
};

TEST_F(LauncherTest, TimesWhatIsHeldAndMeasuresTheClockBehindIt) {
  EXPECT_THAT(log_of({.executions = 2}),
              ElementsAre("hold", "event", "kernel", "kernel", "event", "clock", "event"));
  EXPECT_DOUBLE_EQ(result_.time_ns, 250'000);
  EXPECT_EQ(result_.sm_clock_mhz, 1500);
  EXPECT_THAT(log_of({}, false), ElementsAre("event", "kernel", "event", "clock", "event"));
}

TEST_F(LauncherTest, QueuesTheNextRunBehindItsOwnHoldWhileOneRuns) {
  launcher();
  Driver::log.clear();
  Driver::logs_waits = true;
  int noted = 0;
  std::vector<int> restored;
  const auto restore = [&](int run) {
    restored.push_back(run);
    Driver::note("restore");
  };
  const std::vector<RunResult> results =
      launcher().repeat(plans_, {.executions = 2}, graph_, 1, 3, restore,
                        [&](RunResult& result) { result.temperature_c = ++noted; });
  EXPECT_THAT(Driver::log,
              ElementsAre("restore", "hold", "event", "kernel", "kernel", "event", "clock", "event",  // 0
                          "restore", "hold", "event", "kernel", "kernel", "event", "clock", "event",
                          "wait for it",  // 1, 0
                          "restore", "hold", "event", "kernel", "kernel", "event", "clock", "event",
                          "wait for it",  // 2, 1
                          "wait for it"));
  EXPECT_THAT(restored, ElementsAre(0, 1, 2));
  ASSERT_EQ(results.size(), 3U);
  for (const RunResult& result : results) {
    EXPECT_DOUBLE_EQ(result.time_ns, 250'000);
    EXPECT_EQ(result.sm_clock_mhz, 1500);
  }
  EXPECT_EQ(results[2].temperature_c, 3);
}

TEST_F(LauncherTest, SaysWhatFailedWhileTheNextWasQueued) {
  launcher();
  Driver::logs_waits = true;
  Driver::wait_answer = CUDA_ERROR_INVALID_VALUE;  // one after which the context still works
  const auto run = [&] {
    launcher().repeat(
        plans_, {}, graph_, 1, 3, [](int /*run*/) {}, [](RunResult&) {});
  };
  try {
    run();
    ADD_FAILURE() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
    EXPECT_THAT(failure.what(), HasSubstr("kernel: CUDA_ERROR"));
  }
}

TEST_F(LauncherTest, QueuesAheadOnlyWhatIsShortAndInOneStream) {
  EXPECT_TRUE(Launcher::queues_ahead(plans_, {}));
  EXPECT_TRUE(Launcher::queues_ahead(plans_, {.executions = 100}));
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {.executions = 101}));
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {.graph = true}));
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {.flush_cache = true}));
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {.timed = false}));
  plans_ = {kernel(), kernel(1)};
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {}));
  plans_ = {kernel()};
  plans_[0].exit.emplace();
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {}));
}

TEST_F(LauncherTest, CapturesAGraphBeforeTheHoldAndOnlyOnce) {
  const RunOptions options{.executions = 2, .graph = true};
  EXPECT_THAT(log_of(options), ElementsAre("begin capture", "kernel", "kernel", "end capture", "instantiate",
                                           "upload", "synchronize", "destroy graph", "hold", "event", "graph",
                                           "event", "clock", "event"));
  EXPECT_THAT(log_of(options), ElementsAre("hold", "event", "graph", "event", "clock", "event"));
  log_of({});
  EXPECT_THAT(log_of(options), Not(Contains("begin capture")));
}

TEST_F(LauncherTest, TellsTheDriverTheAttributesOfALaunch) {
  plans_[0].cluster = {4, 2, 1};
  plans_[0].dependent = true;
  plans_[0].priority = -3;
  EXPECT_THAT(log_of({}), ElementsAre("hold", "event", "kernel cluster 4 2 1 dependent priority -3", "event",
                                      "clock", "event"));
  plans_[0] = kernel();
  plans_[0].cooperative = true;
  EXPECT_THAT(log_of({}), Contains("kernel cooperative"));
}

TEST_F(LauncherTest, MakesAGraphWhoseLaunchesKeepTheirPriorities) {
  plans_ = {kernel(), kernel()};
  plans_[1].priority = -1;
  EXPECT_THAT(log_of({.graph = true}),
              testing::AllOf(Contains("kernel priority -1"), Contains("instantiate with priorities")));
  plans_[1].priority = 0;
  plans_[1].dependent = true;
  EXPECT_THAT(log_of({.graph = true}), testing::AllOf(Contains("kernel dependent"), Contains("instantiate")));
}

TEST_F(LauncherTest, CapturesAgainWhatHasChanged) {
  plans_ = {kernel(), kernel()};
  const RunOptions options{.executions = 2, .graph = true};
  log_of(options);
  EXPECT_THAT(log_of({.executions = 3, .graph = true}), Contains("begin capture"));
  EXPECT_THAT(log_of({.executions = 3, .sets = 2, .graph = true}), Contains("begin capture"));
  const auto values_of = [](int value) {
    ArgumentValues values;
    values.add(std::as_bytes(std::span(&value, 1)));
    return values;
  };
  plans_[1].values = values_of(1);
  EXPECT_THAT(log_of(options), testing::AllOf(Contains("begin capture"), Contains("destroy executable")));
  plans_[1].values = values_of(2);
  EXPECT_THAT(log_of(options), Contains("begin capture"));
  plans_[1].grid[0] = 7;
  EXPECT_THAT(log_of(options), Contains("begin capture"));
  EXPECT_THAT(log_of(options), Not(Contains("begin capture")));
}

TEST_F(LauncherTest, ForksAndJoinsStreamsInsideTheCapture) {
  plans_ = {kernel(0), kernel(1)};
  EXPECT_THAT(log_of({.graph = true}),
              ElementsAre("begin capture", "event", "wait", "kernel", "kernel", "event", "wait",
                          "end capture", "instantiate", "upload", "synchronize", "destroy graph", "hold",
                          "event", "graph", "event", "clock", "event"));
}

TEST_F(LauncherTest, DoesNotHoldTheStreamForALongGraph) {
  EXPECT_THAT(log_of({.executions = Launcher::kHeldOperations - 1, .graph = true}), Contains("hold"));
  EXPECT_THAT(log_of({.executions = Launcher::kHeldOperations, .graph = true}), Not(Contains("hold")));
}

TEST_F(LauncherTest, EndsACaptureInWhichALaunchIsRefused) {
  log_of({.graph = true});
  Driver::launch_answer = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(failure_of({.executions = 2, .graph = true}),
            std::pair(Outcome::launch_failed, std::string("kernel (grid 1 x 1 x 1): CUDA_ERROR: words")));
  EXPECT_THAT(Driver::log,
              ElementsAre("destroy executable", "begin capture", "kernel", "end capture", "destroy graph"));
  Driver::launch_answer = CUDA_SUCCESS;
  EXPECT_THAT(log_of({.executions = 2, .graph = true}), Contains("begin capture"));
}

TEST_F(LauncherTest, PutsTheRefusalOfAGraphToTheLaunchThatExceedsALimit) {
  plans_ = {kernel(), kernel()};
  Driver::instantiate_answer = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(failure_of({.graph = true}),
            std::pair(Outcome::launch_failed, std::string("kernel as a graph: CUDA_ERROR: words")));
  plans_[1].exceeded_limit = "too many threads";
  EXPECT_EQ(failure_of({.graph = true}),
            std::pair(Outcome::exceeds_device_limit,
                      std::string("kernel (grid 1 x 1 x 1): CUDA_ERROR: words (too many threads)")));
  EXPECT_FALSE(graph_.executable);
}

TEST_F(LauncherTest, FlushesBeforeTheHoldWithAnotherWordEachTime) {
  EXPECT_THAT(log_of({.flush_cache = true}),
              ElementsAre("flush", "hold", "event", "kernel", "event", "clock", "event"));
  log_of({.flush_cache = true});
  ASSERT_EQ(Driver::words.size(), 2U);
  EXPECT_NE(Driver::words[0], Driver::words[1]);
  launcher_.reset();
  EXPECT_THAT(Driver::log, Contains("free"));
}

TEST_F(LauncherTest, LooksAtTheValueOfALoopAndHoldsNothingBack) {
  plans_ = {kernel(), kernel(), kernel()};
  for (std::size_t i = 0; i < 2; ++i) {
    plans_[i].exit.emplace();
    plans_[i].exit->at_most = 0.5;
    plans_[i].exit->next = 2;
  }
  Driver::values = {0.75F, 0.25F};
  EXPECT_THAT(log_of({}), ElementsAre("event", "kernel", "read", "synchronize", "kernel", "read",
                                      "synchronize", "kernel", "event", "clock", "event"));
  Driver::values = {0.5F};
  EXPECT_THAT(log_of({}),
              ElementsAre("event", "kernel", "read", "synchronize", "kernel", "event", "clock", "event"));
}

TEST_F(LauncherTest, CopiesIntoAVariableInTheOrderOfThePlan) {
  PreparedLaunch copy;
  copy.copy_to = 4096;
  copy.copy_from = 8192;
  copy.copy_bytes = 16;
  plans_ = {kernel(), copy, kernel()};
  EXPECT_THAT(log_of({}),
              ElementsAre("hold", "event", "kernel", "copy", "kernel", "event", "clock", "event"));
}

TEST_F(LauncherTest, APrefetchGoesIntoTheStream) {
  PreparedLaunch prefetch;
  prefetch.prefetched = 4096;
  prefetch.prefetch_bytes = 16;
  prefetch.prefetch_to = CU_DEVICE_CPU;
  plans_ = {kernel(), prefetch};
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {}));
  EXPECT_THAT(log_of({}), ElementsAre("hold", "event", "kernel", "prefetch", "event", "clock", "event"));
}

TEST_F(LauncherTest, KeepsAStreamOnOneGpu) {
  auto api = std::make_shared<DriverApi>();
  Driver::add_context(*api);
  Driver::add_execution(*api);
  const std::shared_ptr<Context> other = Context::create(api, 1);
  plans_ = {kernel(), kernel(1), kernel(1)};
  plans_[1].context = other;
  EXPECT_EQ(failure_of({}),
            std::pair(Outcome::launch_failed,
                      std::string("kernel (grid 1 x 1 x 1): a stream cannot have launches on several GPUs")));
  plans_ = {kernel()};
  plans_[0].context = other;
  EXPECT_EQ(failure_of({}),
            std::pair(Outcome::launch_failed,
                      std::string("the first of a plan's streams has to be on the run's own GPU")));
}

TEST_F(LauncherTest, LetsAStreamWaitForAnother) {
  plans_ = {kernel(), kernel(1)};
  plans_[1].wait = {0};
  EXPECT_THAT(log_of({}, false), ElementsAre("event", "event", "wait", "kernel", "event", "wait", "kernel",
                                             "event", "wait", "event", "clock", "event"));
}

TEST_F(LauncherTest, TimesAPlanOnSomeSmsInTheirStreamAndWaitsForTheFirstAroundIt) {
  has_green_contexts_ = true;
  plans_ = {on_part(30), on_part(30)};
  // The first launch there follows no held stream.
  EXPECT_THAT(log_of({.executions = 2}),
              ElementsAre("create part", "stream of part", "clock of part", "synchronize",  //
                          "hold", "event", "wait of part", "event of part", "kernel of part",
                          "kernel of part", "kernel of part", "kernel of part", "event of part",
                          "clock of part", "event of part", "event of part", "wait"));
  EXPECT_DOUBLE_EQ(result_.time_ns, 250'000);
  EXPECT_EQ(result_.sm_clock_mhz, 1500);
  EXPECT_THAT(log_of({.timed = false}), ElementsAre("event", "wait of part", "kernel of part",
                                                    "kernel of part", "event of part", "wait"));
  EXPECT_EQ(launcher().granted_sms(30), 32);
}

TEST_F(LauncherTest, KeepsTheStreamOfEachNumberOfSms) {
  has_green_contexts_ = true;
  for (const int sms : {30, 8, 30, 8, 30}) {
    plans_ = {on_part(sms)};
    log_of({});
  }
  EXPECT_THAT(Driver::log, Not(Contains("create part")));
  EXPECT_THAT(Driver::log, Not(Contains("stream of part")));
  Driver::log.clear();
  launcher_.reset();
  EXPECT_EQ(std::count(Driver::log.begin(), Driver::log.end(), "destroy part"), 2);
}

TEST_F(LauncherTest, KeepsTheOrderOfAStreamWhoseSmsChange) {
  has_green_contexts_ = true;
  plans_ = {on_part(8), kernel(0)};
  plans_[1].wait = {1};
  log_of({});
  EXPECT_THAT(log_of({.executions = 2}, false),
              ElementsAre("event",                                                             // time
                          "event", "wait of part", "kernel of part", "event of part", "wait",  //
                          "kernel", "event of part", "wait",                                   // 0
                          "event", "wait of part", "kernel of part", "event of part", "wait",  //
                          "kernel", "event of part", "wait",                                   // 1
                          "event", "clock", "event"));
}

TEST_F(LauncherTest, RefusesAStreamOfSeveralNumbersOfSms) {
  has_green_contexts_ = true;
  plans_ = {on_part(8), on_part(16)};
  EXPECT_THROW(log_of({}), std::logic_error);
}

TEST_F(LauncherTest, CapturesAGraphInTheStreamOfTheSms) {
  has_green_contexts_ = true;
  plans_ = {on_part(8)};
  log_of({});
  EXPECT_THAT(log_of({.graph = true}),
              ElementsAre("begin capture of part", "kernel of part", "end capture", "instantiate", "upload",
                          "synchronize", "destroy graph", "hold", "event", "wait of part", "event of part",
                          "graph of part", "event of part", "clock of part", "event of part", "event of part",
                          "wait"));
  EXPECT_THAT(log_of({.graph = true}), Not(Contains("begin capture of part")));
  plans_ = {on_part(64)};  // the same launch in the same stream of the plan, but on others
  EXPECT_THAT(log_of({.graph = true}), Contains("begin capture of part"));
}

TEST_F(LauncherTest, LooksAtTheValueOfALoopOnSomeSmsInTheFirstStream) {
  has_green_contexts_ = true;
  plans_ = {on_part(8), on_part(8)};
  plans_[0].exit.emplace();
  plans_[0].exit->at_most = 0.5;
  plans_[0].exit->next = 2;
  Driver::values = {0.25F, 0.25F};
  log_of({.timed = false});
  EXPECT_THAT(log_of({}),
              ElementsAre("event", "wait of part", "event of part", "kernel of part", "event of part", "wait",
                          "read", "synchronize", "event", "wait of part", "event of part", "clock of part",
                          "event of part", "event of part", "wait"));
}

TEST_F(LauncherTest, QueuesAheadWhatIsInOneStreamOfSomeSms) {
  plans_ = {on_part(8), on_part(8)};
  EXPECT_TRUE(Launcher::queues_ahead(plans_, {}));
  plans_ = {on_part(8), kernel(0)};
  EXPECT_FALSE(Launcher::queues_ahead(plans_, {}));
}

TEST_F(LauncherTest, SaysThatADriverHasNoGreenContextsAndGoesOn) {
  plans_ = {on_part(8)};
  EXPECT_EQ(failure_of({}), std::pair(Outcome::launch_failed,
                                      std::string("this driver has no green contexts (CUDA 12.5 or newer)")));
  plans_ = {kernel()};
  EXPECT_THAT(log_of({}), ElementsAre("hold", "event", "kernel", "event", "clock", "event"));
}

TEST_F(LauncherTest, FailsWhenThereIsNoMemoryToFlushWith) {
  Driver::alloc_answer = CUDA_ERROR_OUT_OF_MEMORY;
  const auto [outcome, text] = failure_of({.flush_cache = true});
  EXPECT_EQ(outcome, Outcome::out_of_memory);
  EXPECT_THAT(text, HasSubstr("allocating 104857600 bytes to flush the L2 cache: "));
  EXPECT_THAT(log_of({}), ElementsAre("hold", "event", "kernel", "event", "clock", "event"));
}

TEST_F(LauncherTest, GoesOnWithoutAClockThatTheDriverDoesNotTake) {
  Driver::ptx_answer = CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  EXPECT_FALSE(launcher().clock().supported());
  EXPECT_EQ(launcher().clock().reason(), "CUDA_ERROR: words");
  EXPECT_THAT(log_of({}), ElementsAre("hold", "event", "kernel", "event", "event"));
  EXPECT_EQ(result_.sm_clock_mhz, std::nullopt);
}

}  // namespace
}  // namespace tailwave
#endif
