#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/members.h"
#include "core/value.h"
#include "json/values.h"

namespace tailwave {

// Records from and to JSON objects; see core/members.h. A Place is a Json, or what reads as one: it finds members and
// refuses what is missing or of another kind.

namespace members_detail {

template <class T>
bool is_nothing(const T& field) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Values>) return field.empty();
  if constexpr (std::is_floating_point_v<T>) return std::isnan(field);
  return false;
}

template <class T, class Place>
T read_value(const Place& place) {
  if constexpr (std::is_same_v<T, std::string>) {
    return place.text();
  } else if constexpr (std::is_same_v<T, Values>) {
    return place.values();
  } else if constexpr (std::is_same_v<T, bool>) {
    return place.flag();
  } else if constexpr (std::is_same_v<T, int>) {
    return place.small();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(place.whole());
  } else if constexpr (std::is_floating_point_v<T>) {
    return place.real();
  } else {
    return place.template enumerator<T>();
  }
}

}  // namespace members_detail

// Adds the members to an object as its keys.
template <Record R>
void write_members(nlohmann::json& object, const R& record, const std::string& before = "") {
  for_each_member<R, kNotJson>([&](const auto& one) {
    const auto& field = record.*one.place;
    using Type = std::remove_cvref_t<decltype(field)>;
    const std::string key = before + one.name;
    if constexpr (Record<Type>) {
      write_members(object, field, key);
    } else if constexpr (Record<Held<Type>>) {
      if (field) write_members(object, *field, key);
    } else if constexpr (kIsOptional<Type>) {
      if (field) object[key] = *field;
    } else if constexpr (std::is_enum_v<Type>) {
      object[key] = to_string(field);
    } else {
      if constexpr ((std::remove_cvref_t<decltype(one)>::traits & kMayBeAbsent) != 0) {
        if (members_detail::is_nothing(field)) return;
      }
      if constexpr (std::is_same_v<Type, Values>)
        object[key] = json_object(field);
      else
        object[key] = field;
    }
  });
}

// Reads the members from an object's keys. Throws as `place` does.
template <Record R, class Place>
void read_members(const Place& place, R& record, const std::string& before = "") {
  for_each_member<R, kNotJson>([&](const auto& one) {
    using Traits = std::remove_cvref_t<decltype(one)>;
    using Type = typename Traits::Type;
    const std::string key = before + one.name;
    Type& field = record.*one.place;
    if constexpr (Record<Type>) {
      read_members(place, field, key);
    } else if constexpr (Record<Held<Type>>) {
      if (place.has(column_names<Held<Type>>(key).front())) read_members(place, field.emplace(), key);
    } else if constexpr (kIsOptional<Type>) {
      if (place.has(key)) field = members_detail::read_value<Held<Type>>(place.at(key));
    } else {
      if constexpr ((Traits::traits & kMayBeAbsent) != 0) {
        if (!place.has(key)) {
          if constexpr (std::is_floating_point_v<Type>) field = std::numeric_limits<Type>::quiet_NaN();
          return;
        }
      }
      field = members_detail::read_value<Type>(place.at(key));
    }
  });
}

template <Record R, class Place>
R read_record(const Place& place) {
  R record;
  read_members(place, record);
  return record;
}

}  // namespace tailwave
