#include "cli/project_fixture.h"

namespace tailwave {
namespace {

// Experiments of this repository, cut to sizes that the CPU device, sanitized too, ends within seconds.
struct SystemRun {
  const char* name;
  const char* spec;
  const char* filter;
};

class SystemsTest : public ProjectFixture, public testing::WithParamInterface<SystemRun> {};

TEST_P(SystemsTest, AgreesWithItsReferenceInEveryVariant) {
  const auto& [name, spec, filter] = GetParam();
  const CommandResult result = tailwave({"run", std::string(TAILWAVE_SOURCE_DIR "/experiments/") + spec,
                                         "--device", "cpu", "--filter", filter});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_NE(scalar("SELECT count(*) FROM trial"), "0") << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome <> 'correct'"), "0") << result.out;
}

INSTANTIATE_TEST_SUITE_P(
    Systems, SystemsTest,
    testing::Values(
        SystemRun{"nbody_force_law_first", "nbody_force_law/variants.json", "/gpu5/.*/N:2048/"},
        SystemRun{"nbody_force_law_remainder", "nbody_force_law/remainder.json", "/N:(1023|1500)/"},
        SystemRun{"nbody_force_law_one_stream", "nbody_force_law/streams.json", "/v5_one_stream/.*/N:1500/"}),
    [](const auto& run) { return std::string(run.param.name); });

}  // namespace
}  // namespace tailwave
