// The library that `tailwave capture` has the CUDA driver load into an application (CUDA_INJECTION64_PATH). It sees each
// launch by CUPTI's callbacks; recorder.h says what it writes.
#include <cupti.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "capture/injected/api.h"
#include "capture/injected/kernel_times.h"
#include "capture/injected/recorder.h"

namespace tailwave::injected {
namespace {

// Calls of our own are none of the application's.
thread_local bool is_ours = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// Nothing destroys it: the application may launch kernels while the process ends.
struct Session {
  const pid_t process = getpid();
  const Settings settings = Settings::from_environment();
  Recorder recorder{settings};
  CUpti_SubscriberHandle subscriber = nullptr;
  std::mutex mutex;
  // The nodes that are wanted of each graph; none: it was changed since it was made, and nobody knows how.
  std::map<CUgraphExec, std::optional<std::vector<Launch>>> graphs;

  static Session& here() {
    static auto* const one = new Session;
    return *one;
  }
};

constexpr std::array kLaunches{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};
constexpr std::array kGraphLaunches{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
// All have the graph as what their parameters begin with.
constexpr std::array kGraphChanges{CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams,
                                   CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled};
constexpr std::array kCaptureBegins{CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
                                    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz};
constexpr std::array kCaptureEnds{CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
                                  CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz};
// All have the module as what their parameters begin with.
constexpr std::array kLoads{CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary};
constexpr std::array kUnloads{CUPTI_DRIVER_TRACE_CBID_cuModuleUnload};

template <class List>
bool has(const List& list, CUpti_CallbackId id) {
  return std::ranges::any_of(list, [&](auto one) { return static_cast<CUpti_CallbackId>(one) == id; });
}

bool has_succeeded(const CUpti_CallbackData& call) {
  return *static_cast<const CUresult*>(call.functionReturnValue) == CUDA_SUCCESS;
}

void launch_called(Session& session, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_EXIT)
    return session.recorder.end(*static_cast<const CUresult*>(call.functionReturnValue));
  session.recorder.wait_for_recording();
  if (session.recorder.is_done()) return;
  AskedLaunch asked = launch_of(id, call.functionParams);
  Launch& launch = asked.launch;
  launch.function = function_of(launch.function);
  if (launch.function == nullptr) return;
  launch.kernel = symbol_of(launch.function);
  if (session.recorder.is_wanted(launch.kernel)) session.recorder.begin(asked);
}

// The values of the parameters are the graph's, and may go with it.
void add_node(Session& session, CUgraphNode node, std::vector<Launch>& wanted) {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  if (Api::here().cuGraphKernelNodeGetParams(node, &parameters) != CUDA_SUCCESS) return;
  Launch launch;
  launch.function = parameters.func != nullptr ? function_of(parameters.func)
                                               : function_of(reinterpret_cast<CUfunction>(parameters.kern));
  if (launch.function == nullptr) return;
  launch.kernel = symbol_of(launch.function);
  if (!session.recorder.is_wanted(launch.kernel)) return;
  launch.grid = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ};
  launch.block = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ};
  launch.dynamic_shared_bytes = parameters.sharedMemBytes;
  CUlaunchAttributeValue value{};
  if (Api::here().cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) ==
      CUDA_SUCCESS)
    launch.cooperative = value.cooperative != 0;
  value = {};
  if (Api::here().cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
          CUDA_SUCCESS &&
      value.clusterDim.x > 0)
    launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  if (take_parameters(launch, parameters.kernelParams, parameters.extra)) wanted.push_back(std::move(launch));
}

void add_nodes(Session& session, CUgraph graph, std::vector<Launch>& wanted) {
  const Api& api = Api::here();
  std::size_t count = 0;
  if (api.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS || count == 0) return;
  std::vector<CUgraphNode> nodes(count);
  if (api.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return;
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    if (api.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS) continue;
    CUgraph child = nullptr;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) add_node(session, node, wanted);
    if (type == CU_GRAPH_NODE_TYPE_GRAPH && api.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
      add_nodes(session, child, wanted);
  }
}

// When the graph has run; one that was launched into a graph has not.
void graph_called(Session& session, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) return session.recorder.wait_for_recording();
  const auto& asked = *static_cast<const cuGraphLaunch_params*>(call.functionParams);
  const bool is_per_thread = id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz && asked.hStream == nullptr;
  if (session.recorder.is_done() || !has_succeeded(call) ||
      is_capturing(is_per_thread ? CU_STREAM_PER_THREAD : asked.hStream))
    return;
  std::optional<std::vector<Launch>> wanted(std::in_place);
  {
    const std::lock_guard lock(session.mutex);
    if (const auto found = session.graphs.find(asked.hGraph); found != session.graphs.end())
      wanted = found->second;
  }
  if (!wanted)
    return session.recorder.refuse("a graph",
                                   "it was changed after it was made, and its kernels are not looked for");
  for (const Launch& launch : *wanted) session.recorder.run_again(launch);
}

void graph_changed(Session& session, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) return;
  auto* const exec = *static_cast<CUgraphExec const*>(call.functionParams);
  const std::lock_guard lock(session.mutex);
  const auto found = session.graphs.find(exec);
  if (found != session.graphs.end() && (!found->second || !found->second->empty())) found->second.reset();
}

void graph_made(Session& session, const CUpti_GraphData& made) {
  std::vector<Launch> wanted;
  if (!session.recorder.is_done()) add_nodes(session, made.graph, wanted);
  const std::lock_guard lock(session.mutex);
  session.graphs[made.graphExec] = std::move(wanted);
}

void resource_changed(Session& session, CUpti_CallbackId id, const CUpti_ResourceData& resource) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
    session.recorder.images().add({module.pCubin, module.cubinSize});
    return;
  }
  const auto& graph = *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING) {
    const std::lock_guard lock(session.mutex);
    session.graphs.erase(graph.graphExec);
  } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED && !is_ours) {
    is_ours = true;
    graph_made(session, graph);
    is_ours = false;
  }
}

void load_called(Session& session, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) return Images::begin();
  const auto* const module = *static_cast<CUmodule* const*>(call.functionParams);
  if (has_succeeded(call)) session.recorder.images().named(*module);
}

void unload_called(Session& session, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER)
    session.recorder.images().unloaded(*static_cast<CUmodule const*>(call.functionParams));
}

void capture_called(Session& session, const CUpti_CallbackData& call, int more) {
  if (call.callbackSite == CUPTI_API_EXIT && (more < 0 || has_succeeded(call)))
    session.recorder.captures(more);
}

void CUPTIAPI called(void* /*nothing*/, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Session& session = Session::here();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return resource_changed(session, id, *static_cast<const CUpti_ResourceData*>(data));
  if (is_ours) return;
  is_ours = true;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (has(kLaunches, id)) launch_called(session, id, call);
  if (has(kGraphLaunches, id)) graph_called(session, id, call);
  if (has(kGraphChanges, id)) graph_changed(session, call);
  if (has(kCaptureBegins, id)) capture_called(session, call, 1);
  if (has(kCaptureEnds, id)) capture_called(session, call, -1);
  if (has(kLoads, id)) load_called(session, call);
  if (has(kUnloads, id)) unload_called(session, call);
  is_ours = false;
}

void say(const Session& session, const std::string& file, const std::string& text) {
  std::FILE* const out = std::fopen((session.settings.folder / file).c_str(), "w");
  if (out == nullptr) return;
  std::fputs(text.c_str(), out);
  std::fclose(out);
}

// A process that was forked has the times of its parent.
void at_end() {
  Session& session = Session::here();
  if (getpid() != session.process) return;
  is_ours = true;
  write_kernel_times(session.settings.folder / "kernels.json");
}

// What keeps the library from seeing launches; empty: nothing.
std::string begin_callbacks(Session& session) {
  const Api& api = Api::here();
  const auto text_of = [&](CUptiResult result) {
    const char* text = nullptr;
    api.cuptiGetResultString(result, &text);
    return std::string(text == nullptr ? "CUPTI refuses" : text);
  };
  const CUptiResult subscribed = api.cuptiSubscribe(&session.subscriber, called, nullptr);
  if (subscribed != CUPTI_SUCCESS) return text_of(subscribed);
  const auto enable = [&](CUpti_CallbackDomain domain, auto id) {
    api.cuptiEnableCallback(1, session.subscriber, domain, static_cast<CUpti_CallbackId>(id));
  };
  for (const auto id : {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
                        CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING})
    enable(CUPTI_CB_DOMAIN_RESOURCE, id);
  const auto enable_all = [&](const auto& ids) {
    for (const auto id : ids) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  };
  enable_all(kLaunches);
  enable_all(kGraphLaunches);
  enable_all(kGraphChanges);
  enable_all(kCaptureBegins);
  enable_all(kCaptureEnds);
  enable_all(kLoads);
  enable_all(kUnloads);
  return "";
}

}  // namespace
}  // namespace tailwave::injected

// The driver calls it when the application initialises CUDA.
extern "C" __attribute__((visibility("default"))) int
InitializeInjection() {  // NOLINT(readability-identifier-naming)
  using namespace tailwave::injected;
  Session& session = Session::here();
  if (session.settings.folder.empty()) return 1;
  std::error_code ignored;
  std::filesystem::create_directories(session.settings.folder, ignored);
  std::string obstacle;
  if (const char* const missing = Api::here().missing_of_cupti; missing != nullptr)
    obstacle = std::string("CUPTI is not found, or has no ") + missing;
  else if (const char* const lacks = Api::here().missing_of_driver;
           lacks != nullptr && !session.settings.kernel.empty())
    obstacle = std::string("the driver has no ") + lacks + ", as those of CUDA 12.4 and later have";
  if (!obstacle.empty()) {
    say(session, "obstacle.txt", obstacle + "\n");
    return 1;
  }
  if (!session.settings.kernel.empty()) obstacle = begin_callbacks(session);
  if (const char* const times = begin_kernel_times(); times != nullptr && obstacle.empty()) obstacle = times;
  if (!obstacle.empty()) say(session, "obstacle.txt", obstacle + "\n");
  std::atexit(at_end);
  return 1;
}
