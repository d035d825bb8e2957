#include "measure/draw.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "core/error.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

class KeptDraw : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "draw"; }

  ScratchFolder folder_, other_;
};

TEST_F(KeptDraw, StaysTheSameInAFolderAndDiffersBetweenFolders) {
  const std::uint64_t draw = kept_draw(folder_.path());
  EXPECT_EQ(kept_draw(folder_.path()), draw);
  EXPECT_EQ(draw % 2, 0U);
  EXPECT_LE(draw, std::uint64_t{1} << 62U);
  EXPECT_NE(kept_draw(other_.path()), draw);
}

TEST_F(KeptDraw, IsReadableByItsOwnerAlone) {
  kept_draw(folder_.path());
  struct stat state {};
  ASSERT_EQ(stat(file().c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0600U);
}

TEST_F(KeptDraw, IsNotWrittenOverAFileOfSomebodyElse) {
  for (const char* text : {"", "12", "x\n", "-2\n", "13\n", "9223372036854775806\n"}) {
    write(text);
    try {
      kept_draw(folder_.path());
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                file().string() +
                    ": is no number of a draw, so this program did not write it\n"
                    "  remove it, or name another folder for the cache with $TAILWAVE_CACHE");
    }
    std::ifstream stream(file());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), text);
  }
  write("12\n");
  EXPECT_EQ(kept_draw(folder_.path()), 12U);
}

TEST_F(KeptDraw, OfAFolderThatIsNotThereIsOfNoUseLater) {
  EXPECT_NE(kept_draw(folder_.path() / "none"), kept_draw(folder_.path() / "none"));
}

}  // namespace
}  // namespace tailwave
