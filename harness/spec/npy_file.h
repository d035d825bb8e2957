#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "spec/system.h"

namespace tailwave {

// Arrays that NumPy stores (numpy.save), versions 1 to 3 of the format: the magic bytes, the version, the length of a
// Python dictionary, which is text, and the elements (numpy.lib.format).

// What is wrong with one, and what helps.
class NpyError : public std::runtime_error {
 public:
  NpyError(const std::string& cause, std::string what_helps)
      : std::runtime_error(cause), hint(std::move(what_helps)) {}
  std::string hint;
};

// Whether the file's name says that it is one.
bool is_npy(const std::filesystem::path& file);

// What it says of itself. Throws NpyError, also for a type that no buffer has, for bytes the wrong way round and for an
// array that lies column by column.
Fill::Heading read_npy_heading(std::string_view contents);

// How NumPy calls the type. It has neither bfloat16 nor float8: integers of as many bits, without a sign, hold theirs.
std::string numpy_name(ScalarType type);

}  // namespace tailwave
