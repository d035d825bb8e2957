#include "spec/source_outline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace tailwave {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_') &&
         text.back() != '"';
}

// As people name macros: two capitals or more, and nothing small.
bool in_capitals(std::string_view name) {
  const auto is = [](int (*kind)(int)) { return [kind](unsigned char c) { return kind(c) != 0; }; };
  return name.size() > 1 && std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
         std::none_of(name.begin(), name.end(), is(std::islower));
}

// Words before a name that do not declare it.
bool is_statement_word(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords{
      "return", "case", "else", "sizeof", "in", "throw", "new", "delete", "not", "and", "or", "unroll"};
  return among(word, kWords);
}

// "const float *x" as people write it.
std::string joined(const std::vector<std::string_view>& tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool gap = i > 0 && is_name(tokens[i]) && (is_name(tokens[i - 1]) || tokens[i - 1] == "*");
    text += (gap ? " " : "") + std::string(tokens[i]);
  }
  return text;
}

constexpr std::array<std::string_view, 7> kQualifiers{
    "const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "std"};

// The last word before a default or an array's bracket: "x" of "const float* __restrict__ x = nullptr".
std::string name_behind_stars(const std::vector<std::string_view>& tokens) {
  std::string name;
  for (const std::string_view token : tokens) {
    if (token == "*") name.clear();
    if (token == "=" || token == "[") break;
    if (is_name(token) && !among(token, kQualifiers)) name = token;
  }
  return name;
}

// "ns::vector<float>" of "const ns::vector<float>& x".
std::string type_text(const std::vector<std::string_view>& tokens, const std::string& name) {
  static constexpr std::array<std::string_view, 6> kEnds{"*", "[", "=", "&", "(", "."};
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < tokens.size() && !among(tokens[i], kEnds); ++i) {
    const bool last = i + 1 == tokens.size() || among(tokens[i + 1], kEnds);
    const bool is_its_name = last && !words.empty() && tokens[i] == name;
    if (!among(tokens[i], kQualifiers) || tokens[i] == "std") words.push_back(tokens[i]);
    if (is_its_name) words.pop_back();
  }
  return joined(words);
}

OutlineParameter parameter_of(const std::vector<std::string_view>& tokens) {
  static constexpr std::array<std::string_view, 8> kTypeWords{"float",  "double", "int",  "unsigned",
                                                              "signed", "long",   "char", "short"};
  OutlineParameter parameter{.text = joined(tokens), .type = std::nullopt};
  std::vector<std::string_view> words;
  bool plain = true;  // no reference, no template
  bool name_follows = false, constant = false;
  for (const std::string_view token : tokens) {
    if (token == "=") break;
    constant = constant || token == "const";
    if (token == "*" || token == "[") {
      parameter.pointer = true;
      parameter.reads = constant;
      name_follows = token == "*";
      break;
    }
    if (is_name(token) && !among(token, kQualifiers)) words.push_back(token);
    if (!is_name(token) && token != ":") plain = false;
  }
  if (!name_follows && words.size() > 1 && !among(words.back(), kTypeWords)) {
    parameter.name = words.back();
    words.pop_back();
  }
  if (name_follows) parameter.name = name_behind_stars(tokens);
  parameter.type_name = type_text(tokens, parameter.name);
  std::string type;
  for (const std::string_view word : words) type += (type.empty() ? "" : " ") + std::string(word);
  const std::optional<ElementType> element = plain ? element_of_words(type) : std::nullopt;
  if (element) {
    parameter.type = element->scalar;
    parameter.lanes = element->lanes;
  }
  return parameter;
}

class Outliner {
 public:
  Outliner(const std::string& text, SourceOutline& outline) : found_(tokens_of(text)), outline_(outline) {}

  void read() {
    for (const SourceToken& directive : found_.directives) read_directive(directive.text);
    for (std::size_t i = 0; i < found_.tokens.size(); ++i) {
      const std::string_view word = text(i);
      if (!is_name(word)) continue;
      outline_.words.emplace(word);
      const std::string_view before = i == 0 ? "" : text(i - 1);
      const bool declares = is_name(before) && !is_statement_word(before);
      if (declares || in_enum(i) || continues_declaration(i)) outline_.declared.emplace(word);
      const bool scoped = i > 1 && before == ":" && text(i - 2) == ":";  // no macro: cub::BLOCK_LOAD_DIRECT
      if (!scoped) use(word);
      if (text(i + 1) == "(") read_function(i);
    }
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < found_.tokens.size() ? found_.tokens[i].text : std::string_view();
  }

  void use(std::string_view word) {
    if (in_capitals(word)) outline_.capitals.emplace(word);
  }

  // #define NAME(parameters) body; of other lines but #pragma the words have been seen, not used.
  void read_directive(std::string_view line) {
    if (line.find("##") != std::string_view::npos) outline_.pastes = true;
    const Tokens parts = tokens_of(line.substr(1));
    const std::vector<SourceToken>& tokens = parts.tokens;
    for (const SourceToken& token : tokens)
      if (is_name(token.text)) outline_.words.emplace(token.text);
    if (tokens.empty()) return;
    std::size_t body = 1;
    if (tokens[0].text == "define" && tokens.size() > 1) {
      outline_.declared.emplace(tokens[1].text);
      body = 2;
      const bool takes = tokens.size() > 2 && tokens[2].text == "(" && tokens[2].begin == tokens[1].end;
      for (; takes && body < tokens.size() && tokens[body].text != ")"; ++body)
        outline_.declared.emplace(tokens[body].text);
    } else if (tokens[0].text != "pragma") {
      return;
    }
    for (; body < tokens.size(); ++body) use(tokens[body].text);
  }

  // Of "float a = f(x), *b, c[2];" the names behind a comma or a star.
  [[nodiscard]] bool continues_declaration(std::size_t i) const {
    static constexpr std::array<std::string_view, 3> kBefore{",", "*", "&"};
    static constexpr std::array<std::string_view, 4> kBehind{"=", ",", ";", "["};
    if (i < 2 || !among(text(i - 1), kBefore) || !among(text(i + 1), kBehind)) return false;
    if (text(i + 1) == "=" && text(i + 2) == "=") return false;
    std::size_t begin = i;
    int depth = 0, angles = 0;
    for (; begin > 0; --begin) {
      const std::string_view before = text(begin - 1);
      if (before == ";" || before == "{" || before == "}") break;
      if (before == ")" || before == "]") ++depth;
      if ((before == "(" || before == "[") && depth-- == 0) {
        if (begin < 2 || text(begin - 2) != "for") return false;
        break;
      }
      if (before == "<") ++angles;
      if (before == ">") --angles;
    }
    static constexpr std::array<std::string_view, 4> kInTypes{"*", "&", "<", ":"};
    const bool is_type = is_name(text(begin)) && !is_statement_word(text(begin)) && begin + 1 < i;
    return is_type && angles == 0 && (is_name(text(begin + 1)) || among(text(begin + 1), kInTypes));
  }

  // Whether i is inside the braces of an enumeration.
  [[nodiscard]] bool in_enum(std::size_t i) const {
    while (i > 0 && text(i) != ";" && text(i) != "}" && text(i) != "{") --i;
    for (; text(i) == "{" && i > 0;) {
      for (--i; i > 0 && (is_name(text(i)) || text(i) == ":"); --i)
        if (text(i) == "enum") return true;
      return text(i) == "enum";
    }
    return false;
  }

  [[nodiscard]] std::optional<std::size_t> closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < found_.tokens.size(); ++i) {
      if (text(i) == "(") ++depth;
      if (text(i) == ")" && --depth == 0) return i;
    }
    return std::nullopt;
  }

  // Whether __global__ is between the end of what is before and the name at i.
  [[nodiscard]] bool is_kernel(std::size_t i) const {
    while (i-- > 0 && text(i) != ";" && text(i) != "}" && text(i) != "{")
      if (text(i) == "__global__") return true;
    return false;
  }

  void read_function(std::size_t name) {
    static constexpr std::array<std::string_view, 5> kNone{"if", "for", "while", "switch", "catch"};
    const auto end = closing(name + 1);
    if (!end || text(*end + 1) != "{" || among(text(name), kNone)) return;
    outline_.functions.push_back(
        {std::string(text(name)), found_.tokens[name].begin, is_kernel(name), parameters(name + 2, *end)});
    for (const OutlineParameter& each :
         outline_.functions.back().parameters.value_or(std::vector<OutlineParameter>()))
      if (!each.name.empty()) outline_.declared.insert(each.name);
  }

  [[nodiscard]] std::optional<std::vector<OutlineParameter>> parameters(std::size_t begin,
                                                                        std::size_t end) const {
    std::vector<OutlineParameter> all;
    std::vector<std::string_view> tokens;
    int depth = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      const std::string_view token = text(i);
      if (i == end || (token == "," && depth == 0)) {
        const bool nothing = tokens.empty() || (tokens.size() == 1 && tokens[0] == "void");
        if (nothing && all.empty() && i == end) return all;
        if (tokens.empty() || (tokens.size() == 1 && in_capitals(tokens[0]))) return std::nullopt;
        all.push_back(parameter_of(tokens));
        tokens.clear();
        continue;
      }
      if (token == "." || token == "\\") return std::nullopt;
      if (token == "(" || token == "<" || token == "[" || token == "{") ++depth;
      if (token == ")" || token == ">" || token == "]" || token == "}") --depth;
      tokens.push_back(token);
    }
    return all;
  }

  Tokens found_;
  SourceOutline& outline_;
};

}  // namespace

std::optional<ElementType> element_of_words(const std::string& words) {
  static const std::map<std::string, ScalarType> kComplex{{"cuComplex", ScalarType::float32},
                                                          {"cuFloatComplex", ScalarType::float32},
                                                          {"cuDoubleComplex", ScalarType::float64}};
  static const std::map<std::string, ScalarType> kTypes{{"signed", ScalarType::int32},
                                                        {"int32_t", ScalarType::int32},
                                                        {"unsigned", ScalarType::uint32},
                                                        {"unsigned int", ScalarType::uint32},
                                                        {"uint32_t", ScalarType::uint32},
                                                        {"long long", ScalarType::int64},
                                                        {"long long int", ScalarType::int64},
                                                        {"int64_t", ScalarType::int64},
                                                        {"uint64_t", ScalarType::uint64},
                                                        {"unsigned long long", ScalarType::uint64},
                                                        {"unsigned long long int", ScalarType::uint64},
                                                        {"unsigned long", ScalarType::uint64},
                                                        {"unsigned long int", ScalarType::uint64},
                                                        {"long unsigned int", ScalarType::uint64},
                                                        {"long int", ScalarType::int64},
                                                        {"signed int", ScalarType::int32},
                                                        {"short int", ScalarType::int16},
                                                        {"unsigned short int", ScalarType::uint16},
                                                        {"signed char", ScalarType::int8},
                                                        {"int8_t", ScalarType::int8},
                                                        {"unsigned char", ScalarType::uint8},
                                                        {"uint8_t", ScalarType::uint8},
                                                        {"int16_t", ScalarType::int16},
                                                        {"unsigned short", ScalarType::uint16},
                                                        {"uint16_t", ScalarType::uint16},
                                                        {"nv_bfloat16", ScalarType::bfloat16},
                                                        {"__nv_fp8_e4m3", ScalarType::float8_e4m3},
                                                        {"__nv_fp8_e5m2", ScalarType::float8_e5m2}};
  const auto complex = kComplex.find(words);
  if (complex != kComplex.end()) return ElementType{complex->second, 2};
  const auto found = kTypes.find(words);
  if (found != kTypes.end()) return ElementType{found->second, 1};
  // What the manifest calls "float32" or "complex64" is no word of C++.
  const bool is_of_cuda = words.starts_with("__") || words.find_first_of("0123456789") >= words.size() - 1;
  return is_of_cuda ? parse_element_type(words) : std::nullopt;
}

bool comes_with_compilers(const std::string& name) {
  constexpr std::array<std::string_view, 12> kMacros{
      "CLOCKS_PER_SEC", "NULL",     "NAN",          "INFINITY",     "HUGE_VAL", "HUGE_VALF", "EOF",
      "RAND_MAX",       "SIZE_MAX", "EXIT_SUCCESS", "EXIT_FAILURE", "FILE"};
  constexpr std::array<std::string_view, 15> kMacroPrefixes{"FLT_",   "DBL_",   "INT_", "INT8_", "INT16_",
                                                            "INT32_", "INT64_", "UINT", "LONG_", "LLONG_",
                                                            "ULONG",  "CHAR_",  "M_",   "CUDA",  "TAILWAVE_"};
  return std::find(kMacros.begin(), kMacros.end(), name) != kMacros.end() ||
         std::any_of(kMacroPrefixes.begin(), kMacroPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

SourceOutline outline_of(const std::vector<std::string>& texts) {
  SourceOutline outline;
  for (const std::string& text : texts) Outliner(text, outline).read();
  return outline;
}

}  // namespace tailwave
