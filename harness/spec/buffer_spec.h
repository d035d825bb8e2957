#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "space/expression.h"
#include "spec/scalar_type.h"

namespace tailwave {

// An expression, or just a number.
class Amount : public Expression {
 public:
  Amount() = default;
  Amount(Expression expression) : Expression(std::move(expression)) {}  // NOLINT: as good as it
  template <class Number>
  requires std::is_arithmetic_v<Number> Amount(Number number)  // NOLINT: likewise
      : Expression(std::is_integral_v<Number> ? constant(static_cast<std::int64_t>(number))
                                              : constant(static_cast<double>(number))) {}
};

// What a buffer begins with. Amounts are over the problem and parameters that the reference has (fill_expressions).
struct Fill {
  enum class Kind {
    zero,
    constant,
    uniform,
    generated,
    file,
    normal,
    integers,
    permutation,
    function
  } kind = Kind::zero;
  Amount value = 0.0;                // constant
  Amount low = 0.0, high = 1.0;      // uniform: low <= x < high; integers: low <= x <= high
  Amount mean = 0.0, deviation = 1;  // normal
  Amount seed = 0;                   // of all random numbers
  Expression element;                // generated: over the element's number `i`, too
  // function: of the host, in the source `file`; what its arguments are made of.
  std::string function;
  std::vector<Expression> arguments;
  // file: absolute; its first bytes are the elements as they lie in memory, but for those of its `heading`.
  std::filesystem::path file;
  Amount offset = 0;   // file: scalars of it that are passed over
  std::string digest;  // file: of its contents
  // file: what a NumPy array says of itself (spec/npy_file.h).
  struct Heading {
    ElementType type;
    std::uint64_t count = 0;  // of elements
    std::uint64_t bytes = 0;  // of the heading
  };
  std::optional<Heading> heading;
};

template <>
struct EnumNames<Fill::Kind> {
  static constexpr std::string_view noun = "fill";
  static constexpr std::array<std::string_view, 9> names{
      "zero", "constant", "uniform", "generated", "file", "normal", "integers", "permutation", "function"};
};

// Those of its kind that say what it holds, by key.
std::vector<std::pair<std::string, Expression>> fill_expressions(const Fill& fill);
// "3" for what is just a number, else its text.
std::string amount_text(const Expression& amount);
// Whether another draw has other numbers.
bool is_random(const Fill& fill);

// Where a buffer's bytes lie: in the GPU's memory; there, with each processing element (VariantSpec::pes), and the
// others reach it; in memory whose pages move to whoever touches them; in the host's memory, page-locked, so that
// kernels reach it; or there as malloc() gives it, which copies alone reach on most machines.
enum class MemoryKind { device, symmetric, managed, pinned, pageable };

template <>
struct EnumNames<MemoryKind> {
  static constexpr std::string_view noun = "kind of memory";
  static constexpr std::array<std::string_view, 5> names{"device", "symmetric", "managed", "pinned",
                                                         "pageable"};
};

// Memory of the system. `count` scalars of `type`, of which an element may have several (see ElementType): an expression
// over problem and parameters. A parameter that it names is one of every variant that uses the buffer (see
// used_buffers), not necessarily of all variants.
struct BufferSpec {
  ScalarType type = ScalarType::float32;
  Expression count;
  Fill fill;
  bool output_only = false;  // poisoned with NaN bytes instead of filled before every verification
  Expression gpu;            // whose memory: 0 is the run's GPU, 1 the next of the machine, ...
  Expression memory = Expression::constant("device");  // a MemoryKind by name
};

}  // namespace tailwave
