#include "compile/host_functions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "compile/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 4> kOfTheDevice{"__global__", "__device__", "constexpr", "consteval"};
constexpr std::array<std::string_view, 4> kTypeKeys{"struct", "class", "union", "enum"};

template <class Words>
bool among(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class HostFunctionFinder {
 public:
  explicit HostFunctionFinder(std::string_view source) : source_(source), found_(tokens_of(source)) {
    for (const SourceToken& directive : found_.directives) read_macro(directive.text);
  }

  DeviceSource leave_out() {
    DeviceSource device{std::string(source_), {}};
    for (std::size_t i = 0, begin = 0; i < tokens().size(); ++i) {
      const std::string_view here = tokens()[i].text;
      if (here == ";" || here == "}") begin = i + 1;
      if (here != "{") continue;
      const std::span head = tokens().subspan(begin, i - begin);
      begin = i + 1;
      if (opens_namespace(head)) continue;
      const std::size_t end = closing(i);
      if (const auto name = host_function(head); name && end < tokens().size()) {
        blank(device.text, head.front().begin, tokens()[end].end);
        device.left_out.emplace_back(*name);
      }
      i = end;
      begin = end + 1;
    }
    return device;
  }

 private:
  using Head = std::span<const SourceToken>;

  [[nodiscard]] std::span<const SourceToken> tokens() const { return found_.tokens; }

  // #define HOST_DEVICE __host__ __device__
  void read_macro(std::string_view line) {
    const Tokens parts = tokens_of(line.substr(1));
    const std::vector<SourceToken>& words = parts.tokens;
    if (words.size() < 3 || words[0].text != "define") return;
    if (std::any_of(words.begin() + 2, words.end(),
                    [this](const SourceToken& word) { return is_device(word.text); }))
      device_macros_.insert(words[1].text);
  }

  [[nodiscard]] bool is_device(std::string_view word) const {
    return among(word, kOfTheDevice) || device_macros_.contains(word);
  }

  static bool opens_namespace(Head head) {
    if (head.empty()) return false;
    if (head.front().text == "extern" && head.size() == 2) return true;
    return std::any_of(head.begin(), head.end(),
                       [](const SourceToken& one) { return one.text == "namespace"; });
  }

  // Of the brace that closes the one at `open`; the number of tokens where none does.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    std::size_t depth = 0, i = open;
    for (; i < tokens().size(); ++i) {
      if (tokens()[i].text == "{") ++depth;
      if (tokens()[i].text == "}" && --depth == 0) break;
    }
    return i;
  }

  // Behind "template <...>".
  static Head without_template(Head head) {
    while (!head.empty() && head.front().text == "template") {
      int depth = 0;
      std::size_t i = 1;
      for (; i < head.size(); ++i) {
        if (head[i].text == "<") ++depth;
        if (head[i].text == ">" && --depth == 0) break;
      }
      head = head.subspan(std::min(i + 1, head.size()));
    }
    return head;
  }

  // The name of the function that a brace behind these tokens begins, where it is the host's.
  [[nodiscard]] std::optional<std::string_view> host_function(Head whole) const {
    const Head head = without_template(whole);
    if (head.empty() || among(head.front().text, kTypeKeys) || head.front().text == "typedef") return {};
    std::optional<std::string_view> name;
    int depth = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (is_device(head[i].text)) return {};
      if (depth == 0 && head[i].text == "=") return {};
      if (head[i].text == "(" && depth++ == 0 && i > 0 && !name) name = head[i - 1].text;
      if (head[i].text == ")") --depth;
    }
    return name;
  }

  static void blank(std::string& text, std::size_t begin, std::size_t end) {
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
  }

  std::string_view source_;
  Tokens found_;
  std::set<std::string_view> device_macros_;
};

}  // namespace

DeviceSource without_host_functions(std::string_view source) {
  return HostFunctionFinder(source).leave_out();
}

}  // namespace tailwave
