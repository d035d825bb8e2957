#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/gpu_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <optional>

#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "core/stopwatch.h"
#include "device/all_comparison_kernels.h"
#include "device/comparison_kernels.h"
#include "device/cuda/driver_api.h"
#include "device/cuda/memory.h"
#include "device/cuda_test_kernels.h"
#include "fakes/scratch_folder.h"
#include "verify/comparison_cases.h"

namespace tailwave {
namespace {

using fakes::ComparisonCase;

// The GPU through the driver API in this process, and all kernels that compare.
class GpuComparisons : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Gpu::get().obstacle.empty()) return;
    const auto loaded = DriverApi::load();  // before NVRTC, see cuda_device.h
    if (!loaded.api) return;
    context_ = Context::create(loaded.api, 0);
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) return;
    const ScratchFolder folder;
    NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"),
                           Gpu::get().devices.front().compute_capability);
    comparison_.emplace(context_, build_comparison_kernels(compiler, folder.path() / "source",
                                                           fakes::all_comparison_kernels()));
    stream_.emplace(make_stream(context_));
  }
  static void TearDownTestSuite() {
    stream_.reset();
    comparison_.reset();
    context_.reset();
  }
  void SetUp() override {
    if (!Gpu::get().obstacle.empty()) GTEST_SKIP() << Gpu::get().obstacle;
    ASSERT_TRUE(comparison_) << "no driver API or no NVRTC";
  }

  static std::unique_ptr<CudaBuffer> memory(std::size_t size_bytes) {
    return std::make_unique<CudaBuffer>(context_, size_bytes, stream_->get());
  }
  static void wait() { context_->check(context_->api().stream_synchronize(stream_->get()), "waiting"); }
  static void write(CUdeviceptr to, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    context_->check(context_->api().copy_to_device(to, bytes.data(), bytes.size(), stream_->get()),
                    "copying");
    wait();
  }

  // Some at once, so that several kernels are waited for together; the arrays begin `offset` elements behind a multiple
  // of 256 bytes.
  static std::vector<Verification> compare_all(const std::vector<ComparisonCase>& cases,
                                               std::size_t offset = 0) {
    constexpr std::size_t kAtOnce = 7;
    std::vector<Verification> found;
    for (std::size_t first = 0; first < cases.size(); first += kAtOnce) {
      std::vector<std::unique_ptr<CudaBuffer>> buffers;
      std::vector<GpuComparison::Arrays> arrays;
      for (std::size_t i = first; i < std::min(cases.size(), first + kAtOnce); ++i) {
        const std::size_t skipped = offset * size_bytes(cases[i].type);
        GpuComparison::Arrays& pair = arrays.emplace_back();
        pair.type = cases[i].type;
        pair.comparison = cases[i].comparison;
        pair.count = cases[i].actual.size() / size_bytes(pair.type);
        for (const auto& [address, bytes] :
             {std::pair(&pair.expected, &cases[i].expected), std::pair(&pair.actual, &cases[i].actual)}) {
          buffers.push_back(memory(bytes->size() + skipped));
          *address = buffers.back()->address() + skipped;
          write(*address, *bytes);
        }
      }
      for (Verification& verification : comparison_->check(arrays).verifications)
        found.push_back(std::move(verification));
    }
    return found;
  }

  static inline std::shared_ptr<Context> context_;
  static inline std::optional<GpuComparison> comparison_;
  static inline std::optional<Stream> stream_;
};

TEST_F(GpuComparisons, ReportWhatTheyShould) {
  fakes::expect_reports([](const auto& cases) { return compare_all(cases); });
}

TEST_F(GpuComparisons, FindInRandomArraysWhatTheHostFinds) {
  fakes::expect_as_on_one_thread([](const auto& cases) { return compare_all(cases); },
                                 fakes::random_cases({1, 7, 1000, (1 << 20) + 3}));
}

TEST_F(GpuComparisons, TakeArraysThatBeginAtAnyElement) {
  for (const std::size_t offset : {1, 3})
    fakes::expect_as_on_one_thread([&](const auto& cases) { return compare_all(cases, offset); },
                                   fakes::random_cases({1000, 20011}));
}

TEST_F(GpuComparisons, OfNothingPass) {
  const std::vector<GpuComparison::Arrays> nothing(2);
  const auto found = comparison_->check(nothing).verifications;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[1].passed);
  EXPECT_TRUE(comparison_->check({}).verifications.empty());
}

TEST_F(GpuComparisons, SeeDamageInTheGuardZones) {
  const auto sound = memory(100), damaged = memory(1000);
  const std::array<std::byte, 2> bytes{std::byte{1}, std::byte{2}};
  write(damaged->address() + 999, bytes);
  wait();
  const std::array<GpuComparison::Guarded, 2> guarded{{{sound->address(), 100}, {damaged->address(), 1000}}};
  const auto found = comparison_->check({}, guarded).guard_damage;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "");
  EXPECT_EQ(found[1], "memory behind the buffer was overwritten, first at byte 1000 of 1000");
}

// How fast it is is printed.
TEST_F(GpuComparisons, PassOnAGibibyteOfTheSame) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const auto expected = memory(kBytes), actual = memory(kBytes);
  for (const auto& buffer : {expected.get(), actual.get()})
    context_->check(context_->api().set_words(buffer->address(), 0x3F8CCCCD, kBytes / 4, stream_->get()),
                    "filling");
  wait();
  for (const ScalarType type :
       {ScalarType::float32, ScalarType::float64, ScalarType::int32, ScalarType::uint8}) {
    for (const Comparison::Norm norm : fakes::kAllNorms) {
      GpuComparison::Arrays arrays{
          type, expected->address(), actual->address(), kBytes / size_bytes(type), {norm, 0}};
      arrays.comparison.low = -1e300;
      arrays.comparison.high = 1e300;
      double seconds = 1;
      for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_TRUE(comparison_->check(std::span(&arrays, 1)).verifications.at(0).passed);
        seconds = std::min(seconds, seconds_since(start));
      }
      const double bytes = (norm == Comparison::Norm::range ? 1.0 : 2.0) * static_cast<double>(kBytes);
      std::cout << "  " << size_bytes(type) << " bytes, " << to_string(norm) << ": " << seconds * 1e3
                << " ms, " << bytes / seconds / 1e9 << " GB/s\n";
    }
  }
}

}  // namespace
}  // namespace tailwave
#endif
