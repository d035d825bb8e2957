#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/project_sources.h"
#include "compile/unit_compiler.h"
#include "compile/unit_source.h"
#include "core/hash.h"

namespace tailwave {

// Makes shared objects of variants' sources by one recipe and compiler, and keeps them in the cache: under a key of
// source, project headers, defines, flags and compiler, and again under one that has the other files that were read, too.
class UnitBuilder {
 public:
  // `compiler` may be null: then `identity` stands in keys for that of one, and build() must not be called.
  UnitBuilder(const UnitRecipe& recipe, ArtifactCache cache, std::shared_ptr<const UnitCompiler> compiler,
              std::string identity = "");

  [[nodiscard]] bool has_compiler() const { return compiler_ != nullptr; }
  // As Compiler::build() and key().
  Artifact build(const BuildRequest& request);
  std::string key(const BuildRequest& request);
  [[nodiscard]] std::string version() const;  // "none" without a compiler

 private:
  // Up to the embedded headers.
  FieldHasher begun_key(const BuildRequest& request);
  // Of what is known before a build; the build is cached under it.
  std::string cache_key(const BuildRequest& request);
  [[nodiscard]] bool reads_elsewhere(const BuildRequest& request) const;
  // With their hashes. Headers that nothing of the request names would be in no key before the build. The project's are
  // in it.
  [[nodiscard]] std::map<std::string, std::string> hashed(std::vector<std::filesystem::path> inputs,
                                                          const BuildRequest& request) const;
  [[nodiscard]] std::string all_flags(const BuildRequest& request) const;
  [[nodiscard]] UnitCompiler::Result compile(const BuildRequest& request) const;

  const UnitRecipe& recipe_;
  ArtifactCache cache_;
  std::shared_ptr<const UnitCompiler> compiler_;
  std::string identity_;
  SourceDigests sources_;
  std::mutex mutex_;                          // of what follows
  std::map<std::string, FieldHasher> begun_;  // by the source's digest
};

}  // namespace tailwave
