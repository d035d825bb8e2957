#include "adopt/element_names.h"

#include <array>

#include "adopt/lexemes.h"
#include "spec/source_outline.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

// Without const and the like, and without "std" and other namespaces of numbers.
std::string plain_type(const std::string& type) {
  static constexpr std::array<std::string_view, 9> kLeftOut{
      "const", "volatile", "std", "::", "thrust", "__restrict__", "typename", "cuda", "struct"};
  std::string plain;
  for (const Lexeme& each : lexemes_of(type)) {
    if (among(each.text, kLeftOut)) continue;
    const bool gap = !plain.empty() && is_identifier(each.text) && plain.back() != '<';
    plain += (gap ? " " : "") + std::string(each.text);
  }
  return plain;
}

std::optional<ElementType> plain_element(const std::string& plain) {
  if (const auto known = element_of_words(plain)) return known;
  if (plain == "complex<float>") return ElementType{ScalarType::float32, 2};
  if (plain == "complex<double>") return ElementType{ScalarType::float64, 2};
  return std::nullopt;
}

// "#define REAL float", if the rest is a type.
void read_define(std::string_view line, TypeAliases& aliases) {
  const Lexemes words = lexemes_of(line.substr(1));
  if (words.size() < 3 || words[0].text != "define" || !is_identifier(words[1].text)) return;
  const std::string type = joined(LexemeSpan(words).subspan(2));
  if (words[2].begin > words[1].end && plain_element(plain_type(type))) aliases.emplace(words[1].text, type);
}

}  // namespace

TypeAliases type_aliases(std::string_view source) {
  TypeAliases aliases;
  for (const SourceToken& line : tokens_of(source).directives) read_define(line.text, aliases);
  const Lexemes lexemes = lexemes_of(source);
  const LexemeSpan all(lexemes);
  for (std::size_t i = 0; i + 3 < all.size(); ++i) {
    const bool is_typedef = all[i].text == "typedef",
               is_using = all[i].text == "using" && all[i + 2].text == "=";
    if (!is_typedef && !is_using) continue;
    std::size_t end = i;
    while (end < all.size() && all[end].text != ";" && all[end].text != "{") ++end;
    if (end == all.size() || all[end].text != ";" || end < i + 3) continue;
    if (is_using)
      aliases.emplace(all[i + 1].text, joined(all.subspan(i + 3, end - i - 3)));
    else
      aliases.emplace(all[end - 1].text, joined(all.subspan(i + 1, end - i - 2)));
  }
  return aliases;
}

std::optional<ElementType> element_named(const std::string& type, const TypeAliases& aliases) {
  std::string plain = plain_type(type);
  constexpr int kMostSteps = 8;  // aliases of aliases
  for (int step = 0; step < kMostSteps; ++step) {
    if (const auto known = plain_element(plain)) return known;
    const auto next = aliases.find(plain);
    if (next == aliases.end()) return std::nullopt;
    plain = plain_type(next->second);
  }
  return std::nullopt;
}

}  // namespace tailwave
