#include "capture/injected/api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <type_traits>

namespace tailwave::injected {
namespace {

// CUPTI's own name first, as the application may have loaded it; then the file that the environment names.
void* cupti_library() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* const loaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  const char* const file = std::getenv("TAILWAVE_CUPTI");
  return file == nullptr ? nullptr : dlopen(file, RTLD_NOW);
}

Api load() {
  Api api;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const cupti = cupti_library();
  const auto find = [](void* library, const char* name, auto& function, const char*& missing) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing == nullptr) missing = name;
  };
// A name of the driver may stand for that of its newest version.
#define TAILWAVE_TEXT(name) #name
#define TAILWAVE_NAME(name) TAILWAVE_TEXT(name)
#define TAILWAVE_FIND(library, name) find(library, TAILWAVE_NAME(name), api.name, api.missing_of_##library)
  TAILWAVE_FIND(driver, cuCtxGetDevice);
  TAILWAVE_FIND(driver, cuCtxSynchronize);
  TAILWAVE_FIND(driver, cuDeviceGetName);
  TAILWAVE_FIND(driver, cuEventCreate);
  TAILWAVE_FIND(driver, cuEventDestroy);
  TAILWAVE_FIND(driver, cuEventQuery);
  TAILWAVE_FIND(driver, cuEventRecord);
  TAILWAVE_FIND(driver, cuFuncGetAttribute);
  TAILWAVE_FIND(driver, cuFuncGetModule);
  TAILWAVE_FIND(driver, cuFuncGetName);
  TAILWAVE_FIND(driver, cuFuncGetParamInfo);
  TAILWAVE_FIND(driver, cuGetErrorString);
  TAILWAVE_FIND(driver, cuGraphChildGraphNodeGetGraph);
  TAILWAVE_FIND(driver, cuGraphGetNodes);
  TAILWAVE_FIND(driver, cuGraphKernelNodeGetAttribute);
  TAILWAVE_FIND(driver, cuGraphKernelNodeGetParams);
  TAILWAVE_FIND(driver, cuGraphNodeGetType);
  TAILWAVE_FIND(driver, cuKernelGetFunction);
  TAILWAVE_FIND(driver, cuLaunchKernelEx);
  TAILWAVE_FIND(driver, cuMemcpyDtoH);
  TAILWAVE_FIND(driver, cuMemcpyHtoD);
  TAILWAVE_FIND(driver, cuModuleGetFunction);
  TAILWAVE_FIND(driver, cuModuleGetGlobal);
  TAILWAVE_FIND(driver, cuModuleLoadData);
  TAILWAVE_FIND(driver, cuModuleUnload);
  TAILWAVE_FIND(driver, cuPointerGetAttributes);
  TAILWAVE_FIND(driver, cuStreamIsCapturing);
  TAILWAVE_FIND(driver, cuTexObjectGetResourceDesc);
  TAILWAVE_FIND(driver, cuThreadExchangeStreamCaptureMode);
  TAILWAVE_FIND(cupti, cuptiActivityEnable);
  TAILWAVE_FIND(cupti, cuptiActivityFlushAll);
  TAILWAVE_FIND(cupti, cuptiActivityGetNextRecord);
  TAILWAVE_FIND(cupti, cuptiActivityRegisterCallbacks);
  TAILWAVE_FIND(cupti, cuptiEnableCallback);
  TAILWAVE_FIND(cupti, cuptiGetResultString);
  TAILWAVE_FIND(cupti, cuptiSubscribe);
#undef TAILWAVE_FIND
#undef TAILWAVE_NAME
#undef TAILWAVE_TEXT
  return api;
}

}  // namespace

const Api& Api::here() {
  static const Api api = load();
  return api;
}

}  // namespace tailwave::injected
