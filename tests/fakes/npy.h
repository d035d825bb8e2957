#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailwave::fakes {

// A file as numpy.save writes it, of version 1.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& elements,
                       const std::string& in_columns = "False") {
  constexpr std::size_t kLine = 64, kBefore = 10;
  std::string dictionary =
      "{'descr': '" + type + "', 'fortran_order': " + in_columns + ", 'shape': " + shape + ", }";
  while ((kBefore + dictionary.size() + 1) % kLine != 0) dictionary += ' ';
  dictionary += '\n';
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  std::string file = "\x93NUMPY";
  file += {'\1', '\0', static_cast<char>(length & 0xFFU), static_cast<char>(length >> 8U)};
  return file + dictionary + elements;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

}  // namespace tailwave::fakes
