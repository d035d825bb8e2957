#include "core/resource_limits.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

#include "core/temporary_folder.h"

namespace tailwave {
namespace {

constexpr int kNotTried = 255;

// What `attempt` gives in a process of its own, which it may limit.
int in_a_process(const std::function<int()>& attempt) {
  const pid_t process = fork();
  if (process == 0) _exit(attempt());
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// How many processes could be started that live at once, up to 64.
int live_processes() {
  int started = 0;
  while (started < 64) {
    const pid_t process = fork();
    if (process == 0) {
      pause();
      _exit(0);
    }
    if (process < 0) break;
    ++started;
  }
  const int error = errno;
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);  // its group, which is its own
  while (wait(nullptr) > 0) {
  }
  return started == 64 || error == EAGAIN ? started : kNotTried;
}

bool has_mapped(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

TEST(ResourceLimits, EndWhatAllocatesWithoutEnd) {
  constexpr std::size_t kGibibyte = std::size_t{1} << 30;
  EXPECT_EQ(in_a_process([] {
              if (!has_mapped(kGibibyte)) return kNotTried;
              limit_resources({.data_bytes = kGibibyte});
              return has_mapped(kGibibyte) ? 1 : errno;
            }),
            ENOMEM);
}

TEST(ResourceLimits, EndFilesAndMemoryFilesAtTheirSize) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "file";
  std::ofstream(file) << "text";
  EXPECT_EQ(in_a_process([&] {
              signal(SIGXFSZ, SIG_IGN);
              limit_resources({.file_bytes = 4096});
              if (truncate(file.c_str(), 4096) != 0) return kNotTried;
              return truncate(file.c_str(), 4097) == 0 ? 1 : errno;
            }),
            EFBIG);
  EXPECT_EQ(in_a_process([] {
              signal(SIGXFSZ, SIG_IGN);
              limit_resources({.file_bytes = 4096});
              const int memory = memfd_create("buffer", MFD_CLOEXEC);
              if (ftruncate(memory, 4096) != 0) return kNotTried;
              return ftruncate(memory, 4097) == 0 ? 1 : errno;
            }),
            EFBIG);
}

TEST(ResourceLimits, EndProcessesThatMultiply) {
  const auto started_under = [](std::uint64_t more) {
    return in_a_process([&] {
      // Linux asks no limit of root.
      if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return kNotTried;
      setpgid(0, 0);
      if (more > 0) limit_resources({.tasks = tasks_of_this_user() + more});
      return live_processes();
    });
  };
  if (started_under(0) != 64) GTEST_SKIP() << "this user may not start 64 processes as it is";
  const int started = started_under(8);
  EXPECT_LE(started, 24) << "8, and the room that other processes of this user left";
  EXPECT_GE(started, 1);
}

TEST(ResourceLimits, OfTasksAreLeftWhereTheyAreReachedAlready) {
  const int left_alone = in_a_process([] {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return kNotTried;
    rlimit before{}, after{};
    getrlimit(RLIMIT_NPROC, &before);
    limit_resources({.tasks = 1});
    getrlimit(RLIMIT_NPROC, &after);
    return before.rlim_cur == after.rlim_cur && before.rlim_max == after.rlim_max ? 0 : 1;
  });
  if (left_alone == kNotTried)
    GTEST_SKIP() << "root cannot become another user here, and no limit of processes is asked of it";
  EXPECT_EQ(left_alone, 0);
}

TEST(ResourceLimits, AreNeverRaised) {
  EXPECT_EQ(in_a_process([] {
              limit_resources({.file_bytes = 4096});
              limit_resources({.file_bytes = 8192});
              rlimit limit{};
              getrlimit(RLIMIT_FSIZE, &limit);
              return limit.rlim_cur == 4096 && limit.rlim_max == 4096 ? 0 : 1;
            }),
            0);
}

TEST(ResourceLimits, CountsWhatRunsAndWhatThereIs) {
  EXPECT_GE(tasks_of_this_user(), 1U);
  EXPECT_GT(memory_of_this_machine(), 0U);
  EXPECT_LE(available_memory(), memory_of_this_machine());
}

}  // namespace
}  // namespace tailwave
