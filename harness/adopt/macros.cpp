#include "adopt/macros.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "adopt/c_term.h"
#include "adopt/element_names.h"
#include "adopt/lexemes.h"
#include "adopt/term_value.h"
#include "compile/host_code.h"
#include "spec/source_outline.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

// Values of macros that are made of numbers and of such macros.
class MacroValues : public NameMeanings {
 public:
  explicit MacroValues(std::string_view source) : aliases_(type_aliases(source)) {}

  void add(const std::string& name, std::optional<CTerm> value) { terms_[name] = std::move(value); }

  std::optional<Polynomial> meaning(const std::string& name) override {
    constexpr std::string_view kSizeOf = "sizeof ";
    if (name.starts_with(kSizeOf)) {
      const auto type = element_named(name.substr(kSizeOf.size()), aliases_);
      if (!type) return std::nullopt;
      return Polynomial(static_cast<std::int64_t>(size_bytes(type->scalar)) * type->lanes);
    }
    const auto found = terms_.find(name);
    constexpr int kDeepest = 16;  // macros made of macros
    if (found == terms_.end() || !found->second || depth_ > kDeepest) return std::nullopt;
    ++depth_;
    auto value = to_polynomial(*found->second, *this);
    --depth_;
    return value;
  }

  bool is_made_of_others(const std::string& name) const {
    bool found = false;
    const auto& term = terms_.at(name);
    if (term)
      for_each_term(*term, [&](const CTerm& part) { found = found || part.kind == CTerm::Kind::name; });
    return found;
  }

 private:
  TypeAliases aliases_;
  std::map<std::string, std::optional<CTerm>> terms_;
  int depth_ = 0;
};

// Of constants those alone get a guard that no other word of a program is likely to be called like: TILE, kItems, block_size.
bool names_a_size(std::string_view name) {
  const bool small_k =
      name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  const bool capitals =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
  return small_k || capitals || is_named_like_a_block(name);
}

class MacroFinder {
 public:
  explicit MacroFinder(const std::string& source)
      : source_(source), tokens_(tokens_of(source)), values_(source) {}

  std::vector<MacroText> find(const std::vector<std::string>& kernels) {
    read_directives();
    read_constants();
    std::vector<MacroText> all;
    for (MacroText& each : found_) {
      if (times_[each.name] > 1) continue;
      const auto value = values_.meaning(each.name);
      if (!value || !value->is_number()) continue;
      each.value = value->number();
      each.is_made_of_others = values_.is_made_of_others(each.name);
      all.push_back(each);
    }
    const SourceOutline outline = outline_of({device_code(kernels)});
    const SourceOutline whole = outline_of({source_});
    for (const std::string& name : outline.capitals)
      if (!whole.declared.contains(name) && !comes_with_compilers(name))
        all.push_back({.where = MacroText::Where::nowhere, .name = name, .value = std::nullopt});
    return all;
  }

 private:
  // Without functions that only the host calls.
  [[nodiscard]] std::string device_code(const std::vector<std::string>& kernels) const {
    const HostCode host(source_, kernels);
    std::set<const HostCode::Declaration*> left_out;
    for (const HostCode::Declaration& one : host.declarations())
      if (one.uses_runtime || is_identifier(one.name)) left_out.insert(&one);
    for (std::size_t before = 0; before != left_out.size();) {
      before = left_out.size();
      const std::set<std::string> words = outline_of({host.without(left_out)}).words;
      std::erase_if(left_out, [&](const HostCode::Declaration* one) {
        return !one->uses_runtime && words.contains(one->name);
      });
    }
    return host.without(left_out);
  }

  void read_directives() {
    std::string not_defined;  // by the #ifndef just before
    for (const SourceToken& line : tokens_.directives) {
      const Lexemes words = lexemes_of(line.text.substr(1));
      const std::string_view word = words.empty() ? std::string_view() : words[0].text;
      if (word == "define" && words.size() > 1) read_define(line, words, not_defined);
      not_defined = word == "ifndef" && words.size() > 1 ? std::string(words[1].text) : "";
    }
  }

  void read_define(const SourceToken& line, const Lexemes& words, const std::string& not_defined) {
    MacroText macro{
        .where = MacroText::Where::unguarded, .name = std::string(words[1].text), .value = std::nullopt};
    ++times_[macro.name];
    if (words.size() < 3 || words[2].begin == words[1].end) return;
    if (not_defined == macro.name) macro.where = MacroText::Where::guarded;
    macro.begin = line.begin;
    macro.end = line.end;
    values_.add(macro.name, parse_term(LexemeSpan(words).subspan(2)));
    found_.push_back(std::move(macro));
  }

  // "constexpr int X = 16;" on lines of its own, outside of all braces but those of namespaces.
  void read_constants() {
    const Lexemes lexemes = lexemes_of(source_);
    const LexemeSpan all(lexemes);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].text == "{" && !(i > 1 && (all[i - 1].text == "\"C\"" || all[i - 2].text == "namespace"))) {
        i = closing(all, i);
        continue;
      }
      if (all[i].text != "constexpr" && all[i].text != "const") continue;
      std::size_t end = i;
      while (end < all.size() && all[end].text != ";" && all[end].text != "{" && all[end].text != "(") ++end;
      if (end == all.size() || all[end].text != ";") continue;
      std::size_t equals = i;
      while (equals < end && all[equals].text != "=") ++equals;
      if (equals + 1 < end && split_at_commas(all.subspan(i, end - i)).size() == 1)
        read_constant(all.subspan(i, end - i + 1), equals - i, i > 0 ? all[i - 1] : all[i]);
      i = end;
    }
  }

  void read_constant(LexemeSpan statement, std::size_t equals, const Lexeme& before) {
    if (!names_a_size(statement[equals - 1].text)) return;
    MacroText constant{.where = MacroText::Where::constant,
                       .name = std::string(statement[equals - 1].text),
                       .value = std::nullopt};
    ++times_[constant.name];
    values_.add(constant.name, parse_term(statement.subspan(equals + 1, statement.size() - equals - 2)));
    const bool is_static = before.text == "static" || before.text == "inline";
    constant.begin = is_static ? before.begin : statement.front().begin;
    constant.end = statement.back().end;
    found_.push_back(std::move(constant));
  }

  const std::string& source_;
  Tokens tokens_;
  std::vector<MacroText> found_;
  std::map<std::string, int> times_;
  MacroValues values_;
};

}  // namespace

bool is_named_like_a_block(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  static constexpr std::array<const char*, 6> kWords{"block", "thread", "tile", "tpb", "workgroup", "bdim"};
  const bool warp = small.find("warp") != std::string::npos || small.find("per_") != std::string::npos;
  return !warp && std::any_of(kWords.begin(), kWords.end(),
                              [&](const char* word) { return small.find(word) != std::string::npos; });
}

bool is_of_warps(std::string_view name) {
  const std::string capitals = in_capitals(name.starts_with('k') ? name.substr(1) : name);
  const bool counts =
      capitals == "WARPS" || capitals.starts_with("WARPS_") || capitals.find("PER") != std::string::npos;
  return capitals.starts_with("WARP") && !counts;
}

std::vector<MacroText> macros_of(const std::string& source, const std::vector<std::string>& kernels,
                                 const std::string& headers) {
  std::vector<MacroText> macros = MacroFinder(source).find(kernels);
  std::set<std::string> defined;
  for (const SourceToken& line : tokens_of(headers).directives) {
    const Lexemes words = lexemes_of(line.text.substr(1));
    if (words.size() > 1 && words[0].text == "define") defined.emplace(words[1].text);
  }
  std::erase_if(macros, [&](const MacroText& one) {
    return one.where == MacroText::Where::nowhere && defined.contains(one.name);
  });
  return macros;
}

std::string with_guards(const std::string& source, const std::vector<MacroText>& macros) {
  std::vector<MacroText> ordered = macros;
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.begin > b.begin; });
  std::string text = source;
  for (const MacroText& each : ordered) {
    text.insert(each.end, "\n#endif");
    const std::size_t line = text.rfind('\n', each.begin);
    text.insert(line == std::string::npos ? 0 : line + 1, "#ifndef " + each.name + "\n");
  }
  return text;
}

}  // namespace tailwave
