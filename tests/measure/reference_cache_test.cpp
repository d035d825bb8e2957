#include "measure/reference_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/hash.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

BufferContents contents_of(const std::string& text) {
  BufferContents contents;
  for (const char* name : {"empty", "x", "y"}) contents[name] = {};
  for (const char c : text) {
    contents["x"].push_back(std::byte(c));
    contents["y"].push_back(std::byte('\n'));
  }
  return contents;
}

TEST(ReferenceCache, GivesBackWhatItKept) {
  const ScratchFolder scratch;
  const ReferenceCache cache(scratch / "references");
  const std::string key = content_hash("key");
  EXPECT_FALSE(cache.find(key).has_value());
  cache.keep(key, contents_of("first"));
  EXPECT_EQ(cache.find(key), contents_of("first"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "references" / key.substr(0, 2) / key));
  EXPECT_FALSE(cache.find(content_hash("another")).has_value());
  cache.keep(key, contents_of("second"));
  EXPECT_EQ(cache.find(key), contents_of("second"));
}

TEST(ReferenceCache, KeepsNothingWithoutAFolder) {
  const ReferenceCache cache;
  cache.keep(content_hash("key"), contents_of("text"));
  EXPECT_FALSE(cache.find(content_hash("key")).has_value());
}

TEST(ReferenceCache, HoldsWholeFilesWhenThreadsAndProcessesKeepTheSameKeys) {
  const ScratchFolder scratch;
  const ReferenceCache cache(scratch.path());
  const auto keep_all = [&] {
    for (int i = 0; i < 50; ++i) {
      const std::string key = content_hash(std::to_string(i % 10));
      cache.keep(key, contents_of(key));
      if (cache.find(key) != contents_of(key)) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process) {
    const pid_t child = fork();
    if (child == 0) _exit(keep_all() ? 0 : 1);
    children.push_back(child);
  }
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) threads.emplace_back([&] { EXPECT_TRUE(keep_all()); });
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
    if (entry.is_regular_file()) ++files;
  EXPECT_EQ(files, 10);
}

}  // namespace
}  // namespace tailwave
