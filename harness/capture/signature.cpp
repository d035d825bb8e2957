#include "capture/signature.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tailwave {
namespace {

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Without a word that changes nothing of the value.
std::string without(std::string text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
    text.erase(at, word.size());
  return trimmed(std::move(text));
}

// As c++filt has them; what the manifest has a word of its own for is found by parse_element_type().
std::optional<ElementType> type_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, ScalarType>, 13> kNames{{
      {"char", ScalarType::int8},
      {"signed char", ScalarType::int8},
      {"unsigned char", ScalarType::uint8},
      {"short", ScalarType::int16},
      {"unsigned short", ScalarType::uint16},
      {"unsigned int", ScalarType::uint32},
      {"long", ScalarType::int64},
      {"long long", ScalarType::int64},
      {"unsigned long", ScalarType::uint64},
      {"unsigned long long", ScalarType::uint64},
      {"c10::Half", ScalarType::float16},
      {"c10::BFloat16", ScalarType::bfloat16},
      {"__half", ScalarType::float16},
  }};
  const auto* const found = std::ranges::find(kNames, text, [](const auto& entry) { return entry.first; });
  if (found != kNames.end()) return ElementType{found->second, 1};
  return parse_element_type(text);
}

SignatureType parameter(std::string text) {
  SignatureType one{.text = text, .pointer = false, .type = {}};
  for (const std::string_view word : {"const", "volatile", "__restrict"})
    text = without(std::move(text), word);
  if (text.ends_with('*') || text.ends_with('&')) {
    one.pointer = true;
    text = trimmed(text.substr(0, text.size() - 1));
  }
  one.type = type_of(text);
  return one;
}

// Where the brackets that end the name begin.
std::size_t begin_of_parameters(const std::string& name) {
  if (!name.ends_with(')')) return std::string::npos;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string::npos;
}

}  // namespace

std::vector<SignatureType> parameters_of(const std::string& demangled) {
  const std::size_t begin = begin_of_parameters(demangled);
  if (begin == std::string::npos) return {};
  std::vector<SignatureType> all;
  std::string text;
  int depth = 0;
  for (std::size_t i = begin + 1; i < demangled.size(); ++i) {
    const char letter = demangled[i];
    const bool is_end = i + 1 == demangled.size();
    if (is_end || (letter == ',' && depth == 0)) {
      if (!trimmed(text).empty()) all.push_back(parameter(trimmed(std::exchange(text, ""))));
      continue;
    }
    if (letter == '(' || letter == '<' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == '>' || letter == ']' || letter == '}') --depth;
    text += letter;
  }
  return all;
}

}  // namespace tailwave
