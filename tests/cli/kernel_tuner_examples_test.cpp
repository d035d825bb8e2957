// Nine kernels that Kernel Tuner's examples tune, as manifests: no longer than its scripts, and they run.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/project_fixture.h"
#include "compile/prelude.h"

namespace tailwave {
namespace {

struct Example {
  const char* name;
  int lines_of_script;  // of Python, without empty lines, comments and the kernel
  // Sizes that the CPU device computes in no time.
  std::vector<std::pair<const char*, const char*>> smaller;
};
void PrintTo(const Example& example, std::ostream* stream) {
  *stream << example.name;
}

class KernelTunerExample : public ProjectFixture, public testing::WithParamInterface<Example> {
 protected:
  [[nodiscard]] std::string manifest() const { return read_file(folder() / "system.json"); }
  [[nodiscard]] static std::filesystem::path folder() {
    return std::filesystem::path(TAILWAVE_SOURCE_DIR) / "tests/data/kernel_tuner" / GetParam().name;
  }
};

TEST_P(KernelTunerExample, HasNoMoreLinesThanTheScript) {
  std::istringstream text(manifest());
  int lines = 0;
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 120U) << line;
    lines += line.find_first_not_of(' ') == std::string::npos ? 0 : 1;
  }
  EXPECT_LE(lines, GetParam().lines_of_script);
}

TEST_P(KernelTunerExample, IsCheckedAsItStands) {
  const CommandResult result = tailwave({"check", (folder() / "system.json").string()});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.err, "") << "a warning";
}

TEST_P(KernelTunerExample, RunsOnTheCpuDevice) {
  const std::filesystem::path copy = project_ / "kernel_templates" / GetParam().name;
  std::filesystem::copy(folder(), copy, std::filesystem::copy_options::recursive);
  std::string text = manifest();
  for (const auto& [from, to] : GetParam().smaller) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string(from).size(), to);
  }
  const std::string file = std::string("kernel_templates/") + GetParam().name + "/system.json";
  write(file, text);
  const CommandResult result =
      tailwave({"tune", file, "--strategy", "random", "--budget", "3", "--final", "0", "--device", "cpu"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT coalesce(group_concat(outcome), '') FROM trial WHERE outcome NOT IN ('correct', "
                   "'exceeds_device_limit', 'given_up')"),
            "")
      << result.err;
  EXPECT_NE(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "0");
}

INSTANTIATE_TEST_SUITE_P(
    All, KernelTunerExample,
    testing::Values(Example{"vector_add", 27, {{"10000000", "10000"}}},
                    Example{"matmul", 34, {{"4096", "512"}}},
                    Example{"stencil", 21, {{"4096", "200"}, {"2048", "70"}}},
                    Example{"spmv", 37, {{"131072", "1000"}, {"65536", "500"}}},
                    Example{"reduction", 50, {{"800000000", "100000"}, {"range(5, 16)", "range(5, 8)"}}},
                    Example{"expdist", 45, {{"2000", "100"}}},
                    Example{"zeromeanfilter", 33, {{"4391", "60"}, {"3539", "70"}}},
                    Example{
                        "convolution", 43, {{"4096", "64"}, {"4096", "64"}, {"range(3, 35, 2)", "[3, 17]"}}},
                    Example{"pnpoly", 61, {{"20000000", "2000"}}}),
    [](const testing::TestParamInfo<Example>& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tailwave
