#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/enum_names.h"
#include "space/expression.h"
#include "spec/buffer_views.h"
#include "spec/command.h"
#include "spec/scalar_type.h"

namespace tailwave {

// A kernel argument: a buffer by name, one of several buffers of the same type by a number from 0, a scalar
// expression of a given type, bytes as they are, a struct by value of these, or a buffer as a texture or by a tensor map.
struct BufferArgument {
  std::string buffer;
  std::optional<Expression> offset;  // the scalar that it points to, from 0; absent: the first
};
struct BufferChoice {
  std::vector<std::string> buffers;
  Expression index;
};
struct ScalarArgument {
  Expression value;
  ScalarType type = ScalarType::int32;
};
struct BytesArgument {
  std::string bytes;
};
struct StructArgument;
using Argument = std::variant<BufferArgument, ScalarArgument, BufferChoice, BytesArgument, StructArgument,
                              TextureArgument, TensorMapArgument>;
// Fields one after another, each where C++ puts it; a buffer is a pointer. A vector is one of equal scalars.
struct StructArgument {
  std::vector<Argument> fields;
  std::size_t least_alignment = 1;  // bytes; its fields may ask for more
};
// Bytes of an argument, and where it may lie.
struct ArgumentLayout {
  std::size_t bytes = 0, alignment = 1;
};
ArgumentLayout layout_of(const Argument& argument);

// The scalars, bytes, buffers and choices that an argument is made of, in order: itself, or the fields of a struct. A texture or a
// tensor map is one of its own.
template <class Visit>
void for_each_leaf(const Argument& argument, Visit visit) {
  const auto* const whole = std::get_if<StructArgument>(&argument);
  if (whole == nullptr) return visit(argument);
  for (const Argument& field : whole->fields) for_each_leaf(field, visit);
}
// The same with what they take of it: visit(leaf, offset) in bytes from where the whole argument begins.
template <class Visit>
void for_each_placed_leaf(const Argument& argument, Visit visit, std::size_t offset = 0) {
  const auto* const whole = std::get_if<StructArgument>(&argument);
  if (whole == nullptr) return visit(argument, offset);
  std::size_t end = offset;
  for (const Argument& field : whole->fields) {
    const ArgumentLayout layout = layout_of(field);
    end = (end + layout.alignment - 1) / layout.alignment * layout.alignment;
    for_each_placed_leaf(field, visit, end);
    end += layout.bytes;
  }
}
// Of one; what a kernel may take in all, from CUDA 12.1 and compute capability 7.0 on (CUDA C++ Programming Guide, Technical
// Specifications per Compute Capability). Before, the driver refuses more than 4096.
constexpr std::size_t kMostArgumentBytes = 32764;

// A part of a plan that is executed again and again.
struct LoopSpec {
  // The host reads the first element of the buffer after every iteration and leaves the loop when it is at most that.
  struct Until {
    std::string buffer;
    Expression at_most;
  };
  Expression repeat;    // iterations, from 0 on; with `until` the most
  std::string counter;  // what the launches' expressions call the iteration, from 0 on; empty: nothing
  std::optional<Until> until;
};

// What all processing elements do together: wait for each other, or add up a symmetric buffer element by element, of
// which each then has the sums.
enum class Collective { none, barrier, sum };

template <>
struct EnumNames<Collective> {
  static constexpr std::string_view noun = "collective";
  static constexpr std::array<std::string_view, 3> names{"none", "barrier", "sum"};
};

// One launch, a copy of a buffer into a variable of the program or into another buffer, a prefetch of managed memory, or
// a collective. Sizes are expressions over problem, parameters and the loop's counter. For a host variant only kernel
// (the function's name), arguments, loop and condition count; for a program its command, whose buffers are the arguments.
struct LaunchSpec {
  // A __global__ function, or a name expression such as "reduce<4>"; the variable of a copy; else a word for what it is.
  std::string kernel;
  std::string copied;      // the buffer of a copy; empty: none
  std::string copied_to;   // the buffer that it is copied into; empty: a variable
  std::string prefetched;  // the managed buffer that moves; empty: none
  bool to_host = false;    // where to
  Collective collective = Collective::none;
  std::string summed;  // the buffer of Collective::sum
  std::array<Expression, 3> grid, block;
  Expression dynamic_shared_bytes;
  std::vector<Argument> arguments;
  Expression stream;             // from 0 to kMostStreams - 1
  std::vector<Expression> wait;  // streams whose launches so far have to end first
  Expression gpu;                // as of a buffer; one for all launches of a stream
  Expression sms;                // multiprocessors that it may use, at most kMostSms; 0: all
  bool cooperative = false;
  std::optional<std::array<Expression, 3>> cluster;  // blocks of one; absent: what the code says
  Expression dependent;            // true: may begin before the kernel before it in its stream has ended
  Expression priority;             // from -kMostPriority, which comes first, to 0
  std::optional<Expression> when;  // false: not launched
  std::shared_ptr<const LoopSpec> loop;  // neighbours with the same one are its launches; null: launched once
  std::vector<CommandWord> command;      // of a program
  std::vector<std::string> reports;      // of a program: System::reported

  [[nodiscard]] bool is_kernel() const {
    return copied.empty() && prefetched.empty() && collective == Collective::none;
  }
  // What it takes besides its arguments.
  [[nodiscard]] std::vector<std::string> other_buffers() const;
};
// Those that a launch has besides its arguments', its loop's included, in no particular order.
std::vector<const Expression*> expressions_of(const LaunchSpec& launch);
// And those of an argument.
std::vector<const Expression*> expressions_of(const Argument& argument);

constexpr int kMostStreams = 32;
constexpr int kMostGpus = 16;
constexpr int kMostSms = 100'000;
constexpr int kMostPriority = 100;

}  // namespace tailwave
