#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "core/error.h"
#include "core/value.h"

namespace tailwave {

// A JSON value and where it is: its file and its pointer (RFC 6901). It keeps its document alive. Objects have the
// order of the file. There are two ways to read it: who wants to say all that is wrong with a file finds nothing where
// nothing of that kind is, and reports it (find, members, items, as_...); who needs each value gets it, or an Error
// (bad usage) that names file and pointer (all other getters).
class Json {
 public:
  // What is absent from a document.
  Json() = default;
  // The whole of a document; `file` is what messages call it.
  Json(nlohmann::ordered_json document, std::string file);

  explicit operator bool() const { return value_ != nullptr; }  // false: it is absent
  [[nodiscard]] const std::string& pointer() const { return pointer_; }

  // JSON Schema's word: null, boolean, integer, number, string, array, object. An integer is also a number; "null" for
  // what is absent.
  [[nodiscard]] std::string_view type() const;
  [[nodiscard]] bool is_object() const { return type() == "object"; }
  [[nodiscard]] bool is_array() const { return type() == "array"; }
  [[nodiscard]] bool is_text() const { return type() == "string"; }
  [[nodiscard]] bool is_number() const { return type() == "integer" || type() == "number"; }

  // The member; absent where there is none. Its pointer is that of the member in either case.
  [[nodiscard]] Json find(std::string_view key) const;
  // None of what is no object, or no array.
  [[nodiscard]] std::vector<std::pair<std::string, Json>> members() const;
  [[nodiscard]] std::vector<Json> items() const;
  // Nothing for a value of another type, or an absent one.
  [[nodiscard]] const std::string* as_text() const;
  [[nodiscard]] std::optional<bool> as_flag() const;
  [[nodiscard]] std::optional<std::int64_t> as_whole() const;
  [[nodiscard]] std::optional<double> as_real() const;  // integers too
  [[nodiscard]] std::optional<Value> as_value() const;  // a number, text or bool

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] Json at(std::string_view key) const;
  [[nodiscard]] Json at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;  // of an array

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] std::int64_t whole() const;
  [[nodiscard]] int small() const;    // fits an int
  [[nodiscard]] double real() const;  // also the texts "inf" and "-inf"
  [[nodiscard]] bool flag() const;    // true, false, 0 or 1
  [[nodiscard]] Value value() const;  // a number, text or bool
  [[nodiscard]] Values values() const;
  // A text that names one of the enum's values.
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
  // Of this place.
  [[nodiscard]] Diagnostic diagnostic(const std::string& cause, const std::string& hint = "") const;

  // Of a value that is there.
  [[nodiscard]] const nlohmann::ordered_json& json() const;

 private:
  struct Document;

  [[nodiscard]] Json inside(const nlohmann::ordered_json* value, std::string pointer) const;

  std::shared_ptr<const Document> document_;
  const nlohmann::ordered_json* value_ = nullptr;
  std::string pointer_;
};

// JSON Schema's word for the type of a value.
std::string_view type_of(const Value& value);
// As messages say it: "an integer", "a string", "null".
std::string with_article(std::string_view type);

// The pointer of a member or an item of the value at `pointer`.
std::string pointer_to(const std::string& pointer, std::string_view key);
std::string pointer_to(const std::string& pointer, std::size_t index);

}  // namespace tailwave
