#include "spec/buffer_views.h"

#include <algorithm>
#include <iterator>

namespace tailwave {
namespace {

std::vector<std::int64_t> evaluate_all(const std::vector<Expression>& expressions, const Values& scope) {
  std::vector<std::int64_t> values;
  std::transform(expressions.begin(), expressions.end(), std::back_inserter(values),
                 [&](const Expression& one) { return one.evaluate_int(scope); });
  return values;
}

// Where nothing lies between. Beyond the range of numbers it stays at what no map can have.
std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& dims) {
  constexpr std::int64_t kMost = std::int64_t{1} << 45;
  std::vector<std::int64_t> strides;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
    const bool fits = dims[i] >= 1 && stride <= kMost / dims[i];
    stride = fits ? stride * dims[i] : kMost;
    strides.push_back(stride);
  }
  return strides;
}

}  // namespace

std::vector<std::int64_t> evaluate_size(const TextureArgument& argument, const Values& scope) {
  return evaluate_all(argument.size, scope);
}

TensorMapShape evaluate_tensor_map(const TensorMapArgument& argument, const Values& scope) {
  TensorMapShape shape;
  shape.dims = evaluate_all(argument.dims, scope);
  shape.box = evaluate_all(argument.box, scope);
  shape.strides =
      argument.strides.empty() ? packed_strides(shape.dims) : evaluate_all(argument.strides, scope);
  shape.swizzle = argument.swizzle.evaluate_int(scope);
  shape.interleave = argument.interleave.evaluate_int(scope);
  shape.l2_promotion = argument.l2_promotion.evaluate_int(scope);
  shape.nan_out_of_bounds = argument.nan_out_of_bounds;
  return shape;
}

}  // namespace tailwave
