#include "measure/reference_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/hash.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

BufferContents contents_of(const std::string& text) {
  std::vector<std::byte> x, y(text.size(), std::byte('\n'));
  for (const char c : text) x.push_back(std::byte(c));
  return {{"empty", Blob()}, {"x", Blob(std::move(x))}, {"y", Blob(std::move(y))}};
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

TEST(ReferenceCache, RemovesWhatWasUsedLongestAgo) {
  const ScratchFolder scratch;
  const auto size_of_one = [&] {
    const ReferenceCache cache(scratch / "one");
    cache.keep(content_hash("a"), contents_of("text"));
    return std::filesystem::file_size(scratch / "one" / content_hash("a").substr(0, 2) / content_hash("a"));
  };
  const ReferenceCache cache(scratch / "references", {.total_bytes = 3 * size_of_one()});
  const auto has = [&](const std::string& name) {
    const std::string key = content_hash(name);
    return std::filesystem::exists(scratch / "references" / key.substr(0, 2) / key);
  };
  const auto keep = [&](const std::string& name) {
    std::filesystem::create_directories(scratch / "references");
    for (const auto& file : std::filesystem::recursive_directory_iterator(scratch / "references"))
      if (file.is_regular_file())
        std::filesystem::last_write_time(file, file.last_write_time() - std::chrono::seconds(1));
    cache.keep(content_hash(name), contents_of("text"));
  };
  for (const char* name : {"a", "b", "c"}) keep(name);
  EXPECT_TRUE(has("a") && has("b") && has("c"));
  EXPECT_TRUE(cache.find(content_hash("a")).has_value());
  keep("d");
  EXPECT_TRUE(has("a") && !has("b") && has("c") && has("d"));
  keep("e");
  EXPECT_TRUE(has("a") && !has("c") && has("d") && has("e"));
  const ReferenceCache small(scratch / "references", {.total_bytes = 1});
  small.keep(content_hash("f"), contents_of("text"));
  EXPECT_TRUE(!has("a") && !has("d") && !has("e") && has("f")) << "the latest stays";
}

TEST(ReferenceCache, RemovesNothingThatItDidNotWrite) {
  const ScratchFolder scratch;
  const std::string key = content_hash("a");
  for (const std::string& name : {std::string("thesis.tex"), key.substr(0, 2) + "/photo", "zz/" + key})
    scratch.write(name, "another program's");
  scratch.write(key.substr(0, 2) + "/.tmp-1-2", "half of one");
  const ReferenceCache cache(scratch.path(), {.total_bytes = 1});
  cache.keep(content_hash("b"), contents_of("text"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "thesis.tex"));
  EXPECT_TRUE(std::filesystem::exists(scratch / key.substr(0, 2) / "photo"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "zz" / key));
  EXPECT_FALSE(std::filesystem::exists(scratch / key.substr(0, 2) / ".tmp-1-2"));
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
