#pragma once

#include <filesystem>
#include <string>

namespace tailwave {

// The bytes of a file, or, of one that gzip compressed, those that went in. Compression is told by the first two bytes,
// whatever the file is called; several compressed parts one after another count as one (RFC 1952). Throws Error (bad
// usage) that names the file, where it cannot be read or the compressed data are cut off or damaged.
std::string read_decompressed(const std::filesystem::path& file);

}  // namespace tailwave
