#pragma once

#include <cstdint>
#include <vector>

#include "spec/launch_spec.h"

namespace tailwave {

class Buffer;

// A buffer as a texture (spec/buffer_views.h), which begins with the buffer's first byte.
struct TextureView {
  Buffer* buffer = nullptr;
  ScalarType type = ScalarType::float32;
  std::vector<std::int64_t> size;  // texels: width, perhaps height, depth
  TextureLook look;
};

// A buffer by a tensor map, likewise.
struct TensorMapView {
  Buffer* buffer = nullptr;
  ScalarType type = ScalarType::float32;
  TensorMapShape shape;
};

}  // namespace tailwave
