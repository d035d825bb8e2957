#include "adopt/local_scopes.h"

#include <algorithm>
#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 8> kNoTypes{"return", "else", "case",  "goto",
                                                   "throw",  "new",  "using", "typedef"};
constexpr std::array<std::string_view, 4> kWithHeads{"for", "if", "while", "switch"};
constexpr std::array<std::string_view, 6> kOfTypes{"*", "&", "<", ">", "::", ","};

}  // namespace

LocalScopes::LocalScopes(const KernelText& kernel)
    : all_(kernel.body), renamed_(kernel.body), scopes_{{kernel.body.size()}} {
  for (const OutlineParameter& each : kernel.parameters) times_[each.name] = 1;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    while (scopes_.size() > 1 && scopes_.back().end <= i) scopes_.pop_back();
    const std::string_view word = text(i);
    if (word == "(" || word == "[" || word == "{") ++depth_;
    if (word == ")" || word == "]" || word == "}") --depth_;
    if (word == ";") depth_of_declaration_ = -1;
    if (word == "{") scopes_.push_back({closing(all_, i)});
    if (among(word, kWithHeads)) scopes_.push_back({end_of_statement(i)});
    if (!is_identifier(word)) continue;
    const bool is_member = i > 0 && (text(i - 1) == "." || text(i - 1) == "->" || text(i - 1) == "::");
    if (is_member) continue;
    if (is_declared(i)) declare(i);
    use(i);
  }
}

std::string_view LocalScopes::text(std::size_t i) const {
  return i < all_.size() ? all_[i].text : std::string_view();
}

// Behind the ";" or "}" of the statement there.
std::size_t LocalScopes::end_of_statement(std::size_t begin) const {
  std::size_t i = begin;
  while (among(text(i), kWithHeads)) {
    if (text(++i) == "constexpr") ++i;
    i = closing(all_, i) + 1;
  }
  if (text(i) == "{") return closing(all_, i) + 1;
  while (i < all_.size() && text(i) != ";")
    i = text(i) == "(" || text(i) == "{" || text(i) == "[" ? closing(all_, i) + 1 : i + 1;
  return i + 1;
}

// Whether words of a type, and nothing else, are between the statement's begin and the name at i.
bool LocalScopes::begins_declaration(std::size_t i) const {
  std::size_t words = 0;
  for (std::size_t at = i; at-- > 0;) {
    const std::string_view before = text(at);
    if (before == "(" && (at == 0 || !among(text(at - 1), kWithHeads))) return false;
    if (before == ";" || before == "{" || before == "}" || before == "(" || before == ")") break;
    if (is_identifier(before) ? among(before, kNoTypes) : !among(before, kOfTypes)) return false;
    words += is_identifier(before) ? 1 : 0;
  }
  return words > 0 && text(i - 1) != "<" && text(i - 1) != "::" && text(i - 1) != ",";
}

bool LocalScopes::is_declared(std::size_t i) {
  const std::string_view next = text(i + 1);
  const bool begins = begins_declaration(i);
  const bool follows = i > 0 && text(i - 1) == "," && depth_ == depth_of_declaration_;
  if (begins) depth_of_declaration_ = depth_;
  return (begins || follows) && (next == "=" || next == ";" || next == ",");
}

void LocalScopes::declare(std::size_t i) {
  declarations_.insert(i);
  const std::string name(text(i));
  std::string_view own = text(i);
  if (const int times = ++times_[name]; times > 1)
    own = texts_.emplace_back(name + "@" + std::to_string(times));
  scopes_.back().names[name] = own;
}

void LocalScopes::use(std::size_t i) {
  const std::string name(text(i));
  const auto innermost = std::find_if(scopes_.rbegin(), scopes_.rend(),
                                      [&](const Scope& scope) { return scope.names.contains(name); });
  if (innermost != scopes_.rend()) renamed_[i].text = innermost->names.at(name);
}

}  // namespace tailwave
