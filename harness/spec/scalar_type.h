#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/enum_names.h"
#include "core/small_float.h"

namespace tailwave {

enum class ScalarType {
  int32,
  int64,
  uint32,
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  uint64,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2
};

template <>
struct EnumNames<ScalarType> {
  static constexpr std::string_view noun = "scalar type";
  static constexpr std::array<std::string_view, 14> names{
      "int32", "int64",  "uint32", "float32", "float64",  "int8",        "uint8",
      "int16", "uint16", "uint64", "float16", "bfloat16", "float8_e4m3", "float8_e5m2"};
};

// What visit(number) returns, for a 0 of the C++ type that `type` means.
template <class Visit>
auto visit_scalar(ScalarType type, Visit visit) {
  switch (type) {
    case ScalarType::int32:
      return visit(std::int32_t{});
    case ScalarType::int64:
      return visit(std::int64_t{});
    case ScalarType::uint32:
      return visit(std::uint32_t{});
    case ScalarType::float32:
      return visit(float{});
    case ScalarType::float64:
      return visit(double{});
    case ScalarType::int8:
      return visit(std::int8_t{});
    case ScalarType::uint8:
      return visit(std::uint8_t{});
    case ScalarType::int16:
      return visit(std::int16_t{});
    case ScalarType::uint16:
      return visit(std::uint16_t{});
    case ScalarType::uint64:
      return visit(std::uint64_t{});
    case ScalarType::float16:
      return visit(Float16{});
    case ScalarType::bfloat16:
      return visit(BFloat16{});
    case ScalarType::float8_e4m3:
      return visit(Float8E4M3{});
    case ScalarType::float8_e5m2:
      return visit(Float8E5M2{});
  }
  throw std::logic_error("a scalar type that is none");
}

std::size_t size_bytes(ScalarType type);
bool is_real(ScalarType type);         // a floating point number
bool is_small_float(ScalarType type);  // one of 8 or 16 bits
// What rounding to a real type changes a value by at most, relative to it: 2^-24 for float32. 0 of an integer.
double rounding_unit(ScalarType type);
double largest(ScalarType type);  // finite value
// By its name, or as C++ and CUDA call it: "int" is int32, "float" float32, "double" float64, "half" float16, "size_t"
// uint64, "char" int8, and "bool" uint8, as C++ stores it.
std::optional<ScalarType> parse_scalar_type(std::string_view text);

// What an element of a buffer is: a scalar, or several of a type that lie one after another as CUDA's vector types and
// complex numbers have them.
struct ElementType {
  ScalarType scalar = ScalarType::float32;
  int lanes = 1;

  bool operator==(const ElementType&) const = default;
};
// "float32x4", or as CUDA calls it, "float4"; "complex64" is float32x2 and "complex128" float64x2.
std::optional<ElementType> parse_element_type(std::string_view text);
std::string to_string(const ElementType& type);
// Where it may lie: what CUDA's vector type of 2 or 4 is aligned to, at most 16 bytes; else what its scalar is.
std::size_t alignment_bytes(const ElementType& type);

}  // namespace tailwave
