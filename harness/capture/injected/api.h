#pragma once

#include <cuda.h>
#include <cupti.h>

namespace tailwave::injected {

// The driver's functions that the library calls, and CUPTI's. Nothing is linked: the driver is in the process already, and so
// may be a CUPTI of the application's, which then is the one to ask.
struct Api {
  decltype(&::cuCtxGetDevice) cuCtxGetDevice = nullptr;
  decltype(&::cuCtxSynchronize) cuCtxSynchronize = nullptr;
  decltype(&::cuDeviceGetName) cuDeviceGetName = nullptr;
  decltype(&::cuEventCreate) cuEventCreate = nullptr;
  decltype(&::cuEventDestroy) cuEventDestroy = nullptr;
  decltype(&::cuEventQuery) cuEventQuery = nullptr;
  decltype(&::cuEventRecord) cuEventRecord = nullptr;
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute = nullptr;
  decltype(&::cuFuncGetModule) cuFuncGetModule = nullptr;
  decltype(&::cuFuncGetName) cuFuncGetName = nullptr;
  decltype(&::cuFuncGetParamInfo) cuFuncGetParamInfo = nullptr;
  decltype(&::cuGetErrorString) cuGetErrorString = nullptr;
  decltype(&::cuGraphChildGraphNodeGetGraph) cuGraphChildGraphNodeGetGraph = nullptr;
  decltype(&::cuGraphGetNodes) cuGraphGetNodes = nullptr;
  decltype(&::cuGraphKernelNodeGetAttribute) cuGraphKernelNodeGetAttribute = nullptr;
  decltype(&::cuGraphKernelNodeGetParams) cuGraphKernelNodeGetParams = nullptr;
  decltype(&::cuGraphNodeGetType) cuGraphNodeGetType = nullptr;
  decltype(&::cuKernelGetFunction) cuKernelGetFunction = nullptr;
  decltype(&::cuLaunchKernelEx) cuLaunchKernelEx = nullptr;
  decltype(&::cuMemcpyDtoH) cuMemcpyDtoH = nullptr;
  decltype(&::cuMemcpyHtoD) cuMemcpyHtoD = nullptr;
  decltype(&::cuModuleGetFunction) cuModuleGetFunction = nullptr;
  decltype(&::cuModuleGetGlobal) cuModuleGetGlobal = nullptr;
  decltype(&::cuModuleLoadData) cuModuleLoadData = nullptr;
  decltype(&::cuModuleUnload) cuModuleUnload = nullptr;
  decltype(&::cuPointerGetAttributes) cuPointerGetAttributes = nullptr;
  decltype(&::cuStreamIsCapturing) cuStreamIsCapturing = nullptr;
  decltype(&::cuTexObjectGetResourceDesc) cuTexObjectGetResourceDesc = nullptr;
  decltype(&::cuThreadExchangeStreamCaptureMode) cuThreadExchangeStreamCaptureMode = nullptr;

  decltype(&::cuptiActivityEnable) cuptiActivityEnable = nullptr;
  decltype(&::cuptiActivityFlushAll) cuptiActivityFlushAll = nullptr;
  decltype(&::cuptiActivityGetNextRecord) cuptiActivityGetNextRecord = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) cuptiActivityRegisterCallbacks = nullptr;
  decltype(&::cuptiEnableCallback) cuptiEnableCallback = nullptr;
  decltype(&::cuptiGetResultString) cuptiGetResultString = nullptr;
  decltype(&::cuptiSubscribe) cuptiSubscribe = nullptr;

  // Of the process, found once.
  static const Api& here();
  // What the driver and CUPTI lack, by name; null: nothing.
  const char* missing_of_driver = nullptr;
  const char* missing_of_cupti = nullptr;
};

}  // namespace tailwave::injected
