#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/value.h"

namespace tailwave {

struct JsonMember;

// A JSON value. Objects keep the order of the file and have each key once.
struct Json {
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data;

  // The member of that name; null when there is none or this is no object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  // Empty for null, arrays and objects.
  [[nodiscard]] std::optional<Value> scalar() const;
};

struct JsonMember {
  std::string key;
  Json value;
};

// JSON Schema's word: null, boolean, integer, number, string, array, object. An integer is also a number.
std::string_view type_of(const Json& json);
// As messages say it: "an integer", "a string", "null".
std::string with_article(std::string_view type);

// The pointer of a member or an item of the value at `pointer` (RFC 6901).
std::string pointer_to(const std::string& pointer, std::string_view key);
std::string pointer_to(const std::string& pointer, std::size_t index);

// A value and where it is in its file. All readers below give nothing for a value of another type or an absent
// one: the schema has reported that.
struct JsonPlace {
  const Json* json = nullptr;  // null: absent
  std::string pointer;

  explicit operator bool() const { return json != nullptr; }
  [[nodiscard]] JsonPlace at(std::string_view key) const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonPlace>> members() const;
  [[nodiscard]] std::vector<JsonPlace> items() const;
  [[nodiscard]] bool is_list() const;

  [[nodiscard]] const std::string* text() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::optional<double> number() const;  // integers too
  [[nodiscard]] std::optional<Value> scalar() const;
};

}  // namespace tailwave
