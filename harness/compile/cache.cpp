#include "compile/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/temporary_folder.h"
#include "json/members_json.h"
#include "json/parser.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

const char* code_file(Artifact::Kind kind) {
  if (kind == Artifact::Kind::ptx) return "artifact.ptx";
  if (is_program(kind)) return "artifact";
  return kind == Artifact::Kind::cubin ? "artifact.cubin" : "artifact.so";
}

std::string describe(const Artifact& artifact, std::string_view code) {
  json object{{"kind", to_string(artifact.kind)}, {"symbols", artifact.symbols},
              {"variables", artifact.variables},  {"inputs", artifact.inputs},
              {"file_hash", content_hash(code)},  {"resources", json::array()}};
  write_members(object, artifact.record);
  for (const KernelResources& kernel : artifact.resources)
    write_members(object["resources"].emplace_back(json::object()), kernel);
  return object.dump(1, ' ', false, json::error_handler_t::replace);
}

KernelResources read_resources(const Json& place) {
  auto resources = read_record<KernelResources>(place);
  for_each_member<KernelResources>([&](const auto& one) {
    if constexpr (std::is_integral_v<typename std::remove_cvref_t<decltype(one)>::Type>)
      if (resources.*one.place < 0) place.at(one.name).refuse("less than 0");
  });
  return resources;
}

// Throws for anything that is not a whole entry of this key.
Artifact read_entry(const fs::path& folder, const std::string& key) {
  const fs::path record = folder / "record.json";
  if (!fs::is_regular_file(record))
    throw Error("the record is no file");  // a device or a pipe may have no end
  const Json entry = require_json(read_file(record), record.string());
  Artifact artifact;
  artifact.kind = entry.at("kind").enumerator<Artifact::Kind>();
  artifact.file = folder / code_file(artifact.kind);
  for (const auto& [kernel, symbol] : entry.at("symbols").members()) artifact.symbols[kernel] = symbol.text();
  for (const Json& variable : entry.at("variables").items()) artifact.variables.push_back(variable.text());
  for (const auto& [file, hash] : entry.at("inputs").members()) {
    if (!fs::is_regular_file(file) || content_hash(read_file(file)) != hash.text())
      throw Error("an input has changed");
    artifact.inputs[file] = hash.text();
  }
  for (const Json& kernel : entry.at("resources").items())
    artifact.resources.push_back(read_resources(kernel));
  artifact.record = read_record<BuildRecord>(entry);
  artifact.record.seconds = 0;
  artifact.record.from_cache = true;
  if (artifact.record.key != key || !fs::is_regular_file(artifact.file) ||
      content_hash(read_file(artifact.file)) != entry.at("file_hash").text())
    throw Error("the entry does not match its record");
  return artifact;
}

void write_file(const fs::path& file, std::string_view bytes) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category());
}

[[noreturn]] void refuse_to_store(const fs::path& entry, const fs::path& temporary,
                                  const std::error_code& error) {
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  throw Error(Diagnostic{.file = entry.string(),
                         .cause = "cannot be stored in the cache: " + error.message(),
                         .hint = "name another folder with $TAILWAVE_CACHE"},
              Error::kRunFailed);
}

fs::path artifact_folder(const fs::path& root) {
  return root / "artifacts";
}

fs::path entry_folder(const fs::path& root, const std::string& key) {
  return artifact_folder(root) / key.substr(0, 2) / key;
}

// What lies in the cache is run: nobody else may put it there.
void refuse_folder_of_others(const fs::path& folder) {
  const auto refuse = [&](const std::string& cause) {
    throw Error(Diagnostic{.file = folder.string(),
                           .cause = "the cache folder " + cause + ", and what lies in it would be run",
                           .hint = "name another with $TAILWAVE_CACHE"},
                Error::kRunFailed);
  };
  struct stat status {
  }, link{};
  if (stat(folder.c_str(), &status) != 0 || lstat(folder.c_str(), &link) != 0)
    refuse(std::string("cannot be looked at: ") + std::strerror(errno));
  for (const struct stat& one : {status, link})
    if (one.st_uid != geteuid())
      refuse(fmt::format("belongs to the user {}, not to {}", one.st_uid, geteuid()));
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != getegid();
  if (by_group || (status.st_mode & S_IWOTH) != 0) refuse("can be written by others");
}

void make_private_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (error || (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)) {
    const std::string why = error ? error.message() : std::strerror(errno);
    throw Error(fmt::format("{}: the cache folder cannot be created: {}", folder.string(), why));
  }
  refuse_folder_of_others(folder);
}

// Removes a folder that others may look at without their ever seeing half of it.
void discard(const fs::path& folder) {
  const fs::path away = temporary_name(folder.parent_path());
  std::error_code ignored;
  fs::rename(folder, away, ignored);
  fs::remove_all(away, ignored);
}

// Of what was built twice at once, from files of two names, say: the code of the one that is kept has names of its own.
void take(Artifact there, Artifact& artifact) {
  there.record.seconds = artifact.record.seconds;
  there.record.from_cache = false;
  artifact = std::move(there);
}

}  // namespace

fs::path temporary_name(const fs::path& parent) {
  static std::atomic<unsigned> counter{0};
  return parent / fmt::format("{}{}-{}", kTemporary, getpid(), counter++);
}

fs::path ArtifactCache::default_root() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (fs::path own = variable("TAILWAVE_CACHE"); !own.empty()) return own;
  if (const fs::path shared = variable("XDG_CACHE_HOME"); !shared.empty()) return shared / "tailwave";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "tailwave";
  return folder_of_temporary_files() / fmt::format("tailwave-cache-{}", geteuid());
}

ArtifactCache::ArtifactCache(const fs::path& root) {
  make_private_folder(root);
  root_ = fs::absolute(root);
  std::error_code ignored;  // what cannot be written is said when there is something to store
  fs::create_directory(artifacts(), ignored);
}

fs::path ArtifactCache::artifacts() const {
  return artifact_folder(root_);
}

std::optional<Artifact> ArtifactCache::find(const std::string& key) const {
  const fs::path folder = entry_folder(root_, key);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return std::nullopt;
  try {
    return read_entry(folder, key);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void ArtifactCache::store(Artifact& artifact, std::string_view code) const {
  const std::string& key = artifact.record.key;
  const fs::path folder = entry_folder(root_, key);
  artifact.file = folder / code_file(artifact.kind);
  if (auto there = find(key)) return take(*std::move(there), artifact);
  const fs::path temporary = temporary_name(folder.parent_path());
  try {
    fs::create_directories(folder.parent_path());
    fs::create_directory(temporary);
    write_file(temporary / code_file(artifact.kind), code);
    if (is_program(artifact.kind))
      fs::permissions(temporary / code_file(artifact.kind), fs::perms::owner_all);
    write_file(temporary / "record.json", describe(artifact, code));
  } catch (const std::system_error& failure) {
    refuse_to_store(folder, temporary, failure.code());
  }

  // The rename fails when an entry is there: a whole one, stored by someone else meanwhile, or a damaged one.
  constexpr int kAttempts = 8;
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::rename(temporary, folder, error);
    if (!error) return;
    if (find(key)) break;
    discard(folder);
  }
  auto there = find(key);
  if (!there) refuse_to_store(folder, temporary, error);
  fs::remove_all(temporary);
  take(*std::move(there), artifact);
}

}  // namespace tailwave
