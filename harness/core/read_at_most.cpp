#include "core/read_at_most.h"

#include <array>

namespace tailwave {

std::string read_at_most(std::istream& stream, std::size_t most_bytes) {
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (text.size() <= most_bytes && (stream.read(piece.data(), piece.size()), stream.gcount() > 0))
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace tailwave
