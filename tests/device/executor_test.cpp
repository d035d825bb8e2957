#include "device/executor.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

std::string refusal_of(const RunOptions& options, std::size_t launches) {
  try {
    require_valid(options, launches);
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(RunOptions, AreRefusedWithTheRuleThatTheyBreak) {
  EXPECT_EQ(refusal_of({.executions = 0}, 1), "at least one execution is needed");
  EXPECT_EQ(refusal_of({.executions = -1}, 1), "at least one execution is needed");
  EXPECT_EQ(refusal_of({.sets = 0}, 1), "at least one set of launches is needed");
  EXPECT_EQ(refusal_of({.sets = 3}, 4), "every set needs the same number of launches");
  EXPECT_EQ(refusal_of({.executions = 2, .flush_cache = true}, 1),
            "the cache is flushed before one execution only");
}

TEST(RunOptions, AreTakenForAnythingElse) {
  EXPECT_EQ(refusal_of({}, 0), "");
  EXPECT_EQ(refusal_of({.executions = 5, .sets = 2, .graph = true}, 4), "");
  EXPECT_EQ(refusal_of({.sets = 2, .graph = true, .flush_cache = true}, 4), "");
}

TEST(RunOptions, LetTheSetsTakeTurns) {
  const std::vector<int> launches{10, 11, 20, 21, 30, 31};
  const RunOptions options{.executions = 5, .sets = 3};
  std::vector<int> run;
  for (int execution = 0; execution < options.executions; ++execution) {
    const auto plan = plan_of(std::span(launches), options, execution);
    run.insert(run.end(), plan.begin(), plan.end());
  }
  EXPECT_EQ(run, (std::vector<int>{10, 11, 20, 21, 30, 31, 10, 11, 20, 21}));
}

}  // namespace
}  // namespace tailwave
