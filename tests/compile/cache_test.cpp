#include "compile/cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "compile/prelude.h"
#include "core/error.h"
#include "core/hash.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

const std::string kKey = "0123456789abcdef0123456789abcdef";

Artifact sample() {
  Artifact artifact;
  artifact.kind = Artifact::Kind::cubin;
  artifact.symbols = {{"reduce<4>", "_Z6reduceILi4EEvPf"}};
  artifact.resources = {{"reduce<4>", 32, 16, 8, 2, 256, 4096}};
  artifact.record = {kKey, "NVRTC 13.0", "sm_90", "--std=c++17", "code", "a warning\n\"quoted\"", 1.5, false};
  return artifact;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::count_if(fs::recursive_directory_iterator(folder), {},
                                                [](const auto& entry) { return entry.is_regular_file(); }));
}

TEST(ArtifactCache, HasABuildOnlyWhileItsInputsAreTheSame) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path() / "cache");
  const std::string input = scratch.write("a.h", "one").string();
  const auto stored_with = [&](const std::string& text) {
    Artifact artifact = sample();
    artifact.inputs = {{input, content_hash(text)}};
    cache.store(artifact, "code of " + text);
  };
  stored_with("one");
  ASSERT_TRUE(cache.find(kKey));
  EXPECT_EQ(cache.find(kKey)->inputs, (std::map<std::string, std::string>{{input, content_hash("one")}}));
  scratch.write("a.h", "two");
  EXPECT_FALSE(cache.find(kKey));
  stored_with("two");
  ASSERT_TRUE(cache.find(kKey));
  EXPECT_EQ(read_file(cache.find(kKey)->file), "code of two");
  fs::remove(input);
  EXPECT_FALSE(cache.find(kKey));
}

TEST(ArtifactCache, ReadsNoInputThatIsADevice) {
  const ScratchFolder folder;
  const ArtifactCache cache(folder / "cache");
  Artifact artifact;
  artifact.record.key = kKey;
  artifact.inputs = {{"/dev/zero", content_hash("")}};
  cache.store(artifact, "code");
  EXPECT_FALSE(cache.find(kKey));
}

TEST(ArtifactCache, GivesBackWhatItStored) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path() / "cache");
  EXPECT_FALSE(cache.find(kKey).has_value());
  Artifact stored = sample();
  cache.store(stored, std::string("\x7f"
                                  "ELF\0code",
                                  9));
  EXPECT_EQ(stored.file, scratch.path() / "cache/artifacts/01" / kKey / "artifact.cubin");

  const auto found = cache.find(kKey);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, Artifact::Kind::cubin);
  EXPECT_EQ(found->file, stored.file);
  EXPECT_EQ(found->symbols, stored.symbols);
  EXPECT_EQ(found->resources, stored.resources);
  EXPECT_EQ(found->record.compiler, "NVRTC 13.0");
  EXPECT_EQ(found->record.target, "sm_90");
  EXPECT_EQ(found->record.options, "--std=c++17");
  EXPECT_EQ(found->record.code_hash, "code");
  EXPECT_EQ(found->record.log, "a warning\n\"quoted\"");
  EXPECT_EQ(found->record.seconds, 0);
  EXPECT_TRUE(found->record.from_cache);
  EXPECT_EQ(read_file(found->file), std::string("\x7f"
                                                "ELF\0code",
                                                9));
}

TEST(ArtifactCache, NamesSharedObjectsAsSuch) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path());
  for (const auto kind : {Artifact::Kind::cpu_kernels, Artifact::Kind::host_library}) {
    Artifact artifact = sample();
    artifact.kind = kind;
    artifact.record.key = kind == Artifact::Kind::cpu_kernels ? "aa" : "bb";
    cache.store(artifact, "code");
    EXPECT_EQ(artifact.file.filename(), "artifact.so");
    EXPECT_EQ(cache.find(artifact.record.key)->kind, kind);
  }
}

TEST(ArtifactCache, KeepsAnEntryThatIsAlreadyThere) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path());
  Artifact first = sample();
  cache.store(first, "first");
  Artifact second = sample();
  second.variables = {"of_second"};
  second.record.seconds = 7;
  cache.store(second, "second");
  EXPECT_EQ(second.file, first.file);
  EXPECT_EQ(read_file(second.file), "first");
  EXPECT_EQ(second.variables, first.variables);  // what is said of the code is said of the one that is kept
  EXPECT_EQ(second.record.seconds, 7);
  EXPECT_FALSE(second.record.from_cache);
  EXPECT_EQ(files_in(scratch.path()), 2U);
}

TEST(ArtifactCache, TakesADamagedEntryAsAbsentAndReplacesIt) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path());
  const fs::path entry = fs::path("artifacts/01") / kKey;
  const auto damages = std::vector<std::function<void()>>{
      [&] { scratch.write(entry / "artifact.cubin", "co"); },
      [&] { scratch.write(entry / "record.json", "{\"kind\": \"cub"); },
      [&] { scratch.write(entry / "record.json", "{}"); },
      [&] { fs::remove(scratch.path() / entry / "artifact.cubin"); },
      [&] { fs::remove(scratch.path() / entry / "record.json"); },
  };
  for (const auto& damage : damages) {
    Artifact artifact = sample();
    cache.store(artifact, "code");
    ASSERT_TRUE(cache.find(kKey).has_value());
    damage();
    EXPECT_FALSE(cache.find(kKey).has_value());
    cache.store(artifact, "code");
    EXPECT_TRUE(cache.find(kKey).has_value());
    EXPECT_EQ(files_in(scratch.path()), 2U);
  }
}

TEST(ArtifactCache, HoldsWholeEntriesWhenThreadsAndProcessesStoreTheSameKeys) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch.path());
  const auto store_all = [&] {
    for (int index = 0; index < 50; ++index) {
      Artifact artifact = sample();
      artifact.record.key = "ab" + std::to_string(index);
      cache.store(artifact, "code of " + artifact.record.key);
    }
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      store_all();
      _exit(0);
    }
    children.push_back(child);
  }
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) threads.emplace_back(store_all);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int index = 0; index < 50; ++index) {
    const auto found = cache.find("ab" + std::to_string(index));
    ASSERT_TRUE(found.has_value()) << index;
    EXPECT_EQ(read_file(found->file), "code of ab" + std::to_string(index));
  }
  EXPECT_EQ(files_in(scratch.path()), 100U);
}

TEST(ArtifactCache, SaysWhenItsFolderCannotBeMade) {
  const ScratchFolder scratch;
  const fs::path file = scratch.write("file", "");
  try {
    const ArtifactCache cache(file / "cache");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              (file / "cache").string() + ": the cache folder cannot be created: Not a directory");
  }
}

TEST(ArtifactCache, IsOfNobodyElse) {
  const ScratchFolder scratch;
  EXPECT_EQ(fs::status(ArtifactCache(scratch / "new" / "cache").root()).permissions(), fs::perms::owner_all);
  fs::create_directory(scratch / "open");
  fs::permissions(scratch / "open", fs::perms::all);
  EXPECT_EQ(samples::error_of([&] { const ArtifactCache cache(scratch / "open"); }),
            (scratch / "open").string() +
                ": the cache folder can be written by others, and what lies in it would be run\n"
                "  name another with $TAILWAVE_CACHE");
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(scratch / "other");
  ASSERT_EQ(chown((scratch / "other").c_str(), 1, 1), 0);
  EXPECT_EQ(samples::error_of([&] { const ArtifactCache cache(scratch / "other"); }),
            (scratch / "other").string() +
                ": the cache folder belongs to the user 1, not to 0, and what lies in it would be run\n"
                "  name another with $TAILWAVE_CACHE");
  fs::create_directory_symlink(scratch / "new" / "cache", scratch / "link");
  ASSERT_EQ(lchown((scratch / "link").c_str(), 1, 1), 0);
  EXPECT_NE(samples::error_of([&] { const ArtifactCache cache(scratch / "link"); }), "");
}

TEST(ArtifactCache, NamesWhatCannotBeStored) {
  const ScratchFolder scratch;
  const ArtifactCache cache(scratch / "cache");
  Artifact artifact;
  artifact.record.key = "abcdef";
  scratch.write("cache/artifacts/ab", "no folder");
  EXPECT_EQ(
      samples::error_of([&] { cache.store(artifact, "code"); }),
      (scratch / "cache/artifacts/ab/abcdef").string() +
          ": cannot be stored in the cache: Not a directory\n  name another folder with $TAILWAVE_CACHE");
}

TEST(ArtifactCache, LiesWhereTheEnvironmentSays) {
  setenv("HOME", "/home/ada", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("TAILWAVE_CACHE");
  EXPECT_EQ(ArtifactCache::default_root(), "/home/ada/.cache/tailwave");
  setenv("XDG_CACHE_HOME", "/scratch", 1);
  EXPECT_EQ(ArtifactCache::default_root(), "/scratch/tailwave");
  setenv("TAILWAVE_CACHE", "/own", 1);
  EXPECT_EQ(ArtifactCache::default_root(), "/own");
  unsetenv("TAILWAVE_CACHE");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(ArtifactCache::default_root().filename(), "tailwave-cache-" + std::to_string(geteuid()));
}

}  // namespace
}  // namespace tailwave
