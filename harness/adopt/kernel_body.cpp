#include "adopt/kernel_body.h"

#include <algorithm>
#include <array>
#include <utility>

#include "adopt/local_scopes.h"
#include "adopt/pointer_places.h"
#include "adopt/pointer_uses.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

bool is_built_in(std::string_view word) {
  return word == "threadIdx" || word == "blockIdx" || word == "blockDim" || word == "gridDim";
}

class BodyReader {
 public:
  BodyReader(const KernelText& kernel, const LocalScopes& scopes, KernelBody& body)
      : kernel_(kernel), scopes_(scopes), all_(scopes.lexemes()), body_(body) {}

  void read() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string_view word = text(i);
      if (!is_identifier(word)) {
        if (word == "=") read_value(i);
        read_step(i);
        continue;
      }
      body_.words.insert(is_built_in(word) && text(i + 1) == "."
                             ? std::string(word) + "." + std::string(text(i + 2))
                             : std::string(word));
      if (word == "__shared__") read_shared(i);
      if (word == "if" || word == "while") read_condition(i);
      if (word == "for") read_for(i);
      read_assignment(i);
    }
    read_shared_indices();
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < all_.size() ? all_[i].text : std::string_view();
  }
  [[nodiscard]] LexemeSpan inside(std::size_t open, std::size_t close) const {
    return all_.subspan(open + 1, std::min(close, all_.size()) - open - 1);
  }

  // Of "bool inside = x < n" and "a[i] = x < n ? b[x] : 0".
  void read_value(std::size_t equals) {
    const auto value = parse_leading_term(all_.subspan(equals + 1));
    if (value)
      collect(value->term.kind == CTerm::Kind::conditional ? value->term.parts[0] : value->term, true);
  }

  // ++i and i++
  void read_step(std::size_t i) {
    if (text(i) != "++" && text(i) != "--") return;
    const bool whole = text(i + 2) != "[" && text(i + 2) != "." && text(i + 2) != "->";
    if (is_identifier(text(i + 1)) && whole) change(std::string(text(i + 1)), std::nullopt);
    if (i > 0 && is_identifier(text(i - 1))) change(std::string(text(i - 1)), std::nullopt);
  }

  void read_assignment(std::size_t i) {
    const std::string name(text(i));
    const bool member = i > 0 && (text(i - 1) == "." || text(i - 1) == "->" || text(i - 1) == "::");
    if (member) return;
    const std::string_view next = text(i + 1);
    const bool declared = scopes_.declares(i);
    if (!declared && i > 0 && text(i - 1) == "*") return;  // *x = 1 leaves x as it is
    if (next == "=") {
      const auto value = parse_leading_term(all_.subspan(i + 2));
      if (declared)
        declare(name, value ? std::optional(value->term) : std::nullopt);
      else
        change(name, value ? std::optional(value->term) : std::nullopt);
    } else if (declared) {
      declare(name, std::nullopt);
    } else if (among(next, kCompoundAssignments)) {
      const auto value = parse_leading_term(all_.subspan(i + 2));
      LocalVariable& local = body_.locals[name];
      if (value && mentions_grid(value->term)) local.steps_by_grid = true;
      if (value && next == "+=") local.step = value->term;
      local.changes = true;
    }
  }

  [[nodiscard]] bool kernel_has(const std::string& name) const {
    return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                       [&](const OutlineParameter& each) { return each.name == name; });
  }

  void declare(const std::string& name, std::optional<CTerm> value) {
    LocalVariable& local = body_.locals[name];
    if (!local.first) local.first = std::move(value);
  }

  // An assignment to what was declared without a value is as good as that value.
  void change(const std::string& name, std::optional<CTerm> value) {
    LocalVariable& local = body_.locals[name];
    if (!local.first && value && !local.changes && !kernel_has(name))
      local.first = std::move(value);
    else
      local.changes = true;
  }

  bool mentions_grid(const CTerm& term) const {
    bool found = false;
    for_each_term(term, [&](const CTerm& part) {
      if (part.text.starts_with("gridDim.")) found = true;
      const auto local = body_.locals.find(part.text);
      if (part.kind == CTerm::Kind::name && local != body_.locals.end() && local->second.first)
        for_each_term(*local->second.first,
                      [&](const CTerm& inner) { found = found || inner.text.starts_with("gridDim."); });
    });
    return found;
  }

  void read_condition(std::size_t i) {
    std::size_t open = i + 1;
    if (text(open) == "constexpr") ++open;
    const std::size_t close = closing(all_, open);
    const auto condition = parse_term(inside(open, close));
    if (!condition) return;
    std::size_t then = close + 1;
    if (text(then) == "{") ++then;
    const bool leaves = text(then) == "return" || text(then) == "continue" || text(then) == "break";
    collect(*condition, !leaves || text(i) == "while");
  }

  void read_for(std::size_t i) {
    const std::size_t close = closing(all_, i + 1);
    const LexemeSpan head = inside(i + 1, close);
    std::size_t first = 0;
    while (first < head.size() && head[first].text != ";") ++first;
    std::size_t second = first + 1;
    while (second < head.size() && head[second].text != ";") ++second;
    if (second >= head.size()) return;
    if (const auto condition = parse_term(head.subspan(first + 1, second - first - 1)))
      collect(*condition, true);
  }

  // What holds where the condition does, or where it does not.
  void collect(const CTerm& term, bool holds) {
    if (term.kind == CTerm::Kind::unary && term.text == "!") return collect(term.parts[0], !holds);
    if (term.kind == CTerm::Kind::call && term.parts.size() == 1) return collect(term.parts[0], holds);
    if (term.kind != CTerm::Kind::binary) return;
    const std::string& op = term.text;
    if (op == (holds ? "&&" : "||") || op == (holds ? "&" : "|")) {
      collect(term.parts[0], holds);
      collect(term.parts[1], holds);
    }
    const bool less = op == "<" || op == "<=", greater = op == ">" || op == ">=";
    if (!less && !greater) return;
    const bool or_equal = op == "<=" || op == ">=";
    // !(a < b) is b <= a
    const bool swapped = greater == holds;
    add_guard({term.parts[swapped ? 1 : 0], term.parts[swapped ? 0 : 1], holds == or_equal});
  }

  void add_guard(Guard guard) {
    if (guard.left.kind == CTerm::Kind::number && guard.right.kind != CTerm::Kind::number) {
      const auto least = integer_of(guard.left.text);
      if (least && *least + (guard.or_equal ? 0 : 1) > 0) body_.lower_bounds = true;
    }
    body_.guards.push_back(std::move(guard));
  }

  // __shared__ float tile[T][T + 1], sums[B];
  void read_shared(std::size_t i) {
    std::size_t end = i;
    while (end < all_.size() && text(end) != ";") ++end;
    std::string type;
    const bool external = (i > 0 && text(i - 1) == "extern");
    for (std::size_t at = i + 1; at < end; ++at) {
      const std::string_view next = text(at + 1);
      if (!is_identifier(text(at)) || (next != "[" && next != ";" && next != "," && next != "=")) {
        if (is_identifier(text(at)) && text(at) != "extern")
          type += (type.empty() ? "" : " ") + std::string(text(at));
        if (text(at) == "(") at = closing(all_, at);  // __align__(16)
        continue;
      }
      SharedArray array{std::string(text(at)), type, {}, {}};
      for (++at; text(at) == "["; ++at) {
        const std::size_t close = closing(all_, at);
        if (close > at + 1) array.sizes.push_back(parse_term(inside(at, close)));
        at = close;
      }
      if (external) array.sizes.clear();
      if (external || !array.sizes.empty()) body_.shared.push_back(std::move(array));
    }
  }

  void read_shared_indices() {
    for (SharedArray& array : body_.shared)
      for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
        const bool declares = i > 0 && is_identifier(text(i - 1)) && text(i - 1) != "return";
        if (text(i) != array.name || text(i + 1) != "[" || declares) continue;
        const auto index = parse_term(inside(i + 1, closing(all_, i + 1)));
        if (index) array.indices.push_back(*index);
      }
  }

  const KernelText& kernel_;
  const LocalScopes& scopes_;
  LexemeSpan all_;
  KernelBody& body_;
};

// With "box", "." and "points" as one lexeme where that is a pointer.
Lexemes with_members(const Lexemes& body, const std::vector<OutlineParameter>& pointers) {
  Lexemes merged;
  for (std::size_t i = 0; i < body.size(); ++i) {
    Lexeme one = body[i];
    const bool is_renamed = one.text.size() != one.end - one.begin;
    if (!is_renamed && i + 2 < body.size() && body[i + 1].text == "." &&
        (i == 0 || body[i - 1].text != ".")) {
      const std::string_view whole(one.text.data(), body[i + 2].end - one.begin);
      const bool is_pointer = std::any_of(pointers.begin(), pointers.end(),
                                          [&](const OutlineParameter& each) { return each.name == whole; });
      if (is_pointer) {
        one = {whole, one.begin, body[i + 2].end};
        i += 2;
      }
    }
    merged.push_back(one);
  }
  return merged;
}

}  // namespace

KernelBody read_body(const KernelText& kernel, const std::vector<OutlineParameter>& pointers,
                     const TypeAliases& aliases) {
  KernelBody body;
  const LocalScopes scopes(kernel);
  BodyReader(kernel, scopes, body).read();
  const Lexemes merged = with_members(scopes.lexemes(), pointers);
  PointerUses uses(merged, pointers, body, aliases);
  body.accesses = uses.accesses();
  body.indexed_by = uses.indexed_by(body.accesses);
  return body;
}

}  // namespace tailwave
