#include "core/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/error.h"

namespace tailwave {
namespace {

// $TMPDIR, until this goes.
class Tmpdir {
 public:
  explicit Tmpdir(const std::string& folder) : before_(folder_of_temporary_files()) {
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~Tmpdir() { setenv("TMPDIR", before_.c_str(), 1); }
  Tmpdir(const Tmpdir&) = delete;
  Tmpdir& operator=(const Tmpdir&) = delete;

 private:
  std::string before_;
};

TEST(TemporaryFolder, IsItsUsersAloneAndGoesWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder("tailwave-test-");
    path = folder.path();
    EXPECT_THAT(path.filename().string(), testing::StartsWith("tailwave-test-"));
    struct stat found {};
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700U);
    std::ofstream(path / "file") << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, GoesHoweverDeepItIs) {
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    const int here = open(".", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(chdir(path.c_str()), 0);
    for (int depth = 0; depth < 100; ++depth) ASSERT_TRUE(mkdir("deep", 0700) == 0 && chdir("deep") == 0);
    ASSERT_EQ(fchdir(here), 0);
    close(here);
    const rlimit few{50, usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, 50U);
  setrlimit(RLIMIT_NOFILE, &usual);
}

TEST(TemporaryFolder, SaysWhichFolderIsNotThereAndWhoNamedIt) {
  const TemporaryFolder folder;
  const Tmpdir nowhere((folder.path() / "nowhere").string());
  try {
    const TemporaryFolder none;
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::MatchesRegex((folder.path() / "nowhere/tailwave-......: ").string() +
                                      "cannot be made: No such file or directory\n"
                                      "  name another folder for temporary files with .TMPDIR"));
    EXPECT_EQ(error.exit_status(), Error::kRunFailed);
  }
}

}  // namespace
}  // namespace tailwave
