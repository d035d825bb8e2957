#include "compile/kernel_hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "spec/tokens.h"

namespace tailwave {
namespace {

struct KernelName {
  std::string scope;  // "a::b::"
  std::string name;
  bool is_template = false;
  bool has_defaults = false;  // of all of the template's parameters
  [[nodiscard]] std::string text() const {
    return scope + name + (!is_template ? "" : has_defaults ? "<>" : "<...>");
  }
};

class KernelNames {
 public:
  explicit KernelNames(std::string_view source) : found_(tokens_of(source)) {}

  std::vector<KernelName> all() {
    for (at_ = 0; at_ < found_.tokens.size(); ++at_) {
      if (text(at_) == "namespace") enter_namespace();
      if (text(at_) == "{") scopes_.emplace_back();
      if (text(at_) == "}" && !scopes_.empty()) scopes_.pop_back();
      if (text(at_) == ";" || text(at_) == "{" || text(at_) == "}") parameters_ = defaults_ = 0;
      if (text(at_) == "template" && text(at_ + 1) == "<") count_parameters();
      if (text(at_) == "__global__") add_kernel();
    }
    return kernels_;
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < found_.tokens.size() ? found_.tokens[i].text : std::string_view();
  }

  // To its brace: "namespace a::b {", also one without a name.
  void enter_namespace() {
    std::string name;
    std::size_t i = at_ + 1;
    for (; i < found_.tokens.size() && text(i) != "{" && text(i) != ";" && text(i) != "="; ++i)
      name += text(i);
    if (text(i) != "{") return;
    scopes_.push_back(name.empty() ? "" : name + "::");
    at_ = i + 1;
  }

  void count_parameters() {
    int depth = 0;
    parameters_ = 1;
    defaults_ = 0;
    for (++at_; at_ < found_.tokens.size(); ++at_) {
      if (text(at_) == "<" || text(at_) == "(") ++depth;
      if (text(at_) == ")") --depth;
      if (text(at_) == ">" && --depth == 0) return;
      if (depth == 1 && text(at_) == ",") ++parameters_;
      if (depth == 1 && text(at_) == "=") ++defaults_;
    }
  }

  // The word before the parenthesis that is none of an attribute's.
  void add_kernel() {
    std::size_t i = at_ + 1;
    for (; i < found_.tokens.size() && text(i) != ";" && text(i) != "{"; ++i) {
      if (text(i + 1) != "(" || text(i) == "(") continue;
      if (!text(i).ends_with("__")) break;
      for (int depth = 0; ++i < found_.tokens.size();) {
        if (text(i) == "(") ++depth;
        if (text(i) == ")" && --depth == 0) break;
      }
    }
    if (text(i + 1) != "(" || text(behind_parameters(i + 1)) != "{") return;  // a declaration
    KernelName kernel{.scope = "",
                      .name = std::string(text(i)),
                      .is_template = parameters_ > 0,
                      .has_defaults = parameters_ == defaults_};
    for (const std::string& scope : scopes_) kernel.scope += scope;
    kernels_.push_back(std::move(kernel));
  }

  [[nodiscard]] std::size_t behind_parameters(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < found_.tokens.size(); ++i) {
      if (text(i) == "(") ++depth;
      if (text(i) == ")" && --depth == 0) return i + 1;
    }
    return found_.tokens.size();
  }

  Tokens found_;
  std::size_t at_ = 0;
  std::vector<std::string> scopes_;
  int parameters_ = 0, defaults_ = 0;  // of the template whose declaration has begun
  std::vector<KernelName> kernels_;
};

std::string last_name(std::string name) {
  name = name.substr(0, name.find('<'));
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

}  // namespace

std::string hint_for_kernel(const std::string& kernel, const std::string& source) {
  const std::vector<KernelName> all = KernelNames(source).all();
  std::vector<std::string> texts, same;
  for (const KernelName& one : all) {
    if (std::find(texts.begin(), texts.end(), one.text()) == texts.end()) texts.push_back(one.text());
    if (one.name == last_name(kernel)) same.push_back(one.text());
  }
  if (texts.empty()) return "";
  if (same.size() > 1 &&
      std::all_of(same.begin(), same.end(), [&](const std::string& one) { return one == same.front(); }))
    return fmt::format("it has {} kernels '{}': give each a name of its own", same.size(), same.front());
  std::erase(same, kernel);
  if (same.size() == 1 && kernel.find('<') == std::string::npos)
    return fmt::format("write '{}'{}", same.front(),
                       same.front().ends_with("<...>") ? " with the template's arguments" : "");
  return fmt::format("it has {}", fmt::join(texts, ", "));
}

}  // namespace tailwave
