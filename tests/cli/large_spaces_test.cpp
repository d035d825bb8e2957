// Commands on spaces that nothing could go through, within a gibibyte.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class LargeSpaceCommands : public ProjectFixture {
 protected:
  // A T1 file "NAME.json" of a kernel that doubles 256 numbers.
  void write_t1(const std::string& name, const std::vector<std::pair<std::string, std::string>>& parameters,
                const std::vector<std::string>& conditions) const {
    std::string tuned, ruled;
    for (const auto& [parameter, values] : parameters)
      tuned += fmt::format(R"({}{{"Name": "{}", "Type": "int", "Values": "{}"}})", tuned.empty() ? "" : ", ",
                           parameter, values);
    for (const std::string& condition : conditions)
      ruled += fmt::format(R"({}{{"Expression": "{}"}})", ruled.empty() ? "" : ", ", condition);
    write(name + ".json", fmt::format(R"({{
      "ConfigurationSpace": {{"TuningParameters": [{}], "Conditions": [{}]}},
      "KernelSpecification": {{
        "Language": "CUDA", "KernelName": "twice", "KernelFile": "twice.cu", "ProblemSize": [256],
        "LocalSize": {{"X": "block_size_x"}}, "GridDivX": ["block_size_x"],
        "Arguments": [{{"Name": "y", "Type": "int32", "MemoryType": "Vector", "AccessType": "ReadWrite",
          "FillType": "Generator", "DataSource": "i", "Size": "ProblemSize[0]", "Output": 1}}]}}}})",
                                      tuned, ruled));
    write("twice.cu",
          "extern \"C\" __global__ void twice(int* y) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < 256) y[i] *= 2;\n"
          "}\n");
  }

  // 10^10 configurations, no condition.
  void write_free() const {
    std::vector<std::pair<std::string, std::string>> parameters{{"block_size_x", "range(32, 352, 32)"}};
    for (int i = 0; i < 9; ++i) parameters.emplace_back(fmt::format("p{}", i), "range(10)");
    write_t1("free", parameters, {});
  }

  // Shaped like the FFT of benchmark suites: 8.05e11 combinations, which conditions couple.
  void write_fft() const {
    write_t1(
        "fft",
        {{"block_size_x", "[32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]"},
         {"radix_a", "range(1, 17)"},
         {"radix_b", "range(1, 17)"},
         {"radix_c", "range(1, 17)"},
         {"batch", "[1, 2, 4, 8, 16, 32, 64, 128]"},
         {"pad", "range(16)"},
         {"unroll", "[1, 2, 4, 8, 16]"},
         {"vec", "[1, 2, 4]"},
         {"twiddle", "range(16)"},
         {"order", "range(8)"},
         {"split", "range(1, 11)"},
         {"flags", "range(8)"}},
        {"radix_a * radix_b * radix_c <= 512", "block_size_x % radix_a == 0", "block_size_x * batch <= 4096",
         "(block_size_x * vec * batch + pad) * 8 <= 49152", "unroll <= radix_c", "pad % vec == 0",
         "split <= batch", "twiddle < radix_a or order % 2 == 0"});
  }

  [[nodiscard]] CommandResult within_a_gibibyte(const std::vector<std::string>& arguments) const {
    constexpr std::size_t kGibibyte = std::size_t{1} << 30;
    return end(begin(arguments, "confined", {.memory_limit_bytes = kGibibyte}), "confined");
  }
};

TEST_F(LargeSpaceCommands, CheckCountsThem) {
  write_free();
  write_fft();
  EXPECT_THAT(within_a_gibibyte({"check", "free.json"}).out,
              testing::StartsWith("free.json: ok: experiment, 10000000000 configurations"));
  const CommandResult fft = within_a_gibibyte({"check", "fft.json", "--json"});
  EXPECT_EQ(fft.exit_status, 0) << fft.err;
  EXPECT_THAT(fft.out, HasSubstr("\"configurations_are\": \"all\""));
}

TEST_F(LargeSpaceCommands, CheckSaysWhatIsALowerBound) {
  std::vector<std::pair<std::string, std::string>> parameters{{"block_size_x", "range(32, 352, 32)"}};
  std::string sum = "block_size_x";
  for (int i = 0; i < 9; ++i) {
    parameters.emplace_back(fmt::format("p{}", i), "range(10)");
    sum += fmt::format(" + p{}", i);
  }
  write_t1("coupled", parameters, {sum + " <= 120"});
  const CommandResult result = within_a_gibibyte({"check", "coupled.json"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              testing::ContainsRegex("^coupled.json: ok: experiment, at least [0-9]+ configurations"));
  EXPECT_THAT(result.out,
              HasSubstr("\n  more than can be counted: constraints couple too many values; 'tailwave "
                        "tune' searches them\n"));
  const CommandResult tuned = within_a_gibibyte(
      {"tune", "coupled.json", "--strategy", "genetic", "--budget", "3", "--device", "cpu", "--final", "0"});
  EXPECT_EQ(tuned.exit_status, 0) << tuned.err;
  EXPECT_THAT(tuned.out,
              testing::ContainsRegex("3 evaluations of at least [0-9]+ configurations: 3 correct"));
}

TEST_F(LargeSpaceCommands, TuneSearchesThem) {
  write_free();
  write_fft();
  for (const std::string name : {"free", "fft"}) {
    const CommandResult result = within_a_gibibyte(
        {"tune", name + ".json", "--strategy", "wave_guided", "--budget", "8", "--device", "cpu", "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"evaluations\": 8"));
    EXPECT_THAT(result.out, HasSubstr("\"configurations_are\": \"all\""));
  }
  // A busy machine makes one take ten times as long as it does.
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(DISTINCT outcome) FROM trial WHERE outcome NOT IN ('skipped_identical', 'given_up')"),
      "correct");
  EXPECT_EQ(scalar("SELECT min(space_size) FROM search"), "10000000000");
}

TEST_F(LargeSpaceCommands, RunSaysThatItWouldTakeTooLongUnlessAFilterLeavesFew) {
  write_free();
  const CommandResult refused = within_a_gibibyte({"run", "free.json", "--device", "cpu"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(
      refused.err,
      HasSubstr(
          "free.json: 10000000000 configurations: to go through all of them would take too long (the limit "
          "is 1000000)\n  'tailwave tune' searches them; '--filter NAME=VALUE,...' leaves fewer\n"));
  std::string filter = "block_size_x=64";
  for (int i = 0; i < 8; ++i) filter += fmt::format(",p{}={}", i, i);
  const CommandResult few = within_a_gibibyte({"run", "free.json", "--device", "cpu", "--filter", filter});
  EXPECT_EQ(few.exit_status, 0) << few.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "10");
}

TEST_F(LargeSpaceCommands, AFilterThatIsHardToMatchTakesNoTime) {
  write_experiment("[1, 2, 4]");
  EXPECT_THAT(
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--filter", "(.*)*Q"}).err,
      HasSubstr("'(.*)*Q' matches none of "));
  const std::string deep = std::string(20'000, '(') + std::string(20'000, ')');
  EXPECT_EQ(tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--filter", deep})
                .exit_status,
            0);
}

}  // namespace
}  // namespace tailwave
