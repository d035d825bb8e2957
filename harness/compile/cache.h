#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/artifact.h"

namespace tailwave {

// Artifacts on disk, one folder a key: <root>/artifacts/<first two digits>/<key>/
// {artifact.cubin|artifact.so, record.json}. Entries are written to a temporary folder and renamed into place, so that a killed process or
// two at once leave only whole entries. An unreadable entry counts as absent and is replaced.
class ArtifactCache {
 public:
  // $TAILWAVE_CACHE, else $XDG_CACHE_HOME/tailwave, else ~/.cache/tailwave, else a folder of the user's among the
  // temporary ones.
  static std::filesystem::path default_root();

  // Creates the folder, for this user alone; throws Error when it cannot, and for one that belongs to another user or
  // that others can write.
  explicit ArtifactCache(const std::filesystem::path& root);

  // The artifact with record.from_cache set and record.seconds 0. One whose inputs have changed counts as absent.
  [[nodiscard]] std::optional<Artifact> find(const std::string& key) const;

  // Stores code bytes with artifact.record, kind, symbols, variables, resources and inputs; sets artifact.file. Keeps an
  // entry that is already there, and then artifact is that one, in the seconds that this one took.
  void store(Artifact& artifact, std::string_view code) const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  // The folder of all entries, in which nothing else is: whoever reads code needs no more of the root.
  [[nodiscard]] std::filesystem::path artifacts() const;

 private:
  std::filesystem::path root_;
};

inline constexpr const char* kTemporary = ".tmp-";  // how temporary names begin

// For what is renamed into place once it is whole: a name in the folder that no other process or thread uses.
std::filesystem::path temporary_name(const std::filesystem::path& parent);

}  // namespace tailwave
