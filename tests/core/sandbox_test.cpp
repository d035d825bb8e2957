#include "core/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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
