#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// A name that a source takes from outside, or could: a macro, or a constant at namespace scope.
struct MacroText {
  enum class Where {
    nowhere,    // nothing defines it
    guarded,    // #ifndef X, #define X 16, #endif
    unguarded,  // #define X 16, once
    constant,   // constexpr int X = 16;
  } where = Where::nowhere;
  std::string name;
  bool is_made_of_others = false;     // #define AREA (SIDE * SIDE)
  std::optional<std::int64_t> value;  // whole numbers alone; empty: none
  std::size_t begin = 0,
              end = 0;  // its lines in the source, without the last line's end; unguarded and constant
};

// Those whose value is a whole number or that have none, in the order of the source. Of names that nothing defines
// those in capitals. Names that several lines define differently are left out.
// `kernels` are those whose code counts: what the host's code alone uses is none. What the `headers` define is theirs.
std::vector<MacroText> macros_of(const std::string& source, const std::vector<std::string>& kernels = {},
                                 const std::string& headers = "");

// Whether people call the threads of a block like that, or what they are made of: BLOCK_SIZE, tile, block_size_x.
bool is_named_like_a_block(std::string_view name);

// Whether it is called like the number of threads of a warp: WARP_SIZE, kWarp; not WARPS_PER_BLOCK.
bool is_of_warps(std::string_view name);

// The source with "#ifndef X" and "#endif" around the lines of these, so that a parameter X goes before them.
std::string with_guards(const std::string& source, const std::vector<MacroText>& macros);

}  // namespace tailwave
