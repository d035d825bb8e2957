#pragma once

#include <string>
#include <string_view>

namespace tailwave {

// Rewrites what the headers in cpu/include cannot say with macros, line for line:
//   extern __shared__ T name[];      a pointer to the block's dynamic shared memory. `T name[][N]` too; alignment
//                                    is dropped (the memory is aligned to 1 KiB)
//   __shared__ alignas(16) T name;   __shared__ __align__(16) T name
// Comments, literals and preprocessor lines stay as they are, so the forms are not seen inside macros. Text that
// is none of these forms is left to the compiler.
std::string translate_for_cpu(std::string_view source);

}  // namespace tailwave
