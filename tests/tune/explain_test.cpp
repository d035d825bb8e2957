#include "tune/explain.h"

#include <gmock/gmock.h>

#include "fakes/fake_device.h"
#include "fakes/sample_experiment.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class KernelCompiler : public fakes::FakeCompiler {
 public:
  KernelResources resources;

  Artifact build(const BuildRequest& request) override {
    Artifact artifact = FakeCompiler::build(request);
    for (KernelResources& kernel : artifact.resources) {
      const std::string name = kernel.kernel;
      kernel = resources;
      kernel.kernel = name;
    }
    return artifact;
  }
};

class ExplainTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
    compiler_.resources.registers = 80;
  }

  std::string explained(std::int64_t block_size, std::int64_t n, const char* device = "a100",
                        int target = 80) {
    experiment_.problem = {{"N", {n}}};
    const Configuration configuration{"twice", "twice", {{"BLOCK_SIZE", block_size}}, {{"N", n}}};
    return explain(experiment_.system, configuration, {find_device(device), &compiler_, target});
  }

  KernelCompiler compiler_;
  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
};

TEST_F(ExplainTest, CountsWavesInClustersAndSaysWhatIsAssumedOfTheGpcs) {
  compiler_.resources.cluster = Dim3{4};
  compiler_.resources.static_shared_bytes = 40000;
  const std::string text = explained(128, 128 * 640, "h200", 90);
  EXPECT_THAT(text,
              HasSubstr("\n  a cluster         4 blocks on one GPC, taken to be 2 of 18 SMs, 6 of 16 SMs\n"
                        "  clusters          164 at once, 160 in the grid\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n  waves             0.9756 of 656 blocks: 0 full waves and a last one that is 97.56 % full\n"));
  EXPECT_THAT(text, HasSubstr("\n  full waves        at a grid of 656 (now 640)\n"));
}

TEST_F(ExplainTest, SaysWhatLimitsALaunchAndWhatLiftsIt) {
  compiler_.resources.spill_bytes = 8;
  compiler_.resources.barriers = 1;
  compiler_.resources.static_shared_bytes = 512;
  compiler_.resources.max_threads = 256;
  EXPECT_EQ(explained(128, 100000),
            R"(twice/twice/BLOCK_SIZE:128/N:100000
on NVIDIA A100-SXM4-40GB, 108 SMs, compiled for sm_80 by fake 1.0

twice: grid 782, block 128
  a thread          80 registers, 8 bytes of spills
  a block           4 warps, 512 bytes of shared memory (512 static, 0 dynamic), 1 barrier, __launch_bounds__ 256
  blocks an SM by   registers 6, shared memory 109, warps 16, block slots 32
  limited by        registers
  occupancy         6 blocks an SM, 37.5 % of its warp slots
  waves             1.207 of 648 blocks: 1 full wave and a last one that is 20.68 % full
  quantisation      60.34 % of the waves' slots have a block
  active SMs        108 of 108
  what lifts it     8 registers fewer (72): 7 blocks an SM (43.75 %), 1.034 waves
                    48 registers fewer (32): 16 blocks an SM (100 %), 0.4525 waves
  full waves        at a grid of 648 or 1296 (now 782)
)");
}

TEST_F(ExplainTest, SaysThatNothingLiftsFullOccupancy) {
  compiler_.resources.registers = 16;
  const std::string text = explained(128, 128 * 108 * 16);
  EXPECT_THAT(text, HasSubstr("  what lifts it     nothing: all 64 warps of an SM are resident\n"));
  EXPECT_THAT(text, HasSubstr("  waves             1 of 1728 blocks: 1 full wave and no tail\n"));
  EXPECT_THAT(text, EndsWith("  full waves        at the grid of 1728 as it is\n"));
}

TEST_F(ExplainTest, SaysThatNothingLiftsABoundedBlock) {
  compiler_.resources.registers = 16;
  compiler_.resources.max_threads = 32;
  EXPECT_THAT(
      explained(32, 400000),
      HasSubstr("  what lifts it     nothing: neither fewer registers, less shared memory nor another "
                "block size\n"));
}

TEST_F(ExplainTest, SaysThatAGridTooSmallGainsNothing) {
  EXPECT_THAT(
      explained(100, 1000),
      EndsWith(
          "  a block           4 warps (28 lanes idle), 0 bytes of shared memory (0 static, 0 dynamic), "
          "0 barriers\n"
          "  blocks an SM by   registers 6, shared memory 164, warps 16, block slots 32\n"
          "  limited by        registers\n"
          "  occupancy         6 blocks an SM, 37.5 % of its warp slots\n"
          "  waves             0.01543 of 648 blocks: 0 full waves and a last one that is 1.543 % full\n"
          "  quantisation      1.543 % of the waves' slots have a block, 78.12 % of their lanes a thread\n"
          "  active SMs        10 of 108\n"
          "  what lifts it     8 registers fewer (72): 7 blocks an SM (43.75 %), 0.01323 waves\n"
          "                    48 registers fewer (32): 16 blocks an SM (100 %), 0.005787 waves\n"
          "                    but the grid has no more blocks than run at once already\n"
          "  full waves        at a grid of 648 (now 10)\n"
          "  all SMs           from a grid of 108 (now 10)\n"));
}

TEST_F(ExplainTest, NamesBlockSizesThatMakeMoreWarpsResident) {
  compiler_.resources.registers = 32;
  EXPECT_THAT(explained(768, 1000000),
              HasSubstr("  what lifts it     block size 512: 4 blocks an SM (100 %)\n"
                        "                    block size 672: 3 blocks an SM (98.44 %)\n"
                        "                    block size 800: 2 blocks an SM (78.12 %)\n"));
}

TEST_F(ExplainTest, SaysWhyALaunchCannotRunAndWhatMakesItFit) {
  EXPECT_THAT(
      explained(1024, 100000),
      EndsWith(
          "  cannot run        81920 registers a block (80 a thread) exceed the 65536 that the device has\n"
          "  what lifts it     16 registers fewer (64): 1 block an SM (50 %), 0.9074 waves\n"
          "                    48 registers fewer (32): 2 blocks an SM (100 %), 0.4537 waves\n"
          "                    block size 768: 1 block an SM (37.5 %)\n"));
}

TEST_F(ExplainTest, MarksCodeOfAnotherCapability) {
  EXPECT_THAT(explained(128, 100000, "v100", 75),
              HasSubstr("on Tesla V100-SXM2-16GB, 80 SMs, compiled for sm_75 by fake 1.0\n"
                        "registers, and what follows from them, are those of code for sm_75, not sm_70\n"));
}

TEST_F(ExplainTest, ShowsAllThatTheCompilerSaysOfABrokenTemplate) {
  compiler_.broken = "BLOCK_SIZE:128";
  compiler_.message = "shared.cu(3): error: no\nshared.cu(4): error: nor this";
  EXPECT_THAT(explained(128, 100000),
              EndsWith("\n\ncompile_error: shared.cu(3): error: no\nshared.cu(4): error: nor this\n"));
}

}  // namespace
}  // namespace tailwave
