#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/buffer_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/cuda/memory.h"

namespace tailwave {
namespace {

CUdeviceptr address_of(const Buffer* buffer) {
  return dynamic_cast<const CudaBuffer&>(*buffer).address();
}

CUarray_format texel_format(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case ScalarType::int16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case ScalarType::int32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case ScalarType::uint8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case ScalarType::uint16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case ScalarType::uint32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case ScalarType::float16:
      return CU_AD_FORMAT_HALF;
    case ScalarType::float32:
      return CU_AD_FORMAT_FLOAT;
    default:
      throw Failure(Outcome::launch_failed, fmt::format("a texture has no elements of {}", to_string(type)));
  }
}

CUaddress_mode address_mode(TextureAddress address) {
  switch (address) {
    case TextureAddress::clamp:
      return CU_TR_ADDRESS_MODE_CLAMP;
    case TextureAddress::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case TextureAddress::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case TextureAddress::border:
      return CU_TR_ADDRESS_MODE_BORDER;
  }
  return CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_TEXTURE_DESC description_of(const TextureLook& look, ScalarType type) {
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& mode : description.addressMode) mode = address_mode(look.address);
  description.filterMode =
      look.filter == TextureFilter::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (look.normalized) description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (!is_real(type) && look.read == TextureRead::element) description.flags |= CU_TRSF_READ_AS_INTEGER;
  return description;
}

CUtensorMapDataType tensor_type(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
    case ScalarType::uint8:
    case ScalarType::float8_e4m3:
    case ScalarType::float8_e5m2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case ScalarType::int16:
    case ScalarType::uint16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case ScalarType::int32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ScalarType::uint32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case ScalarType::int64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case ScalarType::uint64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case ScalarType::float16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ScalarType::bfloat16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ScalarType::float32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ScalarType::float64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

CUtensorMapSwizzle tensor_swizzle(std::int64_t bytes) {
  if (bytes == 32) return CU_TENSOR_MAP_SWIZZLE_32B;
  if (bytes == 64) return CU_TENSOR_MAP_SWIZZLE_64B;
  return bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapInterleave tensor_interleave(std::int64_t bytes) {
  if (bytes == 16) return CU_TENSOR_MAP_INTERLEAVE_16B;
  return bytes == 32 ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_NONE;
}

CUtensorMapL2promotion tensor_promotion(std::int64_t bytes) {
  if (bytes == 64) return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
  if (bytes == 128) return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return bytes == 256 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

}  // namespace

CudaTexture::CudaTexture(std::shared_ptr<Context> context, const TextureView& view)
    : context_(std::move(context)),
      address_(address_of(view.buffer)),
      type_(view.type),
      size_(view.size),
      look_(view.look) {
  size_.resize(3, 0);
  if (look_.layout == TextureLayout::array) make_array();
  const CUDA_RESOURCE_DESC from = resource();
  const CUDA_TEXTURE_DESC description = description_of(look_, type_);
  context_->check(context_->api().texture_create(&object_, &from, &description, nullptr), "making a texture");
}

CudaTexture::~CudaTexture() {
  if (!context_->usable()) return;
  context_->enter();
  context_->api().texture_destroy(object_);
}

bool CudaTexture::shows(const TextureView& view) const {
  std::vector<std::int64_t> size = view.size;
  size.resize(3, 0);
  return address_of(view.buffer) == address_ && view.type == type_ && size == size_ && view.look == look_;
}

void CudaTexture::make_array() {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = static_cast<std::size_t>(size_[0]);
  description.Height = static_cast<std::size_t>(size_[1]);
  description.Depth = static_cast<std::size_t>(size_[2]);
  description.Format = texel_format(type_);
  description.NumChannels = static_cast<unsigned>(look_.channels);
  CUarray made = nullptr;
  context_->check(context_->api().array_create(&made, &description),
                  fmt::format("making the array of a texture of {} x {} x {}", size_[0], size_[1], size_[2]));
  array_ = {made, {context_}};
}

CUDA_RESOURCE_DESC CudaTexture::resource() const {
  CUDA_RESOURCE_DESC from{};
  const std::size_t row_bytes =
      static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(look_.channels) * size_bytes(type_);
  const auto channels = static_cast<unsigned>(look_.channels);
  if (array_) {
    from.resType = CU_RESOURCE_TYPE_ARRAY;
    from.res.array.hArray = array_.get();
  } else if (size_[1] == 0) {
    from.resType = CU_RESOURCE_TYPE_LINEAR;
    from.res.linear = {address_, texel_format(type_), channels, row_bytes};
  } else {
    from.resType = CU_RESOURCE_TYPE_PITCH2D;
    from.res.pitch2D = {address_,
                        texel_format(type_),
                        channels,
                        static_cast<std::size_t>(size_[0]),
                        static_cast<std::size_t>(size_[1]),
                        row_bytes};
  }
  return from;
}

void CudaTexture::enqueue_fill(CUstream stream) const {
  if (!array_) return;
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes =
      static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(look_.channels) * size_bytes(type_);
  copy.Height = static_cast<std::size_t>(std::max<std::int64_t>(1, size_[1]));
  copy.Depth = static_cast<std::size_t>(std::max<std::int64_t>(1, size_[2]));
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = address_;
  copy.srcPitch = copy.WidthInBytes;
  copy.srcHeight = copy.Height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array_.get();
  context_->check(context_->api().copy_box(&copy, stream), "filling the array of a texture");
}

std::array<std::byte, kTensorMapBytes> tensor_map_of(Context& context, const TensorMapView& view) {
  constexpr int kFirstWithTensorMaps = 9;
  if (context.limit(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < kFirstWithTensorMaps)
    throw Failure(Outcome::unavailable, "tensor maps need compute capability 9.0");
  const TensorMapShape& shape = view.shape;
  const std::vector<cuuint64_t> dims(shape.dims.begin(), shape.dims.end());
  const std::vector<cuuint32_t> box(shape.box.begin(), shape.box.end());
  const std::vector<cuuint32_t> steps(dims.size(), 1);
  std::vector<cuuint64_t> strides(shape.strides.begin(), shape.strides.end());
  for (cuuint64_t& stride : strides) stride *= size_bytes(view.type);
  const CUdeviceptr address = address_of(view.buffer);
  void* pointer = nullptr;
  std::memcpy(&pointer, &address, sizeof pointer);
  static_assert(sizeof(CUtensorMap) == kTensorMapBytes);
  CUtensorMap map{};
  context.check(context.api().encode_tensor_map(
                    &map, tensor_type(view.type), static_cast<cuuint32_t>(dims.size()), pointer, dims.data(),
                    strides.data(), box.data(), steps.data(), tensor_interleave(shape.interleave),
                    tensor_swizzle(shape.swizzle), tensor_promotion(shape.l2_promotion),
                    shape.nan_out_of_bounds ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                            : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                "making a tensor map");
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &map, sizeof map);
  return bytes;
}

}  // namespace tailwave
#endif
