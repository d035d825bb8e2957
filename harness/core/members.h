#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailwave {

// The fields of a record stand once, in its `static constexpr auto members()`, a tuple of member(). From it come the
// record's message to another process (device/wire.h), its row in the database (store/record_row.h), its JSON
// (json/members_json.h) and its part of a key (core/hash.h). A field that it leaves out does not compile.

// What a member is not part of, with the reason beside it, and how "nothing" is written; joined by |.
enum MemberTraits : unsigned {
  kEverywhere = 0,
  kNotWire = 1,
  kNotRow = 2,
  kNotJson = 4,
  kNotKey = 8,
  // Empty text and NaN are NULL in a row and absent from JSON; so a real number absent from JSON is NaN, and anything
  // else is what a new record has.
  kMayBeAbsent = 16,
};

template <class Record_, class Field, unsigned traits_>
struct Member {
  using Type = Field;
  static constexpr unsigned traits = traits_;

  // The column and the JSON key. A member that is a record has no column of its own but those of its members, each with
  // this before its name; if it is optional, it is there where its first column is not NULL.
  const char* name;
  Field Record_::*place;
};

template <unsigned traits = kEverywhere, class Record_, class Field>
constexpr Member<Record_, Field, traits> member(const char* name, Field Record_::*place) {
  return {name, place};
}

template <class T>
concept Record = requires {
  T::members();
};

namespace members_detail {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT: what an aggregate is initialised with
};

template <class R, std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*fields*/) {
  return requires {
    R{(static_cast<void>(I), Anything{})...};
  };
}

template <class T>
struct WithoutOptional {
  using Type = T;
  static constexpr bool is_optional = false;
};
template <class T>
struct WithoutOptional<std::optional<T>> {
  using Type = T;
  static constexpr bool is_optional = true;
};

}  // namespace members_detail

// What a member that may be absent holds.
template <class T>
using Held = typename members_detail::WithoutOptional<T>::Type;
template <class T>
inline constexpr bool kIsOptional = members_detail::WithoutOptional<T>::is_optional;

// As many fields as members: an aggregate can be initialised with so many values, and with no more.
template <Record R>
constexpr bool names_every_field() {
  constexpr std::size_t count = std::tuple_size_v<decltype(R::members())>;
  return members_detail::takes<R>(std::make_index_sequence<count>()) &&
         !members_detail::takes<R>(std::make_index_sequence<count + 1>());
}

// Calls `action` with each member, in order, that has none of the traits `without`.
template <Record R, unsigned without = kEverywhere, class Action>
constexpr void for_each_member(Action&& action) {
  static_assert(names_every_field<R>(), "members() leaves a field of the record out");
  std::apply(
      [&](const auto&... all) {
        const auto visit = [&](const auto& one) {
          if constexpr ((std::remove_cvref_t<decltype(one)>::traits & without) == 0) action(one);
        };
        (visit(all), ...);
      },
      R::members());
}

// The columns of a record's row, in the order of its members.
template <Record R>
std::vector<std::string> column_names(const std::string& before = "") {
  std::vector<std::string> names;
  for_each_member<R, kNotRow>([&](const auto& one) {
    using Type = Held<typename std::remove_cvref_t<decltype(one)>::Type>;
    if constexpr (Record<Type>) {
      for (std::string& name : column_names<Type>(before + one.name)) names.push_back(std::move(name));
    } else {
      names.push_back(before + one.name);
    }
  });
  return names;
}

// Whether some records have nothing in this column.
template <Record R>
bool may_be_absent(std::string_view column) {
  bool absent = false;
  for_each_member<R>([&](const auto& one) {
    using One = std::remove_cvref_t<decltype(one)>;
    if (column == one.name) absent = kIsOptional<typename One::Type> || (One::traits & kMayBeAbsent) != 0;
  });
  return absent;
}

}  // namespace tailwave
