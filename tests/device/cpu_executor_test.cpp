#include "device/cpu/cpu_executor.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::CpuTemplate;
using fakes::failure_of;
using fakes::kNothing;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

TEST(CpuExecutor, DescribesTheMachineAndTheCoresItUses) {
  const CpuExecutor executor(3);
  EXPECT_EQ(executor.description().kind, DeviceKind::cpu);
  EXPECT_EQ(executor.description().sms, 3);
  EXPECT_THAT(executor.description().name, MatchesRegex(".+ \\(3 cores\\)"));
  EXPECT_THAT(CpuExecutor(1).description().name, MatchesRegex(".+ \\(1 core\\)"));
  EXPECT_GT(executor.description().memory_bytes, 1 << 20);
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

TEST(CpuExecutor, TracesWhenAndOnWhichCoreEachBlockRan) {
  CpuTemplate kernel("extern \"C\" __global__ void mark(int* blocks) { blocks[blockIdx.x] += 1; }\n",
                     {"mark"});
  const auto buffer = kernel.buffer(std::vector<int>(40));
  const Launch launch{"mark", {40, 1, 1}, {32, 1, 1}, 0, {buffer.get()}};
  const LaunchTrace trace = kernel.executor().trace(kernel.program(), launch, {});
  ASSERT_EQ(trace.blocks.size(), 40U);
  EXPECT_EQ(trace.registers, 0);
  EXPECT_EQ(trace.blocks[7].block, 7);
  EXPECT_EQ(trace.duration_ns, seen_duration_ns(trace.blocks));
  for (const BlockTime& block : trace.blocks) {
    EXPECT_GT(block.start_ns, 0);
    EXPECT_GE(block.end_ns, block.start_ns);
    EXPECT_EQ(block.left_ns, block.end_ns);
    EXPECT_EQ(block.weight, 1);
    EXPECT_LT(block.sm, kernel.executor().description().sms);
  }
  EXPECT_EQ(kernel.values<int>(*buffer), std::vector<int>(40, 32));
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
  kernel.restore({log.get(), cleared.get()});
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

TEST(CpuExecutor, CopiesBuffersIntoOthersWhereverTheyLie) {
  CpuTemplate kernel("extern \"C\" __global__ void add_one(int* values) { values[threadIdx.x] += 1; }",
                     {"add_one"});
  const auto from = kernel.buffer<int>({5, 6, 7});
  const auto on_host = kernel.executor().allocate_at({0, MemoryKind::pageable}, 3 * sizeof(int));
  Launch there{"copy"}, back{"copy"}, moved{"prefetch"};
  there.copied = back.copied_to = from.get();
  there.copied_to = back.copied = moved.prefetched = on_host.get();
  const Launch add_one{"add_one", {}, {3, 1, 1}, 0, {from.get()}};
  kernel.executor().run(kernel.program(), std::vector<Launch>{there, add_one, add_one, moved}, {});
  EXPECT_THAT(kernel.values<int>(*from), ElementsAre(7, 8, 9));
  EXPECT_THAT(kernel.values<int>(*on_host), ElementsAre(5, 6, 7));
  kernel.run(back);
  EXPECT_THAT(kernel.values<int>(*from), ElementsAre(5, 6, 7));
  const auto more = kernel.buffer<int>({1, 2, 3, 4});
  there.copied_to = more.get();
  EXPECT_EQ(failure_of([&] { kernel.run(there); }),
            "launch_failed: a buffer of 12 bytes is to be copied into one of 16");
}

TEST(CpuExecutor, RestoresBuffersFromOthersOrWithAByte) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto from = kernel.buffer<int>({1, 2, 3}), to = kernel.buffer<int>({0, 0, 0}),
             filled = kernel.buffer<int>({1, 2});
  const std::vector<Restoration> both{{.to = to.get(), .from = from.get()},
                                      {.to = filled.get(), .byte = std::byte{0xFF}}};
  kernel.executor().restore(both);
  EXPECT_THAT(kernel.values<int>(*to), ElementsAre(1, 2, 3));
  EXPECT_THAT(kernel.values<int>(*filled), ElementsAre(-1, -1));
  EXPECT_EQ(kernel.damage(*to) + kernel.damage(*filled), "");
}

// The run before leaves 20, which is added to again unless the run begins afresh.
TEST(CpuExecutor, BeginsEachOfSeveralRunsAfreshAndPreparesIt) {
  CpuTemplate kernel(R"(
extern "C" __global__ void add(int* value, int summand) { value[0] += summand; }
extern "C" __global__ void twice(int* value) { value[0] *= 2; })",
                     {"add", "twice"});
  const auto from = kernel.buffer<int>({7}), value = kernel.buffer<int>({0});
  const std::vector<Launch> prepare{{"add", {}, {}, 0, {value.get(), scalar(3)}}};
  const std::vector<Launch> launches{{"twice", {}, {}, 0, {value.get()}}};
  const FreshStart start{{{.to = value.get(), .from = from.get()}}, prepare};
  const std::vector<RunResult> runs = kernel.executor().repeat(kernel.program(), start, launches, {}, 3);
  ASSERT_EQ(runs.size(), 3U);
  for (const RunResult& run : runs) EXPECT_GT(run.time_ns, 0);
  EXPECT_THAT(kernel.values<int>(*value), ElementsAre(20));
  kernel.executor().repeat(kernel.program(), {{}, prepare}, launches, {.executions = 2}, 2);
  EXPECT_THAT(kernel.values<int>(*value), ElementsAre(((20 + 3) * 4 + 3) * 4));
}

TEST(CpuExecutor, BeginsRunsWithRandomNumbersOfDrawsOfTheirOwn) {
  CpuTemplate kernel(R"(
extern "C" __global__ void collect(int* seen, const int* value) { seen[0] = seen[0] * 1000 + value[0]; })",
                     {"collect"});
  const auto value = kernel.buffer<int>({0}), seen = kernel.buffer<int>({0});
  const std::vector<Launch> launches{{"collect", {}, {}, 0, {seen.get(), value.get()}}};
  const RandomFill fill{ScalarType::int32, 100, 1000, 7, 1};
  const auto number_of = [&](std::uint64_t draw) {
    RandomFill of_draw = fill;
    of_draw.draw = draw;
    int number = 0;
    fill_randomly(of_draw, 0, std::as_writable_bytes(std::span(&number, 1)));
    return number;
  };
  const FreshStart start{.restored = {{.to = value.get(), .random = fill}}, .others = 2, .other_draws = 50};
  kernel.executor().repeat(kernel.program(), start, launches, {}, 3);
  EXPECT_THAT(kernel.values<int>(*seen),
              ElementsAre((number_of(51) * 1000 + number_of(52)) * 1000 + number_of(1)));
}

// A double just below 1 is the float 1.
TEST(RandomFill, StaysBelowItsUpperBoundWhateverRoundsUp) {
  constexpr std::size_t kCount = std::size_t{1} << 22;
  std::vector<float> numbers(kCount);
  float largest = 0;
  for (std::uint64_t draw = 0; draw < 16; ++draw) {
    fill_randomly({ScalarType::float32, 0, 1, 3, draw}, 0, std::as_writable_bytes(std::span(numbers)));
    largest = std::max(largest, *std::max_element(numbers.begin(), numbers.end()));
  }
  EXPECT_EQ(largest, std::nextafter(1.0F, 0.0F));
}

TEST(CpuExecutor, ReadsContentsAndGuardsOfSeveralBuffersAtOnce) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto first = kernel.buffer<int>({1, 2, 3}), second = kernel.buffer<int>({4});
  std::vector<int> one(3), other(1);
  EXPECT_THAT(kernel.executor().read({{first.get(), second.get()},
                                      {{second.get(), std::as_writable_bytes(std::span(other))},
                                       {first.get(), std::as_writable_bytes(std::span(one))}}}),
              ElementsAre("", ""));
  EXPECT_THAT(one, ElementsAre(1, 2, 3));
  EXPECT_THAT(other, ElementsAre(4));
}

TEST(CpuExecutor, SharesNoMemoryWithAnotherProcess) {
  CpuTemplate kernel(kNothing, {"nothing"});
  EXPECT_EQ(kernel.executor().share(*kernel.buffer<int>({1})), std::vector<std::byte>());
}

// A share of the blocks of a run, in memory that another thread reads meanwhile.
TEST(CpuExecutor, NotesWhichShareOfARunIsDone) {
  CpuTemplate kernel("extern \"C\" __global__ void mark(int* blocks) { blocks[blockIdx.x] += 1; }\n",
                     {"mark"});
  const auto buffer = kernel.buffer(std::vector<int>(64));
  std::atomic<double> share{-1};
  kernel.executor().report_progress(&share);
  const Launch launch{"mark", {64, 1, 1}, {32, 1, 1}, 0, {buffer.get()}};
  for (int i = 0; i < 3; ++i) {
    kernel.executor().run(kernel.program(), std::vector<Launch>{launch, launch}, {.executions = 5});
    EXPECT_GT(share, 0);
    EXPECT_LE(share, 1);
  }
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

TEST(CpuExecutor, CopiesOnlyWhatFitsExactly) {
  CpuTemplate kernel(kNothing, {"nothing"});
  const auto buffer = kernel.buffer<int>({1, 2, 3}), shorter = kernel.buffer<int>({1});
  std::vector<std::byte> bytes(13);
  const auto refusal = [](auto action) -> std::string {
    try {
      action();
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([&] {
              kernel.restore({buffer.get(), shorter.get()});
            }),
            "a buffer of 12 bytes and 4 bytes of data");
  EXPECT_EQ(refusal([&] { kernel.executor().upload(*buffer, bytes); }),
            "a buffer of 12 bytes and 13 bytes of data");
  EXPECT_EQ(refusal([&] { kernel.executor().download(*buffer, bytes); }),
            "a buffer of 12 bytes and 13 bytes of data");
  EXPECT_EQ(refusal([&] {
              kernel.executor().read({{}, {{shorter.get(), bytes}}});
            }),
            "a buffer of 4 bytes and 13 bytes of data");
  EXPECT_THAT(kernel.values<int>(*buffer), ElementsAre(1, 2, 3));
}

// What a kernel remembers in variables would let later runs do less than the first.
TEST(CpuExecutor, StartsFreshWithTheVariablesThatTheProgramWasLoadedWith) {
  CpuTemplate kernel(R"(
__device__ int plain = 3;
static __device__ int hidden;
namespace { __device__ int unnamed[2]; }
template <int N> __device__ int in_template = N;
extern "C" __global__ void count(int* out) {
  static int in_function = 40;
  out[0] = ++plain;
  out[1] = ++hidden;
  out[2] = ++unnamed[1];
  out[3] = ++in_template<7>;
  out[4] = ++in_function;
})",
                     {"count"});
  const auto from = kernel.buffer<int>(std::vector<int>(5)), out = kernel.buffer<int>(std::vector<int>(5));
  const Launch launch{"count", {}, {}, 0, {out.get()}};
  const auto run = [&](const FreshStart& start) {
    kernel.executor().repeat(kernel.program(), start, std::span(&launch, 1), {}, 3);
    return kernel.values<int>(*out);
  };
  EXPECT_THAT(run({{{out.get(), from.get()}}, {}}), ElementsAre(4, 1, 1, 8, 41));
  EXPECT_THAT(run({}), ElementsAre(7, 4, 4, 11, 44));
  EXPECT_THAT(run({{{out.get(), from.get()}}, {}}), ElementsAre(4, 1, 1, 8, 41));
}

TEST(CpuExecutor, HasNoNotionOfBlocksPerSm) {
  CpuTemplate kernel(kNothing, {"nothing"});
  EXPECT_EQ(kernel.executor().blocks_per_sm(kernel.program(), std::vector<Launch>(2)),
            std::vector<std::optional<int>>(2));
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

TEST(CpuExecutor, KeepsTwoBuildsOfOneTemplateApart) {
  const char* text = R"(
template <int unused> __device__ int* counter() { __shared__ int values[SIZE]; return values; }
extern "C" __global__ void test(int* out) {
  for (int i = threadIdx.x; i < SIZE; i += blockDim.x) counter<0>()[i] = SIZE;
  __syncthreads();
  out[threadIdx.x] = counter<0>()[SIZE - 1 - threadIdx.x];
})";
  CpuTemplate small(text, {"test"}, {{"SIZE", std::int64_t{2}}});
  const auto of_small = small.buffer<int>({0, 0});
  small.run({"test", {}, {2, 1, 1}, 0, {of_small.get()}});
  CpuTemplate large(text, {"test"}, {{"SIZE", std::int64_t{4096}}});
  const auto of_large = large.buffer<int>({0, 0});
  large.run({"test", {}, {2, 1, 1}, 0, {of_large.get()}});
  EXPECT_THAT(large.values<int>(*of_large), ElementsAre(4096, 4096));
  EXPECT_THAT(small.values<int>(*of_small), ElementsAre(2, 2));
}

}  // namespace
}  // namespace tailwave
