#include <gmock/gmock.h>

#include <ostream>

#include "report/explanation.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What was recorded of a configuration on an H200's 132 SMs at 1.98 GHz: instructions of warps, the share of cycles in
// which an SM has warps and how many it has then, and its main launch.
struct Recorded {
  double us, instructions, busy_sms, busy_warps;
  int grid, block, blocks_per_sm;
};

ExplainedSide side(const Recorded& one) {
  constexpr int kSms = 132, kCyclesOfUs = 1980;
  ExplainedSide side;
  side.mode = "isolated";
  side.sms = kSms;
  side.median_ns = 1000 * one.us;
  side.times_ns.repetitions.resize(5);
  for (int i = -10; i < 10; ++i)
    side.times_ns.repetitions.at((i + 10) % 5).push_back(side.median_ns * (1 + 1e-4 * (i + 0.5)));
  side.waves = WaveFacts{.kernel = "k",
                         .grid = one.grid,
                         .block = one.block,
                         .blocks_per_sm = one.blocks_per_sm,
                         .waves = static_cast<double>(one.grid) / (kSms * one.blocks_per_sm)};
  const double cycles = kCyclesOfUs * one.us, active = one.busy_sms * cycles;
  side.counted.emplace().sums = {{"gpu__time_duration.sum", 1000 * one.us},
                                 {"sm__cycles_elapsed.avg", cycles},
                                 {"sm__cycles_active.avg", active},
                                 {"smsp__inst_executed.sum", one.instructions},
                                 {"sm__warps_active.sum", kSms * active * one.busy_warps}};
  return side;
}

struct Case {
  const char* name;
  Recorded fast, slow;
  const char* quantity;
  const char* says;  // that the sentence has
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class ExplainedCause : public testing::TestWithParam<Case> {};

TEST_P(ExplainedCause, ComesBehindTheTimes) {
  const auto& [name, fast, slow, quantity, says] = GetParam();
  const Explanation found = explain(side(fast), side(slow));
  EXPECT_EQ(found.numbers.at(1).quantity, quantity);
  EXPECT_THAT(found.numbers.at(1).says, HasSubstr(says));
  // Whichever is called A.
  EXPECT_EQ(explain(side(slow), side(fast), {"B", "A"}).numbers.at(1).says, found.numbers.at(1).says);
}

constexpr Recorded kBasic32{423.2, 1.077e7, 0.939, 1.001, 128, 32, 32},
    kShared32{15.1, 7.75e6, 0.669, 22.04, 1024, 128, 16}, kTuned{10.6, 5.1e6, 0.7, 15.49, 544, 128, 5};

INSTANTIATE_TEST_SUITE_P(
    OfRecordedPairs, ExplainedCause,
    testing::Values(
        Case{
            "a grid of 4 blocks",
            kBasic32,
            {470.2, 1.077e7, 0.030, 31.73, 4, 1024, 2},
            "SMs that have warps",
            "The main cause: more SMs have warps, 93.9 % against 3 % of the cycles, since the grid of its main "
            "kernel has 128 against 4 blocks of 32 against 1024 threads for 132 SMs. That alone makes 31.3 times; "
            "an SM that has warps executes 0.10"},
        Case{"8 blocks against 4",
             {349.1, 1.077e7, 0.059, 15.98, 8, 512, 4},
             {438.0, 1.077e7, 0.030, 31.91, 4, 1024, 2},
             "SMs that have warps",
             "has 8 against 4 blocks"},
        Case{"2 blocks that fill their SMs",
             {42.1, 2.53e6, 0.444, 1.0, 64, 32, 32},
             {179.0, 2.51e6, 0.0149, 31.95, 2, 1024, 2},
             "SMs that have warps",
             "has 64 against 2 blocks"},
        Case{"16 blocks against 2",
             {325.3, 7.8e6, 0.120, 4.0, 16, 128, 12},
             {579.8, 7.78e6, 0.015, 31.98, 2, 1024, 1},
             "SMs that have warps",
             "has 16 against 2 blocks"},
        Case{"blocks for all SMs, and an end at which most idle",
             {86.6, 2.59e7, 0.927, 60.12, 16384, 512, 4},
             {154.8, 2.74e7, 0.673, 60.79, 65536, 128, 16},
             "SMs that have warps",
             "92.7 % against 67.3 % of the cycles, not for want of blocks"},
        Case{
            "4 warps on an SM",
            kShared32,
            {25.7, 7.59e6, 0.818, 3.99, 128, 128, 16},
            "warps on an SM that has any",
            "The main cause: more warps hide latency, 22.04 against 3.99 on an SM that has any, since the grid of "
            "its main kernel, 1024 against 128 blocks of 128 threads for 132 SMs, gives an SM 32 against 4 at "
            "once: fewer than 8 cannot hide it. It executes "},
        Case{
            "1 warp on an SM", kTuned, kBasic32, "warps on an SM that has any",
            "544 against 128 blocks of 128 against 32 threads for 132 SMs, gives an SM 20 against 1 at once"},
        Case{"half a wave of small blocks",
             {2114.6, 1.93e9, 0.984, 60.65, 8192, 256, 8},
             {7146.0, 2.75e9, 0.975, 15.52, 512, 128, 16},
             "warps on an SM that has any",
             "gives an SM 64 against 16 at once. "},
        Case{"the third law", kTuned, kShared32, "instructions of warps",
             "The main cause: warps execute fewer instructions, 5.1 M against 7.75 M (1.52 times)."},
        Case{"31 of 32 lanes idle",
             kBasic32,
             {460.5, 3.45e8, 0.985, 30.36, 4096, 1, 32},
             "instructions of warps",
             "(32.03 times), since 100 % against 3.1 % of a warp's lanes have a thread."},
        Case{"the last eighth of the lanes",
             {7146.0, 2.755e9, 0.975, 15.52, 512, 128, 16},
             {30485.8, 2.204e10, 0.932, 31.62, 16384, 4, 32},
             "instructions of warps",
             "(8 times), since 100 % against 12.5 % of a warp's lanes have a thread."},
        Case{"phases by rotation",
             {147.4, 3.06e7, 0.896, 9.86, 1000, 256, 1},
             {312.7, 6.95e7, 0.942, 8.82, 5000, 256, 1},
             "instructions of warps",
             "(2.271 times)."},
        Case{"roots by the special function unit",
             {53.7, 2.53e6, 0.114, 4.0, 16, 128, 16},
             {116.5, 2.52e6, 0.112, 4.0, 16, 128, 12},
             "cycles of a warp an instruction",
             "The main cause: a warp takes fewer cycles for an instruction, 2.5"},
        Case{"an atomic addition a thread",
             {233.7, 5.77e6, 0.903, 53.05, 16384, 256, 8},
             {7362.2, 3.8e6, 0.990, 51.90, 16384, 256, 8},
             "cycles of a warp an instruction",
             "The main cause: a warp takes fewer cycles"},
        Case{"as many warps on fewer SMs",
             {349.1, 1.077e7, 0.059, 15.98, 8, 512, 4},
             {356.0, 1.077e7, 0.929, 1.0, 128, 32, 32},
             "instructions a cycle of an SM that has warps",
             "The main cause: an SM that has warps executes more instructions a cycle"}),
    [](const auto& one) { return "Pair" + std::to_string(one.index); });

TEST(ExplainedCauseBeside, SaysOfBusySmsThatAreNotTheCause) {
  EXPECT_THAT(
      explain(side({349.1, 1.077e7, 0.059, 15.98, 8, 512, 4}),
              side({356.0, 1.077e7, 0.929, 1.0, 128, 32, 32}))
          .paragraph(),
      HasSubstr(" It is so although SMs have warps in 5.9 % against 92.9 % of the cycles, since the grid of "
                "its main kernel has 8 against 128 blocks of 512 against 32 threads for 132 SMs."));
  EXPECT_THAT(
      explain(side({42.0, 2.5e6, 0.9, 4, 640, 32, 32}), side({290, 7.8e6, 0.6, 8, 80, 256, 5})).paragraph(),
      HasSubstr(" Beside that, SMs have warps in 90 % against 60 % of the cycles, since the grid"));
}

TEST(ExplainedCauseBeside, SaysWhereNoFactorIsMostOfIt) {
  EXPECT_THAT(
      explain(side({10, 1e6, 1, 16, 1024, 128, 16}), side({20, 1.33e6, 0.9, 13, 1024, 128, 16})).paragraph(),
      HasSubstr("There are several causes, the largest of which: "));
}

TEST(ExplainedCauseBeside, IsFewerBytesNearAMemorysPeak) {
  ExplainedSide a = side({10, 1e6, 1, 32, 1024, 128, 16}), b = side({30, 1e6, 1, 32, 1024, 128, 16});
  a.counted->sums.insert({{"dram__bytes_read.sum", 1e7}, {"dram__bytes_write.sum", 0}});
  b.counted->sums.insert({{"dram__bytes_read.sum", 3e7}, {"dram__bytes_write.sum", 0}});
  a.counted->units = b.counted->units = {{"dram", 0.8}};
  EXPECT_EQ(
      explain(a, b).numbers.at(1).says,
      "The main cause: DRAM moves fewer bytes, 10 MB against 30 MB (3 times), and B drives it to 80 % of its "
      "peak.");
  b.counted->units = {{"dram", 0.5}};
  EXPECT_EQ(explain(a, b).numbers.at(1).quantity, "cycles of a warp an instruction");
}

TEST(ExplainedCauseBeside, IsOfTheLaunchesWhereNothingWasCounted) {
  const auto uncounted = [](const Recorded& one) {
    ExplainedSide facts = side(one);
    facts.counted.reset();
    return facts;
  };
  const auto cause = [&](const Recorded& fast, const Recorded& slow) {
    return explain(uncounted(fast), uncounted(slow)).numbers.at(1).says;
  };
  EXPECT_EQ(
      cause({428.5, 0, 0, 0, 128, 32, 32}, {468.7, 0, 0, 0, 4, 1024, 2}),
      "By its launches, without counters, the main cause would be: more SMs get work, 97 % against 3 %, since "
      "the grid of its main kernel has 128 against 4 blocks of 32 against 1024 threads for 132 SMs. That alone "
      "makes 32 times; their balance, lanes and hiding of latency together 4 times.");
  EXPECT_THAT(cause({428.5, 0, 0, 0, 132, 32, 32}, {1000, 0, 0, 0, 4224, 1, 32}),
              HasSubstr("would be: 100 % against 3.1 % of the lanes of a warp have a thread. "));
  EXPECT_THAT(cause({15.1, 0, 0, 0, 1056, 128, 16}, {25.7, 0, 0, 0, 132, 128, 16}),
              HasSubstr("would be: more warps hide latency, 32 against 4 on an SM at once, since "));
  EXPECT_THAT(cause({15.1, 0, 0, 0, 264, 1024, 2}, {25.7, 0, 0, 0, 265, 1024, 2}),
              HasSubstr("would be: the last wave leaves less idle, "));
  EXPECT_THAT(
      explain(uncounted({10, 0, 0, 0, 264, 256, 8}), uncounted({20, 0, 0, 0, 264, 256, 8})).paragraph(),
      Not(HasSubstr("cause")));
}

}  // namespace
}  // namespace tailwave
