#include "measure/reference.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "fakes/fake_device.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using fakes::FakeExecutor;
using testing::HasSubstr;

void multiply(const Launch& launch, float by) {
  fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
  for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= by;
}

// The reference is the cuda variant "twice" with its default parameters, as in a T1 file.
class KernelReferenceTest : public testing::Test {
 protected:
  KernelReferenceTest() {
    experiment_.system.reference.variant = "twice";
    experiment_.system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
    cpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, 2); };
    gpu_.kernels["twice"] = [](const Launch& launch) { multiply(launch, 3); };
  }

  float first_expected(ReferenceProvider& reference) {
    const auto expected = reference.expected(experiment_.system, {{"N", std::int64_t{64}}}, 0);
    float first = 0;
    std::memcpy(&first, expected->at("x").data(), sizeof first);
    return first;
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler host_, cpu_kernels_, kernels_;
  FakeExecutor cpu_{"cpu"}, gpu_{"cuda"};
};

TEST_F(KernelReferenceTest, IsComputedOnTheCpu) {
  ReferenceProvider reference(host_, cpu_, {&cpu_kernels_, &kernels_, &gpu_});
  EXPECT_EQ(first_expected(reference), 2);
  EXPECT_EQ(reference.weakness(), "");
  EXPECT_EQ(cpu_kernels_.builds, 1);
  EXPECT_EQ(host_.builds, 0);
  EXPECT_EQ(gpu_.runs, 0);
}

TEST_F(KernelReferenceTest, IsComputedOnTheGpuWhereTheCpuCannotAndSaysSo) {
  cpu_kernels_.broken = "twice";
  cpu_kernels_.message = "scale.cu:3: no textures here\nmore";
  ReferenceProvider reference(host_, cpu_, {&cpu_kernels_, &kernels_, &gpu_});
  EXPECT_EQ(first_expected(reference), 3);
  EXPECT_EQ(reference.weakness(),
            "compared with the default configuration on the same GPU, since it cannot run on the CPU: "
            "compile_error: scale.cu:3: no textures here");
}

TEST_F(KernelReferenceTest, EndsTheRunWhereNothingComputesIt) {
  cpu_kernels_.broken = "twice";
  ReferenceProvider reference(host_, cpu_, {&cpu_kernels_, &cpu_kernels_, &cpu_});
  try {
    first_expected(reference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "kernel_templates/twice/system.json: /KernelSpecification: the reference, the default "
                 "configuration, cannot be computed, so nothing can be verified\n  shared.cu(3): error: no");
  }
}

TEST_F(KernelReferenceTest, MayNotWriteBeyondItsBuffers) {
  cpu_.kernels["twice"] = [](const Launch& launch) {
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    x.bytes[x.size_bytes()] = std::byte{0};
  };
  ReferenceProvider reference(host_, cpu_, {&cpu_kernels_, &cpu_kernels_, &cpu_});
  try {
    first_expected(reference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("guard words of buffer 'x' overwritten: 1 byte past the end"));
  }
}

TEST_F(KernelReferenceTest, HasADeadlineOnlyWhereTheGpuCanStepIn) {
  ReferenceProvider with_gpu(host_, cpu_, {&cpu_kernels_, &kernels_, &gpu_});
  first_expected(with_gpu);
  EXPECT_EQ(cpu_.deadline_s, ReferenceProvider::kKernelDeadlineS);
  ReferenceProvider without(host_, cpu_, {&cpu_kernels_, &cpu_kernels_, &cpu_});
  first_expected(without);
  EXPECT_EQ(cpu_.deadline_s, ReferenceProvider::kHostDeadlineS);
}

}  // namespace
}  // namespace tailwave
