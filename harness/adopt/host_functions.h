#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/lexemes.h"

namespace tailwave {

// Functions of a source with their bodies, and what the first call of each passes for its parameters.
class HostFunctions {
 public:
  HostFunctions() = default;
  explicit HostFunctions(LexemeSpan all);  // which has to outlive it

  // Which of the outermost braces, other than those of namespaces, a place stands in, from 1 on; 0: in none.
  [[nodiscard]] std::size_t at(std::size_t place) const;

  struct Passed {
    LexemeSpan argument;
    std::size_t at = 0;       // of the call
    bool is_pointer = false;  // the parameter is one
  };
  // For a parameter, or one of the template, of the function that a place stands in.
  [[nodiscard]] std::optional<Passed> passed_for(std::string_view name, std::size_t place) const;

  // n and "(n + 255) / 256" of "int blocks(int n) { return (n + 255) / 256; }", by the function's name.
  struct Formula {
    std::vector<std::string> parameters;
    LexemeSpan value;
  };
  [[nodiscard]] std::optional<Formula> formula(std::string_view name) const;

 private:
  struct Parameter {
    std::string name;
    bool is_pointer = false;
  };
  struct Function {
    std::size_t begin = 0, end = 0;  // offsets of its braces
    std::string name;                // empty: it is none
    std::vector<Parameter> parameters, templates;
    LexemeSpan body;
  };
  void read(std::size_t brace, std::size_t close);
  void read_templates(std::size_t name, Function& function) const;
  [[nodiscard]] std::optional<Passed> passed_at(std::size_t name, const Function& function, std::size_t which,
                                                bool is_template) const;

  LexemeSpan all_;
  std::vector<Function> functions_;
};

}  // namespace tailwave
