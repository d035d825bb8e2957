#include "capture/application.h"

#include <gmock/gmock.h>

#include "capture/raw_launch.h"
#include "core/error.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ApplicationTest : public testing::Test {
 protected:
  ApplicationEnd run(const std::string& script) {
    return run_injected(
        {"sh", "-c", script},
        {.kernel = "blur", .nth = 2, .most_bytes = 77, .folder = folder_.path(), .cupti = "cupti.so"});
  }

  ScratchFolder folder_;
};

TEST_F(ApplicationTest, RunsAndTellsHowItEnded) {
  EXPECT_EQ(run("exit 3").exit_status, 3);
  EXPECT_EQ(run("exit 0").signal, 0);
  EXPECT_EQ(run("kill -SEGV $$").signal, SIGSEGV);
}

TEST_F(ApplicationTest, FindsWhatTheLibraryIsToDo) {
  EXPECT_EQ(
      run(R"(test "$TAILWAVE_CAPTURE_KERNEL $TAILWAVE_CAPTURE_NTH $TAILWAVE_CAPTURE_BYTES $TAILWAVE_CUPTI" = "blur 2 77 cupti.so" &&
                   test -s "$CUDA_INJECTION64_PATH" && test -d "$TAILWAVE_CAPTURE_FOLDER")")
          .exit_status,
      0);
}

TEST_F(ApplicationTest, RefusesWhatCannotBeStartedAndWhatIsNoExpression) {
  EXPECT_THAT(samples::error_of([&] { run_injected({"/no/such/program"}, {.folder = folder_.path()}); }),
              HasSubstr("/no/such/program: cannot be started: No such file or directory"));
  EXPECT_THAT(samples::error_of([&] { run_injected({"true"}, {.kernel = "a(", .folder = folder_.path()}); }),
              HasSubstr("--kernel: 'a(' is no regular expression: "));
}

TEST_F(ApplicationTest, GathersWhatProcessesWrote) {
  samples::write_raw_launch(folder_.path() / "11/launch0");
  samples::write_raw_launch(folder_.path() / "11/launch1");
  samples::write_file(folder_.path() / "11/launch2/memory0.before", "it died here");
  samples::write_file(folder_.path() / "12/refused.txt", "blur(int): too large\n");
  samples::write_file(folder_.path() / "13/obstacle.txt", "CUPTI refuses\n");
  const std::vector<Injected> all = injected_processes(folder_.path());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[0].launches, ElementsAre(folder_.path() / "11/launch0", folder_.path() / "11/launch1"));
  EXPECT_THAT(all[1].refused, ElementsAre("blur(int): too large"));
  EXPECT_EQ(all[2].obstacle, "CUPTI refuses");
  EXPECT_THAT(injected_processes(folder_.path() / "none"), IsEmpty());
}

}  // namespace
}  // namespace tailwave
