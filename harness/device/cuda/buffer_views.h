#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "device/buffer_views.h"
#include "device/cuda/context.h"

namespace tailwave {

// A texture object of a buffer, and the array that it is filled from it where it has one.
class CudaTexture {
 public:
  // Throws Failure: out_of_memory, launch_failed with the driver's words.
  CudaTexture(std::shared_ptr<Context> context, const TextureView& view);
  ~CudaTexture();
  CudaTexture(const CudaTexture&) = delete;
  CudaTexture& operator=(const CudaTexture&) = delete;

  [[nodiscard]] CUtexObject object() const { return object_; }
  // Whether it is one of the same memory.
  [[nodiscard]] bool shows(const TextureView& view) const;
  // Queues the copy of the buffer into the array; nothing without an array. Throws Failure.
  void enqueue_fill(CUstream stream) const;

 private:
  void make_array();
  [[nodiscard]] CUDA_RESOURCE_DESC resource() const;

  std::shared_ptr<Context> context_;
  CUdeviceptr address_;
  ScalarType type_;
  std::vector<std::int64_t> size_;
  TextureLook look_;
  std::unique_ptr<CUarray_st, DestroyInContext<&DriverApi::array_destroy>> array_;
  CUtexObject object_ = 0;
};

// A CUtensorMap as it lies in memory. Throws Failure: unavailable for a device without tensor maps, launch_failed with the
// driver's words.
std::array<std::byte, kTensorMapBytes> tensor_map_of(Context& context, const TensorMapView& view);

}  // namespace tailwave
