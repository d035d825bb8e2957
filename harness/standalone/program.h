#pragma once

// What a program that tailwave exports is made of besides its configuration: inputs, comparison and times. C++17; the
// functions of CUDA are in cuda_program.h, so that this is host code.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/small_float.h"
#include "device/random_numbers.h"
#include "verify/difference.h"
#include "verify/relative_norm.h"

namespace tailwave_program {

// In the order of tailwave's types.
enum class Type {
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

enum class Memory { device, managed, pinned };

struct Fill {
  enum Kind { zero, constant, uniform, normal, integers, permutation, file } kind = zero;
  double low = 0, high = 0;  // uniform; constant: the value; normal: mean and deviation
  std::int64_t least = 0, greatest = 0;
  std::uint64_t seed = 0;
  const char* path = nullptr;  // file: beside the program
};

struct BufferInfo {
  const char* name;
  Type type;
  std::size_t count;  // of elements
  Fill fill;
  Memory memory = Memory::device;
  bool output_only = false;  // begins as NaNs
};

struct Check {
  std::size_t buffer;
  tailwave::DifferenceRule rule;
  const char* path = nullptr;  // of what is expected, beside the program; null: the reference makes it
};

using Buffers = void* const*;

struct Program {
  const char* configuration;
  std::vector<BufferInfo> buffers;
  std::vector<Check> checks;
  std::vector<const char*> not_checked;  // what and why
  void (*prepare)(Buffers);
  void (*launches)(Buffers);
  void (*finish)(Buffers);
  void (*reference)(Buffers) = nullptr;  // on memory of the host
};

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

// What visit(number) returns, for a 0 of the C++ type.
template <class Visit>
auto visit_type(Type type, Visit visit) {
  switch (type) {
    case Type::int32:
      return visit(std::int32_t{});
    case Type::int64:
      return visit(std::int64_t{});
    case Type::uint32:
      return visit(std::uint32_t{});
    case Type::float32:
      return visit(float{});
    case Type::float64:
      return visit(double{});
    case Type::int8:
      return visit(std::int8_t{});
    case Type::uint8:
      return visit(std::uint8_t{});
    case Type::int16:
      return visit(std::int16_t{});
    case Type::uint16:
      return visit(std::uint16_t{});
    case Type::uint64:
      return visit(std::uint64_t{});
    case Type::float16:
      return visit(tailwave::Float16{});
    case Type::bfloat16:
      return visit(tailwave::BFloat16{});
    case Type::float8_e4m3:
      return visit(tailwave::Float8E4M3{});
    default:
      return visit(tailwave::Float8E5M2{});
  }
}

inline std::size_t bytes_of(const BufferInfo& buffer) {
  return buffer.count * visit_type(buffer.type, [](auto number) { return sizeof number; });
}

using Bytes = std::vector<unsigned char>;

inline Bytes read_bytes(const char* path, std::size_t size) {
  Bytes bytes(size);
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) fail(std::string(path) + " cannot be read: start the program in its folder");
  const std::size_t read = std::fread(bytes.data(), 1, size, file);
  std::fclose(file);
  if (read != size) fail(std::string(path) + " is too short");
  return bytes;
}

template <class Number>
Number made_number(const Fill& fill, std::uint64_t base, std::size_t i, std::size_t count) {
  using namespace tailwave;
  switch (fill.kind) {
    case Fill::uniform:
      return uniform_number<Number>(random_bits(base, i), fill.low, fill.high,
                                    uniform_bounds<Number>(fill.low, fill.high));
    case Fill::normal:
      return normal_number<Number>(random_bits(base, i), fill.low, fill.high, bounds_of_type<Number>());
    case Fill::integers:
      return integer_number<Number>(random_bits(base, i), fill.least, range_of(fill.least, fill.greatest));
    case Fill::permutation:
      return number_of<Number>(
          static_cast<std::int64_t>(place_in_permutation(feistel_of(count), count, base, i)));
    default:
      return number_of<Number>(fill.low);
  }
}

// What tailwave's executions begin with in this draw, bit by bit.
inline Bytes contents_of(const BufferInfo& buffer, std::uint64_t draw) {
  Bytes bytes(bytes_of(buffer));
  const bool is_real =
      buffer.type == Type::float32 || buffer.type == Type::float64 || buffer.type >= Type::float16;
  if (buffer.output_only) {
    std::memset(bytes.data(), is_real || draw % 2 == 0 ? tailwave::kPoisonByte : 0xA5, bytes.size());
  } else if (buffer.fill.kind == Fill::file) {
    bytes = read_bytes(buffer.fill.path, bytes.size());
  } else if (buffer.fill.kind != Fill::zero) {
    const std::uint64_t base = tailwave::counter_base(buffer.fill.seed, draw);
    visit_type(buffer.type, [&](auto zero) {
      using Number = decltype(zero);
      for (std::size_t i = 0; i < buffer.count; ++i) {
        const Number number = made_number<Number>(buffer.fill, base, i, buffer.count);
        std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
      }
    });
  }
  return bytes;
}

inline const char* name_of(tailwave::DifferenceNorm norm) {
  static const char* const kNames[] = {"relative_l2", "max_abs", "max_rel", "exact",
                                       "range",       "ulp",     "close",   "differing"};
  return kNames[static_cast<int>(norm)];
}

// Whether it is as it should be, which is printed.
template <tailwave::DifferenceNorm norm, class T>
bool compare(const BufferInfo& buffer, const tailwave::DifferenceRule& rule, const Bytes& expected,
             const Bytes& actual) {
  using Norm = tailwave::DifferenceNorm;
  tailwave::ArrayDifference found;
  for (std::size_t i = 0; i < buffer.count; ++i) {
    T e, a;
    std::memcpy(&a, actual.data() + i * sizeof a, sizeof a);
    e = a;
    if (norm != Norm::range) std::memcpy(&e, expected.data() + i * sizeof e, sizeof e);
    tailwave::accumulate<norm, T>(found, rule, i, e, a);
  }
  const unsigned long long not_finite = found.nan + found.infinite + found.should_not_be_finite;
  double error = found.worst.index == tailwave::kNowhere ? 0 : found.worst.amount;
  if (norm == Norm::relative_l2) error = tailwave::relative_norm(found.squares, found.expected_squares);
  if (norm == Norm::exact) error = static_cast<double>(found.unequal);
  if (norm == Norm::differing) error = static_cast<double>(found.unequal) / static_cast<double>(buffer.count);
  const double most = norm == Norm::close ? 1 : norm == Norm::range ? 0 : rule.tolerance;
  const bool right = not_finite == 0 && error <= most;
  std::printf("  %s: %s %g, at most %g: %s\n", buffer.name, name_of(norm), error, most,
              right ? "right" : "WRONG");
  if (not_finite > 0)
    std::printf(
        "    %llu elements are no finite numbers where they should be, or the other way round; the first is element %llu\n",
        not_finite, found.first_not_finite.index);
  else if (!right && found.worst.index != tailwave::kNowhere)
    std::printf("    worst at element %llu: %.17g instead of %.17g\n", found.worst.index,
                static_cast<double>(tailwave::element_of<T>(found.worst.actual)),
                static_cast<double>(tailwave::element_of<T>(found.worst.expected)));
  return right;
}

inline bool is_right(const BufferInfo& buffer, const Check& check, const Bytes& expected,
                     const Bytes& actual) {
  using Norm = tailwave::DifferenceNorm;
  return visit_type(buffer.type, [&](auto zero) {
    using T = decltype(zero);
    switch (check.rule.norm) {
      case Norm::relative_l2:
        return compare<Norm::relative_l2, T>(buffer, check.rule, expected, actual);
      case Norm::max_abs:
        return compare<Norm::max_abs, T>(buffer, check.rule, expected, actual);
      case Norm::max_rel:
        return compare<Norm::max_rel, T>(buffer, check.rule, expected, actual);
      case Norm::exact:
        return compare<Norm::exact, T>(buffer, check.rule, expected, actual);
      case Norm::range:
        return compare<Norm::range, T>(buffer, check.rule, expected, actual);
      case Norm::ulp:
        return compare<Norm::ulp, T>(buffer, check.rule, expected, actual);
      case Norm::close:
        return compare<Norm::close, T>(buffer, check.rule, expected, actual);
      default:
        return compare<Norm::differing, T>(buffer, check.rule, expected, actual);
    }
  });
}

// What the reference makes of the inputs of a draw: all buffers.
inline std::vector<Bytes> expected_of(const Program& program, const std::vector<Bytes>& inputs) {
  std::vector<Bytes> results = inputs;
  std::vector<void*> addresses;
  for (Bytes& bytes : results) addresses.push_back(bytes.data());
  if (program.reference != nullptr) program.reference(addresses.data());
  return results;
}

// Whether the first element of a buffer ends a loop.
template <class T>
bool ends_loop(const void* first, double at_most) {
  T value;
  std::memcpy(&value, first, sizeof value);
  return static_cast<double>(value) <= at_most;
}

// A pointer that is an argument of whatever type.
struct AnyPointer {
  void* address;
  template <class T>
  operator T*() const {
    return static_cast<T*>(address);
  }
};

// Bytes that are an argument of whatever type.
template <std::size_t count>
struct AnyBytes {
  alignas(16) unsigned char bytes[count];
  template <class T>
  operator T() const {
    static_assert(sizeof(T) == count, "an argument has another size than the manifest says");
    T value;
    std::memcpy(&value, bytes, count);
    return value;
  }
};

// The address is added to the 64 bits there.
template <std::size_t count>
AnyBytes<count> with_address(AnyBytes<count> whole, std::size_t place, const void* address) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, whole.bytes + place, sizeof bits);
  bits += reinterpret_cast<std::uintptr_t>(address);
  std::memcpy(whole.bytes + place, &bits, sizeof bits);
  return whole;
}

}  // namespace tailwave_program
