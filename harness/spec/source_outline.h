#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spec/system.h"
#include "spec/tokens.h"

namespace tailwave {

// A parameter of a function as far as words can tell.
struct OutlineParameter {
  std::string text;       // "const float* x"
  std::string name;       // "x"; empty: none
  std::string type_name;  // "float", "vector<float>": without const, pointers and references
  bool pointer = false;
  bool reads = false;  // a pointer to const
  // Of the value, or of what is pointed at; empty: neither one of C++'s own types nor one of CUDA's.
  std::optional<ScalarType> type;
  int lanes = 1;  // more in a vector type
};

struct OutlineFunction {
  std::string name;
  std::size_t at = 0;   // of the name in its text
  bool kernel = false;  // __global__
  // Empty where they cannot be counted: macros, packs.
  std::optional<std::vector<OutlineParameter>> parameters;
};

// What C++ or CUDA source says without being compiled: no condition is evaluated and no macro expanded.
struct SourceOutline {
  std::vector<OutlineFunction> functions;  // those with a body, in order
  std::set<std::string> words;             // all of them, preprocessor lines included
  std::set<std::string> declared;  // names that a macro, or what looks like a declaration, gives a meaning
  std::set<std::string>
      capitals;         // names in capitals that code uses, more than in conditions of the preprocessor
  bool pastes = false;  // a macro makes names with ##
};

// Of the texts of a source and of the headers that it includes.
SourceOutline outline_of(const std::vector<std::string>& texts);

// What C++ or CUDA calls like that: "unsigned int", "__half", "float4", "cuComplex". Empty for other words.
std::optional<ElementType> element_of_words(const std::string& words);

// Whether it is a name in capitals that comes with the compilers and their headers: NULL, FLT_MAX, FILE, ...
bool comes_with_compilers(const std::string& name);

}  // namespace tailwave
