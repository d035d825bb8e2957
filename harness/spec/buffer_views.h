#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "space/expression.h"

namespace tailwave {

// Arguments of a kernel that are no pointer to a buffer but a way to look at it.

enum class TextureLayout { linear, array };
enum class TextureFilter { point, linear };
enum class TextureAddress { clamp, wrap, mirror, border };
enum class TextureRead { element, normalized_float };

template <>
struct EnumNames<TextureLayout> {
  static constexpr std::string_view noun = "layout";
  static constexpr std::array<std::string_view, 2> names{"linear", "array"};
};
template <>
struct EnumNames<TextureFilter> {
  static constexpr std::string_view noun = "filter";
  static constexpr std::array<std::string_view, 2> names{"point", "linear"};
};
template <>
struct EnumNames<TextureAddress> {
  static constexpr std::string_view noun = "address mode";
  static constexpr std::array<std::string_view, 4> names{"clamp", "wrap", "mirror", "border"};
};
template <>
struct EnumNames<TextureRead> {
  static constexpr std::string_view noun = "read mode";
  static constexpr std::array<std::string_view, 2> names{"element", "normalized_float"};
};

// How a texture is read, and what of: `linear` is the buffer's memory itself, `array` a CUDA array that is filled from the
// buffer before executions begin.
struct TextureLook {
  TextureLayout layout = TextureLayout::array;
  TextureFilter filter = TextureFilter::point;
  TextureAddress address = TextureAddress::clamp;
  bool normalized = false;  // coordinates from 0 to 1
  TextureRead read = TextureRead::element;
  int channels = 1;  // scalars of a texel: 1, 2 or 4

  bool operator==(const TextureLook&) const = default;
};

// A cudaTextureObject_t.
struct TextureArgument {
  std::string buffer;
  std::vector<Expression> size;  // texels: width, and perhaps height and depth
  TextureLook look;
};

// A CUtensorMap by value. Scalars throughout, innermost dimension first.
struct TensorMapArgument {
  std::string buffer;
  std::vector<Expression> dims, box;
  std::vector<Expression> strides;  // of all dimensions but the first; empty: what is next lies next
  Expression swizzle, interleave;   // bytes; 0: none
  Expression l2_promotion;          // bytes; 0: none
  bool nan_out_of_bounds = false;   // else zero
};

// Texels in each dimension. Throws ExpressionError.
std::vector<std::int64_t> evaluate_size(const TextureArgument& argument, const Values& scope);

// A tensor map with everything evaluated.
struct TensorMapShape {
  std::vector<std::int64_t> dims, box, strides;  // strides: one less than dims
  std::int64_t swizzle = 0, interleave = 0, l2_promotion = 0;
  bool nan_out_of_bounds = false;

  bool operator==(const TensorMapShape&) const = default;
};
// Throws ExpressionError for what has no value or is no whole number.
TensorMapShape evaluate_tensor_map(const TensorMapArgument& argument, const Values& scope);

constexpr std::size_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

}  // namespace tailwave
