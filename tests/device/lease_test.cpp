#include "device/lease.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "fakes/shared_flags.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using fakes::SharedFlags;
using samples::error_of;

class LeaseTest : public testing::Test {
 protected:
  [[nodiscard]] Lease::Terms terms(const std::string& holder = "7 tailwave run x.json") const {
    return {folder_.path(), "gpu", holder};
  }
  [[nodiscard]] std::string refusal(const Lease::Terms& wanted) const {
    return error_of([&] { const Lease lease(wanted); });
  }
  [[nodiscard]] std::string holder() const { return lease_holder(folder_.path(), "gpu"); }
  // Whether somebody has a lock on the file.
  [[nodiscard]] bool is_locked(const std::string& name) const {
    const Descriptor file(open((folder_ / name).c_str(), O_RDWR | O_CLOEXEC));
    return file.number() >= 0 && flock(file.number(), LOCK_EX | LOCK_NB) != 0;
  }

  ScratchFolder folder_;
};

pid_t in_a_process(const std::function<void()>& work) {
  const pid_t process = fork();
  if (process != 0) return process;
  work();
  _exit(0);
}

int status_of(pid_t process) {
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) sched_yield();
}

TEST_F(LeaseTest, IsHeldByOneProcessAtATime) {
  enum { is_held, was_held_twice };
  SharedFlags flags(2);
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i)
    processes.push_back(in_a_process([&] {
      Lease lease(terms());
      for (int turn = 0; turn < 100; ++turn) {
        lease.take();
        if (flags[is_held].exchange(true)) flags[was_held_twice] = true;
        sched_yield();
        flags[is_held] = false;
        lease.release();
      }
    }));
  for (const pid_t process : processes) EXPECT_EQ(status_of(process), 0);
  EXPECT_FALSE(flags[was_held_twice]);
}

TEST_F(LeaseTest, IsFreeWhenItsHolderIsKilled) {
  SharedFlags flags(1);
  const pid_t process = in_a_process([&] {
    Lease lease(terms());
    lease.take();
    flags[0] = true;
    for (;;) pause();
  });
  wait_for(flags[0]);
  EXPECT_TRUE(is_locked("gpu"));
  kill(process, SIGKILL);
  EXPECT_EQ(status_of(process), SIGKILL);
  Lease lease(terms());
  lease.take();
  EXPECT_TRUE(is_locked("gpu"));
}

TEST_F(LeaseTest, IsGivenToWhoWaitsBeforeItsLastHolderHasItAgain) {
  enum { was_taken };
  SharedFlags flags(1);
  Lease lease(terms());
  lease.take();
  const pid_t process = in_a_process([&] {
    Lease other(terms());
    other.take();
    flags[was_taken] = true;
    other.release();
  });
  ASSERT_TRUE(fakes::comes_true([&] { return is_locked("gpu.queue"); }));
  lease.release();
  lease.take();
  EXPECT_TRUE(flags[was_taken]);
  EXPECT_EQ(status_of(process), 0);
}

TEST_F(LeaseTest, TellsWhoHasIt) {
  EXPECT_EQ(holder(), "another process");  // there is no file
  Lease lease(terms());
  EXPECT_EQ(holder(), "another process");
  lease.take();
  EXPECT_EQ(holder(), "process 7 (tailwave run x.json)");
  lease.release();
  Lease other(terms("8 a \x1b[31m" + std::string(1000, 'x')));
  other.take();
  EXPECT_EQ(holder(), "process 8 (a \\x1b[31m" + std::string(240 - 9, 'x') + ")");
  for (const char* nonsense : {"", "x", "-", "12", "99999999999999999999 x"}) {
    folder_.write("gpu", nonsense);
    EXPECT_EQ(holder(), "another process") << nonsense;
  }
}

TEST_F(LeaseTest, LeavesNobodyADescriptorToWriteTo) {
  Lease lease(terms());
  lease.take();
  lease.give_up_writing();
  for (int number = 3; number < 100; ++number) {
    const int how = fcntl(number, F_GETFL);
    std::error_code none;
    const std::string file = fs::read_symlink("/proc/self/fd/" + std::to_string(number), none).filename();
    const bool is_ours = file == "gpu" || file == "gpu.queue";
    EXPECT_TRUE(how < 0 || !is_ours || (how & O_ACCMODE) == O_RDONLY) << file;
  }
  EXPECT_TRUE(is_locked("gpu"));
  lease.release();
  lease.take();
  EXPECT_TRUE(is_locked("gpu"));
  EXPECT_EQ(holder(), "process 7 (tailwave run x.json)");
}

TEST_F(LeaseTest, IsToldWithTheNumberAndTheCommandLineOfThisProcess) {
  const std::string here = lease_holder_here();
  EXPECT_THAT(here, testing::StartsWith(std::to_string(getpid()) + " device_test"));
}

TEST_F(LeaseTest, MakesAFolderForAllUsers) {
  const mode_t before = umask(077);
  const Lease::Terms wanted{folder_ / "leases", "cpu", ""};
  const Lease lease(wanted);
  umask(before);
  const auto mode_of = [](const fs::path& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
  };
  EXPECT_EQ(mode_of(wanted.folder), 01777U);
  EXPECT_EQ(mode_of(wanted.folder / "cpu"), 0666U);
  EXPECT_EQ(mode_of(wanted.folder / "cpu.queue"), 0666U);
}

TEST_F(LeaseTest, RefusesWhatIsNoFileOfItsOwn) {
  const std::string file = (folder_ / "gpu").string();
  const std::string other = folder_.write("other", "theirs").string();
  fs::create_symlink(other, file);
  EXPECT_EQ(refusal(terms()), file + ": is a symbolic link");
  fs::remove(file);
  fs::create_hard_link(other, file);
  EXPECT_EQ(refusal(terms()), file + ": has another name, too");
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(refusal(terms()), file + ": Is a directory");
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0666), 0);
  EXPECT_EQ(refusal(terms()), file + ": is no regular file");
}

TEST_F(LeaseTest, RefusesAFolderThatIsNone) {
  const auto in = [&](const fs::path& folder) { return refusal({folder, "gpu", ""}); };
  const fs::path file = folder_.write("file", "");
  EXPECT_EQ(in(file), file.string() + ": Not a directory");
  const fs::path link = folder_ / "link";
  fs::create_symlink(folder_.path(), link);
  EXPECT_EQ(in(link), link.string() + ": is a symbolic link");
  const fs::path below = folder_ / "missing/leases";
  EXPECT_EQ(in(below), below.string() + ": No such file or directory");
}

TEST_F(LeaseTest, IsOfAGpuByItsUuid) {
  DeviceDescription device{
      .kind = DeviceKind::cuda, .name = "NVIDIA H200", .uuid = "GPU-1", .properties = {}};
  EXPECT_EQ(lease_name(device), "GPU-1");
  device.uuid.clear();
  EXPECT_EQ(lease_name(device), "gpu");
  device.kind = DeviceKind::cpu;
  EXPECT_EQ(lease_name(device), "cpu");
}

TEST_F(LeaseTest, LiesInTheFolderThatAVariableNames) {
  const char* const before = std::getenv("TAILWAVE_LEASES");
  const std::string value = before == nullptr ? "" : before;
  setenv("TAILWAVE_LEASES", "/own", 1);
  EXPECT_EQ(default_lease_folder(), "/own");
  setenv("TAILWAVE_LEASES", "", 1);
  EXPECT_EQ(default_lease_folder(), "/tmp/tailwave-leases");
  if (before == nullptr)
    unsetenv("TAILWAVE_LEASES");
  else
    setenv("TAILWAVE_LEASES", value.c_str(), 1);
}

}  // namespace
}  // namespace tailwave
