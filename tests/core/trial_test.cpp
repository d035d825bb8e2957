#include "core/trial.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

LaunchRecord launch(std::string kernel, std::int64_t grid, std::int64_t block) {
  LaunchRecord record;
  record.kernel = std::move(kernel);
  record.grid = {grid};
  record.block = {block};
  record.resources.emplace();
  return record;
}

std::string name_of_main(const std::vector<LaunchRecord>& launches,
                         const std::vector<std::string>& main_kernels = {}) {
  const LaunchRecord* main = main_launch(launches, main_kernels);
  return main == nullptr ? "none" : main->kernel;
}

TEST(MainLaunch, IsTheFirstUnlessAnotherHasTwiceItsWarps) {
  EXPECT_EQ(name_of_main({launch("force", 10, 128), launch("move", 19, 128)}), "force");
  EXPECT_EQ(name_of_main({launch("force", 10, 128), launch("move", 20, 128)}), "move");
  EXPECT_EQ(name_of_main({launch("force", 10, 128), launch("move", 20, 128), launch("sum", 21, 128)}), "sum");
  EXPECT_EQ(name_of_main({launch("force", 10, 128), launch("move", 20, 128), launch("sum", 20, 128)}),
            "move");
}

TEST(MainLaunch, CountsPartsOfWarpsAsWarps) {
  EXPECT_EQ(name_of_main({launch("force", 10, 31), launch("move", 10, 33)}), "move");
  EXPECT_EQ(name_of_main({launch("force", 10, 1), launch("move", 10, 32)}), "force");
}

TEST(MainLaunch, CountsALaunchInALoopAsOftenAsItTakesPlace) {
  LaunchRecord looped = launch("move", 1, 32);
  looped.count = 20;
  EXPECT_EQ(name_of_main({launch("force", 10, 32), looped}), "move");
}

TEST(MainLaunch, IsOfTheKernelsThatTheManifestNames) {
  const std::vector<LaunchRecord> plan{launch("force", 10, 64), launch("move", 1000, 128),
                                       launch("sum", 20, 64), launch("sum", 21, 64)};
  EXPECT_EQ(name_of_main(plan), "move");
  EXPECT_EQ(name_of_main(plan, {"force"}), "force");
  EXPECT_EQ(name_of_main(plan, {"sum", "force"}), "sum");
  EXPECT_EQ(main_launch(plan, {"sum", "force"})->grid.x, 21);
  EXPECT_EQ(main_launch(plan, {"sum"})->grid.x, 20) << "the first of them";
  EXPECT_EQ(name_of_main(plan, {"relax"}), "move") << "a kernel that this plan does not launch";
}

TEST(MainLaunch, IsOneThatSomethingIsKnownOf) {
  LaunchRecord unknown = launch("host_function", 100, 1024);
  unknown.resources.reset();
  EXPECT_EQ(name_of_main({unknown, launch("move", 1, 32)}), "move");
  EXPECT_EQ(name_of_main({unknown}), "none");
  EXPECT_EQ(name_of_main({unknown}, {"host_function"}), "none");
  unknown.driver_blocks_per_sm = 4;
  EXPECT_EQ(name_of_main({unknown}), "host_function");
  EXPECT_EQ(name_of_main({}), "none");
}

}  // namespace
}  // namespace tailwave
