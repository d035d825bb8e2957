#include "json/compressed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>

#include "core/error.h"
#include "core/read_at_most.h"

namespace tailwave {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;  // zlib.h, inflateInit2 and deflateInit2
constexpr const char* kFetchAgain = "fetch the file again";

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& cause,
                              const std::string& hint) {
  throw Error(Diagnostic{.file = file.string(), .cause = cause, .hint = hint});
}

bool is_compressed(const std::string& bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

std::string decompressed(std::string_view bytes, const std::filesystem::path& file, std::size_t most_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) refuse_file(file, "cannot be decompressed: out of memory", "");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
  std::array<char, 65536> buffer{};
  std::string text;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (result != Z_STREAM_END || stream.avail_in > 0) {
    if (result == Z_STREAM_END) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR) refuse_file(file, "the compressed data are cut off", kFetchAgain);
    if (result != Z_OK && result != Z_STREAM_END)
      refuse_file(file,
                  std::string("the compressed data are damaged") +
                      (stream.msg != nullptr ? std::string(": ") + stream.msg : ""),
                  kFetchAgain);
    if (text.size() > most_bytes)
      refuse_file(file, fmt::format("has more than {} MiB when decompressed", most_bytes >> 20),
                  "decompress it and look at what it is");
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  return text;
}

std::string read_decompressed(const std::filesystem::path& file, std::size_t most_bytes) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) refuse_file(file, "cannot be read", "");
  std::string bytes = read_at_most(stream, most_bytes);
  if (bytes.size() > most_bytes)
    refuse_file(file, fmt::format("has more than {} MiB", most_bytes >> 20), "is it what you meant?");
  return is_compressed(bytes) ? decompressed(bytes, file, most_bytes) : bytes;
}

std::string compressed(std::string_view text) {
  z_stream stream{};
  constexpr int kUsualMemory = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("data cannot be compressed: out of memory", Error::kRunFailed);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, deflateEnd);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    throw Error("data cannot be compressed: zlib gave up", Error::kRunFailed);
  bytes.resize(stream.total_out);
  return bytes;
}

}  // namespace tailwave
