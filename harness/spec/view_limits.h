#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/system.h"

namespace tailwave {

// What CUDA asks of a way to look at a buffer of so many scalars: the first thing that is not as it has to be, by the key
// of the manifest ("box[0] is 300, expected 1 to 256"), or "".

// Texels of 1, 2 or 4 integers of up to 32 bits, float16 or float32 (CUDA C++ Programming Guide, Texture Object API); the
// whole texture inside of the buffer; rows of linear memory in steps of 32 bytes where there are several.
std::string texture_obstacle(const TextureLook& look, const std::vector<std::int64_t>& size, ScalarType type,
                             std::int64_t scalars);

// As cuTensorMapEncodeTiled requires it (CUDA Driver API, Tensor Map Object Management), and the whole tensor inside of the
// buffer.
std::string tensor_map_obstacle(const TensorMapShape& shape, ScalarType type, std::int64_t scalars);

}  // namespace tailwave
