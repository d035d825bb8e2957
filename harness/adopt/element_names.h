#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "spec/system.h"

namespace tailwave {

// What a source says of the names of types: "real" is "float". Of typedef, using, and #define.
using TypeAliases = std::map<std::string, std::string>;
TypeAliases type_aliases(std::string_view source);

// An element by the words of C++ or CUDA, aliases followed: "const unsigned int", "std::int32_t",
// "thrust::complex<float>". Empty for other types.
std::optional<ElementType> element_named(const std::string& type, const TypeAliases& aliases = {});

}  // namespace tailwave
