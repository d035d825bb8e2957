#include "measure/reference_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "compile/cache.h"
#include "core/hash.h"
#include "core/parallel.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t kPiece = std::size_t{8} << 20;  // of what is hashed on all cores

std::string hash_of(std::span<const std::byte> bytes) {
  std::vector<std::string> hashes(bytes.size() / kPiece + 1);
  for_each_at_once(hashes.size(), [&](std::size_t i) {
    const auto piece = bytes.subspan(i * kPiece, std::min(kPiece, bytes.size() - i * kPiece));
    hashes[i] = content_hash({reinterpret_cast<const char*>(piece.data()), piece.size()});
  });
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return content_hash(all);
}

// Throws where there are not that many.
void read_at(int file, std::uintmax_t offset, std::span<std::byte> bytes) {
  std::atomic<bool> cut_off{false};
  for_each_at_once(bytes.size() / kPiece + 1, [&](std::size_t i) {
    auto piece = bytes.subspan(i * kPiece, std::min(kPiece, bytes.size() - i * kPiece));
    for (std::uintmax_t at = offset + i * kPiece; !piece.empty();) {
      const ssize_t got = pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
      if (got <= 0) {
        cut_off = true;
        return;
      }
      piece = piece.subspan(static_cast<std::size_t>(got));
      at += static_cast<std::uintmax_t>(got);
    }
  });
  if (cut_off) throw std::runtime_error("the file is cut off");
}

bool has_digits(const std::string& text, std::size_t count) {
  return text.size() == count && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Whether it is named like what keep() writes: a key of as many digits as all have, or temporary_name(), in a folder of
// a key's first two. Another program may keep its files beside these.
bool is_own(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string(), name = file.filename().string();
  if (!has_digits(folder, 2)) return false;
  return name.starts_with(kTemporary) ||
         (has_digits(name, content_hash("").size()) && name.starts_with(folder));
}

// The first line of a file; the buffers' bytes follow in the order of their names.
std::string heading(const std::string& key, const BufferContents& contents) {
  json buffers = json::object();
  for (const auto& [name, blob] : contents)
    buffers[name] = {{"bytes", blob.bytes().size()}, {"hash", hash_of(blob.bytes())}};
  return json{{"key", key}, {"buffers", buffers}}.dump() + '\n';
}

// Throws for anything that is not a whole file of this key.
BufferContents read_result(const fs::path& file, const std::string& key) {
  if (!fs::is_regular_file(file))
    throw std::runtime_error("it is no file");  // a device or a pipe may have no end
  std::ifstream stream(file, std::ios::binary);
  std::string first_line;
  std::getline(stream, first_line);
  const json record = json::parse(first_line);
  if (record.at("key").get<std::string>() != key) throw std::runtime_error("the file of another key");
  std::uintmax_t left = fs::file_size(file) - (first_line.size() + 1);
  std::uintmax_t offset = first_line.size() + 1;
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  BufferContents contents;
  for (const auto& [name, buffer] : record.at("buffers").items()) {
    const auto bytes = buffer.at("bytes").get<std::uintmax_t>();
    if (bytes > left) throw std::runtime_error("the file is cut off");
    left -= bytes;
    Blob& content = contents[name];
    constexpr std::uintmax_t kFew = std::uintmax_t{1} << 20;
    content = bytes <= kFew ? Blob(std::vector<std::byte>(bytes)) : Blob::shared(bytes);
    read_at(opened.number(), offset, content.writable());
    offset += bytes;
    if (hash_of(content.bytes()) != buffer.at("hash").get<std::string>())
      throw std::runtime_error("the file is damaged");
  }
  if (left != 0) throw std::runtime_error("the file is too long");
  return contents;
}

void write_result(const fs::path& file, const std::string& key, const BufferContents& contents) {
  std::ofstream stream(file, std::ios::binary);
  stream << heading(key, contents);
  for (const auto& [name, blob] : contents)
    stream.write(reinterpret_cast<const char*>(blob.bytes().data()),
                 static_cast<std::streamsize>(blob.bytes().size()));
  stream.close();
  if (!stream) throw std::runtime_error("the file cannot be written");
}

}  // namespace

ReferenceCache ReferenceCache::finding_nothing() const {
  ReferenceCache other = *this;
  other.finds_ = false;
  return other;
}

fs::path ReferenceCache::file_of(const std::string& key) const {
  return folder_ / key.substr(0, 2) / key;
}

std::optional<BufferContents> ReferenceCache::find(const std::string& key) const {
  if (!keeps_any() || !finds_) return std::nullopt;
  const fs::path file = file_of(key);
  try {
    BufferContents contents = read_result(file, key);
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    return contents;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void ReferenceCache::keep(const std::string& key, const BufferContents& contents) const {
  std::size_t bytes = 0;
  for (const auto& [name, blob] : contents) bytes += blob.bytes().size();
  if (!keeps_any() || bytes > limits_.result_bytes) return;
  const fs::path file = file_of(key);
  const fs::path temporary = temporary_name(file.parent_path());
  try {
    fs::create_directories(file.parent_path());
    write_result(temporary, key, contents);
    fs::rename(temporary, file);
    remove_oldest(file);
  } catch (const std::exception&) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
  }
}

// Other processes may remove files meanwhile. What killed ones left half written goes like any other file.
void ReferenceCache::remove_oldest(const fs::path& latest) const {
  struct File {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
    if (!is_own(entry.path())) continue;
    std::error_code is_folder, is_gone;
    const std::uintmax_t bytes = entry.file_size(is_folder);
    const fs::file_time_type used = entry.last_write_time(is_gone);
    if (is_folder || is_gone) continue;
    total += bytes;
    if (entry.path() != latest) files.push_back({used, bytes, entry.path()});
  }
  std::sort(files.begin(), files.end(),
            [](const File& one, const File& other) { return one.used < other.used; });
  std::error_code ignored;
  for (auto file = files.begin(); file != files.end() && total > limits_.total_bytes; ++file) {
    fs::remove(file->path, ignored);
    total -= file->bytes;
  }
}

}  // namespace tailwave
