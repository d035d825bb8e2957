#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/outcome.h"

namespace tailwave {

// A compiler that is a program, found at run time, and makes a shared object of a unit of C++.
class UnitCompiler {
 public:
  struct File {
    std::string name;  // relative, may have folders
    std::string text;
  };
  struct Result {
    std::string code;  // the shared object's bytes
    std::string log;   // warnings
    // What it read beside its own headers, the unit and `headers`: of folders that an option names.
    std::vector<std::filesystem::path> inputs;
  };

  virtual ~UnitCompiler() = default;

  [[nodiscard]] virtual const std::string& version() const = 0;
  // What decides about its code beside version and flags.
  [[nodiscard]] virtual const std::string& identity() const = 0;
  // For every unit, before the caller's flags.
  [[nodiscard]] virtual std::vector<std::string> base_flags() const = 0;

  // A shared object of the unit. The headers are beside it in a folder that is there for the compilation only; an
  // #include looks there first and then in those of its folders that `includes` names. What the environment says of
  // further folders (CPATH and its like) does not reach the compiler, since no key has it. Throws
  // Failure(compile_error) with the compiler's words, and Failure(compile_timeout). `is_whole`: what the unit uses and
  // does not define is an error.
  [[nodiscard]] virtual Result compile(const std::string& unit, const std::vector<File>& headers,
                                       const std::vector<std::string>& includes,
                                       const std::vector<std::string>& flags,
                                       double deadline_s = kDefaultBuildDeadlineS,
                                       bool is_whole = false) const = 0;
};

}  // namespace tailwave
