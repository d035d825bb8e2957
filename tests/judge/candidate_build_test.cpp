#include "judge/candidate_build.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "compile/prelude.h"

namespace tailwave {
namespace {

TEST(CandidateBuild, MessagesLoseTheFolderOfSources) {
  EXPECT_EQ(
      without_source_folder("/tmp/tailwave-judge-Ab3xY9/4711/mine.cu(3): error: no\n"
                            "tailwave-judge-Ab3xY9/1/mine.cu(4): see \"/x/tailwave-judge-Ab3xY9/12/a.cu\"\n"),
      "mine.cu(3): error: no\nmine.cu(4): see \"a.cu\"\n");
}

TEST(CandidateBuild, MessagesKeepWhatOnlyLooksLikeTheFolder) {
  for (const char* text :
       {"tailwave-judge-", "tailwave-judge-Ab3xY9", "tailwave-judge-Ab3xY9/", "a tailwave-judge-x",
        "tailwave-judge-Ab3xY9/mine.cu", "tailwave-judge-Ab3xY9/12", ""})
    EXPECT_EQ(without_source_folder(text), text);
}

TEST(CandidateBuild, ASourceIsThereUntilItIsRemovedAndTheFolderAsLongAsItsObject) {
  std::filesystem::path path;
  {
    const SourceFolder folder;
    path = folder.path();
    const std::string file = folder.add(3, "__global__ void f() {}\n");
    EXPECT_EQ(read_file(file), "__global__ void f() {}\n");
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    folder.remove(3);
    EXPECT_FALSE(std::filesystem::exists(file));
    static_cast<void>(folder.add(4, ""));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tailwave
