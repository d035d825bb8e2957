#pragma once

#include <string>

#include "adopt/host_text.h"

namespace tailwave {

// A pointer that the host's code passes. Two of them lead to the same elements where `passed` is the same.
struct HostPointer {
  std::string
      passed;  // without its casts: "x" of "(const float4*)x", "x + n", "box.x", "rows[2]"; empty: a null pointer
  std::string variable;   // whose memory it leads into: "x" of "x + n"; empty: no variable that can be told
  std::string cast;       // the type that it is cast to last: "const float4*"
  bool is_moved = false;  // it leads into that memory behind its begin: x + n, &x[n]
  std::size_t place = 0;  // where the variable has that name
  std::size_t allocated_at = 0;  // 0: nobody knows where
};

// "box.x" of "box->x", as definitions are called.
std::string with_dots(const std::string& name);
// What cudaMalloc() and its like get the address of: "x" of "(void**)&x", "rows[2]" of "&rows[2]".
std::string addressed_variable(LexemeSpan argument);
// Of an expression alone.
HostPointer pointer_of(LexemeSpan argument);
HostPointer pointer_of(const CTerm& term);
// With parameters of functions followed to what their first call passes, and other names for a pointer to what they are
// declared with.
HostPointer memory_of(const HostText& host, HostPointer pointer, std::size_t place);

}  // namespace tailwave
