#include "core/descendants.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "fakes/strays.h"

namespace tailwave {
namespace {

TEST(Descendants, EndWhateverTheyAre) {
  fakes::Strays strays;
  const pid_t owner = getpid();
  const pid_t process = fork();
  if (process == 0) {
    if (!adopt_descendants(owner, SIGKILL)) _exit(2);
    strays.leave();
    const bool were_there = strays.are_there();
    end_descendants();
    _exit(were_there && waitpid(-1, nullptr, WNOHANG) < 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(strays.end());
}

TEST(Descendants, AreNotAdoptedForAnotherThanTheParent) {
  const pid_t process = fork();
  if (process == 0) _exit(adopt_descendants(getpid(), SIGKILL) ? 1 : 0);
  int status = -1;
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tailwave
