// What the CPU device refuses, and what it says of kernels that fail.
#include <gmock/gmock.h>

#include "device/cpu/cpu_executor.h"
#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::CpuTemplate;
using fakes::failure_of;
using fakes::kNothing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(CpuExecutor, RefusesInvalidOptionsBeforeAnythingRuns) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const Launch launch{"nothing", {}, {}, 0, {}};
  const auto run = [&](const RunOptions& options) {
    kernel.executor().run(kernel.program(), std::span(&launch, 1), options);
  };
  EXPECT_THROW(run({.executions = 0}), std::invalid_argument);
  EXPECT_THROW(run({.sets = 2}), std::invalid_argument);
  EXPECT_THROW(run({.executions = 2, .flush_cache = true}), std::invalid_argument);
}

TEST(CpuExecutor, RefusesWhatAGpuWouldRefuse) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto refusal = [&](Dim3 grid, Dim3 block, std::int64_t dynamic_shared_bytes = 0,
                           bool cooperative = false) {
    Launch launch{"nothing", grid, block, dynamic_shared_bytes, {}};
    launch.cooperative = cooperative;
    return failure_of([&] { kernel.run(launch); });
  };
  EXPECT_EQ(
      refusal({1, 1, 1}, {1025, 1, 1}),
      "exceeds_device_limit: invalid configuration argument: 1025 threads a block exceed the device's 1024");
  EXPECT_EQ(
      refusal({1, 1, 1}, {33, 32, 1}),
      "exceeds_device_limit: invalid configuration argument: 1056 threads a block exceed the device's 1024");
  EXPECT_EQ(
      refusal({1, 1, 1}, {1, 1, 65}),
      "exceeds_device_limit: invalid configuration argument: 65 in z exceeds the device's 64 for a block");
  EXPECT_EQ(refusal({1, 65536, 1}, {1, 1, 1}),
            "exceeds_device_limit: invalid configuration argument: 65536 in y exceeds the device's 65535 for "
            "a grid");
  EXPECT_EQ(refusal({0, 1, 1}, {32, 1, 1}),
            "launch_failed: invalid configuration argument: the grid is 0 x 1 x 1");
  EXPECT_EQ(refusal({1, 1, 1}, {32, 0, 1}),
            "launch_failed: invalid configuration argument: the block is 32 x 0 x 1");
  EXPECT_EQ(refusal({1, 1, 1}, {32, 1, 1}, 232449),
            "exceeds_device_limit: invalid configuration argument: 232449 bytes of dynamic shared memory "
            "exceed the "
            "device's 232448");
  EXPECT_EQ(
      refusal({25, 1, 1}, {1024, 1, 1}, 0, true),
      "exceeds_device_limit: too many blocks in cooperative launch: 25 blocks of 1024 threads exceed the "
      "device's 24576 threads at once");
  EXPECT_EQ(refusal({3, 1, 1}, {1024, 1, 1}, 232448), "");
}

TEST(CpuExecutor, RefusesArgumentsThatDoNotFitTheKernel) {
  CpuTemplate kernel("extern \"C\" __global__ void test(float* out, int n) { out[0] = n; }", {"test"});
  const auto out = kernel.buffer<float>({0});
  const auto refusal_of = [&](std::vector<LaunchArgument> arguments) {
    return failure_of([&] { kernel.run({"test", {}, {}, 0, std::move(arguments)}); });
  };
  EXPECT_EQ(refusal_of({out.get()}), "launch_failed: 'test' takes 2 arguments, not 1");
  EXPECT_EQ(refusal_of({scalar(1), scalar(1)}),
            "launch_failed: argument 1 of 'test' is given a scalar, and the kernel takes a pointer");
  EXPECT_EQ(refusal_of({out.get(), out.get()}),
            "launch_failed: argument 2 of 'test' is given a pointer, and the kernel takes a scalar");
  EXPECT_THAT(refusal_of({out.get(), scalar(1.0)}),
              HasSubstr("launch_failed: argument 2 of 'test' is given with 8 bytes, and the kernel takes 4"));
  EXPECT_EQ(failure_of([&] {
              kernel.run({"tset", {}, {}, 0, {}});
            }),
            "launch_failed: the program has no 'tset'");
}

TEST(CpuExecutor, RefusesWhatItCannotLoad) {
  CpuExecutor executor(1);
  EXPECT_EQ(failure_of([&] { executor.load({}); }), "launch_failed: a cubin cannot run on the CPU device");
  Artifact missing;
  missing.kind = Artifact::Kind::cpu_kernels;
  missing.file = "/nowhere/artifact.so";
  EXPECT_THAT(failure_of([&] { executor.load(missing); }),
              StartsWith("compile_error: the compiled code cannot be loaded: /nowhere/artifact.so"));
}

TEST(CpuExecutor, RefusesABufferLargerThanTheMachine) {
  CpuExecutor executor(1);
  EXPECT_EQ(failure_of([&] { executor.allocate(std::size_t{1} << 60); }),
            "out_of_memory: 1152921504606846976 bytes cannot be allocated on this machine");
}

TEST(CpuExecutor, TurnsAnExceptionOfAHostFunctionIntoAFailure) {
  CpuTemplate host(R"(
#include <stdexcept>
extern "C" void fail() { throw std::runtime_error("no more bodies"); }
extern "C" void fail_oddly() { throw 42; })",
                   {"fail", "fail_oddly"}, {}, VariantSpec::Target::host);
  EXPECT_EQ(failure_of([&] { host.run({"fail", {}, {}, 0, {}}); }), "crashed: 'fail' threw: no more bodies");
  EXPECT_EQ(failure_of([&] {
              host.run({"fail_oddly", {}, {}, 0, {}});
            }),
            "crashed: 'fail_oddly' threw: an exception that is no std::exception");
}

TEST(CpuExecutor, TellsDamageOfTheGuardZones) {
  if (!HostToolchain::sanitizers().empty())
    GTEST_SKIP() << "the sanitizer ends the process at the first bad store";
  CpuTemplate kernel(R"(
extern "C" __global__ void test(char* out, int index, int count) { for (int i = 0; i < count; ++i) out[index + i] = 1; })",
                     {"test"});
  const auto damage = [&](int index, int count) {
    const auto out = kernel.buffer<char>(std::vector<char>(1001));
    kernel.run({"test", {}, {}, 0, {out.get(), scalar(index), scalar(count)}});
    return kernel.damage(*out);
  };
  EXPECT_EQ(damage(0, 1001), "");
  EXPECT_EQ(damage(1005, 3), "3 bytes past the end, first at +4");
  EXPECT_EQ(damage(-8, 1), "1 byte before the start, first at -8");
  EXPECT_EQ(damage(-2, 1004), "1 byte past the end, first at +0; 2 bytes before the start, first at -2");
}

TEST(CpuExecutor, WorksOnAfterAFailure) {
  CpuTemplate kernel(R"(
extern "C" __global__ void test(int* out, int bad) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (bad && threadIdx.x == 40) __trap();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
})",
                     {"test"});
  const auto out = kernel.buffer<int>({0, 0, 0, 0});
  const auto run = [&](int bad) {
    kernel.run({"test", {4, 1, 1}, {128, 1, 1}, 0, {out.get(), scalar(bad)}});
  };
  EXPECT_EQ(failure_of([&] { run(1); }), "crashed: __trap() was called");
  EXPECT_EQ(failure_of([&] { run(0); }), "");
  EXPECT_THAT(kernel.values<int>(*out), ElementsAre(128, 128, 128, 128));
}

TEST(CpuExecutor, TellsAFailedAssertionWithItsPlace) {
  CpuTemplate kernel(
      "#include <cassert>\n__global__ void test(int n) {\n  assert(threadIdx.x < n && \"small\");\n}\n",
      {"test"});
  EXPECT_THAT(failure_of([&] {
                kernel.run({"test", {}, {4, 1, 1}, 0, {scalar(3)}});
              }),
              MatchesRegex("crashed: .*kernel.cu:3: block: \\[0,0,0\\], thread: \\[3,0,0\\] Assertion "
                           "`threadIdx.x < n && \"small\"` failed."));
}

// In a process of its own, which the sanitizer ends.
TEST(CpuExecutor, ReportsAnIndexOutOfBoundsWithItsLineInTheTemplate) {
  if (HostToolchain::sanitizers().find("address") == std::string::npos)
    GTEST_SKIP() << "needs a build with TAILWAVE_SANITIZE=address,undefined";
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto run = [](const char* text, std::int64_t dynamic_shared_bytes) {
    CpuTemplate kernel(text, {"test"});
    const auto out = kernel.buffer(std::vector<float>(100));
    kernel.run({"test", {1, 1, 1}, {64, 1, 1}, dynamic_shared_bytes, {out.get()}});
  };
  EXPECT_DEATH(
      run("__global__ void test(float* out) {\n  __syncthreads();\n  out[threadIdx.x + 37] = 1;\n}\n", 0),
      "use-after-poison.*kernel.cu:3");
  EXPECT_DEATH(run("__global__ void test(float* out) {\n  __shared__ float tile[64];\n  __syncthreads();\n"
                   "  tile[threadIdx.x + int(out[0]) + 1] = 1;\n}\n",
                   0),
               "kernel.cu:4:.*index 64 out of bounds");
  EXPECT_DEATH(run("__global__ void test(float* out) {\n  extern __shared__ float tile[];\n"
                   "  tile[threadIdx.x + 1] = 1;\n}\n",
                   256),
               "use-after-poison.*kernel.cu:3");
}

}  // namespace
}  // namespace tailwave
