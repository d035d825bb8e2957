#include "measure/draw.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "core/error.h"

namespace tailwave {
namespace {

constexpr std::uint64_t kLargestDraw = std::uint64_t{1} << 62U;

std::optional<std::uint64_t> read_draw(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMostBytes = 32;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > kMostBytes)
    return std::nullopt;
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  std::uint64_t draw = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), draw);
  const bool whole = failure == std::errc{} && std::string(end, text.data() + text.size()) == "\n";
  return whole && draw <= kLargestDraw && draw % 2 == 0 ? std::optional(draw) : std::nullopt;
}

// Whole, or not at all; readable by its owner alone. Whatever another process kept meanwhile stays.
void keep(const std::filesystem::path& file, std::uint64_t draw) {
  std::string name = file.string() + ".XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return;
  const std::string text = std::to_string(draw) + "\n";
  const bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  if (written) static_cast<void>(link(name.c_str(), file.c_str()));
  unlink(name.c_str());
}

}  // namespace

std::uint64_t random_draw() {
  std::random_device device;
  const std::uint64_t high = device(), low = device();
  return (high << 32U | low) & (kLargestDraw - 2);
}

std::uint64_t kept_draw(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "draw";
  if (const auto kept = read_draw(file)) return *kept;
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    throw Error(Diagnostic{.file = file.string(),
                           .cause = "is no number of a draw, so this program did not write it",
                           .hint = "remove it, or name another folder for the cache with $TAILWAVE_CACHE"});
  const std::uint64_t draw = random_draw();
  keep(file, draw);
  return read_draw(file).value_or(draw);
}

}  // namespace tailwave
