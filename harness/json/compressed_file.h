#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace tailwave {

// The bytes of a file, or, of one that gzip compressed, those that went in. Compression is told by the first two bytes,
// whatever the file is called; several compressed parts one after another count as one (RFC 1952). Throws Error (bad
// usage) that names the file, where it cannot be read, the compressed data are cut off or damaged, or there are more
// than `most_bytes` of what went in.
std::string read_decompressed(const std::filesystem::path& file,
                              std::size_t most_bytes = std::size_t{1} << 30);

// What gzip made `bytes` of. Throws Error as above; `file` is what it names.
std::string decompressed(std::string_view bytes, const std::filesystem::path& file,
                         std::size_t most_bytes = std::size_t{1} << 30);

// As gzip compresses it, without a name and a date.
std::string compressed(std::string_view text);

}  // namespace tailwave
