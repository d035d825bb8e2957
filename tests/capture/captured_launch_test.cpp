#include "capture/captured_launch.h"

#include <gmock/gmock.h>

#include "capture/raw_launch.h"
#include "capture/signature.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CapturedLaunch, IsReadAsTheLibraryWroteIt) {
  const ScratchFolder folder;
  samples::write_raw_launch(folder.path());
  const CapturedLaunch launch = read_captured_launch(folder.path());
  EXPECT_EQ(launch.device, "NVIDIA H200");
  EXPECT_EQ(launch.kernel, "_Z4blurILi2EEv4ViewPKfif");
  EXPECT_THAT(launch.grid, ElementsAre(126, 375, 1));
  EXPECT_EQ(launch.dynamic_shared_bytes, 16);
  EXPECT_EQ(launch.code_candidates, 2);
  ASSERT_EQ(launch.arguments.size(), 4U);
  EXPECT_EQ(launch.arguments[2].bytes, "\xfe\xff\xff\xff");
  ASSERT_EQ(launch.arguments[0].pointers.size(), 1U);
  EXPECT_EQ(launch.arguments[0].pointers[0].offset, 4U);
  ASSERT_EQ(launch.memory.size(), 2U);
  EXPECT_EQ(launch.memory[0].memory, "managed");
  EXPECT_EQ(launch.memory[0].inner_pointers, 3U);
  EXPECT_FALSE(launch.memory[0].after);
  EXPECT_EQ(launch.memory[1].after, folder.path() / "memory1.after");
  EXPECT_THAT(launch.notes, ElementsAre(HasSubstr("texture")));
}

TEST(CapturedLaunch, SaysWhatIsDamaged) {
  const ScratchFolder folder;
  samples::write_raw_launch(folder.path());
  samples::write_file(folder.path() / "launch.json", R"({"device": "x", "kernel": 7})");
  EXPECT_THAT(samples::error_of([&] { read_captured_launch(folder.path()); }),
              HasSubstr("launch.json: /kernel: "));
}

TEST(KernelTimesOfAnApplication, AreReadOrAbsent) {
  const ScratchFolder folder;
  EXPECT_TRUE(read_kernel_times(folder.path() / "kernels.json").empty());
  samples::write_raw_times(folder.path() / "kernels.json");
  const std::vector<KernelTimes> times = read_kernel_times(folder.path() / "kernels.json");
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].demangled, "void blur<2>(View, float const*, int, float)");
  EXPECT_THAT(times[0].first_ns, ElementsAre(56000, 54000, 55000));
  EXPECT_EQ(times[2].demangled, "scale");
}

TEST(KernelTimesOfAnApplication, AreThoseOfAllProcesses) {
  KernelTimes one{.kernel = "scale",
                  .demangled = "scale",
                  .grid = {4, 1, 1},
                  .launches = 2,
                  .total_ns = 30,
                  .first_ns = {10, 20}};
  std::vector<KernelTimes> all{one};
  KernelTimes larger = one;
  larger.grid[0] = 8;
  add_times(all, {one, larger});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].launches, 4);
  EXPECT_THAT(all[0].first_ns, ElementsAre(10, 20, 10, 20));
}

TEST(NamesOfKernels, HaveAShortForm) {
  EXPECT_EQ(base_name("void blur<2>(View, float const*, int)"), "blur");
  EXPECT_EQ(base_name("scale(float*)"), "scale");
  EXPECT_EQ(base_name("mm"), "mm");
  EXPECT_EQ(base_name("void a::(anonymous namespace)::soft<float, b::c<int>, (d)2>(float*)"), "soft");
}

TEST(SignaturesOfKernels, TellTypesOfParameters) {
  const auto types = parameters_of(
      "void k<float, (a)2>(float const*, ns::View<int, 2>, unsigned long long, __half*, bool, float4*)");
  ASSERT_EQ(types.size(), 6U);
  EXPECT_TRUE(types[0].pointer);
  EXPECT_EQ(types[0].type->scalar, ScalarType::float32);
  EXPECT_EQ(types[1].text, "ns::View<int, 2>");
  EXPECT_FALSE(types[1].type);
  EXPECT_FALSE(types[2].pointer);
  EXPECT_EQ(types[2].type->scalar, ScalarType::uint64);
  EXPECT_EQ(types[3].type->scalar, ScalarType::float16);
  EXPECT_EQ(types[4].type->scalar, ScalarType::uint8);
  EXPECT_EQ(types[5].type->lanes, 4);
  EXPECT_TRUE(parameters_of("mm").empty());
  EXPECT_TRUE(parameters_of("f()").empty());
  EXPECT_FALSE(parameters_of("f(float**)").front().type);
}

}  // namespace
}  // namespace tailwave
