#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"

namespace tailwave {

// What an instruction of SASS or PTX is for, by its name alone: listing/sass_class.h, listing/ptx_class.h.
enum class InstructionClass {
  fp32,
  fp64,
  half,  // also bfloat16
  tensor,
  integer,  // also logic, shifts and comparisons of integers
  conversion,
  special_function,
  global_load,
  global_store,
  shared_load,
  shared_store,
  local_load,
  local_store,
  constant_load,  // and parameters of a kernel
  generic_load,   // from an address of a space that the instruction does not name
  generic_store,
  asynchronous_copy,
  texture,  // and surfaces
  atomic,
  barrier,  // fences and waits, too
  branch,   // calls and ends, too
  warp,     // shuffles, votes, matches
  move,     // selections, too
  other,
};

template <>
struct EnumNames<InstructionClass> {
  static constexpr std::string_view noun = "instruction class";
  static constexpr std::array<std::string_view, 24> names{"fp32",
                                                          "fp64",
                                                          "half",
                                                          "tensor",
                                                          "integer",
                                                          "conversion",
                                                          "special function",
                                                          "global load",
                                                          "global store",
                                                          "shared load",
                                                          "shared store",
                                                          "local load",
                                                          "local store",
                                                          "constant load",
                                                          "generic load",
                                                          "generic store",
                                                          "asynchronous copy",
                                                          "texture",
                                                          "atomic",
                                                          "barrier",
                                                          "branch",
                                                          "warp",
                                                          "move",
                                                          "other"};
};

struct CodeLine {
  std::string text;                      // instructions are indented, labels and directives are not
  std::optional<InstructionClass> kind;  // of an instruction

  bool operator==(const CodeLine&) const = default;
};

// The code of one kernel in which what has no meaning is not there: equal code is equal text. Labels are L1, L2 in the
// order in which they stand; registers have the compiler's names.
struct KernelListing {
  std::string kernel;  // as the manifest calls it; of a function that kernels call its symbol
  std::vector<CodeLine> lines;

  bool operator==(const KernelListing&) const = default;
};

// Instructions as they stand in the code, not as often as they run. Classes without one are left out.
using InstructionCounts = std::map<InstructionClass, std::size_t>;
InstructionCounts count_instructions(const KernelListing& listing);

// Of letters, digits, '_', '.', '$' and '%'.
std::vector<std::string_view> words_of(std::string_view line);
// Words of a line that have another name in `names`, replaced.
std::string renamed(std::string_view line, const std::map<std::string, std::string, std::less<>>& names);

}  // namespace tailwave
