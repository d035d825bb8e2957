#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "capture/raw_launch.h"
#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

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
  replace("raw/launch1/launch.json", "[126, 375, 1]", "[126, 188, 1]");
  samples::write_raw_launch(project_ / "raw/launch2");
  replace("raw/launch2/launch.json", "[126, 375, 1]", "[126, 94, 1]");
  samples::write_file(project_ / "raw/launch2/code.cubin", "other code");
  const CommandResult made =
      capture({"--kernel", "blur", "--all-sizes", "--unchecked", "--out", "mine"}, kLeave);
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(text_of(project_ / "mine/system.json"), HasSubstr("SIZE"));
  EXPECT_THAT(text_of(project_ / "mine_2/system.json"), Not(HasSubstr("SIZE")));
  const CommandResult bad = capture({"--kernel", "blur", "--out", "my folder"}, kLeave);
  EXPECT_EQ(bad.exit_status, 2);
  EXPECT_THAT(bad.err, HasSubstr("my folder"));
  EXPECT_EQ(capture({"--kernel", "blur", "--unchecked", "--out", "other/"}, kLeave).exit_status, 0);
  EXPECT_TRUE(fs::exists(project_ / "other/system.json"));
}

TEST_F(CaptureTest, OverwritesNothing) {
  EXPECT_EQ(capture({"--kernel", "blur", "--unchecked"}, kLeave).exit_status, 0);
  EXPECT_THAT(capture({"--kernel", "blur", "--unchecked"}, kLeave).out,
              HasSubstr("wrote kernel_templates/blur_2/system.json\n"));
  const CommandResult again = capture({"--kernel", "blur", "--out", "kernel_templates/blur"}, "touch it_ran");
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_THAT(again.err, HasSubstr("kernel_templates/blur: is there already, and not empty\n"
                                   "  choose another folder by --out"));
  EXPECT_FALSE(fs::exists(project_ / "it_ran")) << "it may run long";
}

// What is wrong of one process, or of one launch, loses no other.
TEST_F(CaptureTest, SaysWhatElseWasNotCaptured) {
  const CommandResult made =
      capture({"--kernel", "blur", "--unchecked"},
              std::string(kLeave) +
                  "; cp -r raw \"$TAILWAVE_CAPTURE_FOLDER/8\"; cd \"$TAILWAVE_CAPTURE_FOLDER\"; mkdir 9;"
                  " echo CUPTI_ERROR > 9/obstacle.txt; echo '[{' > 8/kernels.json;"
                  " echo 'blur(int): too large' > 7/refused.txt");
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("not captured: blur(int): too large\n"));
  EXPECT_THAT(made.err, HasSubstr("not captured: the times of a process of the application are lost\n"));
  EXPECT_THAT(text_of(project_ / "kernel_templates/blur/system.json"), Not(HasSubstr("SIZE")))
      << "both are the same launch";
}

TEST_F(CaptureTest, RefusesWhatCannotBeBeforeItRunsTheProgram) {
  EXPECT_THAT(capture({"--kernel", "x", "--source", "none.cu"}, "touch it_ran").err,
              HasSubstr("none.cu: there is no such file"));
  EXPECT_EQ(capture({"--kernel", "x", "--device", "cuda:x"}, "touch it_ran").exit_status, 2);
  EXPECT_EQ(capture({"--kernel", "x", "--nth", "-1"}, "touch it_ran").exit_status, 2);
  EXPECT_FALSE(fs::exists(project_ / "it_ran"));
}

TEST_F(CaptureTest, ListsTheKernelsOfAProgram) {
  const CommandResult listed =
      capture({"--profile", "--json"},
              "echo noise; mkdir $TAILWAVE_CAPTURE_FOLDER/7; cp raw/kernels.json $TAILWAVE_CAPTURE_FOLDER/7");
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  const auto rows = nlohmann::json::parse(listed.out)["kernels"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["kernel"], "void blur<2>(View, float const*, int, float)");
  EXPECT_EQ(rows[0]["launches"], 4);
  EXPECT_EQ(rows[0]["shapes"], 2);
  EXPECT_DOUBLE_EQ(rows[0]["total_ms"], 0.195);
  EXPECT_DOUBLE_EQ(rows[0]["percent"], 97.5);
  EXPECT_THAT(
      capture({"--profile"}, kLeave).out,
      HasSubstr(
          "tailwave capture --kernel 'blur' -- sh -c 'cp -r raw \"$TAILWAVE_CAPTURE_FOLDER/7\"; echo done'\n"));
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

#ifdef TAILWAVE_LAUNCHING_APP

// The library in an application, whose driver runs kernels on the host (tests/fakes/fake_driver.cpp): no GPU is needed, and
// nothing is launched anew.
class InjectedTest : public ProjectFixture {
 protected:
  CommandResult capture(std::vector<std::string> options, const std::string& how = "launch",
                        const std::string& variable = "A=B") {
    options.insert(options.begin(), {"capture", "--unchecked"});
    options.insert(options.end(), {"--", "env", std::string("LD_LIBRARY_PATH=") + TAILWAVE_FAKE_DRIVER,
                                   variable, TAILWAVE_LAUNCHING_APP, how});
    CommandResult made = tailwave(options);
    EXPECT_THAT(made.out, HasSubstr("done\n")) << "the application is as right as ever; " << made.err;
    return made;
  }
};

TEST_F(InjectedTest, WritesWhatALaunchFoundAndWhatItLeft) {
  const CommandResult made = capture({"--kernel", "^scale$", "--nth", "2"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("captured scale\n  grid 782 x 1 x 1, block 128 x 1 x 1\n"));
  const fs::path folder = project_ / "kernel_templates/scale";
  EXPECT_THAT(text_of(folder / "system.json"), HasSubstr(R"({"copy": "variable1", "symbol": "shift"})"));
  EXPECT_EQ(text_of(folder / "variable1.before.bin").size(), 2 * sizeof(float));
  const std::string before = text_of(folder / "arg2.before.bin"),
                    after = text_of(folder / "arg1_at0.after.bin");
  ASSERT_EQ(before.size(), 400'012U);
  ASSERT_EQ(after.size(), 400'268U);
  for (std::size_t i = 0; i < 100'003; ++i) {
    float from = 0, to = 0;
    std::memcpy(&from, before.data() + 4 * i, 4);
    std::memcpy(&to, after.data() + 256 + 4 * i, 4);
    ASSERT_EQ(to, from * 1.5F + 3) << i;
  }
}

TEST_F(InjectedTest, TakesArgumentsInOnePiece) {
  capture({"--kernel", "^scale$"});
  capture({"--kernel", "^scale$", "--out", "kernel_templates/packed"}, "packed");
  replace("kernel_templates/packed/system.json", R"("name": "packed")", R"("name": "scale")");
  EXPECT_EQ(text_of(project_ / "kernel_templates/packed/system.json"),
            text_of(project_ / "kernel_templates/scale/system.json"));
}

TEST_F(InjectedTest, TakesEachSizeAndTheNodesOfGraphs) {
  const CommandResult sizes = capture({"--kernel", "scale", "--all-sizes"});
  EXPECT_THAT(sizes.out, HasSubstr("grid 782 x 1 x 1, block 128 x 1 x 1\n  grid 261 x 1 x 1"));
  const CommandResult graph = capture({"--kernel", "bump"}, "graph");
  EXPECT_EQ(graph.exit_status, 0) << graph.err;
  EXPECT_THAT(graph.out, HasSubstr("it was a node of a graph"));
}

TEST_F(InjectedTest, RefusesWhatItCannotKnow) {
  const CommandResult changed = capture({"--kernel", "scale"}, "changed");
  EXPECT_EQ(changed.exit_status, 1);
  EXPECT_THAT(changed.err, HasSubstr("a graph: it was changed after it was made"));
  const CommandResult failing = capture({"--kernel", "scale"}, "failing");
  EXPECT_EQ(failing.exit_status, 1);
  EXPECT_THAT(failing.err, HasSubstr("scale: the launch: invalid argument"));
  EXPECT_EQ(capture({"--kernel", "scale", "--nth", "1"}, "failing").exit_status, 0);
  const CommandResult taken = capture({"--kernel", "scale"}, "launch", "FAKE_CUPTI_IS_TAKEN=1");
  EXPECT_EQ(taken.exit_status, 1);
  EXPECT_THAT(taken.err, HasSubstr("the launches cannot be seen: CUPTI_ERROR_FAKE"));
}

// 24 launches of `scale` in four threads at once, each into memory of its own.
TEST_F(InjectedTest, HoldsBackTheLaunchesOfOtherThreads) {
  for (const char* nth : {"0", "11", "23"}) {
    const CommandResult made = capture({"--kernel", "scale", "--nth", nth}, "threads");
    EXPECT_EQ(made.exit_status, 0) << made.err;
  }
  EXPECT_THAT(capture({"--kernel", "scale", "--nth", "24"}, "threads").err,
              HasSubstr("'scale' fits 24 launches, and --nth asks for number 24, from 0"));
}

TEST_F(InjectedTest, ListsTheKernels) {
  const CommandResult listed = capture({"--profile"});
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("scale\n"));
  EXPECT_THAT(capture({"--kernel", "blur"}).err,
              HasSubstr("no launch of 'blur' was seen\n  it launched scale, bump;"));
}

class CaptureGpuTest : public ProjectFixture {
 protected:
  // What capturing says; empty, and the test skipped, where there is no GPU.
  std::string captured(std::vector<std::string> options, const std::string& how = "launch") {
    options.insert(options.begin(), "capture");
    options.insert(options.end(), {"--", TAILWAVE_LAUNCHING_APP, how});
    const CommandResult made = tailwave(options);
    EXPECT_EQ(made.exit_status, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("done\n")) << "the application is as right as ever";
    return made.out;
  }
  void SetUp() override {
    if (!cuda_obstacle().empty()) GTEST_SKIP() << cuda_obstacle();
  }
};

TEST_F(CaptureGpuTest, LaunchesAnewWhatAnApplicationLaunched) {
  const std::string said = captured({"--kernel", "^scale$", "--nth", "2"});
  EXPECT_THAT(said, HasSubstr("captured scale\n  grid 782 x 1 x 1, block 128 x 1 x 1\n"));
  EXPECT_THAT(
      said,
      HasSubstr("launched anew on cuda:0: bit-identical; it writes 400012 of 400268 bytes of 'arg1_at0'\n"));
  EXPECT_THAT(said, HasSubstr(" in the application and "));
  const CommandResult run = tailwave({"run", "kernel_templates/scale/system.json"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_THAT(run.err + run.out, HasSubstr("1 correct"));
}

// What is wrong is seen although the application had launched it before, and the result was there.
TEST_F(CaptureGpuTest, DoesNotBelieveAKernelThatWritesNothing) {
  captured({"--kernel", "^scale$", "--nth", "2"});
  replace("kernel_templates/scale/system.json", R"("value": 1.5)", R"("value": 2.5)");
  EXPECT_THAT(tailwave({"run", "kernel_templates/scale/system.json"}).err, HasSubstr("wrong_result: "));
  replace("kernel_templates/scale/system.json", R"("value": 2.5)", R"("value": 1.5)");
  replace("kernel_templates/scale/system.json", R"("bytes": "a3860100)", R"("bytes": "00000000)");
  EXPECT_THAT(tailwave({"run", "kernel_templates/scale/system.json"}).err, HasSubstr("wrong_result: "));
}

TEST_F(CaptureGpuTest, TakesEachSizeAndTheNodesOfGraphs) {
  EXPECT_THAT(
      captured({"--kernel", "scale", "--all-sizes"}),
      HasSubstr(
          "captured scale\n  grid 782 x 1 x 1, block 128 x 1 x 1\n  grid 261 x 1 x 1, block 128 x 1 x 1\n"));
  const CommandResult run = tailwave({"run", "experiments/scale/sizes.json"});
  EXPECT_THAT(run.err + run.out, HasSubstr("2 correct"));
  EXPECT_THAT(captured({"--kernel", "scale", "--all-sizes", "--out", "kernel_templates/graph"}, "graph"),
              testing::AllOf(HasSubstr("it was a node of a graph"),
                             HasSubstr("SIZE 0: launched anew on cuda:0: bit-identical"),
                             HasSubstr("SIZE 1: launched anew on cuda:0: bit-identical")));
}

// Launched once more, what it adds to is put back: the application counts.
TEST_F(CaptureGpuTest, LeavesTheMemoryOfAGraphAsItWas) {
  EXPECT_THAT(captured({"--kernel", "bump"}, "graph"),
              testing::AllOf(HasSubstr("it was a node of a graph"),
                             HasSubstr("bit-identical; it writes nothing but what it also reads")));
}

TEST_F(CaptureGpuTest, ListsKernelsAndSaysWhatWasLaunched) {
  const CommandResult listed =
      tailwave({"capture", "--profile", "--json", "--", TAILWAVE_LAUNCHING_APP, "launch"});
  EXPECT_EQ(listed.exit_status, 0) << listed.err;
  EXPECT_EQ(nlohmann::json::parse(listed.out)["kernels"].size(), 2U);
  EXPECT_THAT(tailwave({"capture", "--kernel", "blur", "--", TAILWAVE_LAUNCHING_APP, "launch"}).err,
              HasSubstr("no launch of 'blur' was seen\n  it launched scale, bump;"));
}

#endif

}  // namespace
}  // namespace tailwave
