#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/enum_names.h"
#include "core/error.h"
#include "core/value.h"

namespace tailwave {

// A key as a part of a JSON pointer (RFC 6901): '~' and '/' are escaped.
std::string pointer_part(const std::string& key);

// A value in a JSON file together with where it is. Every getter throws Error (bad usage) that names the file and
// the JSON pointer when the value is missing or of another kind. The document must outlive it.
class RecordedJson {
 public:
  RecordedJson(const nlohmann::json& value, std::string file, std::string pointer = "")
      : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] RecordedJson at(const std::string& key) const;
  [[nodiscard]] RecordedJson at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;  // of an array

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string text_or_empty(const std::string& key) const;
  [[nodiscard]] std::int64_t whole() const;  // one that 64 bits hold
  [[nodiscard]] int small() const;           // fits an int
  [[nodiscard]] double real() const;         // also "inf" and "-inf"
  [[nodiscard]] bool flag() const;           // true, false, 0 or 1
  [[nodiscard]] Value value() const;         // a number, text or bool
  [[nodiscard]] Values values() const;
  template <NamedEnum Enum>
  [[nodiscard]] Enum enumerator() const {
    const std::optional<Enum> found = find_enum<Enum>(text());
    if (!found) refuse("unknown " + std::string(EnumNames<Enum>::noun) + " '" + text() + "'");
    return *found;
  }
  [[nodiscard]] std::size_t index(std::size_t count) const;  // 0..count-1
  [[nodiscard]] std::string dump() const;

  // Calls `action` and lets an Error from it name this place.
  template <class Action>
  auto guarded(Action action) const {
    try {
      return action();
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& cause, const std::string& hint = "") const;

  [[nodiscard]] const nlohmann::json& json() const { return *value_; }

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string pointer_;
};

}  // namespace tailwave
