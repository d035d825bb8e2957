// Textures and tensor maps as arguments of kernels.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>

#include "device/cuda_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

constexpr const char* kTextureKernels = R"(
extern "C" __global__ void fetch(cudaTextureObject_t texture, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex1Dfetch<float>(texture, i);
}
// At the middle of each texel, moved by so much.
extern "C" __global__ void plane(cudaTextureObject_t texture, float* out, int width, int height, float x, float y) {
  for (int i = threadIdx.x; i < width * height; i += blockDim.x)
    out[i] = tex2D<float>(texture, i % width + 0.5f + x, i / width + 0.5f + y);
}
extern "C" __global__ void line(cudaTextureObject_t texture, float* out, int n, float scale, float x) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex1D<float>(texture, (i + 0.5f + x) * scale);
}
extern "C" __global__ void bytes_in_space(cudaTextureObject_t texture, int* out, int width, int height, int depth) {
  for (int i = threadIdx.x; i < width * height * depth; i += blockDim.x) {
    const uchar4 texel = tex3D<uchar4>(texture, i % width + 0.5f, i / width % height + 0.5f, i / width / height + 0.5f);
    out[i] = texel.x + 256 * texel.y + 65536 * texel.z + 16777216 * texel.w;
  }
}
extern "C" __global__ void add_one(float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += 1;
}
)";

// One thread has a box copied to shared memory, all of which is then written out.
constexpr const char* kTensorKernels = R"(
struct alignas(64) TensorMap { unsigned char bytes[128]; };
template <class T>
__device__ void copy_box(const TensorMap* map, T* out, int scalars, int x, int y) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(8) unsigned long long arrived;
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(static_cast<unsigned>(scalars * sizeof(T)))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  const T* const box = reinterpret_cast<const T*>(shared);
  for (int i = threadIdx.x; i < scalars; i += blockDim.x) out[i] = box[i];
}
extern "C" __global__ void box_of_floats(const __grid_constant__ TensorMap map, float* out, int scalars, int x, int y) {
  copy_box(&map, out, scalars, x, y);
}
extern "C" __global__ void box_of_halves(const __grid_constant__ TensorMap map, unsigned short* out, int scalars, int x,
                                         int y) {
  copy_box(&map, out, scalars, x, y);
}
)";

// Kernels of a source, for the GPU at hand; a file that goes with the object.
class ViewKernels {
 public:
  ViewKernels(const char* source, const std::vector<std::string>& names, int compute_capability) {
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) throw Error(why_not);
    const std::string target =
        "--gpu-architecture=sm_" + std::to_string(nearest_target(nvrtc->targets(), compute_capability));
    const NvrtcResult result = nvrtc->compile(source, "view_kernels.cu", names, {target});
    if (!result.succeeded) throw Error(result.log);
    artifact_.file = std::filesystem::temp_directory_path() /
                     ("tailwave_" + names.front() + "_" + std::to_string(getpid()) + ".cubin");
    artifact_.symbols = result.symbols;
    std::ofstream(artifact_.file, std::ios::binary) << result.cubin;
  }
  ~ViewKernels() {
    std::error_code ignored;
    std::filesystem::remove(artifact_.file, ignored);
  }
  ViewKernels(const ViewKernels&) = delete;
  ViewKernels& operator=(const ViewKernels&) = delete;

  [[nodiscard]] const Artifact& artifact() const { return artifact_; }

 private:
  Artifact artifact_;
};

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

class CudaTexturesGpu : public CudaFixture {
 protected:
  void SetUp() override {
    CudaFixture::SetUp();
    if (IsSkipped()) return;
    static const ViewKernels kernels(kTextureKernels, {"fetch", "plane", "line", "bytes_in_space", "add_one"},
                                     executor_->description().compute_capability);
    program_ = executor_->load(kernels.artifact());
  }

  std::vector<float> output(Launch launch, std::size_t count, const RunOptions& options = {}) {
    const auto out = upload(*executor_, std::vector<float>(count, -1));
    launch.arguments.insert(launch.arguments.begin() + 1, out.get());
    run(launch, options);
    EXPECT_EQ(damage_of(*executor_, *out), "");
    return download<float>(*executor_, *out);
  }

  static TextureView view(const std::unique_ptr<Buffer>& buffer, std::vector<std::int64_t> size,
                          const TextureLook& look = {}, ScalarType type = ScalarType::float32) {
    return {buffer.get(), type, std::move(size), look};
  }

  std::vector<float> line(const TextureView& texture, int n, float scale = 1, float x = 0) {
    return output(launch_of("line", {}, {64}, {texture, scalar(n), scalar(scale), scalar(x)}),
                  static_cast<std::size_t>(n));
  }
};

TEST_F(CudaTexturesGpu, LinearMemoryIsReadAsItIs) {
  const auto in = upload(*executor_, numbers(1000));
  const Launch launch =
      launch_of("fetch", {}, {64}, {view(in, {1000}, {.layout = TextureLayout::linear}), scalar(1000)});
  EXPECT_EQ(output(launch, 1000), numbers(1000));
  const auto halves = upload(*executor_, std::vector<std::uint16_t>{0x3C00, 0x4000, 0xC200});
  EXPECT_EQ(output(launch_of("fetch", {}, {64},
                             {view(halves, {3}, {.layout = TextureLayout::linear}, ScalarType::float16),
                              scalar(3)}),
                   3),
            (std::vector<float>{1, 2, -3}));
}

TEST_F(CudaTexturesGpu, PlanesAreArraysOrLinearMemory) {
  const auto in = upload(*executor_, numbers(std::size_t{16} * 10));
  for (const TextureLayout layout : {TextureLayout::array, TextureLayout::linear}) {
    for (const bool graph : {false, true}) {
      const Launch launch = launch_of(
          "plane", {}, {64},
          {view(in, {16, 10}, {.layout = layout}), scalar(16), scalar(10), scalar(0.0F), scalar(0.0F)});
      EXPECT_EQ(output(launch, 160, {.executions = 2, .graph = graph}), numbers(160));
    }
  }
}

TEST_F(CudaTexturesGpu, LinearFiltersMixAndClampsStayAtTheBorder) {
  const auto in = upload(*executor_, numbers(std::size_t{16} * 4));
  const TextureLook mixing{.filter = TextureFilter::linear};
  const std::vector<float> half =
      output(launch_of("plane", {}, {64},
                       {view(in, {16, 4}, mixing), scalar(16), scalar(4), scalar(0.5F), scalar(0.0F)}),
             64);
  EXPECT_FLOAT_EQ(half[0], 1.5);
  EXPECT_FLOAT_EQ(half[14], 15.5);
  EXPECT_FLOAT_EQ(half[15], 16);
  const std::vector<float> below =
      output(launch_of("plane", {}, {64},
                       {view(in, {16, 4}, mixing), scalar(16), scalar(4), scalar(0.0F), scalar(0.5F)}),
             64);
  EXPECT_FLOAT_EQ(below[0], 9);
  EXPECT_FLOAT_EQ(below[63], 64);
}

TEST_F(CudaTexturesGpu, LinesOutsideOfThemselvesAreAsTheModeSays) {
  const auto in = upload(*executor_, numbers(4));
  const auto shifted = [&](TextureAddress address, bool normalized) {
    return line(view(in, {4}, {.address = address, .normalized = normalized}), 8, normalized ? 0.25F : 1.0F,
                -2);
  };
  EXPECT_EQ(shifted(TextureAddress::clamp, false), (std::vector<float>{1, 1, 1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(shifted(TextureAddress::border, false), (std::vector<float>{0, 0, 1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(shifted(TextureAddress::wrap, true), (std::vector<float>{3, 4, 1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(shifted(TextureAddress::mirror, true), (std::vector<float>{2, 1, 1, 2, 3, 4, 4, 3}));
}

TEST_F(CudaTexturesGpu, IntegersAreReadAsFractionsWhereThatIsAskedFor) {
  const auto in = upload(*executor_, std::vector<std::uint8_t>{0, 51, 255, 102});
  const std::vector<float> fractions =
      line(view(in, {4}, {.read = TextureRead::normalized_float}, ScalarType::uint8), 4);
  EXPECT_FLOAT_EQ(fractions[0], 0);
  EXPECT_FLOAT_EQ(fractions[1], 0.2F);
  EXPECT_FLOAT_EQ(fractions[2], 1);
  EXPECT_FLOAT_EQ(fractions[3], 0.4F);
}

TEST_F(CudaTexturesGpu, TexelsOfFourBytesLieInThreeDimensions) {
  std::vector<std::uint8_t> bytes(5 * 3 * 2 * 4);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  const auto in = upload(*executor_, bytes);
  const auto out = upload(*executor_, std::vector<int>(30));
  run(launch_of(
      "bytes_in_space", {}, {32},
      {view(in, {5, 3, 2}, {.channels = 4}, ScalarType::uint8), out.get(), scalar(5), scalar(3), scalar(2)}));
  const std::vector<int> texels = download<int>(*executor_, *out);
  for (int i = 0; i < 30; ++i)
    ASSERT_EQ(texels[static_cast<std::size_t>(i)],
              4 * i + 1 + 256 * (4 * i + 2) + 65536 * (4 * i + 3) + 16777216 * (4 * i + 4))
        << i;
}

// The second launch reads what the buffer was before the first one wrote it; linear memory shows what it is.
TEST_F(CudaTexturesGpu, ArraysHoldWhatTheBufferHeldBeforeTheExecution) {
  for (const TextureLayout layout : {TextureLayout::array, TextureLayout::linear}) {
    const auto in = upload(*executor_, numbers(32));
    const auto out = upload(*executor_, std::vector<float>(32));
    const Launch add = launch_of("add_one", {}, {32}, {in.get(), scalar(32)});
    const Launch look = launch_of(
        "plane", {}, {32},
        {view(in, {8, 4}, {.layout = layout}), out.get(), scalar(8), scalar(4), scalar(0.0F), scalar(0.0F)});
    for (int i = 0; i < 3; ++i) {
      run({add, look});
      const float seen = download<float>(*executor_, *out).front();
      EXPECT_EQ(seen, static_cast<float>(i + (layout == TextureLayout::linear ? 2 : 1)));
    }
  }
}

TEST_F(CudaTexturesGpu, WhatTheDriverDoesNotTakeIsATypedFailure) {
  const auto in = executor_->allocate(std::size_t{4} << 20);
  const Failure failure = failure_of(
      {launch_of("line", {}, {64}, {view(in, {1 << 20}), in.get(), scalar(1), scalar(1.0F), scalar(0.0F)})});
  std::cout << "  " << failure.what() << "\n";
  EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
  EXPECT_THAT(failure.what(), HasSubstr("making the array of a texture of 1048576 x 0 x 0: "));
}

class CudaTensorMapsGpu : public CudaFixture {
 protected:
  void SetUp() override {
    CudaFixture::SetUp();
    if (IsSkipped()) return;
    const int capability = executor_->description().compute_capability;
    if (capability < 90) GTEST_SKIP() << "tensor maps need compute capability 9.0";
    static const ViewKernels kernels(kTensorKernels, {"box_of_floats", "box_of_halves"}, capability);
    program_ = executor_->load(kernels.artifact());
  }

  template <class T>
  std::vector<T> box(const char* kernel, const TensorMapView& map, int x, int y,
                     const RunOptions& options = {}) {
    const auto scalars = static_cast<int>(map.shape.box[0] * map.shape.box[1]);
    const auto out = upload(*executor_, std::vector<T>(static_cast<std::size_t>(scalars)));
    Launch launch = launch_of(kernel, {}, {128}, {map, out.get(), scalar(scalars), scalar(x), scalar(y)});
    launch.dynamic_shared_bytes = static_cast<std::int64_t>(sizeof(T)) * scalars;
    run(launch, options);
    return download<T>(*executor_, *out);
  }
};

TEST_F(CudaTensorMapsGpu, ABoxOfAMatrixIsCopied) {
  const auto in = upload(*executor_, numbers(std::size_t{64} * 48));
  const TensorMapView map{in.get(),
                          ScalarType::float32,
                          {.dims = {64, 48}, .box = {32, 8}, .strides = {64}, .l2_promotion = 128}};
  for (const bool graph : {false, true}) {
    const std::vector<float> copied =
        box<float>("box_of_floats", map, 16, 40, {.executions = 2, .graph = graph});
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t column = 0; column < 32; ++column)
        ASSERT_EQ(copied[row * 32 + column], static_cast<float>((row + 40) * 64 + column + 16 + 1));
  }
}

TEST_F(CudaTensorMapsGpu, WhatIsOutsideIsZeroOrNan) {
  const auto in = upload(*executor_, numbers(std::size_t{64} * 8));
  for (const bool nan : {false, true}) {
    const TensorMapView map{in.get(),
                            ScalarType::float32,
                            {.dims = {60, 8}, .box = {32, 4}, .strides = {64}, .nan_out_of_bounds = nan}};
    const std::vector<float> copied = box<float>("box_of_floats", map, 40, 6);
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t column = 0; column < 32; ++column) {
        const float value = copied[row * 32 + column];
        if (row < 2 && column < 20)
          ASSERT_EQ(value, static_cast<float>((row + 6) * 64 + column + 40 + 1));
        else if (nan)
          ASSERT_TRUE(std::isnan(value));
        else
          ASSERT_EQ(value, 0);
      }
  }
}

// 16 bytes, a chunk, lie where the row's number, modulo 8, is added to the chunk's bit by bit.
TEST_F(CudaTensorMapsGpu, SharedMemoryIsSwizzled) {
  std::vector<std::uint16_t> values(std::size_t{64} * 16);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  const auto in = upload(*executor_, values);
  const TensorMapView map{
      in.get(), ScalarType::bfloat16, {.dims = {64, 16}, .box = {64, 16}, .strides = {64}, .swizzle = 128}};
  const auto copied = box<std::uint16_t>("box_of_halves", map, 0, 0);
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t chunk = 0; chunk < 8; ++chunk)
      ASSERT_EQ(copied[row * 64 + (chunk ^ (row % 8)) * 8], values[row * 64 + chunk * 8])
          << row << " " << chunk;
}

TEST_F(CudaTensorMapsGpu, WhatTheDriverDoesNotTakeIsATypedFailure) {
  const auto in = upload(*executor_, numbers(std::size_t{64} * 48));
  const auto out = upload(*executor_, numbers(64));
  const TensorMapView map{in.get(), ScalarType::float32, {.dims = {63, 48}, .box = {32, 2}, .strides = {63}}};
  const Failure failure =
      failure_of({launch_of("box_of_floats", {}, {32}, {map, out.get(), scalar(64), scalar(0), scalar(0)})});
  EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
  EXPECT_THAT(failure.what(), HasSubstr("making a tensor map: CUDA_ERROR_INVALID_VALUE"));
}

}  // namespace
}  // namespace tailwave
