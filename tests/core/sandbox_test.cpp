#include "core/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "core/temporary_folder.h"

namespace tailwave {
namespace {

class ASandbox : public testing::Test {
 protected:
  void SetUp() override {
    const std::string here = sandbox_of_this_system();
    if (here.find("seccomp") == std::string::npos) GTEST_SKIP() << "sandbox: " << here;
    std::ofstream(file_) << "text";
  }

  // What errno is after the attempt in a process that is confined, or free where nothing is said; 0: it succeeded.
  static int error_of(const std::function<bool()>& attempt, std::optional<Sandbox> sandbox) {
    const pid_t process = fork();
    if (process == 0) {
      if (sandbox) {
        set_sandbox(Confined::host_code, *sandbox);
        enter_sandbox(Confined::host_code);
      }
      _exit(attempt() ? 0 : errno);
    }
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }

  [[nodiscard]] Sandbox confined() const { return {.read = {}, .write = {folder_.path()}}; }

  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "file";
};

TEST_F(ASandbox, LetsCodeChangeNoModesOwnersOrTimes) {
  const std::function<bool()> attempts[] = {
      [&] { return chmod(file_.c_str(), 0777) == 0; },
      [&] { return fchmodat(AT_FDCWD, file_.c_str(), 0777, 0) == 0; },
      [&] { return chown(file_.c_str(), getuid(), getgid()) == 0; },
      [&] { return utimensat(AT_FDCWD, file_.c_str(), nullptr, 0) == 0; },
  };
  for (const auto& attempt : attempts) {
    EXPECT_EQ(error_of(attempt, std::nullopt), 0);
    EXPECT_EQ(error_of(attempt, confined()), EPERM);
    // A linker makes programs executable.
    Sandbox of_linker = confined();
    of_linker.marks_files = true;
    EXPECT_EQ(error_of(attempt, of_linker), 0);
  }
}

// By a descriptor that is open to read.
TEST_F(ASandbox, LetsCodeChangeNoFlagsOfFiles) {
  const auto attempt = [&](unsigned long request) {
    return [this, request] {
      const int file = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
      std::array<char, 64> nothing{};
      return ioctl(file, request, nothing.data()) == 0;
    };
  };
  for (const unsigned long request :
       {FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, static_cast<unsigned long>(FIFREEZE)})
    EXPECT_EQ(error_of(attempt(request), confined()), EPERM) << request;
  const auto ask = [this] {
    int size = 0;
    return ioctl(open(file_.c_str(), O_RDONLY | O_CLOEXEC), FIONREAD, &size) == 0;
  };
  EXPECT_EQ(error_of(ask, confined()), 0);
}

TEST_F(ASandbox, LetsCodeChangeNoScheduleOfOthers) {
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  const sched_param idle{};
  const std::function<bool()> attempts[] = {
      [&] { return setpriority(PRIO_PROCESS, static_cast<id_t>(other), 5) == 0; },
      [&] { return sched_setaffinity(other, sizeof cpus, &cpus) == 0; },
      [&] { return sched_setscheduler(other, SCHED_IDLE, &idle) == 0; },
  };
  for (const auto& attempt : attempts) {
    EXPECT_EQ(error_of(attempt, confined()), EPERM);
    EXPECT_EQ(error_of(attempt, std::nullopt), 0);
  }
  const auto own = [&] {
    return setpriority(PRIO_PROCESS, 0, 19) == 0 && sched_setaffinity(0, sizeof cpus, &cpus) == 0;
  };
  EXPECT_EQ(error_of(own, confined()), 0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST_F(ASandbox, TellsCodeNothingOfWhatHappensInFolders) {
  const auto attempt = [&] {
    return inotify_add_watch(inotify_init1(0), folder_.path().c_str(), IN_ALL_EVENTS) >= 0;
  };
  EXPECT_EQ(error_of(attempt, std::nullopt), 0);
  EXPECT_EQ(error_of(attempt, confined()), EPERM);
}

TEST_F(ASandbox, LeavesRootWhatReachesFilesAlone) {
  if (getuid() != 0) GTEST_SKIP() << "this user has no capabilities to lose";
  // Of a program that it starts, too.
  constexpr const char* kOfFilesAlone =
      "set -- $(sed -n 's/^CapEff:.//p' /proc/self/status); test $((0x$1 & ~0x1f)) = 0 -a $((0x$1 & 2)) = 2";
  const auto attempt = [] { return std::system(kOfFilesAlone) == 0; };
  EXPECT_EQ(error_of(attempt, confined()), 0);
}

TEST_F(ASandbox, LetsNobodyIntoANamespaceOfHisOwn) {
  const std::function<bool()> attempts[] = {
      [] { return unshare(CLONE_NEWUSER) == 0; },
      [] {
        const long process = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
        if (process == 0) _exit(0);
        return process > 0;
      },
  };
  for (const auto& attempt : attempts) EXPECT_EQ(error_of(attempt, confined()), EPERM);
}

TEST_F(ASandbox, LetsItStartThreadsAndProcesses) {
  const auto attempt = [] {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    const pid_t process = fork();
    if (process == 0) _exit(0);
    return ran && process > 0;
  };
  EXPECT_EQ(error_of(attempt, confined()), 0);
}

}  // namespace
}  // namespace tailwave
