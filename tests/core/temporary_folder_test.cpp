#include "core/temporary_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

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
