#include "adopt/kernel_text.h"

#include <algorithm>
#include <utility>

namespace tailwave {
namespace {

class KernelFinder {
 public:
  explicit KernelFinder(std::string_view source) : lexemes_(lexemes_of(source)), all_(lexemes_) {}

  std::optional<KernelText> describe(const OutlineFunction& function) const {
    const auto found = std::find_if(lexemes_.begin(), lexemes_.end(),
                                    [&](const Lexeme& each) { return each.begin == function.at; });
    if (found == lexemes_.end() || !function.parameters) return std::nullopt;
    const auto name = static_cast<std::size_t>(found - lexemes_.begin());
    const std::size_t close = closing(all_, name + 1);
    const std::size_t end = close + 1 < all_.size() ? closing(all_, close + 1) : all_.size();
    if (end == all_.size()) return std::nullopt;
    KernelText kernel{.name = function.name, .scope = scope_at(name), .parameters = *function.parameters};
    kernel.body.assign(all_.begin() + static_cast<std::ptrdiff_t>(close) + 2,
                       all_.begin() + static_cast<std::ptrdiff_t>(end));
    const std::size_t begin = begin_of_declaration(name);
    kernel.begin = all_[begin].begin;
    kernel.end = all_[end].end;
    read_head(all_.subspan(begin, name - begin), kernel);
    return kernel;
  }

 private:
  [[nodiscard]] std::size_t begin_of_declaration(std::size_t name) const {
    std::size_t begin = name;
    while (begin > 0 && all_[begin - 1].text != ";" && all_[begin - 1].text != "}" &&
           all_[begin - 1].text != "{")
      --begin;
    return begin;
  }

  static void read_head(LexemeSpan head, KernelText& kernel) {
    for (std::size_t i = 0; i + 1 < head.size(); ++i) {
      if (head[i].text == "__launch_bounds__" && head[i + 1].text == "(") {
        const std::size_t close = closing(head, i + 1);
        const LexemeSpan inner = head.subspan(i + 2, close - i - 2);
        kernel.launch_bounds.assign(inner.begin(), inner.end());
      }
      if (head[i].text == "template" && head[i + 1].text == "<") read_templates(head.subspan(i + 2), kernel);
    }
  }

  // From behind the '<'; to the '>' that closes it.
  static void read_templates(LexemeSpan rest, KernelText& kernel) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const std::string_view text = rest[i].text;
      const bool ends = (text == ">" && depth == 0) || (text == "," && depth == 0);
      if (ends) {
        read_template_parameter(rest.subspan(begin, i - begin), kernel);
        begin = i + 1;
        if (text == ">") return;
      } else if (text == "<" || text == "(") {
        ++depth;
      } else if (text == ">" || text == ")") {
        --depth;
      }
    }
  }

  static void read_template_parameter(LexemeSpan parts, KernelText& kernel) {
    TemplateParameter one;
    std::size_t end = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].text == "=") {
        one.default_value = joined(parts.subspan(i + 1));
        end = i;
        break;
      }
    if (end == 0) return;
    one.is_type = parts[0].text == "typename" || parts[0].text == "class";
    const bool named = end > 1 && is_identifier(parts[end - 1].text);
    one.name = named ? std::string(parts[end - 1].text) : "";
    one.kind = joined(parts.subspan(0, named ? end - 1 : end));
    kernel.templates.push_back(one);
  }

  // The namespaces whose braces are open there.
  [[nodiscard]] std::string scope_at(std::size_t place) const {
    std::vector<std::string> open;  // "" for other braces
    for (std::size_t i = 0; i < place; ++i) {
      if (all_[i].text == "{") open.push_back(namespace_before(i));
      if (all_[i].text == "}" && !open.empty()) open.pop_back();
    }
    std::string scope;
    for (const std::string& each : open)
      if (!each.empty()) scope += (scope.empty() ? "" : "::") + each;
    return scope;
  }

  // "a::b" of "namespace a::b {"; a namespace without a name needs none.
  [[nodiscard]] std::string namespace_before(std::size_t brace) const {
    std::size_t i = brace;
    while (i > 0 && (is_identifier(all_[i - 1].text) || all_[i - 1].text == "::")) {
      --i;
      if (all_[i].text == "namespace") return joined(all_.subspan(i + 1, brace - i - 1));
    }
    return "";
  }

  Lexemes lexemes_;
  LexemeSpan all_;
};

// "float *x, *y" to "float *x" and "float *y": a list of parameters.
std::string as_parameters(LexemeSpan member) {
  std::string type, all;
  bool first = true;
  for (const LexemeSpan part : split_at_commas(member)) {
    if (first)
      for (std::size_t i = 0; i + 1 < part.size() && part[i].text != "*" && part[i + 1].text != "="; ++i)
        type += std::string(part[i].text) + " ";
    all += (first ? "" : ", " + type) + joined(part);
    first = false;
  }
  return all;
}

// The last lexeme of a method whose parameters begin there: "() const { return n; }", "();"; 0: it is none.
std::size_t end_of_method(LexemeSpan all, std::size_t open) {
  std::size_t end = closing(all, open) + 1;
  while (end < all.size() && (all[end].text == "const" || all[end].text == "noexcept")) ++end;
  if (end >= all.size() || (all[end].text != "{" && all[end].text != ";")) return 0;
  const std::size_t last = all[end].text == "{" ? closing(all, end) : end;
  return last < all.size() ? last : 0;
}

}  // namespace

std::vector<KernelText> kernels_of(const std::string& source, std::vector<std::string>& unreadable) {
  std::vector<KernelText> kernels;
  const KernelFinder finder(source);
  for (const OutlineFunction& function : outline_of({source}).functions) {
    if (!function.kernel) continue;
    auto kernel = finder.describe(function);
    if (kernel)
      kernels.push_back(std::move(*kernel));
    else
      unreadable.push_back(function.name);
  }
  return kernels;
}

std::optional<StructText> struct_named(std::string_view source, const std::string& name) {
  const Lexemes lexemes = lexemes_of(source);
  const LexemeSpan all(lexemes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].text != "struct" && all[i].text != "class") continue;
    std::size_t open = i + 1;
    while (open < all.size() && all[open].text != "{" && all[open].text != ";") ++open;
    if (open >= all.size() || all[open].text != "{") continue;
    const std::size_t close = closing(all, open);
    if (close == all.size()) continue;
    // "struct P {" or "typedef struct {} P;"
    const bool before = open > i + 1 && all[open - 1].text == name;
    const bool behind = close + 1 < all.size() && all[close + 1].text == name;
    if (!before && !behind) continue;
    std::string list;
    for (std::size_t at = open + 1, begin = at; at < close; ++at) {
      if (all[at].text == "(") {
        const LexemeSpan head = all.subspan(begin, at - begin);
        const bool is_other =
            all[at - 1].text == name ||  // it constructs one, or it is a value
            std::any_of(head.begin(), head.end(), [](auto& each) { return each.text == "="; });
        const std::size_t end = is_other ? 0 : end_of_method(all, at);
        if (end == 0) return std::nullopt;
        begin = end + 1;
        at = end;
        continue;
      }
      if (all[at].text == "{" || all[at].text == "[" || all[at].text == "virtual") return std::nullopt;
      if (all[at].text != ";") continue;
      if (begin == at) {
        begin = at + 1;
        continue;
      }
      list += (list.empty() ? "" : ", ") + as_parameters(all.subspan(begin, at - begin));
      begin = at + 1;
    }
    const SourceOutline outline = outline_of({"void members(" + list + ") {}"});
    if (outline.functions.empty() || !outline.functions[0].parameters) return std::nullopt;
    return StructText{name, *outline.functions[0].parameters};
  }
  return std::nullopt;
}

}  // namespace tailwave
