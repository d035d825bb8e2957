// choose() of headers that are written, compiled and run.
#include "interchange/choice_header.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "fakes/run_cpp.h"
#include "interchange/launch_grids.h"
#include "interchange/wisdom_header.h"

namespace tailwave {
namespace {

constexpr WaveSlots kSlots{528, 132};

double blocks_of(int block_size, int n) {
  return std::ceil(n / static_cast<double>(block_size));
}

// A staircase of waves over the size: larger blocks have longer waves, and fewer.
double cost_of(int block_size, int n) {
  const double speed = block_size == 128 ? 1 : block_size == 256 ? 0.93 : 0.97;
  return 2000 + 1e-3 * speed * n * block_size * wave_time(blocks_of(block_size, n), kSlots, 4);
}

ChoiceTrial trial(int block_size, const Values& problem, double cost) {
  Series samples{{{}}};
  for (int i = 0; i < 20; ++i) samples.repetitions[0].push_back(cost * (1 + 1e-4 * (i % 5)));
  return {
      {"nbody", "shared", {{"BLOCK_SIZE", block_size}}, problem}, "", {{"GPU-1", false, samples}}, {}, {}};
}

Wisdom wisdom_of(const std::vector<ChoiceTrial>& trials) {
  Wisdom wisdom{"nbody", "tuning", "time", false, {}};
  wisdom.entries.push_back({"NVIDIA H100", 90, 132, trials.front().configuration, 1, ""});
  wisdom.standard = Configuration{"nbody", "shared", {{"BLOCK_SIZE", 128}}, {}};
  SafeChoice choice = safe_choice(trials, *wisdom.standard);
  if (choice.candidates.size() > 1) wisdom.choices.push_back({"NVIDIA H100", 90, 132, std::move(choice)});
  return wisdom;
}

class ChoiceHeader : public ::testing::Test {
 protected:
  // What calls of `show(device, problem...)` print: the BLOCK_SIZE that choose() takes, "default" behind that.
  std::string shown(const Wisdom& wisdom, const std::string& calls, const std::string& options = "",
                    const std::string& before_main = "") {
    folder_.write("header.h", wisdom_header(wisdom));
    return run_cpp(folder_,
                   R"(
#include <cstdio>
#include "header.h"
using namespace tailwave_wisdom::nbody_tuning;
[[maybe_unused]] static void show(const Choice& choice) {
  std::printf("%d%s\n", static_cast<int>(choice.configuration.BLOCK_SIZE), choice.is_default ? " default" : "");
}
[[maybe_unused]] static Problem size(int n) {
  Problem problem;
  problem.N = n;
  return problem;
}
)" + before_main + "int main() {\n" +
                       calls + "}\n",
                   options);
  }

  ScratchFolder folder_;
};

// Block sizes 128, 64 and 256 on sizes that are a fourth apart.
Wisdom with_waves() {
  std::vector<ChoiceTrial> trials;
  for (int n = 20'000; n < 1'000'000; n = n * 5 / 4) {
    for (const int block_size : {128, 64, 256}) {
      trials.push_back(trial(block_size, {{"N", n}}, cost_of(block_size, n)));
      trials.back().blocks = blocks_of(block_size, n);
      trials.back().slots = kSlots;
    }
  }
  Wisdom wisdom = wisdom_of(trials);
  const Expression one = Expression::constant(1);
  wisdom.grids["shared"] = {Expression::parse("ceil_div(N, BLOCK_SIZE)"), one, one};
  return wisdom;
}

TEST_F(ChoiceHeader, IsNeverSlowerThanTheDefaultAtSizesThatWereNotMeasured) {
  std::string calls;
  std::vector<int> sizes;
  for (int n = 20'011; n < 700'000; n += 1 + n / 75) sizes.push_back(n);
  ASSERT_GT(sizes.size(), 250U);
  for (const int n : sizes)
    calls += fmt::format(
        "  show(choose(\"NVIDIA H100\", size({0})));\n"
        "  std::printf(\"%d\\n\", static_cast<int>(best(\"NVIDIA H100\", 90, 132, size({0})).configuration.BLOCK_SIZE));\n",
        n);
  Wisdom wisdom = with_waves();
  ASSERT_EQ(wisdom.choices.at(0).choice.candidates.at(1).filling, 4);
  std::istringstream lines(shown(wisdom, calls));
  double worst = 0, share = 0;
  for (const int n : sizes) {
    std::string line, nearest;
    ASSERT_TRUE(std::getline(lines, line) && std::getline(lines, nearest)) << lines.str();
    const double own = cost_of(std::stoi(line), n);
    const double best = std::min({cost_of(64, n), cost_of(128, n), cost_of(256, n)});
    worst = std::max(worst, own / cost_of(128, n));
    share += best / own / static_cast<double>(sizes.size());
  }
  EXPECT_LE(worst, 1.0);
  EXPECT_GT(share, 0.98);
}

// Block sizes 128 and 64 of a kernel that does what hangs over a full block in slow code: as much of it as there are threads
// in a block. 64 is faster where less hangs over.
double cost_with_overhang(int block_size, int n) {
  const double full = n / block_size * block_size;
  return (block_size == 64 ? 1.02 : 1) * n * std::pow(n / full, block_size == 64 ? 4 : 6);
}

TEST_F(ChoiceHeader, KnowsWhatHangsOverTheFullBlocksOfASizeThatWasNotMeasured) {
  std::vector<ChoiceTrial> trials;
  for (int n = 2048; n < 9000; n = n * 17 / 16)
    for (const int block_size : {128, 64})
      trials.push_back(trial(block_size, {{"N", n}}, cost_with_overhang(block_size, n)));
  System system;
  system.problem["N"] = {ScalarType::int32, 2048};
  VariantSpec variant;
  variant.name = "shared";
  variant.launches.emplace_back().kernel = "k";
  const Expression one = Expression::constant(1);
  variant.launches[0].grid = {Expression::parse("ceil_div(N, BLOCK_SIZE)"), one, one};
  system.variants.push_back(variant);
  for (ChoiceTrial& known : trials)
    known.blocks = blocks_of(static_cast<int>(to_double(known.configuration.parameters.at("BLOCK_SIZE"))),
                             static_cast<int>(to_double(known.configuration.problem.at("N"))));
  const auto grids = known_grids(system, trials);
  Wisdom wisdom = wisdom_of(trials);
  wisdom.grids = grids;
  ASSERT_NEAR(wisdom.choices.at(0).choice.candidates.at(0).overhang_power, 6, 1e-3);
  std::string calls;
  std::vector<int> sizes;
  for (int n = 2049; n < 8000; n += 19) sizes.push_back(n);
  for (const int n : sizes) calls += fmt::format("  show(choose(\"NVIDIA H100\", size({})));\n", n);
  std::istringstream lines(shown(wisdom, calls));
  int others = 0;
  for (const int n : sizes) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const int taken = std::stoi(line);
    others += taken == 64;
    EXPECT_LE(cost_with_overhang(taken, n), cost_with_overhang(128, n)) << n;
  }
  EXPECT_GT(others, 10);
}

TEST_F(ChoiceHeader, TakesTheDefaultOutsideOfWhatWasMeasuredAndWhereItIsNotKnownToBeWorse) {
  const Wisdom wisdom = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 80),
                                   trial(128, {{"N", 2000}}, 200), trial(64, {{"N", 2000}}, 150),
                                   trial(128, {{"N", 4000}}, 400), trial(64, {{"N", 4000}}, 404)});
  EXPECT_EQ(shown(wisdom, R"(
  show(choose("NVIDIA H100", size(999)));
  show(choose("NVIDIA H100", size(1000)));
  show(choose("NVIDIA H100", size(1500)));
  show(choose("NVIDIA H100", size(2000)));
  show(choose("NVIDIA H100", size(2001)));
  show(choose("NVIDIA H100", size(4000)));
  show(choose("NVIDIA H100", size(4001)));
)"),
            "128 default\n64\n64\n64\n128 default\n128 default\n128 default\n");
}

TEST_F(ChoiceHeader, WantsAPredictionToBeBetterByMoreThanOnePerCent) {
  const auto with_gain = [](double ratio) {
    return wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 100 * ratio),
                      trial(128, {{"N", 2000}}, 200), trial(64, {{"N", 2000}}, 200 * ratio)});
  };
  const std::string calls =
      "  show(choose(\"NVIDIA H100\", size(1000)));\n  show(choose(\"NVIDIA H100\", size(1400)));\n";
  EXPECT_EQ(shown(with_gain(0.991), calls), "64\n128 default\n");
  EXPECT_EQ(shown(with_gain(0.989), calls), "64\n64\n");
}

TEST_F(ChoiceHeader, PredictsTheGainAsAtTheWorseOfTheSizesAround) {
  // Close to 1000 the line between the two would have 64 well ahead.
  const Wisdom wisdom = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 70),
                                   trial(128, {{"N", 2000}}, 200), trial(64, {{"N", 2000}}, 199)});
  EXPECT_EQ(
      shown(wisdom,
            "  show(choose(\"NVIDIA H100\", size(1000)));\n  show(choose(\"NVIDIA H100\", size(1010)));\n"),
      "64\n128 default\n");
}

TEST_F(ChoiceHeader, KnowsADeviceByItsNameAndAnotherOfItsKindWhereThatIsAskedFor) {
  const Wisdom wisdom = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 80)});
  EXPECT_EQ(shown(wisdom, R"(
  show(choose("NVIDIA H100", size(1000)));
  show(choose("NVIDIA H100 PCIe", size(1000)));
  show(choose("NVIDIA H100 PCIe", size(1000), 90, 132));
  show(choose("NVIDIA H100 PCIe", size(1000), 90, 114));
  show(choose("NVIDIA A100", size(1000), 80, 132));
)"),
            "64\n128 default\n64\n128 default\n128 default\n");
}

TEST_F(ChoiceHeader, TakesNothingOfAnotherDeviceWhereItsOwnHasOnlyTheDefault) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 80)});
  wisdom.choices.push_back({"NVIDIA H200", 90, 132, {}});
  wisdom.choices.back().choice.candidates.emplace_back().configuration = *wisdom.standard;
  EXPECT_EQ(shown(wisdom, R"(
  show(choose("NVIDIA H200", size(1000), 90, 132));
  show(choose("NVIDIA H100 PCIe", size(1000), 90, 132));
)"),
            "128 default\n64\n");
}

// Compilers look further then.
TEST_F(ChoiceHeader, CompilesOptimisedWithOneSizeAndWithMany) {
  const Wisdom one = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 80)});
  for (const char* level : {"-O2", "-O3"}) {
    EXPECT_EQ(shown(one, "  show(choose(\"NVIDIA H100\", size(1000)));\n", level), "64\n");
    EXPECT_EQ(shown(with_waves(), "  show(choose(\"NVIDIA H100\", size(1000)));\n", level), "128 default\n");
  }
}

TEST_F(ChoiceHeader, TakesNothingOfWhichARequirementHasNoValue) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1024}}, 100), trial(64, {{"N", 1024}}, 80),
                             trial(128, {{"N", 2048}}, 200), trial(64, {{"N", 2048}}, 160)});
  const std::string calls =
      "  show(choose(\"NVIDIA H100\", size(1088)));\n  show(choose(\"NVIDIA H100\", size(1100)));\n";
  wisdom.conditions["shared"] = {Expression::parse("12 // (N - 1088) < BLOCK_SIZE")};
  EXPECT_EQ(shown(wisdom, calls), "128 default\n64\n");
  // What is not asked for needs none.
  wisdom.conditions["shared"] = {Expression::parse("N == 1088 or 12 // (N - 1088) < BLOCK_SIZE")};
  EXPECT_EQ(shown(wisdom, calls), "64\n64\n");
}

TEST_F(ChoiceHeader, CannotSayARequirementOfAParameterThatIsNowANumberAndNowNone) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1024}}, 100), trial(64, {{"N", 1024}}, 80),
                             trial(128, {{"N", 2048}}, 200), trial(64, {{"N", 2048}}, 160)});
  Configuration other = wisdom.entries.front().configuration;
  other.parameters["BLOCK_SIZE"] = true;
  wisdom.entries.push_back({"NVIDIA A100", 80, 108, other, 1, ""});
  wisdom.conditions["shared"] = {Expression::parse("BLOCK_SIZE")};
  folder_.write("header.h", wisdom_header(wisdom));
  EXPECT_EQ(run_cpp(folder_, R"(
#include <cstdio>
#include "header.h"
using namespace tailwave_wisdom::nbody_tuning;
int main() {
  Problem problem;
  problem.N = 1500;
  const Choice choice = choose("NVIDIA H100", problem);
  std::printf("%d %d", choice.is_default, fits(problem, default_configuration));
}
)"),
            "1 0");
}

TEST_F(ChoiceHeader, TakesNothingThatIsNotMadeForTheSize) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1024}}, 100), trial(64, {{"N", 1024}}, 80),
                             trial(128, {{"N", 2048}}, 200), trial(64, {{"N", 2048}}, 160)});
  const std::string calls =
      "  show(choose(\"NVIDIA H100\", size(1088)));\n  show(choose(\"NVIDIA H100\", size(1089)));\n"
      "  show(choose(\"NVIDIA H100\", size(1024)));\n";
  EXPECT_EQ(shown(wisdom, calls), "64\n64\n64\n");
  wisdom.conditions["shared"] = {Expression::parse("N % BLOCK_SIZE == 0")};
  EXPECT_EQ(shown(wisdom, calls), "64\n128 default\n64\n");
  // What cannot be said in C++: what was measured alone is known to be right.
  wisdom.conditions["shared"] = {Expression::parse("gcd(N, BLOCK_SIZE) == BLOCK_SIZE")};
  EXPECT_EQ(shown(wisdom, calls), "128 default\n128 default\n64\n");
}

// A program can ask before it launches the default, or what was best at another size.
TEST_F(ChoiceHeader, TellsWhetherAConfigurationIsMadeForASize) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1024}}, 100), trial(64, {{"N", 1024}}, 80)});
  wisdom.conditions["shared"] = {Expression::parse("N % BLOCK_SIZE == 0"), Expression::parse("N >= 128")};
  const std::string calls = R"(
  const auto tell = [](int n, const Configuration& configuration) { std::printf("%d", fits(size(n), configuration)); };
  tell(1024, default_configuration);
  tell(1088, default_configuration);
  tell(1088, best("NVIDIA H100", 90, 132, size(1088)).configuration);
  tell(64, {"shared", 64});
  tell(1088, {"shared", 64});
  tell(1088, {"shared", 0});
  tell(1024, {"another", 64});
)";
  EXPECT_EQ(shown(wisdom, calls), "1000100");
  wisdom.choices.clear();  // nothing is better than the default anywhere
  EXPECT_EQ(shown(wisdom, calls), "1000100");
  wisdom.conditions.clear();
  EXPECT_EQ(shown(wisdom, calls), "1111110");
}

TEST_F(ChoiceHeader, LooksBetweenAllProblemsThatEncloseASize) {
  std::vector<ChoiceTrial> trials;
  for (const int m : {100, 200})
    for (const int n : {1000, 2000})
      for (const int block_size : {128, 64})
        trials.push_back(trial(block_size, {{"M", m}, {"N", n}, {"ORDER", std::string("rows")}},
                               m * n * (block_size == 64 ? 0.8 : 1)));
  const std::string calls = R"(
  const auto at = [](int m, int n, const char* order) {
    Problem problem = size(n);
    problem.M = m;
    problem.ORDER = order;
    show(choose("NVIDIA H100", problem));
  };
  at(150, 1500, "rows");
  at(150, 1000, "rows");
  at(150, 1500, "columns");
  at(250, 1500, "rows");
)";
  EXPECT_EQ(shown(wisdom_of(trials), calls), "64\n64\n128 default\n128 default\n");
  trials.resize(trials.size() - 2);  // of a corner
  EXPECT_EQ(shown(wisdom_of(trials), calls), "128 default\n64\n128 default\n128 default\n");
}

TEST_F(ChoiceHeader, KeepsTheShapeOfSizesThatGrowTogether) {
  std::vector<ChoiceTrial> trials;
  for (const int n : {1000, 2000})
    for (const int block_size : {128, 64})
      trials.push_back(trial(block_size, {{"M", n}, {"N", n}}, n * (block_size == 64 ? 0.8 : 1)));
  EXPECT_EQ(shown(wisdom_of(trials), R"(
  const auto at = [](int m, int n) {
    Problem problem = size(n);
    problem.M = m;
    show(choose("NVIDIA H100", problem));
  };
  at(1500, 1500);
  at(1500, 1600);
  at(1000, 2000);
)"),
            "64\n128 default\n128 default\n");
}

TEST_F(ChoiceHeader, IsTheDefaultWhereNothingIsBetterAndAbsentWhereThatIsNotKnown) {
  Wisdom wisdom = wisdom_of({trial(128, {{"N", 1000}}, 100), trial(64, {{"N", 1000}}, 120)});
  EXPECT_EQ(shown(wisdom, "  show(choose(\"NVIDIA H100\", size(1000)));\n"), "128 default\n");
  wisdom.standard.reset();
  const std::string text = wisdom_header(wisdom);
  EXPECT_EQ(text.find("Choice"), std::string::npos);
  EXPECT_NE(text.find("// No choose(): what the default is, is not known.\n"), std::string::npos);
}

TEST_F(ChoiceHeader, AnswersTheSameWithFastMath) {
  std::string calls;
  for (int n = 15'000; n < 1'200'000; n += 7919)
    calls += fmt::format("  show(choose(\"NVIDIA H100\", size({})));\n", n);
  const Wisdom wisdom = with_waves();
  EXPECT_EQ(shown(wisdom, calls), shown(wisdom, calls, "-O2 -ffast-math"));
}

TEST_F(ChoiceHeader, AllocatesNothing) {
  EXPECT_EQ(shown(with_waves(), R"(
  for (int n = 15'000; n < 1'200'000; n += 797) taken += choose("NVIDIA H100", size(n)).is_default ? 0 : 1;
  std::fputs(taken > 0 && allocations == 0 ? "nothing" : "something", stderr);
)",
                  "", R"(
#include <cstdlib>
#include <new>
static int taken = 0, allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
)"),
            "nothing");
}

}  // namespace
}  // namespace tailwave
