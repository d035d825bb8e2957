// A driver and a CUPTI without a GPU, as far as `launching_app` and the library that `capture` has it load call them: memory is the
// host's, a kernel runs when it is launched, and callbacks are made as CUPTI makes them. It goes by both of their names.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_callbacks.h"
#include "fakes/fake_cubin.h"

namespace {

using tailwave::fakes::announced;
using tailwave::fakes::call_back;
using tailwave::fakes::Callbacks;

struct Function {
  std::string name;
  std::vector<std::size_t> offsets, sizes;  // of its parameters
  void (*run)(unsigned threads, void** values) = nullptr;
};

struct Target {
  float* to;
  int count;
};

std::array<float, 2> shift{};  // __constant__

void scale(unsigned threads, void** values) {
  const Target target = *static_cast<Target*>(values[0]);
  const float* const from = *static_cast<float**>(values[1]);
  const float factor = *static_cast<float*>(values[2]);
  for (int i = 0; i < target.count && i < static_cast<int>(threads); ++i)
    target.to[i] = from[i] * factor + shift[1];
}

void bump(unsigned threads, void** values) {
  unsigned* const to = *static_cast<unsigned**>(values[0]);
  for (unsigned i = 0; i < threads; ++i) ++to[i];
}

std::array functions{Function{"scale", {0, 16, 24}, {16, 8, 4}, scale}, Function{"bump", {0}, {8}, bump}};

struct Node {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  std::vector<std::string> values;

  void launch() {
    std::vector<void*> pointers;
    for (std::string& one : values) pointers.push_back(one.data());
    const auto* const function = reinterpret_cast<const Function*>(parameters.func);
    function->run(parameters.gridDimX * parameters.blockDimX, pointers.data());
  }
};

struct Graph {
  std::deque<Node> nodes;
};

// All state of the process. Nothing destroys it.
struct State {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> allocations;
  int stream = 0;  // what all streams are
  std::deque<Graph> executable;
  Graph* captured = nullptr;  // of the one stream that may capture

  static State& here() {
    static auto* const one = new State;
    return *one;
  }
};

void graph_resource(CUpti_CallbackIdResource id, Graph* graph, Graph* exec) {
  CUpti_GraphData made{};
  made.graph = reinterpret_cast<CUgraph>(graph);
  made.graphExec = reinterpret_cast<CUgraphExec>(exec);
  CUpti_ResourceData data{};
  data.resourceDescriptor = &made;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

constexpr unsigned kMostThreads = 1024;

CUresult run(const Function& function, unsigned grid, unsigned block, void** values, void** extra) {
  if (grid == 0 || block == 0 || block > kMostThreads) return CUDA_ERROR_INVALID_VALUE;
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < function.offsets.size(); ++i)
    pointers.push_back(values != nullptr ? values[i] : static_cast<char*>(extra[1]) + function.offsets[i]);
  State& state = State::here();
  const std::lock_guard lock(state.mutex);
  if (state.captured != nullptr) {
    Node& node = state.captured->nodes.emplace_back();
    node.parameters.func = reinterpret_cast<CUfunction>(const_cast<Function*>(&function));
    node.parameters.gridDimX = grid;
    node.parameters.blockDimX = block;
    node.parameters.gridDimY = node.parameters.gridDimZ = node.parameters.blockDimY =
        node.parameters.blockDimZ = 1;
    for (std::size_t i = 0; i < pointers.size(); ++i)
      node.values.emplace_back(static_cast<const char*>(pointers[i]), function.sizes[i]);
    return CUDA_SUCCESS;
  }
  function.run(grid * block, pointers.data());
  CUpti_ActivityKernel9 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = function.name.c_str();
  record.start = 1000;
  record.end = 1000 + grid;
  record.gridX = static_cast<int>(grid);
  record.blockX = static_cast<int>(block);
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  Callbacks::here().records.push_back(record);
  return CUDA_SUCCESS;
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned /*flags*/) {
  dlopen("libcupti.so.13", RTLD_NOW);  // by that name, too
  const char* const library = std::getenv("CUDA_INJECTION64_PATH");
  void* const injected = library == nullptr ? nullptr : dlopen(library, RTLD_NOW);
  if (injected != nullptr) reinterpret_cast<int (*)()>(dlsym(injected, "InitializeInjection"))();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int /*ordinal*/) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* /*context*/, CUdevice /*device*/) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext /*context*/) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice /*device*/) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* /*event*/, unsigned /*flags*/) {
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent /*event*/) {
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent /*event*/) {
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent /*event*/, CUstream /*stream*/) {
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream* stream, unsigned /*flags*/) {
  *stream = reinterpret_cast<CUstream>(&State::here().stream);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult result, const char** text) {
  *text = result == CUDA_ERROR_INVALID_VALUE ? "invalid argument" : "some error";
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* /*mode*/) {
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;
  void* const memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  State& state = State::here();
  const std::lock_guard lock(state.mutex);
  state.allocations[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
  *address = reinterpret_cast<std::uintptr_t>(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(pointer(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, pointer(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  std::memset(pointer(to), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* asked, void** answers,
                                CUdeviceptr address) {
  State& state = State::here();
  const std::lock_guard lock(state.mutex);
  auto found = state.allocations.upper_bound(static_cast<std::uintptr_t>(address));
  const bool is_in = found != state.allocations.begin() && address < (--found)->first + found->second;
  for (unsigned i = 0; i < count; ++i) {
    if (asked[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *static_cast<CUmemorytype*>(answers[i]) = is_in ? CU_MEMORYTYPE_DEVICE : CUmemorytype{};
    if (asked[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) *static_cast<int*>(answers[i]) = 0;
    if (asked[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
      *static_cast<CUdeviceptr*>(answers[i]) = is_in ? found->first : 0;
    if (asked[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
      *static_cast<std::size_t*>(answers[i]) = is_in ? found->second : 0;
  }
  return CUDA_SUCCESS;
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* /*description*/, CUtexObject /*object*/) {
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  cuModuleLoadData_params parameters{};
  parameters.module = module;
  parameters.image = image;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, parameters, [&] {
    static const std::string code = tailwave::fakes::cubin(sizeof shift);
    CUpti_ModuleResourceData loaded{};
    loaded.pCubin = code.data();
    loaded.cubinSize = code.size();
    CUpti_ResourceData data{};
    data.resourceDescriptor = &loaded;
    call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
    *module = reinterpret_cast<CUmodule>(&functions);
    return CUDA_SUCCESS;
  });
}
CUresult cuModuleUnload(CUmodule /*module*/) {
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule /*module*/, const char* name) {
  for (Function& one : functions)
    if (one.name == name) *function = reinterpret_cast<CUfunction>(&one);
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule /*module*/, const char* name) {
  if (std::strcmp(name, "shift") != 0) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<std::uintptr_t>(shift.data());
  *bytes = sizeof shift;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute /*attribute*/, CUfunction /*function*/) {
  *value = 1;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction /*function*/) {
  *module = reinterpret_cast<CUmodule>(&functions);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = reinterpret_cast<Function*>(function)->name.c_str();
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const Function& one = *reinterpret_cast<Function*>(function);
  if (index >= one.offsets.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = one.offsets[index];
  *bytes = one.sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction* /*function*/, CUkernel /*kernel*/) {
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                        void** values, void** extra) {
  cuLaunchKernel_params asked{};
  asked.f = f;
  asked.gridDimX = grid_x;
  asked.gridDimY = grid_y;
  asked.gridDimZ = grid_z;
  asked.blockDimX = block_x;
  asked.blockDimY = block_y;
  asked.blockDimZ = block_z;
  asked.sharedMemBytes = shared_bytes;
  asked.hStream = stream;
  asked.kernelParams = values;
  asked.extra = extra;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, asked,
                   [&] { return run(*reinterpret_cast<Function*>(f), grid_x, block_x, values, extra); });
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** values, void** extra) {
  cuLaunchKernelEx_params asked{};
  asked.config = config;
  asked.f = f;
  asked.kernelParams = values;
  asked.extra = extra;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, asked, [&] {
    return run(*reinterpret_cast<Function*>(f), config->gridDimX, config->blockDimX, values, extra);
  });
}

CUresult cuStreamIsCapturing(CUstream /*stream*/, CUstreamCaptureStatus* status) {
  *status =
      State::here().captured != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode /*mode*/) {
  cuStreamBeginCapture_v2_params asked{};
  asked.hStream = stream;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, asked, [] {
    State::here().captured = new Graph;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  cuStreamEndCapture_params asked{};
  asked.hStream = stream;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, asked, [&] {
    *graph = reinterpret_cast<CUgraph>(std::exchange(State::here().captured, nullptr));
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long /*flags*/) {
  auto* const source = reinterpret_cast<Graph*>(graph);
  Graph* const made = &State::here().executable.emplace_back(*source);
  graph_resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, source, made);
  *exec = reinterpret_cast<CUgraphExec>(made);
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete reinterpret_cast<Graph*>(graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  cuGraphLaunch_params asked{};
  asked.hGraph = exec;
  asked.hStream = stream;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, asked, [&] {
    for (Node& node : reinterpret_cast<Graph*>(exec)->nodes) node.launch();
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  Graph& one = *reinterpret_cast<Graph*>(graph);
  for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
    nodes[i] = reinterpret_cast<CUgraphNode>(&one.nodes[i]);
  *count = one.nodes.size();
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode /*node*/, CUgraphNodeType* type) {
  *type = CU_GRAPH_NODE_TYPE_KERNEL;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode /*node*/, CUgraph* /*graph*/) {
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode /*node*/, CUlaunchAttributeID /*id*/,
                                       CUlaunchAttributeValue* /*value*/) {
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) {
  static thread_local std::vector<void*> pointers;
  Node& one = *reinterpret_cast<Node*>(node);
  pointers.clear();
  for (std::string& value : one.values) pointers.push_back(value.data());
  *parameters = one.parameters;
  parameters->kernelParams = pointers.data();
  return CUDA_SUCCESS;
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* parameters) {
  cuGraphExecKernelNodeSetParams_v2_params asked{};
  asked.hGraphExec = exec;
  asked.hNode = node;
  asked.nodeParams = parameters;
  return announced(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, asked,
                   [] { return CUDA_SUCCESS; });
}

}  // extern "C"
