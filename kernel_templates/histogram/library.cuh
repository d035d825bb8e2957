#pragma once

// What variants by CUB's device-wide functions share: they work in a buffer of the manifest, and say what went wrong.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUB says: ") + cudaGetErrorString(status));
}

inline cudaStream_t timed_stream() {
  return static_cast<cudaStream_t>(tailwave_stream());
}

// `bytes`, what CUB asks for. Throws where the buffer has less.
inline std::size_t fitting(std::size_t bytes, std::int64_t workspace_bytes) {
  if (bytes <= static_cast<std::size_t>(workspace_bytes)) return bytes;
  throw std::runtime_error("CUB asks for " + std::to_string(bytes) + " bytes, and the workspace has " +
                           std::to_string(workspace_bytes));
}
