#include "measure/backlog.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace tailwave {
namespace {

TEST(Backlog, DoesThePiecesInOrder) {
  Backlog backlog;
  std::string log;
  for (const char piece : {'a', 'b', 'c', 'd'}) {
    backlog.add([&log, &backlog, piece] { log += backlog.hidden() ? "hidden " : "", log += piece; });
  }
  EXPECT_EQ(backlog.added(), 4U);
  EXPECT_TRUE(backlog.do_one());
  backlog.finish(1);  // which is done
  backlog.finish(3);
  EXPECT_EQ(log, "hidden abc");
  backlog.finish();
  EXPECT_EQ(log, "hidden abcd");
  EXPECT_FALSE(backlog.do_one());
  EXPECT_GT(backlog.hidden_s(), 0);
}

// A trial whose comparison failed must not be stored by the piece that follows.
TEST(Backlog, LeavesTheRestUndoneWhenAPieceThrows) {
  Backlog backlog;
  bool stored = false;
  backlog.add([] { throw std::runtime_error("no memory"); });
  backlog.add([&] { stored = true; });
  EXPECT_THROW(backlog.do_one(), std::runtime_error);
  EXPECT_FALSE(backlog.hidden());
  backlog.finish();
  EXPECT_FALSE(stored);
  backlog.add([&] { stored = true; });
  backlog.finish();
  EXPECT_TRUE(stored);
}

}  // namespace
}  // namespace tailwave
