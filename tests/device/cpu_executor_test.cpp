#include "device/cpu/cpu_executor.h"

#include <gmock/gmock.h>

#include <numeric>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::CpuTemplate;
using fakes::failure_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const char* const kNothing = "extern \"C\" __global__ void nothing() {}\n";

TEST(CpuExecutor, DescribesTheMachineAndTheCoresItUses) {
  const CpuExecutor executor(3);
  EXPECT_EQ(executor.description().kind, "cpu");
  EXPECT_EQ(executor.description().sms, 3);
  EXPECT_THAT(executor.description().name, MatchesRegex(".+ \\(3 cores\\)"));
  EXPECT_THAT(CpuExecutor(1).description().name, MatchesRegex(".+ \\(1 core\\)"));
  EXPECT_GT(executor.description().memory_bytes, 1 << 20);
  EXPECT_EQ(executor.timer(), "steady_clock");
  EXPECT_GE(CpuExecutor().description().sms, 1);
}

TEST(CpuExecutor, RunsALaunchOverEveryThreadOfEveryBlock) {
  CpuTemplate kernel(R"(
extern "C" __global__ void scale(float* values, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
})",
                     {"scale"});
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto buffer = kernel.buffer(values);
  kernel.run({"scale", {16, 1, 1}, {64, 1, 1}, 0, {buffer.get(), scalar(2.0F), scalar(1000)}});
  for (float& value : values) value *= 2;
  EXPECT_EQ(kernel.values<float>(*buffer), values);
}

TEST(CpuExecutor, RunsAllLaunchesInOrderAsOftenAsAsked) {
  CpuTemplate kernel(R"(
extern "C" __global__ void add(int* value, int summand) { value[0] += summand; }
extern "C" __global__ void twice(int* value) { value[0] *= 2; })",
                     {"add", "twice"});
  const auto buffer = kernel.buffer<int>({1});
  const std::vector<Launch> launches{{"add", {}, {}, 0, {buffer.get(), scalar(3)}},
                                     {"twice", {}, {}, 0, {buffer.get()}, 1}};
  EXPECT_GT(kernel.executor().run(kernel.program(), launches, {.executions = 2}).time_ns, 0.0);
  EXPECT_THAT(kernel.values<int>(*buffer), ElementsAre(22));
}

TEST(CpuExecutor, RunsTheSetsInTurnAlsoAsAGraph) {
  CpuTemplate kernel(R"(
extern "C" __global__ void append(int* log, int digit) { log[0] = log[0] * 10 + digit; }
extern "C" __global__ void twice(int* log) { log[0] *= 2; })",
                     {"append", "twice"});
  const auto log = kernel.buffer<int>({0});
  std::vector<Launch> sets;
  for (const int digit : {1, 2, 3}) sets.push_back({"append", {}, {}, 0, {log.get(), scalar(digit)}});
  kernel.executor().run(kernel.program(), sets, {.executions = 5, .sets = 3});
  EXPECT_THAT(kernel.values<int>(*log), ElementsAre(12312));

  sets = {sets[0], {"twice", {}, {}, 0, {log.get()}}, sets[1], {"twice", {}, {}, 0, {log.get()}}};
  const auto cleared = kernel.buffer<int>({0});
  kernel.executor().copy(*log, *cleared);
  kernel.executor().run(kernel.program(), sets, {.executions = 3, .sets = 2, .graph = true});
  EXPECT_THAT(kernel.values<int>(*log), ElementsAre(((1 * 2 * 10 + 2) * 2 * 10 + 1) * 2));
}

TEST(CpuExecutor, LeavesALoopWhenItsValueIsSmallEnough) {
  CpuTemplate kernel(R"(
extern "C" __global__ void halve(double* value) { value[0] /= 2; }
extern "C" __global__ void negate(double* value) { value[0] = -value[0]; })",
                     {"halve", "negate"});
  const auto value = kernel.buffer<double>({8});
  Launch halve{"halve", {}, {}, 0, {value.get()}};
  halve.exit = LoopExit{value.get(), ScalarType::float64, 1.5, 5};
  const std::vector<Launch> plan{halve, halve, halve, halve, halve, {"negate", {}, {}, 0, {value.get()}}};
  kernel.executor().run(kernel.program(), plan, {});
  EXPECT_THAT(kernel.values<double>(*value), ElementsAre(-1));
}

TEST(CpuExecutor, CopiesABufferIntoAConstantVariable) {
  CpuTemplate kernel(R"(
extern "C" {
__constant__ int factors[3];
}
extern "C" __global__ void multiply(int* values) { values[threadIdx.x] *= factors[threadIdx.x]; })",
                     {"multiply"});
  const auto values = kernel.buffer<int>({5, 6, 7}), factors = kernel.buffer<int>({1, 2, 3});
  Launch copy{"factors", {}, {}, 0, {}};
  copy.copied = factors.get();
  const Launch multiply{"multiply", {}, {3, 1, 1}, 0, {values.get()}};
  kernel.executor().run(kernel.program(), std::vector<Launch>{copy, multiply}, {});
  EXPECT_THAT(kernel.values<int>(*values), ElementsAre(5, 12, 21));
  const auto more = kernel.buffer<int>({1, 2, 3, 4});
  copy.copied = more.get();
  EXPECT_EQ(failure_of([&] { kernel.run(copy); }),
            "launch_failed: the variable 'factors' has 12 bytes, the buffer to copy into it 16");
  copy.kernel = "terms";
  EXPECT_EQ(failure_of([&] { kernel.run(copy); }),
            "launch_failed: the program has no variable 'terms'; it has to be extern \"C\" and not static");
}

TEST(CpuExecutor, FillsABufferWithAByte) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto buffer = kernel.buffer<int>({1, 2});
  kernel.executor().fill(*buffer, std::byte{0xFF});
  EXPECT_THAT(kernel.values<int>(*buffer), ElementsAre(-1, -1));
}

TEST(CpuExecutor, FlushesTheCachesBeforeTheTimeStarts) {
  CpuTemplate kernel("extern \"C\" __global__ void increment(int* value) { value[0] += 1; }\n",
                     {"increment"});
  const auto value = kernel.buffer<int>({0});
  const Launch launch{"increment", {}, {}, 0, {value.get()}};
  for (int i = 0; i < 2; ++i) {
    const RunResult result =
        kernel.executor().run(kernel.program(), std::span(&launch, 1), {.flush_cache = true});
    EXPECT_GT(result.time_ns, 0);
    EXPECT_EQ(result.sm_clock_mhz, std::nullopt);
    EXPECT_EQ(result.temperature_c, std::nullopt);
    EXPECT_EQ(result.throttle_reasons, "");
  }
  EXPECT_THAT(kernel.values<int>(*value), ElementsAre(2));
}

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

TEST(CpuExecutor, CopiesBetweenBuffersOfOneSize) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto from = kernel.buffer<int>({1, 2, 3});
  const auto to = kernel.buffer<int>({0, 0, 0});
  kernel.executor().copy(*to, *from);
  EXPECT_THAT(kernel.values<int>(*to), ElementsAre(1, 2, 3));
  const auto shorter = kernel.buffer<int>({1});
  EXPECT_THROW(kernel.executor().copy(*to, *shorter), std::invalid_argument);
}

TEST(CpuExecutor, HasNoNotionOfBlocksPerSm) {
  CpuTemplate kernel(kNothing, {"nothing"});
  EXPECT_EQ(kernel.executor().blocks_per_sm(kernel.program(), {"nothing", {}, {}, 0, {}}), std::nullopt);
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
            "launch_failed: argument 1 of 'test' is a pointer, not a scalar");
  EXPECT_EQ(refusal_of({out.get(), out.get()}),
            "launch_failed: argument 2 of 'test' is a scalar, not a pointer");
  EXPECT_EQ(refusal_of({out.get(), scalar(1.0)}), "launch_failed: argument 2 of 'test' has 4 bytes, not 8");
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
              StartsWith("launch_failed: the compiled code cannot be loaded: /nowhere/artifact.so"));
}

TEST(CpuExecutor, RefusesABufferLargerThanTheMachine) {
  CpuExecutor executor(1);
  EXPECT_EQ(failure_of([&] { executor.allocate(std::size_t{1} << 60); }),
            "out_of_memory: 1152921504606846976 bytes cannot be allocated on this machine");
}

TEST(CpuExecutor, CallsHostFunctionsWithTheirArguments) {
  CpuTemplate host(R"(
#include <cstdint>
extern "C" void fill(double* out, int64_t count, float value, const int* summand) {
  for (int64_t i = 0; i < count; ++i) out[i] = value + *summand;
})",
                   {"fill"}, {}, VariantSpec::Target::host);
  const auto out = host.buffer<double>({0, 0, 0});
  const auto summand = host.buffer<int>({2});
  host.run({"fill", {}, {}, 0, {out.get(), scalar(std::int64_t{3}), scalar(0.5F), summand.get()}});
  EXPECT_THAT(host.values<double>(*out), ElementsAre(2.5, 2.5, 2.5));
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
    return kernel.executor().guard_damage(*out);
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

TEST(CpuExecutor, KeepsTwoBuildsOfOneTemplateApart) {
  const char* text = R"(
template <int unused> __device__ int* counter() { __shared__ int values[SIZE]; return values; }
extern "C" __global__ void test(int* out) {
  for (int i = threadIdx.x; i < SIZE; i += blockDim.x) counter<0>()[i] = SIZE;
  __syncthreads();
  out[threadIdx.x] = counter<0>()[SIZE - 1 - threadIdx.x];
})";
  CpuTemplate small(text, {"test"}, {{"SIZE", std::int64_t{2}}});
  CpuTemplate large(text, {"test"}, {{"SIZE", std::int64_t{4096}}});
  const auto of_large = large.buffer<int>({0, 0});
  large.run({"test", {}, {2, 1, 1}, 0, {of_large.get()}});
  const auto of_small = small.buffer<int>({0, 0});
  small.run({"test", {}, {2, 1, 1}, 0, {of_small.get()}});
  EXPECT_THAT(large.values<int>(*of_large), ElementsAre(4096, 4096));
  EXPECT_THAT(small.values<int>(*of_small), ElementsAre(2, 2));
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
