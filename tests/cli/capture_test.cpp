#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "capture/raw_launch.h"
#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// The application here is a shell script that leaves what the library would leave, which takes a GPU.
class CaptureTest : public ProjectFixture {
 protected:
  CaptureTest() {
    samples::write_raw_launch(project_ / "raw/launch0");
    samples::write_raw_times(project_ / "raw/kernels.json");
  }

  CommandResult capture(const std::vector<std::string>& options, const std::string& script) {
    std::vector<std::string> words{"capture"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", script});
    return tailwave(words);
  }

  static constexpr const char* kLeave = "cp -r raw \"$TAILWAVE_CAPTURE_FOLDER/7\"; echo done";
};

TEST_F(CaptureTest, MakesASystemOfALaunch) {
  const CommandResult made = capture({"--kernel", "blur", "--unchecked"}, kLeave);
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("done\n"));
  EXPECT_THAT(
      made.out,
      HasSubstr(
          "captured void blur<2>(View, float const*, int, float)\n  grid 126 x 375 x 1, block 32 x 8 x 1\n"
          "wrote kernel_templates/blur/system.json\n"));
  EXPECT_THAT(made.out, HasSubstr("  not captured or not verified: the launch changed the variable 'calls'"));
  EXPECT_THAT(made.out, HasSubstr("Next:\n  tailwave run kernel_templates/blur/system.json\n"));
  const CommandResult listed = tailwave({"check", "kernel_templates/blur/system.json"});
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
}

TEST_F(CaptureTest, GoesWhereItIsTold) {
  samples::write_raw_launch(project_ / "raw/launch1");
  samples::write_raw_launch(project_ / "raw/launch2");
  samples::write_file(project_ / "raw/launch2/code.cubin", "other code");
  const CommandResult made =
      capture({"--kernel", "blur", "--all-sizes", "--unchecked", "--out", "mine"}, kLeave);
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(text_of(project_ / "mine/system.json"), HasSubstr("SIZE"));
  EXPECT_THAT(text_of(project_ / "mine_2/system.json"), Not(HasSubstr("SIZE")));
  const CommandResult bad = capture({"--kernel", "blur", "--out", "my folder"}, kLeave);
  EXPECT_EQ(bad.exit_status, 2);
  EXPECT_THAT(bad.err, HasSubstr("my folder"));
}

TEST_F(CaptureTest, ListsTheKernelsOfAProgram) {
  const CommandResult listed =
      capture({"--profile", "--json"},
              "mkdir $TAILWAVE_CAPTURE_FOLDER/7; cp raw/kernels.json $TAILWAVE_CAPTURE_FOLDER/7");
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  const auto rows = nlohmann::json::parse(listed.out)["kernels"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["kernel"], "void blur<2>(View, float const*, int, float)");
  EXPECT_EQ(rows[0]["launches"], 4);
  EXPECT_EQ(rows[0]["shapes"], 2);
  EXPECT_DOUBLE_EQ(rows[0]["total_ms"], 0.195);
  EXPECT_DOUBLE_EQ(rows[0]["percent"], 97.5);
  EXPECT_THAT(capture({"--profile"}, kLeave).out, HasSubstr("tailwave capture --kernel 'blur' -- sh -c "));
}

TEST_F(CaptureTest, SaysInOneMessageWhyNothingWasCaptured) {
  const auto error_of = [&](const std::vector<std::string>& options, const std::string& script) {
    const CommandResult made = capture(options, script);
    EXPECT_EQ(made.exit_status, 1);
    return made.err;
  };
  const std::string folder = "f=$TAILWAVE_CAPTURE_FOLDER/7; mkdir $f; ";
  EXPECT_THAT(error_of({"--kernel", "x"}, "exit 4"),
              HasSubstr("'sh' did not begin to use CUDA, and ended with status 4\n"));
  EXPECT_THAT(error_of({"--kernel", "x"}, folder + "kill -SEGV $$"),
              HasSubstr("no launch of 'x' was seen, and it was ended by signal 11 (Segmentation fault)\n"
                        "  nothing is known of the kernels that it launched"));
  EXPECT_THAT(
      error_of({"--kernel", "x"}, folder + "cp raw/kernels.json $f"),
      HasSubstr(
          "no launch of 'x' was seen\n  it launched blur, scale; 'tailwave capture --profile' lists them"));
  EXPECT_THAT(error_of({"--kernel", "blur", "--nth", "9"}, folder + "cp raw/kernels.json $f"),
              HasSubstr("'blur' fits 4 launches, and --nth asks for number 9, from 0"));
  EXPECT_THAT(error_of({"--kernel", "x"}, folder + "echo 'x(int): too large' > $f/refused.txt"),
              HasSubstr("the launch cannot be captured: x(int): too large"));
  EXPECT_THAT(error_of({"--kernel", "x"}, folder + "echo CUPTI_ERROR > $f/obstacle.txt"),
              HasSubstr("the launches cannot be seen: CUPTI_ERROR"));
  EXPECT_THAT(error_of({"--profile"}, folder),
              HasSubstr("'sh' launched no kernel, or its times are lost: it ended with status 0"));
}

TEST_F(CaptureTest, RefusesALineThatSaysTooLittle) {
  EXPECT_THAT(capture({}, "true").err, HasSubstr("--kernel: which kernel is to be captured is not said"));
  EXPECT_THAT(tailwave({"capture", "--kernel", "x"}).err,
              HasSubstr("capture: which program is to be run is not said"));
  EXPECT_EQ(tailwave({"capture", "--kernel", "x", "--", "/no/such"}).exit_status, 2);
}

}  // namespace
}  // namespace tailwave
