#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/system.h"

namespace tailwave {

// What the demangled name of a function says of a parameter.
struct SignatureType {
  std::string text;                 // "float const*"
  bool pointer = false;             // to a type that is no pointer
  std::optional<ElementType> type;  // of the value, or of what it points to; none: a struct or anything else
};

// Of each parameter of "void blur<2>(View, float const*, int)"; empty where the name has no parameters, as that of a function
// of C has.
std::vector<SignatureType> parameters_of(const std::string& demangled);

}  // namespace tailwave
