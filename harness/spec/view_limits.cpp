#include "spec/view_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

namespace tailwave {
namespace {

constexpr std::int64_t kMostScalars = std::int64_t{1} << 45;

std::string range_obstacle(const std::string& key, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
  if (value >= least && value <= most) return "";
  return fmt::format("{} is {}, expected {} to {}", key, value, least, most);
}

std::string choice_obstacle(const char* key, std::int64_t value,
                            std::initializer_list<std::int64_t> choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
  return fmt::format("{} is {}, expected one of {}", key, value, fmt::join(choices, ", "));
}

// Scalars from the first to behind the last; kMostScalars where there are more.
std::int64_t reach(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& strides) {
  std::int64_t last = dims.front();
  for (std::size_t i = 1; i < dims.size(); ++i) {
    const std::int64_t stride = strides[i - 1];
    if (stride > 0 && dims[i] - 1 > (kMostScalars - last) / stride) return kMostScalars;
    last += (dims[i] - 1) * stride;
  }
  return last;
}

std::string reach_obstacle(const char* what, std::int64_t reached, std::int64_t scalars) {
  if (reached <= scalars) return "";
  return fmt::format("the {} reaches over {} scalars, and the buffer has {}", what, reached, scalars);
}

bool has_texels_of(ScalarType type) {
  switch (type) {
    case ScalarType::int64:
    case ScalarType::uint64:
    case ScalarType::float64:
    case ScalarType::bfloat16:
    case ScalarType::float8_e4m3:
    case ScalarType::float8_e5m2:
      return false;
    default:
      return true;
  }
}

std::string look_obstacle(const TextureLook& look, std::size_t dimensions, ScalarType type) {
  if (!has_texels_of(type)) return fmt::format("a texture has no elements of {}", to_string(type));
  if (std::string obstacle = choice_obstacle("channels", look.channels, {1, 2, 4}); !obstacle.empty())
    return obstacle;
  const bool reads_floats = is_real(type) || look.read == TextureRead::normalized_float;
  if (look.read == TextureRead::normalized_float && (is_real(type) || size_bytes(type) > 2))
    return fmt::format(
        "'read' is normalized_float, which needs integers of 8 or 16 bits, and the buffer is of {}",
        to_string(type));
  if (look.filter == TextureFilter::linear && !reads_floats)
    return R"(a linear 'filter' needs texels that are real numbers, or "read": "normalized_float")";
  const bool repeats = look.address == TextureAddress::wrap || look.address == TextureAddress::mirror;
  if (repeats && !look.normalized)
    return fmt::format("the 'address' mode {} needs normalized coordinates", to_string(look.address));
  if (look.layout == TextureLayout::array) return "";
  if (dimensions == 3) return "linear memory has no texture of three dimensions";
  const bool plain = look.filter == TextureFilter::point && !look.normalized &&
                     look.address == TextureAddress::clamp && look.read == TextureRead::element;
  if (dimensions == 1 && !plain)
    return "a one-dimensional texture of linear memory has no 'filter', 'address', 'normalized' or 'read': "
           "these need an array";
  return "";
}

std::string rank_obstacle(const TensorMapShape& shape) {
  const std::size_t rank = shape.dims.size();
  if (shape.box.size() != rank)
    return fmt::format("'dims' has {} dimensions, 'box' {}", rank, shape.box.size());
  if (shape.strides.size() + 1 != rank)
    return fmt::format("'dims' has {} dimensions, which makes {} 'strides', found {}", rank, rank - 1,
                       shape.strides.size());
  if (shape.interleave != 0 && rank < 3)
    return fmt::format("an interleaved tensor has at least 3 dimensions, this has {}", rank);
  return "";
}

std::string stride_obstacle(const TensorMapShape& shape, std::int64_t scalar_bytes) {
  constexpr std::int64_t kEndBytes = std::int64_t{1} << 40;
  const std::int64_t step = shape.interleave == 32 ? 32 : 16;
  for (std::size_t i = 0; i < shape.strides.size(); ++i) {
    const std::int64_t stride = shape.strides[i];
    if (stride < 1 || stride >= kEndBytes / scalar_bytes)
      return fmt::format("strides[{}] is {} scalars, expected 1 to {}", i, stride,
                         kEndBytes / scalar_bytes - 1);
    if (stride * scalar_bytes % step != 0)
      return fmt::format("strides[{}] is {} scalars or {} bytes, no multiple of {} bytes", i, stride,
                         stride * scalar_bytes, step);
  }
  return "";
}

std::string box_obstacle(const TensorMapShape& shape, std::int64_t scalar_bytes) {
  constexpr std::int64_t kMostOfBox = 256, kMostOfDim = std::int64_t{1} << 32;
  for (std::size_t i = 0; i < shape.dims.size(); ++i) {
    for (const auto& [key, value, most] :
         {std::tuple{"dims", shape.dims[i], kMostOfDim}, std::tuple{"box", shape.box[i], kMostOfBox}})
      if (std::string obstacle = range_obstacle(fmt::format("{}[{}]", key, i), value, 1, most);
          !obstacle.empty())
        return obstacle;
  }
  const std::int64_t inner = shape.box.front() * scalar_bytes;
  if (shape.interleave == 0 && inner % 16 != 0)
    return fmt::format("box[0] is {} scalars or {} bytes, no multiple of 16 bytes", shape.box.front(), inner);
  if (shape.interleave == 0 && shape.swizzle != 0 && inner > shape.swizzle)
    return fmt::format("box[0] is {} scalars or {} bytes, more than the {} that are swizzled",
                       shape.box.front(), inner, shape.swizzle);
  return "";
}

}  // namespace

std::string texture_obstacle(const TextureLook& look, const std::vector<std::int64_t>& size, ScalarType type,
                             std::int64_t scalars) {
  constexpr std::array kKeys{"width", "height", "depth"};
  constexpr std::int64_t kMostTexels = std::int64_t{1} << 31, kPitchBytes = 32;
  if (std::string obstacle = look_obstacle(look, size.size(), type); !obstacle.empty()) return obstacle;
  std::vector<std::int64_t> strides;
  std::int64_t stride = look.channels;
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (std::string obstacle = range_obstacle(kKeys.at(i), size[i], 1, kMostTexels); !obstacle.empty())
      return obstacle;
    if (stride > kMostScalars / size[i]) return reach_obstacle("texture", kMostScalars, scalars);
    stride *= size[i];
  }
  if (std::string obstacle = reach_obstacle("texture", stride, scalars); !obstacle.empty()) return obstacle;
  const std::int64_t row = size.front() * look.channels * static_cast<std::int64_t>(size_bytes(type));
  if (look.layout == TextureLayout::linear && size.size() == 2 && row % kPitchBytes != 0)
    return fmt::format("a row has {} bytes, no multiple of the {} that linear memory needs", row,
                       kPitchBytes);
  return "";
}

std::string tensor_map_obstacle(const TensorMapShape& shape, ScalarType type, std::int64_t scalars) {
  const auto scalar_bytes = static_cast<std::int64_t>(size_bytes(type));
  for (const std::string& obstacle : {choice_obstacle("interleave", shape.interleave, {0, 16, 32}),
                                      choice_obstacle("swizzle", shape.swizzle, {0, 32, 64, 128}),
                                      choice_obstacle("l2_promotion", shape.l2_promotion, {0, 64, 128, 256})})
    if (!obstacle.empty()) return obstacle;
  if (std::string obstacle = rank_obstacle(shape); !obstacle.empty()) return obstacle;
  if (std::string obstacle = box_obstacle(shape, scalar_bytes); !obstacle.empty()) return obstacle;
  if (std::string obstacle = stride_obstacle(shape, scalar_bytes); !obstacle.empty()) return obstacle;
  if (shape.interleave == 32 && shape.swizzle != 32)
    return fmt::format("an 'interleave' of 32 needs a 'swizzle' of 32, this is {}", shape.swizzle);
  if (shape.nan_out_of_bounds && (!is_real(type) || size_bytes(type) == 1))
    return fmt::format("'oob' is nan, which the tensor map of {} does not have", to_string(type));
  return reach_obstacle("tensor", reach(shape.dims, shape.strides), scalars);
}

}  // namespace tailwave
