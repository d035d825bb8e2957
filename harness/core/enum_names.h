#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/error.h"

namespace tailwave {

// The text of each value of an enum that is read, stored or shown: `names`, in the order of the enumerators, and
// `noun`, what messages call such a value. Whoever declares such an enum specialises this beside it:
//
//   enum class CacheState { hot, cold };
//   template <>
//   struct EnumNames<CacheState> {
//     static constexpr std::string_view noun = "cache state";
//     static constexpr std::array<std::string_view, 2> names{"hot", "cold"};
//   };
template <class Enum>
struct EnumNames;

template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires {
  EnumNames<Enum>::noun;
  EnumNames<Enum>::names;
};

// Throws std::logic_error for what is no value of the enum.
template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= EnumNames<Enum>::names.size())
    throw std::logic_error(std::string(EnumNames<Enum>::noun) + " without a name");
  return EnumNames<Enum>::names[index];
}

// None for a text that names no value.
template <NamedEnum Enum>
constexpr std::optional<Enum> find_enum(std::string_view text) {
  const auto& names = EnumNames<Enum>::names;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(std::distance(names.begin(), found));
}

// Throws Error "unknown cache state 'warm'", with all names as a hint.
template <NamedEnum Enum>
Enum from_string(std::string_view text) {
  if (const std::optional<Enum> value = find_enum<Enum>(text)) return *value;
  Diagnostic diagnostic{.cause =
                            "unknown " + std::string(EnumNames<Enum>::noun) + " '" + std::string(text) + "'"};
  for (const std::string_view name : EnumNames<Enum>::names)
    diagnostic.hint += (diagnostic.hint.empty() ? "known: " : ", ") + std::string(name);
  throw Error(diagnostic, Error::kRunFailed);
}

}  // namespace tailwave
