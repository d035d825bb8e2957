#include "core/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/temporary_folder.h"
#include "fakes/error_of.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using samples::error_of;
using testing::EndsWith;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WholeFile, TakesThePlaceOfWhatWasThere) {
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / "file";
  replace_file(file, "one");
  std::ifstream reader(file);
  replace_file(file, "two");
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "one");  // who had it open goes on with it
  EXPECT_EQ(content_of(file), "two");
  const std::string large(3 << 20, 'x');
  replace_file(scratch.path() / "source", large);
  replace_with_copy(file, scratch.path() / "source");
  EXPECT_EQ(content_of(file), large);
  EXPECT_EQ(entries_of(scratch.path()), 2U);
}

TEST(WholeFile, LeavesWhatWasThereWhereItCannotBeReplaced) {
  const TemporaryFolder scratch;
  const fs::path folder = scratch.path() / "folder";
  fs::create_directories(folder / "full");
  EXPECT_THAT(error_of([&] { replace_file(folder, "text"); }),
              EndsWith("folder: cannot be replaced: Is a directory"));
  EXPECT_THAT(error_of([&] { replace_file(scratch.path() / "gone/file", "text"); }),
              EndsWith("gone/file: cannot be written: No such file or directory"));
  EXPECT_THAT(error_of([&] { replace_with_copy(scratch.path() / "copy", scratch.path() / "none"); }),
              EndsWith("none: cannot be read: No such file or directory"));
  EXPECT_THAT(error_of([&] { replace_with_copy(scratch.path() / "copy", folder); }),
              EndsWith("folder: cannot be read: Is a directory"));
  EXPECT_EQ(entries_of(scratch.path()), 1U);  // and nothing beside it
}

}  // namespace
}  // namespace tailwave
