#include "compile/project_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "core/error.h"
#include "fakes/scratch_folder.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class ProjectHeaders : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> headers() const {
    std::vector<std::string> names;
    for (const fs::path& file : project_headers(root() / "main.cu", root()))
      names.push_back(file.lexically_relative(fs::canonical(root())).string());
    return names;
  }
  [[nodiscard]] std::string digest_of_files() const { return SourceDigests().of(root() / "main.cu", root()); }
  [[nodiscard]] fs::path root() const { return scratch_.path() / "system"; }
  void write(const std::string& name, std::string_view text) const { scratch_.write("system/" + name, text); }

  ScratchFolder scratch_;
};

TEST_F(ProjectHeaders, AreFoundThroughOtherHeadersEachOnce) {
  write("main.cu",
        "#include \"parts/a.cuh\"\n  #  include <common.cuh>\n#include <cuda_fp16.h>\n#include \"no.h\"\n");
  write("parts/a.cuh", "#include \"b.cuh\"\n#include \"common.cuh\"\n#include \"../main.cu\"\n");
  write("parts/b.cuh", "#include \"a.cuh\" // again\n");
  write("common.cuh", "// #include \"unused.cuh\"\n#included\n");
  write("unused.cuh", "");
  EXPECT_THAT(headers(), ElementsAre("common.cuh", "parts/a.cuh", "parts/b.cuh"));
}

TEST_F(ProjectHeaders, AreNoneWithNamesThatNoFileCanHave) {
  write("main.cu", "#include \"" + std::string(300, 'n') + ".h\"\n");
  EXPECT_THAT(headers(), ElementsAre());
}

TEST_F(ProjectHeaders, MustNotLeaveTheFolder) {
  write("main.cu", "\n#include \"../secret.h\"\n");
  scratch_.write("secret.h", "");
  EXPECT_EQ(refusal([&] { return headers(); }),
            (root() / "main.cu").string() +
                ": line 2: '../secret.h' is outside the system's folder\n  put what it needs into " +
                root().string());
}

TEST_F(ProjectHeaders, MustNotLeaveTheFolderThroughALink) {
  write("main.cu", "#include \"link.h\"\n");
  scratch_.write("secret.h", "");
  fs::create_symlink("../secret.h", root() / "link.h");
  EXPECT_THAT(refusal([&] { return headers(); }),
              testing::HasSubstr("'link.h' is outside the system's folder"));
}

TEST_F(ProjectHeaders, MustBeNamedInTheirDirective) {
  write("main.cu", "#define NAME \"a.h\"\n#include NAME\n");
  EXPECT_EQ(refusal([&] { return headers(); }),
            (root() / "main.cu").string() +
                ": line 2: #include of something that is not a file name\n  #include NAME\n"
                "  ^ name the file: what a macro includes cannot be part of a build's content key");
}

TEST_F(ProjectHeaders, AreFoundBesideTheSourceFromEverywhere) {
  write("kernels/main.cu", "#include <own.cuh>\n#include \"../parts/a.cuh\"\n");
  write("kernels/own.cuh", "");
  write("kernels/other.cuh", "");
  write("parts/a.cuh", "#include \"other.cuh\"\n");
  std::vector<std::string> names;
  for (const fs::path& file : project_headers(root() / "kernels/main.cu", root()))
    names.push_back(file.lexically_relative(fs::canonical(root())).string());
  EXPECT_THAT(names, ElementsAre("kernels/other.cuh", "kernels/own.cuh", "parts/a.cuh"));
}

TEST_F(ProjectHeaders, AreFoundHoweverTheirDirectiveIsWritten) {
  write("main.cu", "#include/**/\"a.cuh\"\n%:include \"b.cuh\"\n#inc\\\nlude \"c.cuh\"\n");
  for (const char* name : {"a.cuh", "b.cuh", "c.cuh"}) write(name, "");
  EXPECT_THAT(headers(), ElementsAre("a.cuh", "b.cuh", "c.cuh"));
  write("main.cu", "#include/**/\"../secret.h\"\n");
  scratch_.write("secret.h", "");
  EXPECT_THAT(refusal([&] { return headers(); }),
              testing::HasSubstr("line 1: '../secret.h' is outside the system's folder"));
}

TEST_F(ProjectHeaders, MustBeIncludedByThatWord) {
  write("main.cu", "\n #include_next <a.h>\n");
  EXPECT_EQ(refusal([&] { return headers(); }),
            (root() / "main.cu").string() +
                ": line 2: #include_next is not followed\n  #include_next <a.h>\n"
                "  ^ say #include: what other directives read cannot be part of a build's content key");
}

TEST_F(ProjectHeaders, ChangeTheDigestOfASourceWhenTheyChange) {
  write("main.cu", "#include \"a.cuh\"\n");
  write("a.cuh", "one");
  const std::string before = digest_of_files();
  EXPECT_EQ(digest_of_files(), before);
  write("a.cuh", "two");
  EXPECT_NE(digest_of_files(), before);
}

// Results are stored and builds are cached under keys that contain it.
TEST_F(ProjectHeaders, AndTheSourceHaveTheDigestThatTheyAlwaysHad) {
  write("main.cu", "#include \"parts/a.cuh\"\n#include <cuda_fp16.h>\n");
  write("parts/a.cuh", "one");
  EXPECT_EQ(digest_of_files(), "85337417ac3f1b2075e6fb12068d7a02");
}

// As ProjectHeaders; what is written here counts as settled at once.
class SourceDigestsTest : public ProjectHeaders {
 protected:
  SourceDigestsTest() {
    write("main.cu", "#include \"a.cuh\"\n#include \"b.cuh\"\n");
    write("a.cuh", "one");
  }
  std::string digest() { return digests_.of(root() / "main.cu", root()); }
  // Whether the change of the files between two calls is told.
  template <class Change>
  void expect_told(Change change) {
    const std::string before = digest();
    const std::size_t made = digests_.made();
    EXPECT_EQ(digest(), before);
    EXPECT_EQ(digests_.made(), made);
    await_tick();
    change();
    EXPECT_NE(digest(), before);
    EXPECT_EQ(digest(), digest_of_files());
  }

  // Waits until the clock of the file system has ticked.
  void await_tick() {
    const auto time = [this] {
      write("clock", "");
      return std::filesystem::last_write_time(root() / "clock");
    };
    const auto before = time();
    EXPECT_TRUE(fakes::comes_true([&] { return time() != before; }));
  }

  SourceDigests digests_{std::chrono::nanoseconds(0)};
};

TEST_F(SourceDigestsTest, AreThoseOfTheFilesAndMadeOnce) {
  const std::string first = digest_of_files();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(digest(), first);
  EXPECT_EQ(digests_.made(), 1);
  EXPECT_NE(digests_.of(root() / "a.cuh", root()), first);
  EXPECT_EQ(digests_.made(), 2);
}

TEST_F(SourceDigestsTest, TellOfEveryChangeOfAFile) {
  expect_told([&] { write("a.cuh", "two"); });
  expect_told([&] { write("main.cu", "#include \"a.cuh\"\n#include <b.cuh>\n"); });
  expect_told([&] {  // of the same size and time
    const fs::file_time_type time = fs::last_write_time(root() / "a.cuh");
    write("a.cuh", "six");
    fs::last_write_time(root() / "a.cuh", time);
  });
  expect_told([&] {
    write("other.cuh", "ten");
    fs::rename(root() / "other.cuh", root() / "a.cuh");
  });
  expect_told([&] { fs::remove(root() / "a.cuh"); });
}

TEST_F(SourceDigestsTest, TellOfAnIncludeThatLeadsElsewhere) {
  expect_told([&] { write("b.cuh", "was a toolkit's"); });
  write("parts/main.cu", "#include \"a.cuh\"\n");
  const auto of_part = [&] { return digests_.of(root() / "parts/main.cu", root()); };
  const std::string before = of_part();
  write("parts/a.cuh", "one");  // found before the other one
  EXPECT_NE(of_part(), before);
}

TEST_F(SourceDigestsTest, TellOfALinkThatIsTurned) {
  write("first/c.cuh", "1");
  write("second/c.cuh", "2");
  fs::create_symlink("first", root() / "link");
  write("main.cu", "#include \"link/c.cuh\"\n");
  expect_told([&] {
    fs::remove(root() / "link");
    fs::create_symlink("second", root() / "link");
  });
}

TEST_F(SourceDigestsTest, DoNotRelyOnAFileThatHasSeveralNames) {
  fs::create_hard_link(root() / "a.cuh", root() / "again.cuh");
  EXPECT_EQ(digest(), digest());
  EXPECT_EQ(digests_.made(), 2);
}

TEST_F(SourceDigestsTest, DoNotRelyOnAFileThatChangedAMomentAgo) {
  SourceDigests careful;
  for (const char* text : {"two", "six", "ten"}) {
    write("a.cuh", text);  // possibly within one tick of the file system's clock
    EXPECT_EQ(careful.of(root() / "main.cu", root()), digest_of_files());
  }
  EXPECT_EQ(careful.made(), 3);
  EXPECT_EQ(careful.of(root() / "main.cu", root()), careful.of(root() / "main.cu", root()));
  EXPECT_EQ(careful.made(), 5);
}

TEST_F(SourceDigestsTest, RefuseWhatTheFilesRefuseEveryTime) {
  write("main.cu", "#include NAME\n");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(refusal([&] { digest(); }),
                testing::HasSubstr("line 1: #include of something that is not a file name"));
  write("main.cu", "");
  EXPECT_EQ(digest(), digest_of_files());
}

}  // namespace
}  // namespace tailwave
