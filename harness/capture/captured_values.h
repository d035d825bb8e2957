#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/captured_launch.h"
#include "capture/signature.h"

namespace tailwave {

// How values of launches stand in a manifest.

constexpr const char* kSize = "SIZE";  // the quantity that says which of several launches

// The first bytes as a value of that type.
template <class T>
T value_of_bytes(const std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

nlohmann::ordered_json bytes_json(std::string_view bytes);
nlohmann::ordered_json value_json(nlohmann::ordered_json value, ScalarType type);

// The value if a number says it exactly.
std::optional<nlohmann::ordered_json> exact_json(const std::string& bytes, ScalarType type);

// Of an argument in each size, which is no pointer to memory: what its function says, or where that says nothing what is
// likely. None: bytes.
std::optional<ScalarType> type_of_scalar(const std::vector<const CapturedArgument*>& sizes,
                                         const SignatureType* said);

// "[1024, 512][SIZE]", or the number itself where it is the same for all.
template <class Number>
nlohmann::ordered_json by_size(const std::vector<Number>& values) {
  if (std::ranges::all_of(values, [&](const Number& one) { return one == values.front(); }))
    return values.front();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Number& one : values) list.push_back(one);
  return fmt::format("{}[{}]", list.dump(), kSize);
}

// What `value` gives of each launch.
template <class Value>
auto of_each(const std::vector<CapturedLaunch>& launches, Value value) {
  std::vector<decltype(value(launches.front()))> values;
  for (const CapturedLaunch& one : launches) values.push_back(value(one));
  return values;
}

}  // namespace tailwave
