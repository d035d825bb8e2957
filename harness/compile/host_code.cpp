#include "compile/host_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 7> kDeviceMarks{
    "__global__", "__device__", "__constant__", "__shared__", "__managed__", "constexpr", "consteval"};
constexpr std::array<std::string_view, 4> kTypeKeys{"struct", "class", "union", "enum"};

// cudaMalloc, cudaError_t; not cuda::std.
bool is_of_runtime(std::string_view word) {
  constexpr std::string_view kPrefix = "cuda";
  return word.starts_with(kPrefix) && word.size() > kPrefix.size() &&
         std::isupper(static_cast<unsigned char>(word[kPrefix.size()])) != 0;
}

// Walks over the declarations of a source.
class DeclarationWalk {
 public:
  DeclarationWalk(std::string_view source, const std::vector<std::string>& kernels)
      : source_(source), found_(tokens_of(source)) {
    for (const std::string& kernel : kernels) kernels_.insert(kernel.substr(0, kernel.find('<')));
    for (const SourceToken& directive : found_.directives) read_macro(directive.text);
  }

  std::vector<HostCode::Declaration> declarations() {
    std::vector<HostCode::Declaration> all;
    for (std::size_t begin = 0; begin < tokens().size();) {
      const std::size_t end = end_of_declaration(begin);
      if (end > begin + 1 && !is_marked(begin, end)) all.push_back(describe(begin, end));
      begin = std::max(end, begin + 1);
    }
    return all;
  }

  std::vector<std::pair<std::size_t, std::size_t>> using_std() const {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i + 3 < tokens().size(); ++i)
      if (text(i) == "using" && text(i + 1) == "namespace" && text(i + 2) == "std" && text(i + 3) == ";")
        all.emplace_back(tokens()[i].begin, tokens()[i + 3].end);
    return all;
  }

 private:
  [[nodiscard]] std::span<const SourceToken> tokens() const { return found_.tokens; }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < found_.tokens.size() ? found_.tokens[i].text : std::string_view();
  }

  // #define HOST_DEVICE __host__ __device__
  void read_macro(std::string_view line) {
    const Tokens parts = tokens_of(line.substr(1));
    const std::vector<SourceToken>& words = parts.tokens;
    if (words.size() < 3 || words[0].text != "define") return;
    if (std::any_of(words.begin() + 2, words.end(),
                    [](const SourceToken& word) { return among(word.text, kDeviceMarks); }))
      marks_.emplace(words[1].text);
  }

  // Behind the bracket that closes the one at `open`.
  [[nodiscard]] std::size_t behind(std::size_t open) const {
    const std::string_view opening = text(open), closing = opening == "(" ? ")" : "}";
    int depth = 0;
    for (std::size_t i = open; i < tokens().size(); ++i) {
      if (text(i) == opening) ++depth;
      if (text(i) == closing && --depth == 0) return i + 1;
    }
    return tokens().size();
  }

  // Behind the parameters of a template, which begin there.
  [[nodiscard]] std::size_t behind_template(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens().size(); ++i) {
      if (text(i) == "(") i = behind(i) - 1;
      if (text(i) == "<") ++depth;
      if (text(i) == ">" && --depth == 0) return i + 1;
    }
    return tokens().size();
  }

  // Behind the declaration that begins there; what opens a namespace, or closes one, is one of its own.
  [[nodiscard]] std::size_t end_of_declaration(std::size_t begin) const {
    if (text(begin) == "}" || text(begin) == ";") return begin + 1;
    bool has_value = false, is_type = false, has_parameters = false;
    for (std::size_t i = begin; i < tokens().size();) {
      const std::string_view here = text(i);
      if (here == ";") return i + 1;
      if (here == "template" && text(i + 1) == "<") {
        i = behind_template(i + 1);
        continue;
      }
      if (here == "=" && text(i - 1) != "operator") has_value = true;
      if (!has_parameters && among(here, kTypeKeys)) is_type = true;
      if (here == "(") {
        has_parameters = true;
        i = behind(i);
        continue;
      }
      if (here == "{") {
        if (opens_namespace(begin, i)) return i + 1;
        i = behind(i);
        const bool goes_on = text(i) == "," || text(i) == "{";  // an initialiser of a member
        if (has_parameters && !is_type && !has_value && !goes_on) return i;
        continue;
      }
      ++i;
    }
    return tokens().size();
  }

  [[nodiscard]] bool opens_namespace(std::size_t begin, std::size_t brace) const {
    if (text(begin) == "extern" && brace == begin + 2) return true;
    for (std::size_t i = begin; i < brace; ++i)
      if (text(i) == "namespace") return true;
    return false;
  }

  [[nodiscard]] bool is_marked(std::size_t begin, std::size_t end) const {
    if (opens_namespace(begin, end - 1) && text(end - 1) == "{") return true;
    const int in_functions = is_class(begin, end) ? 2 : 1;
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (text(i) == "{") ++depth;
      if (text(i) == "}") --depth;
      const bool is_constant = text(i) == "constexpr" || text(i) == "consteval";
      if (is_constant && depth >= in_functions) continue;  // of a host function, too
      if (among(text(i), kDeviceMarks) || marks_.contains(text(i))) return true;
    }
    return kernels_.contains(name_of(begin, end));
  }

  // class Solver { ... }; and not class Solver* find() { ... }
  [[nodiscard]] bool is_class(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end && text(i) != "{" && text(i) != "(" && text(i) != "="; ++i) {
      if (among(text(i), kTypeKeys)) return true;
      if (text(i) == "template" && text(i + 1) == "<") i = behind_template(i + 1) - 1;
    }
    return false;
  }

  [[nodiscard]] HostCode::Declaration describe(std::size_t begin, std::size_t end) const {
    HostCode::Declaration one{
        .name = name_of(begin, end), .begin = tokens()[begin].begin, .end = tokens()[end - 1].end};
    one.first_line = line_at(source_, one.begin);
    one.last_line = line_at(source_, one.end);
    for (std::size_t i = begin; i < end; ++i)
      one.uses_runtime = one.uses_runtime || is_of_runtime(text(i)) ||
                         (text(i) == "<" && text(i + 1) == "<" && text(i + 2) == "<");
    return one;
  }

  // The word before the first parenthesis, "twice" of "template <> int twice<int>(int x)"; else the first two words.
  [[nodiscard]] std::string name_of(std::size_t begin, std::size_t end) const {
    const std::size_t first =
        text(begin) == "template" && text(begin + 1) == "<" ? behind_template(begin + 1) : begin;
    for (std::size_t i = first + 1; i < end && text(i) != "{" && text(i) != "="; ++i) {
      if (text(i) != "(") continue;
      std::size_t word = i - 1;
      if (text(word).ends_with("__") || text(word) == "alignas") continue;
      if (text(word) == ">")
        for (int depth = 0; word > begin; --word) {
          if (text(word) == ">") ++depth;
          if (text(word) == "<" && --depth == 0) break;
        }
      if (text(word) == "<" && word > begin) --word;
      return std::string(text(word));
    }
    return std::string(text(first)) + ' ' + std::string(text(first + 1));
  }

  std::string_view source_;
  Tokens found_;
  std::set<std::string, std::less<>> marks_;  // macros
  std::set<std::string, std::less<>> kernels_;
};

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

}  // namespace

HostCode::HostCode(std::string_view source, const std::vector<std::string>& kernels) : source_(source) {
  DeclarationWalk walk(source, kernels);
  declarations_ = walk.declarations();
  using_std_ = walk.using_std();
}

std::string HostCode::without(const std::set<const Declaration*>& left_out, bool no_using_std) const {
  std::string text(source_);
  for (const Declaration* one : left_out) blank(text, one->begin, one->end);
  if (no_using_std)
    for (const auto& [begin, end] : using_std_) blank(text, begin, end);
  return text;
}

std::string without_runtime_calls(const std::string& source, const std::vector<std::string>& kernels) {
  const HostCode host(source, kernels);
  std::set<const HostCode::Declaration*> left_out;
  std::set<std::string, std::less<>> names;  // of functions that are left out
  const auto leave_out = [&](const HostCode::Declaration& one) {
    left_out.insert(&one);
    if (one.name.find(' ') == std::string::npos) names.insert(one.name);
  };
  const auto calls_one = [&](const HostCode::Declaration& one) {
    const Tokens found = tokens_of(std::string_view(source).substr(one.begin, one.end - one.begin));
    return std::any_of(found.tokens.begin(), found.tokens.end(),
                       [&](const SourceToken& token) { return names.contains(token.text); });
  };
  for (const HostCode::Declaration& one : host.declarations())
    if (one.uses_runtime) leave_out(one);
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const HostCode::Declaration& one : host.declarations())
      if (!left_out.contains(&one) && calls_one(one)) leave_out(one);
  }
  return left_out.empty() ? source : host.without(left_out);
}

}  // namespace tailwave
