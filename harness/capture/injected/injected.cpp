// The library that `tailwave capture` has the CUDA driver load into an application (CUDA_INJECTION64_PATH). It sees each
// launch by CUPTI's callbacks; recorder.h says what it writes.
#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
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
  Settings settings = Settings::from_environment();
  Recorder recorder{settings};
  CUpti_SubscriberHandle subscriber = nullptr;
  std::recursive_mutex launching;  // held while a launch is recorded, so that the others wait
  std::mutex mutex;
  std::map<CUgraphExec, std::vector<Launch>> graphs;  // the nodes that are wanted
  std::set<std::string> launched;                     // kernels, by symbol

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
// All have the module as what their parameters begin with.
constexpr std::array kLoads{CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary};

template <class List>
bool has(const List& list, CUpti_CallbackId id) {
  return std::ranges::any_of(list, [&](auto one) { return static_cast<CUpti_CallbackId>(one) == id; });
}

void note_kernel(Session& session, const std::string& symbol) {
  const std::lock_guard lock(session.mutex);
  session.launched.insert(symbol);
}

void launch_called(Session& session, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_EXIT) {
    session.recorder.end(*static_cast<const CUresult*>(call.functionReturnValue));
    session.launching.unlock();
    return;
  }
  session.launching.lock();
  AskedLaunch asked = launch_of(id, call.functionParams);
  Launch& launch = asked.launch;
  launch.function = function_of(launch.function);
  if (launch.function == nullptr) return;
  launch.kernel = symbol_of(launch.function);
  note_kernel(session, launch.kernel);
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
  note_kernel(session, launch.kernel);
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

void graph_called(Session& session, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) return;
  auto* const exec = static_cast<const cuGraphLaunch_params*>(call.functionParams)->hGraph;
  std::vector<Launch> wanted;
  {
    const std::lock_guard lock(session.mutex);
    if (const auto found = session.graphs.find(exec); found != session.graphs.end()) wanted = found->second;
  }
  const std::lock_guard lock(session.launching);
  for (const Launch& launch : wanted) session.recorder.run_again(launch);
}

void resource_changed(Session& session, CUpti_CallbackId id, const CUpti_ResourceData& resource) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
    session.recorder.images().add({module.pCubin, module.cubinSize});
  } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED && !is_ours) {
    const auto& made = *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
    std::vector<Launch> wanted;
    is_ours = true;
    add_nodes(session, made.graph, wanted);
    is_ours = false;
    const std::lock_guard lock(session.mutex);
    session.graphs[made.graphExec] = std::move(wanted);
  }
}

void load_called(Session& session, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) return Images::begin();
  const auto* const module = *static_cast<CUmodule* const*>(call.functionParams);
  if (*static_cast<const CUresult*>(call.functionReturnValue) == CUDA_SUCCESS)
    session.recorder.images().named(*module);
}

void CUPTIAPI called(void* /*nothing*/, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Session& session = Session::here();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return resource_changed(session, id, *static_cast<const CUpti_ResourceData*>(data));
  if (is_ours) return;
  is_ours = true;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (has(kLaunches, id)) launch_called(session, id, call);
  if (has(kGraphLaunches, id)) graph_called(session, call);
  if (has(kLoads, id)) load_called(session, call);
  is_ours = false;
}

void say(const Session& session, const std::string& file, const std::string& text) {
  std::FILE* const out = std::fopen((session.settings.folder / file).c_str(), "w");
  if (out == nullptr) return;
  std::fputs(text.c_str(), out);
  std::fclose(out);
}

void at_end() {
  Session& session = Session::here();
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
  for (const auto id : {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED})
    enable(CUPTI_CB_DOMAIN_RESOURCE, id);
  for (const auto id : kLaunches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const auto id : kGraphLaunches) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const auto id : kLoads) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
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
  if (Api::here().missing != nullptr) {
    say(session, "obstacle.txt", std::string(Api::here().missing) + " is missing\n");
    return 1;
  }
  std::string obstacle;
  if (!session.settings.kernel.empty()) obstacle = begin_callbacks(session);
  if (const char* const times = begin_kernel_times(); times != nullptr && obstacle.empty()) obstacle = times;
  if (!obstacle.empty()) say(session, "obstacle.txt", obstacle + "\n");
  std::atexit(at_end);
  return 1;
}
