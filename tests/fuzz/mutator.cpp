#include "mutator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace tailwave::fuzz {
namespace {

constexpr std::array<std::string_view, 30> kNumbers{"0",
                                                    "-1",
                                                    "1",
                                                    "-0",
                                                    "0.0",
                                                    "127",
                                                    "255",
                                                    "65536",
                                                    "2147483647",
                                                    "2147483648",
                                                    "-2147483648",
                                                    "4294967295",
                                                    "4294967296",
                                                    "9007199254740993",
                                                    "9223372036854775807",
                                                    "9223372036854775808",
                                                    "-9223372036854775808",
                                                    "18446744073709551615",
                                                    "18446744073709551616",
                                                    "1e308",
                                                    "-1e308",
                                                    "1e309",
                                                    "5e-324",
                                                    "1e-400",
                                                    "0.1",
                                                    "nan",
                                                    "inf",
                                                    "-inf",
                                                    "0x10",
                                                    "1e18"};

constexpr std::array<std::uint64_t, 14> kWords{0,
                                               1,
                                               2,
                                               0x7f,
                                               0xff,
                                               0x7fff,
                                               0xffff,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff,
                                               0x7ff8000000000000};

// Short pieces are likelier than long ones.
std::size_t some_length(std::size_t most, Generator& random) {
  if (most == 0) return 0;
  const std::size_t limit = std::min(most, std::size_t{1} << below(12, random));
  return 1 + below(limit, random);
}

struct Piece {
  std::size_t begin = 0, size = 0;
};

Piece piece_of(const std::string& bytes, Generator& random) {
  const std::size_t begin = below(bytes.size() + 1, random);
  return {begin, some_length(bytes.size() - begin, random)};
}

void flip_bit(std::string& bytes, Generator& random) {
  if (bytes.empty()) return;
  char& one = bytes[below(bytes.size(), random)];
  one = static_cast<char>(static_cast<unsigned char>(one) ^ (1U << below(8, random)));
}

void set_byte(std::string& bytes, Generator& random) {
  if (!bytes.empty()) bytes[below(bytes.size(), random)] = static_cast<char>(below(256, random));
}

void insert_bytes(std::string& bytes, Generator& random) {
  std::string added(some_length(64, random), '\0');
  const bool alike = below(2, random) == 0;
  for (char& one : added) one = static_cast<char>(below(256, random));
  if (alike) std::fill(added.begin(), added.end(), added.front());
  bytes.insert(below(bytes.size() + 1, random), added);
}

void remove_piece(std::string& bytes, Generator& random) {
  const Piece piece = piece_of(bytes, random);
  bytes.erase(piece.begin, piece.size);
}

// Once or many times, so that what is nested gets deep and what is listed gets long.
void repeat_piece(std::string& bytes, Generator& random) {
  const Piece piece = piece_of(bytes, random);
  if (piece.size == 0) return;
  const std::string copy = bytes.substr(piece.begin, piece.size);
  const std::size_t most = below(20, random) == 0 ? kMostBytes / piece.size : 4;
  std::string copies;
  for (std::size_t left = some_length(most, random); left > 0; --left) copies += copy;
  bytes.insert(piece.begin, copies);
}

void swap_pieces(std::string& bytes, Generator& random) {
  Piece one = piece_of(bytes, random), other = piece_of(bytes, random);
  if (one.begin > other.begin) std::swap(one, other);
  if (one.begin + one.size > other.begin) return;
  const std::string first = bytes.substr(one.begin, one.size), last = bytes.substr(other.begin, other.size);
  bytes.replace(other.begin, other.size, first);
  bytes.replace(one.begin, one.size, last);
}

void cut_off(std::string& bytes, Generator& random) {
  bytes.resize(below(bytes.size() + 1, random));
}

void insert_number(std::string& bytes, Generator& random) {
  const std::string_view number = kNumbers[below(kNumbers.size(), random)];
  // In the place of one that is there, if any comes.
  const std::size_t from = below(bytes.size() + 1, random);
  const std::size_t begin = std::min(bytes.find_first_of("0123456789", from), bytes.size());
  const std::size_t end = std::min(bytes.find_first_not_of("0123456789.eE+-", begin), bytes.size());
  bytes.replace(begin, end - begin, number);
}

void insert_word(std::string& bytes, const std::vector<std::string>& words, Generator& random) {
  if (!words.empty()) bytes.insert(below(bytes.size() + 1, random), words[below(words.size(), random)]);
}

// A whole number as it lies in memory, of 1, 2, 4 or 8 bytes and mostly aligned.
void set_word(std::string& bytes, Generator& random) {
  const std::size_t size = std::size_t{1} << below(4, random);
  if (bytes.size() < size) return;
  std::size_t at = below(bytes.size() - size + 1, random);
  if (below(4, random) != 0) at -= at % size;
  std::uint64_t word = kWords[below(kWords.size(), random)];
  if (below(3, random) == 0) {
    word = 0;
    std::memcpy(&word, bytes.data() + at, size);
    word += below(33, random) - std::uint64_t{16};
  }
  std::memcpy(bytes.data() + at, &word, size);
}

void splice(std::string& bytes, const std::string& other, Generator& random) {
  const Piece from = piece_of(other, random), to = piece_of(bytes, random);
  if (below(2, random) == 0)
    bytes = bytes.substr(0, to.begin) + other.substr(from.begin);
  else
    bytes.replace(to.begin, below(2, random) == 0 ? to.size : 0, other, from.begin, from.size);
}

void change(std::string& bytes, const std::string& other, const Material& material, Generator& random) {
  const bool binary = material.form == Form::binary;
  switch (below(12, random)) {
    case 0:
      return flip_bit(bytes, random);
    case 1:
      return set_byte(bytes, random);
    case 2:
      return insert_bytes(bytes, random);
    case 3:
      return remove_piece(bytes, random);
    case 4:
      return repeat_piece(bytes, random);
    case 5:
      return swap_pieces(bytes, random);
    case 6:
      return below(4, random) == 0 ? cut_off(bytes, random) : remove_piece(bytes, random);
    case 7:
      return splice(bytes, other, random);
    case 8:
    case 9:
      return binary ? set_word(bytes, random) : insert_number(bytes, random);
    default:
      return binary && material.words.empty() ? set_word(bytes, random)
                                              : insert_word(bytes, material.words, random);
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& corpus, const Material& material, Generator& random) {
  std::string bytes = corpus[below(corpus.size(), random)];
  // Most JSON stays JSON, or the parser would refuse it all.
  if (material.form == Form::json && below(8, random) != 0) {
    if (std::string changed = mutated_json(bytes, material.words, random);
        !changed.empty() && changed.size() <= kMostBytes)
      return changed;
  }
  for (std::size_t left = some_length(8, random); left > 0; --left)
    change(bytes, corpus[below(corpus.size(), random)], material, random);
  if (bytes.size() > kMostBytes) bytes.resize(kMostBytes);
  return bytes;
}

}  // namespace tailwave::fuzz
