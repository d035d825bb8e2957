#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "mutator.h"

namespace tailwave::fuzz {
namespace {

using Node = nlohmann::ordered_json;

// One place of a document; its parent is null for the whole of it.
struct Place {
  Node* parent = nullptr;
  std::size_t index = 0;  // among the parent's members or items
  Node* value = nullptr;
};

void gather(Node& value, std::vector<Place>& places) {
  if (!value.is_structured()) return;
  std::size_t index = 0;
  for (Node& inner : value) {
    places.push_back({&value, index++, &inner});
    gather(inner, places);
  }
}

std::vector<Place> places_of(Node& document) {
  std::vector<Place> places{{nullptr, 0, &document}};
  gather(document, places);
  return places;
}

Node some_number(Generator& random) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kWhole[] = {0,
                                     -1,
                                     1,
                                     2,
                                     31,
                                     32,
                                     1024,
                                     65535,
                                     65536,
                                     (1U << 31U) - 1,
                                     std::int64_t{1} << 31,
                                     std::int64_t{1} << 32,
                                     kMost,
                                     kLeast};
  constexpr double kReal[] = {0.0, -0.0, 0.5, 1e-9, 1e9, 1e18, 1e19, 1e308, -1e308, 5e-324, 1.5, -2.5};
  if (below(2, random) == 0) return kWhole[below(std::size(kWhole), random)];
  return kReal[below(std::size(kReal), random)];
}

std::string some_text(const std::vector<std::string>& words, Generator& random) {
  constexpr const char* kTexts[] = {"",          "\n",     "../../etc/passwd",
                                    "/dev/zero", ".",      "a\tb",
                                    "1e999",     "\u00e9", "\u001b[2J",
                                    "%s%n",      "'",      "1//0",
                                    "inf",       "N",      "-1",
                                    "true"};
  if (!words.empty() && below(2, random) == 0) return words[below(words.size(), random)];
  if (below(40, random) == 0) return std::string(5000, 'x');
  return kTexts[below(std::size(kTexts), random)];
}

Node something(const std::vector<std::string>& words, Generator& random) {
  switch (below(7, random)) {
    case 0:
      return nullptr;
    case 1:
      return below(2, random) == 0;
    case 2:
    case 3:
      return some_number(random);
    case 4:
      return below(2, random) == 0 ? Node::array() : Node::object();
    case 5: {
      const std::size_t length = below(20, random) == 0 ? 3000 : below(4, random);
      return Node(std::vector<Node>(length, some_number(random)));
    }
    default:
      return some_text(words, random);
  }
}

Node nested(Node value, Generator& random) {
  for (std::size_t left = below(8, random) == 0 ? 90 + below(30, random) : 1 + below(3, random); left > 0;
       --left) {
    Node around = below(2, random) == 0 ? Node::array({std::move(value)}) : Node{{"a", std::move(value)}};
    value = std::move(around);
  }
  return value;
}

void remove(const Place& place) {
  if (place.parent == nullptr) return;
  place.parent->erase(std::next(place.parent->begin(), static_cast<std::ptrdiff_t>(place.index)));
}

// A key of two members is not refused by an ordered_json, which is a list of pairs.
void add_member(const Place& place, std::string key, Node value) {
  if (place.value->is_object())
    place.value->get_ref<Node::object_t&>().emplace_back(std::move(key), std::move(value));
  else if (place.value->is_array())
    place.value->push_back(std::move(value));
}

std::string some_key(const std::vector<Place>& places, const std::vector<std::string>& words,
                     Generator& random) {
  const Place& place = places[below(places.size(), random)];
  if (place.parent != nullptr && place.parent->is_object() && below(3, random) != 0)
    return std::next(place.parent->get_ref<Node::object_t&>().begin(),
                     static_cast<std::ptrdiff_t>(place.index))
        ->first;
  return some_text(words, random);
}

void rename(const Place& place, std::string key) {
  if (place.parent == nullptr || !place.parent->is_object()) return;
  // The pair's key is const: a new pair takes its place.
  auto& members = place.parent->get_ref<Node::object_t&>();
  std::vector<std::pair<std::string, Node>> all;
  for (auto& [name, value] : members)
    all.emplace_back(all.size() == place.index ? key : name, std::move(value));
  members.clear();
  for (auto& [name, value] : all) members.emplace_back(name, std::move(value));
}

// A neighbouring number is more likely to be taken than any.
void nudge(Node& value, const std::vector<std::string>& words, Generator& random) {
  if (value.is_number_integer() && value != std::numeric_limits<std::int64_t>::max() &&
      value != std::numeric_limits<std::int64_t>::min()) {
    value = value.get<std::int64_t>() + (below(2, random) == 0 ? 1 : -1);
  } else if (value.is_number()) {
    value = value.get<double>() * (below(2, random) == 0 ? -1 : 1e3);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    const Material material{Form::text, words};
    text = mutated({text}, material, random);
  } else {
    value = something(words, random);
  }
}

void change(Node& document, const std::vector<std::string>& words, Generator& random) {
  const std::vector<Place> places = places_of(document);
  const Place& place = places[below(places.size(), random)];
  const Place& other = places[below(places.size(), random)];
  switch (below(10, random)) {
    case 0:
      return remove(place);
    case 1: {
      Node copy = *other.value;
      *place.value = std::move(copy);
      return;
    }
    case 2: {
      Node one = *place.value, two = *other.value;
      *place.value = std::move(two);
      // Where one lay in the other, the second place may be no more.
      const std::vector<Place> now = places_of(document);
      const auto same = [&](const Place& one_of) { return one_of.value == other.value; };
      if (std::any_of(now.begin(), now.end(), same)) *other.value = std::move(one);
      return;
    }
    case 3:
      *place.value = something(words, random);
      return;
    case 4:
      *place.value = nested(*place.value, random);
      return;
    case 5:
      return add_member(place, some_key(places, words, random), something(words, random));
    case 6:
      return add_member(place, some_key(places, words, random), Node(*other.value));
    case 7:
      return rename(place, some_key(places, words, random));
    default:
      return nudge(*place.value, words, random);
  }
}

}  // namespace

std::string mutated_json(std::string_view text, const std::vector<std::string>& words, Generator& random) {
  Node document = Node::parse(text, nullptr, false);
  if (document.is_discarded()) return "";
  for (std::size_t left = 1 + below(3, random); left > 0; --left) change(document, words, random);
  return document.dump(-1, ' ', false, Node::error_handler_t::replace);
}

}  // namespace tailwave::fuzz
