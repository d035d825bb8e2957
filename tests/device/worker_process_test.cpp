#include "device/worker_process.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace tailwave {
namespace {

void echo(int socket) {
  for (char letter = 0; recv(socket, &letter, 1, 0) == 1;) {
    if (letter == 'x') _exit(5);
    ::send(socket, &letter, 1, MSG_NOSIGNAL);
  }
}

char ask(const WorkerProcess& process, char letter) {
  ::send(process.socket(), &letter, 1, MSG_NOSIGNAL);
  return recv(process.socket(), &letter, 1, 0) == 1 ? letter : '\0';
}

TEST(WorkerProcess, TellsHowAWorkerEnded) {
  WorkerProcess process(echo);
  EXPECT_EQ(process.end(), "");
  process.start();
  EXPECT_EQ(ask(process, 'a'), 'a');
  EXPECT_EQ(process.end(), "exited with status 0");
  process.start();
  EXPECT_EQ(ask(process, 'x'), '\0');
  EXPECT_EQ(process.end(), "exited with status 5");
  process.start();
  process.kill();
  EXPECT_EQ(ask(process, 'b'), '\0');
  EXPECT_EQ(process.end(), "was killed by signal 9 (Killed)");
}

TEST(WorkerProcess, StartsAnotherAfterAThreadWasStarted) {
  WorkerProcess process(echo);
  std::thread([] {}).join();
  for (int round = 0; round < 3; ++round) {
    process.start();
    EXPECT_EQ(ask(process, 'c'), 'c');
  }
}

TEST(WorkerProcess, EndsWhenItsOwnerIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    close(ends[0]);
    // The worker holds the pipe open and reads nothing, as one busy on a device would.
    WorkerProcess process([](int /*socket*/) { pause(); });
    process.start();
    std::raise(SIGKILL);
  }
  close(ends[1]);
  waitpid(owner, nullptr, 0);
  char letter = 0;
  EXPECT_EQ(read(ends[0], &letter, 1), 0);  // end of file once no process holds the other end
  close(ends[0]);
}

}  // namespace
}  // namespace tailwave
