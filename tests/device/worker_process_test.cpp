#include "device/worker_process.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "fakes/scratch_folder.h"
#include "fakes/strays.h"

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
  EXPECT_FALSE(process.left_others());
  process.start();
  EXPECT_EQ(ask(process, 'x'), '\0');
  EXPECT_EQ(process.end(), "exited with status 5");
  process.start();
  process.kill();
  char letter = 0;
  EXPECT_EQ(recv(process.socket(), &letter, 1, 0), 0);
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

// One that leaves others behind, and does then what `last` does.
template <class Last>
auto leaving(fakes::Strays& strays, Last last) {
  return [&strays, last](int socket) {
    strays.leave();
    const char letter = 'l';
    ::send(socket, &letter, 1, MSG_NOSIGNAL);
    last(socket);
  };
}

void wait_for_letter(const WorkerProcess& process) {
  char letter = 0;
  ASSERT_EQ(recv(process.socket(), &letter, 1, 0), 1);
}

TEST(WorkerProcess, EndsWhatAWorkerLeavesBehind) {
  fakes::Strays strays;
  WorkerProcess process(leaving(strays, echo));
  process.start();
  wait_for_letter(process);
  EXPECT_EQ(process.end(), "exited with status 0");
  EXPECT_TRUE(process.left_others());
  EXPECT_TRUE(strays.end());
  process.start();
  EXPECT_FALSE(process.left_others());
}

// They have copies of the worker's socket, but nobody waits for them.
TEST(WorkerProcess, HearsOfADeathAtOnceThoughTheChildrenLive) {
  fakes::Strays strays;
  WorkerProcess process(leaving(strays, [](int /*socket*/) { std::raise(SIGABRT); }));
  process.start();
  wait_for_letter(process);
  EXPECT_EQ(ask(process, 'a'), '\0');
  EXPECT_TRUE(strays.end());
  EXPECT_EQ(process.end().substr(0, 22), "was killed by signal 6");
  EXPECT_EQ(process.signal(), SIGABRT);
}

TEST(WorkerProcess, KillsAWorkerWithItsChildren) {
  fakes::Strays strays;
  WorkerProcess process(leaving(strays, [](int /*socket*/) {
    for (;;) pause();
  }));
  process.start();
  wait_for_letter(process);
  process.kill();
  EXPECT_EQ(process.end(), "was killed by signal 9 (Killed)");
  EXPECT_TRUE(strays.end());
  EXPECT_EQ(process.signal(), SIGKILL);
}

TEST(WorkerProcess, KillsAWorkerThatDoesNotEndInTime) {
  WorkerProcess process([](int /*socket*/) {
    for (;;) pause();
  });
  process.start();
  EXPECT_EQ(process.end(0.1), "did not end when its connection was closed, and was ended");
  EXPECT_EQ(process.end(0.1), "");
}

// Code that is measured may do that to the process that started its own.
TEST(WorkerProcess, EndsWithAHelperThatItStopsOrKillsAndHasAnother) {
  for (const int signal : {SIGSTOP, SIGKILL}) {
    fakes::Strays strays;
    WorkerProcess process(leaving(strays, [signal](int socket) {
      prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
      char letter = 0;
      while (recv(socket, &letter, 1, 0) == 1)
        if (letter == 'k') kill(getppid(), signal);
    }));
    process.start();
    wait_for_letter(process);
    EXPECT_EQ(ask(process, 'k'), '\0');
    EXPECT_EQ(process.end(), "ended with its parent, which was killed by signal 9 (Killed)");
    EXPECT_EQ(process.signal(), SIGKILL);
    EXPECT_TRUE(strays.end());
  }
}

TEST(WorkerProcess, StartsAnotherAfterItsHelperIsGone) {
  WorkerProcess process([](int socket) {
    char letter = 0;
    while (recv(socket, &letter, 1, 0) == 1) {
      if (letter == 'k') kill(getppid(), SIGTERM);  // which it ignores
      if (letter == 'K') kill(getppid(), SIGKILL);
      ::send(socket, &letter, 1, MSG_NOSIGNAL);
    }
  });
  for (int round = 0; round < 3; ++round) {
    process.start();
    EXPECT_EQ(ask(process, 'k'), 'k');
    EXPECT_EQ(ask(process, 'a'), 'a');
    ask(process, 'K');
    char rest = 0;
    EXPECT_EQ(recv(process.socket(), &rest, 1, 0), 0);
  }
  EXPECT_EQ(process.end(), "ended with its parent, which was killed by signal 9 (Killed)");
}

// Runs `dying` in a process of its own that has such a worker.
template <class Dying>
void expect_that_none_survive(Dying dying) {
  fakes::Strays strays;
  const pid_t owner = fork();
  if (owner == 0) {
    WorkerProcess process(leaving(strays, [](int /*socket*/) {
      for (;;) pause();
    }));
    // A later helper has a copy of what leads to the first one.
    WorkerProcess later(echo);
    process.start();
    later.start();
    fakes::comes_true([&] { return strays.are_there(); });
    dying();
    _exit(0);
  }
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(strays.are_there());
  EXPECT_TRUE(strays.end());
}

TEST(WorkerProcess, EndsWithAllOfItWhenItsOwnerIsKilled) {
  expect_that_none_survive([] { std::raise(SIGKILL); });
}

TEST(WorkerProcess, EndsWithAllOfItWhenItsOwnerHangsUpOrIsInterrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) expect_that_none_survive([&] { std::raise(signal); });
}

TEST(WorkerProcess, OutlivesTheThreadThatMadeIt) {
  std::unique_ptr<WorkerProcess> process;
  std::thread([&] { process = std::make_unique<WorkerProcess>(echo); }).join();
  process->start();
  EXPECT_EQ(ask(*process, 'a'), 'a');
}

// The origin as its worker sees it: the parent of its parent.
pid_t grandparent() {
  std::ifstream stat("/proc/" + std::to_string(getppid()) + "/stat");
  std::string name, state;
  pid_t self = 0, parent = 0;
  stat >> self >> name >> state >> parent;
  return parent;
}

TEST(WorkerProcess, TakesItsTemporaryFilesAlongWhoeverIsKilled) {
  for (const std::size_t victim : {0, 1, 2}) {
    const ScratchFolder folder;
    setenv("TMPDIR", folder.path().c_str(), 1);
    {
      WorkerProcess process([](int socket) {
        const std::array<pid_t, 3> all{getpid(), getppid(), grandparent()};
        ::send(socket, all.data(), sizeof all, MSG_NOSIGNAL);
        for (;;) pause();
      });
      process.start();
      std::array<pid_t, 3> all{};
      ASSERT_EQ(recv(process.socket(), all.data(), sizeof all, MSG_WAITALL), sizeof all);
      EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
      kill(all[victim], SIGKILL);
      EXPECT_TRUE(process.end().ends_with("was killed by signal 9 (Killed)")) << victim;
    }
    unsetenv("TMPDIR");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << victim;
  }
}

TEST(WorkerProcess, IgnoresWhatATerminalSends) {
  WorkerProcess process(echo);
  process.start();
  EXPECT_EQ(ask(process, 'a'), 'a');
  EXPECT_NE(getpgid(process.worker()), getpgid(0));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) kill(process.worker(), signal);
  EXPECT_EQ(ask(process, 'b'), 'b');
}

}  // namespace
}  // namespace tailwave
