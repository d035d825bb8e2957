#include "compile/nvcc_likeness.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compile/nvcc_names.h"
#include "compile/nvrtc_log.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

// {.a = 1, .b{2}}
bool has_designator(std::string_view line) {
  const Tokens found = tokens_of(line);
  const auto text = [&](std::size_t i) {
    return i < found.tokens.size() ? found.tokens[i].text : std::string_view();
  };
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {
    const bool begins = i == 0 || text(i - 1) == "{" || text(i - 1) == ",";
    if (text(i) == "." && begins && (text(i + 2) == "=" || text(i + 2) == "{")) return true;
  }
  return false;
}

std::string_view hint_on_line(std::string_view line) {
  const Tokens found = tokens_of(line);
  const auto text = [&](std::size_t i) {
    return i < found.tokens.size() ? found.tokens[i].text : std::string_view();
  };
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {
    if (text(i) == "?" && text(i + 1) == ":" && text(i + 2) != ":")
      return "a ?: b is GCC's, which NVRTC does not take: write a ? a : b";
    if (text(i) == "(" && text(i + 1) == "{")
      return "({ ... }) is GCC's, which NVRTC does not take: write [&] { ...; return value; }()";
    if (text(i) == "case" && line.find("...") != std::string_view::npos)
      return "case a ... b is GCC's, which NVRTC does not take: write each case, or an if";
  }
  return "";
}

bool set(bool& flag) {
  return !std::exchange(flag, true);
}

// [=] __device__ (int i) { ... }: what has no mark is the device's.
std::string without_marks_of_lambdas(std::string text) {
  static constexpr std::array<std::string_view, 2> kMarks{"__host__", "__device__"};
  std::vector<std::pair<std::size_t, std::size_t>> marks;
  bool behind_capture = false;
  const Tokens found = tokens_of(text);
  for (const SourceToken& token : found.tokens) {
    const bool mark = behind_capture && among(token.text, kMarks);
    if (mark) marks.emplace_back(token.begin, token.end);
    behind_capture = mark || token.text == "]";
  }
  for (const auto& [begin, end] : marks)
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
              text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  return text;
}

}  // namespace

bool NvccLikeness::add_lines(std::string lines, bool has_toolkit_headers) {
  if (lines.empty() || (needs_toolkit_headers(lines) && !has_toolkit_headers)) return false;
  return lines_.insert(std::move(lines)).second;
}

bool NvccLikeness::learn_names(std::string_view message, bool has_toolkit_headers) {
  if (message.starts_with("identifier \"") && message.ends_with("\" is undefined"))
    return add_lines(lines_for_name(between(message, "\"", "\"")), has_toolkit_headers);
  if (message.starts_with("namespace \"std\" has no member "))
    return add_lines(lines_in_std(between(message.substr(message.find("member")), "\"", "\"")),
                     has_toolkit_headers);
  // ::sqrt is float's and double's, std::sqrt integers' too.
  if (!message.starts_with("more than one instance of overloaded function \"std::")) return false;
  const auto erased = std::erase_if(lines_, [](const std::string& one) { return is_of_global_scope(one); });
  return erased > 0 && add_lines("#include <cmath>\n", has_toolkit_headers);
}

bool NvccLikeness::learn_of(std::string_view message, std::string_view source_line) {
  const auto says = [&](std::string_view what) { return message.find(what) != std::string_view::npos; };
  if (says("a C++20 feature") || (says("expected an expression") && has_designator(source_line)))
    return set(cpp20_);
  if (says("--device-int128")) return set(int128_);
  if (says("annotation on lambda requires")) return set(unmarked_lambdas_);
  if (!says("cannot open source file")) return false;
  const std::string header(between(message, "\"", "\""));
  for (const std::string& as_written : {'<' + header + '>', '"' + header + '"'})
    if (source_line.find(as_written) != std::string_view::npos) return absent_.insert(as_written).second;
  return false;
}

bool NvccLikeness::learn(std::string_view log, bool has_toolkit_headers) {
  bool learned = false;
  for (const NvrtcError& error : errors_in(log)) {
    const bool name = learn_names(error.message, has_toolkit_headers);
    const bool other = learn_of(error.message, error.source_line);
    learned = learned || name || other;
  }
  return learned;
}

std::string NvccLikeness::lines() const {
  std::string text;
  for (const std::string& one : lines_) text += one;
  return text;
}

void NvccLikeness::add_options(std::vector<std::string>& options) const {
  if (cpp20_)
    std::replace(options.begin(), options.end(), std::string("--std=c++17"), std::string("--std=c++20"));
  if (int128_) options.emplace_back("--device-int128");
}

void NvccLikeness::add_headers(std::map<std::string, std::string>& headers) const {
  for (const std::string& name : absent_) headers.emplace(name.substr(1, name.size() - 2), "#pragma once\n");
}

std::string NvccLikeness::source(const std::string& text) const {
  return unmarked_lambdas_ ? without_marks_of_lambdas(text) : text;
}

std::string hint_on_language(std::string_view log) {
  std::set<std::string_view> hints;
  for (const NvrtcError& error : errors_in(log))
    if (error.message.starts_with("expected")) hints.insert(hint_on_line(error.source_line));
  std::string text;
  for (const std::string_view hint : hints)
    if (!hint.empty()) text += "\n(" + std::string(hint) + ')';
  return text;
}

}  // namespace tailwave
