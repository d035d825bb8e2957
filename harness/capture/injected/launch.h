#pragma once

#include <cuda.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tailwave::injected {

// One argument as the kernel gets it.
struct Parameter {
  std::size_t offset = 0;  // bytes, in the kernel's memory of parameters
  std::string bytes;
};

// A launch as the driver is asked for it.
struct Launch {
  CUfunction function = nullptr;
  std::string kernel;  // symbol
  std::array<unsigned, 3> grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  CUstream stream = nullptr;
  bool cooperative = false;
  std::optional<std::array<unsigned, 3>> cluster;
  std::vector<Parameter> parameters;  // empty until take_parameters()
};

// The function that a launch names, which may be a CUkernel in its place, and its symbol; null: neither.
CUfunction function_of(CUfunction given);
std::string symbol_of(CUfunction function);

// The launch that `data`, a driver call's parameters, asks for; `call` is its CUPTI_DRIVER_TRACE_CBID. No parameters are read.
struct AskedLaunch {
  Launch launch;
  void** values = nullptr;  // where each is; null: they are in `extra`
  void** extra = nullptr;
};
AskedLaunch launch_of(unsigned call, const void* data);

// Whether what a stream is given becomes part of a graph, or the driver does not say.
bool is_capturing(CUstream stream);

// Reads the values of the parameters. False where the driver does not tell their sizes.
bool take_parameters(Launch& launch, void* const* values, void* const* extra);

// Launches it once more, on the default stream.
CUresult launch_again(const Launch& launch);

}  // namespace tailwave::injected
