#include "spec/view_limits.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

constexpr ScalarType kFloat = ScalarType::float32;

TensorMapShape matrix() {
  return {.dims = {256, 64}, .box = {64, 32}, .strides = {256}};
}

std::string obstacle_of(const TensorMapShape& shape, ScalarType type = ScalarType::float16) {
  return tensor_map_obstacle(shape, type, 256 * 64);
}

TEST(TensorMapLimits, TakeWhatCudaTakes) {
  EXPECT_EQ(obstacle_of(matrix()), "");
  TensorMapShape shape = matrix();
  shape.swizzle = 128;
  shape.l2_promotion = 256;
  shape.nan_out_of_bounds = true;
  EXPECT_EQ(obstacle_of(shape), "");
  shape = {.dims = {4096}, .box = {256}, .strides = {}};
  EXPECT_EQ(obstacle_of(shape, ScalarType::uint8), "");
  shape = {
      .dims = {16, 8, 8, 4, 4}, .box = {16, 8, 1, 1, 1}, .strides = {16, 128, 1024, 4096}, .interleave = 16};
  EXPECT_EQ(obstacle_of(shape), "");
}

TEST(TensorMapLimits, NameTheKeyThatIsNotAsItHasToBe) {
  const auto with = [](auto change, ScalarType type = ScalarType::float16) {
    TensorMapShape shape = matrix();
    change(shape);
    return obstacle_of(shape, type);
  };
  EXPECT_EQ(with([](auto& shape) { shape.box[1] = 257; }), "box[1] is 257, expected 1 to 256");
  EXPECT_EQ(with([](auto& shape) { shape.box[0] = 0; }), "box[0] is 0, expected 1 to 256");
  EXPECT_EQ(with([](auto& shape) { shape.dims[0] = 0; }), "dims[0] is 0, expected 1 to 4294967296");
  EXPECT_EQ(with([](auto& shape) { shape.box[0] = 60; }),
            "box[0] is 60 scalars or 120 bytes, no multiple of 16 bytes");
  EXPECT_EQ(with([](auto& shape) { shape.swizzle = 64; }),
            "box[0] is 64 scalars or 128 bytes, more than the 64 that are swizzled");
  EXPECT_EQ(with([](auto& shape) { shape.swizzle = 16; }), "swizzle is 16, expected one of 0, 32, 64, 128");
  EXPECT_EQ(with([](auto& shape) { shape.interleave = 64; }), "interleave is 64, expected one of 0, 16, 32");
  EXPECT_EQ(with([](auto& shape) { shape.l2_promotion = 1; }),
            "l2_promotion is 1, expected one of 0, 64, 128, 256");
  EXPECT_EQ(with([](auto& shape) { shape.box = {64}; }), "'dims' has 2 dimensions, 'box' 1");
  EXPECT_EQ(with([](auto& shape) { shape.strides.clear(); }),
            "'dims' has 2 dimensions, which makes 1 'strides', found 0");
  EXPECT_EQ(with([](auto& shape) { shape.strides = {0}; }),
            "strides[0] is 0 scalars, expected 1 to 549755813887");
  EXPECT_EQ(with([](auto& shape) { shape.strides = {252}; }),
            "strides[0] is 252 scalars or 504 bytes, no multiple of 16 bytes");
  EXPECT_EQ(with([](auto& shape) { shape.interleave = 16; }),
            "an interleaved tensor has at least 3 dimensions, this has 2");
  EXPECT_EQ(with([](auto& shape) { shape.dims[1] = 65; }),
            "the tensor reaches over 16640 scalars, and the buffer has 16384");
  EXPECT_EQ(with([](auto& shape) { shape.dims[1] = std::int64_t{1} << 32; }),
            "the tensor reaches over 1099511627776 scalars, and the buffer has 16384");
  EXPECT_EQ(with([](auto& shape) { shape.nan_out_of_bounds = true; }, ScalarType::int16),
            "'oob' is nan, which the tensor map of int16 does not have");
  TensorMapShape channels{.dims = {16, 16, 16}, .box = {16, 8, 8}, .strides = {16, 256}, .interleave = 32};
  EXPECT_EQ(obstacle_of(channels), "an 'interleave' of 32 needs a 'swizzle' of 32, this is 0");
  channels.swizzle = 32;
  EXPECT_EQ(obstacle_of(channels), "");
}

TEST(TextureLimits, TakeWhatCudaTakes) {
  const TextureLook plain, linear{.layout = TextureLayout::linear};
  EXPECT_EQ(texture_obstacle(linear, {100}, kFloat, 100), "");
  EXPECT_EQ(texture_obstacle(linear, {16, 6}, kFloat, 100), "");
  EXPECT_EQ(texture_obstacle(plain, {10, 10}, ScalarType::float16, 100), "");
  EXPECT_EQ(texture_obstacle({.channels = 4}, {5, 5, 1}, ScalarType::uint8, 100), "");
  EXPECT_EQ(texture_obstacle({.filter = TextureFilter::linear, .read = TextureRead::normalized_float}, {100},
                             ScalarType::int16, 100),
            "");
  EXPECT_EQ(texture_obstacle({.address = TextureAddress::wrap, .normalized = true}, {100}, kFloat, 100), "");
  EXPECT_EQ(texture_obstacle({.layout = TextureLayout::linear, .filter = TextureFilter::linear}, {8, 8},
                             kFloat, 100),
            "");
}

TEST(TextureLimits, NameTheKeyThatIsNotAsItHasToBe) {
  const TextureLook plain, linear{.layout = TextureLayout::linear};
  EXPECT_EQ(texture_obstacle(plain, {8}, ScalarType::float64, 8), "a texture has no elements of float64");
  EXPECT_EQ(texture_obstacle(plain, {8}, ScalarType::bfloat16, 8), "a texture has no elements of bfloat16");
  EXPECT_EQ(texture_obstacle({.channels = 3}, {8}, kFloat, 24), "channels is 3, expected one of 1, 2, 4");
  EXPECT_EQ(texture_obstacle({.read = TextureRead::normalized_float}, {8}, ScalarType::int32, 8),
            "'read' is normalized_float, which needs integers of 8 or 16 bits, and the buffer is of int32");
  EXPECT_EQ(texture_obstacle({.filter = TextureFilter::linear}, {8}, ScalarType::int8, 8),
            "a linear 'filter' needs texels that are real numbers, or \"read\": \"normalized_float\"");
  EXPECT_EQ(texture_obstacle({.address = TextureAddress::mirror}, {8}, kFloat, 8),
            "the 'address' mode mirror needs normalized coordinates");
  EXPECT_EQ(texture_obstacle(linear, {2, 2, 2}, kFloat, 8),
            "linear memory has no texture of three dimensions");
  EXPECT_EQ(
      texture_obstacle({.layout = TextureLayout::linear, .filter = TextureFilter::linear}, {8}, kFloat, 8),
      "a one-dimensional texture of linear memory has no 'filter', 'address', 'normalized' or 'read': these need "
      "an array");
  EXPECT_EQ(texture_obstacle(linear, {10, 10}, kFloat, 100),
            "a row has 40 bytes, no multiple of the 32 that linear memory needs");
  EXPECT_EQ(texture_obstacle(plain, {8, 0}, kFloat, 8), "height is 0, expected 1 to 2147483648");
  EXPECT_EQ(texture_obstacle({.channels = 2}, {8}, kFloat, 15),
            "the texture reaches over 16 scalars, and the buffer has 15");
  EXPECT_EQ(texture_obstacle(plain, {1 << 30, 1 << 30, 1 << 30}, kFloat, 15),
            "the texture reaches over 35184372088832 scalars, and the buffer has 15");
}

}  // namespace
}  // namespace tailwave
