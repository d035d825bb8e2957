#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/outcome.h"

namespace tailwave {

// What is known of PTX without parsing it: its words, where functions begin and end, and where something can be put.

// Words and single characters of PTX, without comments and strings.
class PtxScanner {
 public:
  explicit PtxScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }        // behind the last word
  [[nodiscard]] std::size_t begin() const { return begin_; }  // of the last word

  // Empty at the end.
  std::string_view next();
  void skip_behind(std::string_view what);

 private:
  void skip();

  std::string_view text_;
  std::size_t at_, begin_ = 0;
};

struct PtxFunction {
  bool entry = false;
  std::string name;
  std::size_t open = 0, close = 0;  // the braces of its body
};

// Those that have a body, in the order of the text. Throws Failure(compile_error) when the text ends inside one.
std::vector<PtxFunction> ptx_functions(std::string_view ptx);

// Behind the declarations and remarks on lines that a body begins with.
std::size_t first_instruction(std::string_view ptx, const PtxFunction& function);

// Where a variable of the module can be declared: behind .version, .target and .address_size. Throws
// Failure(compile_error) when there is no such place.
std::size_t behind_ptx_header(std::string_view ptx);

Failure no_entry(const std::string& name);

// The PTX with a limit of registers a thread in each of these entries that has none of its own.
std::string limit_registers(std::string_view ptx, const std::map<std::string, int>& registers);

}  // namespace tailwave
