#include "adopt/expanded_macros.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "adopt/lexemes.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr int kMostRounds = 8;                   // macros in macros
constexpr std::size_t kLargestText = 4'000'000;  // bytes: what is larger than that is left as it is

struct FunctionMacro {
  std::vector<std::string> parameters;
  std::string body;
  int definitions = 0;
};
using FunctionMacros = std::map<std::string, FunctionMacro, std::less<>>;

// Without the backslashes that join its lines.
std::string as_one_line(std::string_view text) {
  std::string line(text);
  for (std::size_t at = 0; (at = line.find("\\\n", at)) != std::string::npos;) line.replace(at, 2, "  ");
  return line;
}

// "#define NAME(a, b) body"; whether it is one.
bool read_macro(std::string_view directive, FunctionMacros& macros) {
  const std::string line = as_one_line(directive.substr(1));
  const Lexemes words = lexemes_of(line);
  const LexemeSpan all(words);
  if (all.size() < 4 || all[0].text != "define" || all[2].text != "(" || all[2].begin != all[1].end)
    return false;
  FunctionMacro& macro = macros[std::string(all[1].text)];
  ++macro.definitions;
  const std::size_t close = closing(all, 2);
  if (close == all.size() || line.find('#') != std::string::npos) {
    ++macro.definitions;
    return true;
  }
  for (const LexemeSpan part : split_at_commas(all.subspan(3, close - 3))) {
    if (part.size() != 1 || !is_identifier(part[0].text)) ++macro.definitions;
    if (!part.empty()) macro.parameters.emplace_back(part[0].text);
  }
  macro.body = line.substr(all[close].end);
  return true;
}

std::string body_with(const FunctionMacro& macro, const std::vector<std::string>& arguments) {
  std::string text;
  std::size_t done = 0;
  for (const Lexeme& each : lexemes_of(macro.body)) {
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      if (each.text != macro.parameters[i]) continue;
      text += macro.body.substr(done, each.begin - done) + arguments[i];
      done = each.end;
    }
  }
  return text + macro.body.substr(done);
}

// One round: macros that appear in arguments and bodies wait for the next one.
std::string expanded_once(const std::string& text, std::size_t from, const FunctionMacros& macros) {
  const Lexemes lexemes = lexemes_of(std::string_view(text).substr(from));
  const LexemeSpan all(lexemes);
  std::string result;
  std::size_t done = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto macro = macros.find(all[i].text);
    if (macro == macros.end() || macro->second.definitions != 1 || all[i + 1].text != "(") continue;
    const std::size_t close = closing(all, i + 1);
    if (close == all.size()) continue;
    std::vector<std::string> arguments;
    for (const LexemeSpan part : split_at_commas(all.subspan(i + 2, close - i - 2)))
      arguments.push_back(
          part.empty() ? "" : text.substr(from + part.front().begin, part.back().end - part.front().begin));
    if (arguments.size() != macro->second.parameters.size()) continue;
    result += text.substr(done, from + all[i].begin - done) + body_with(macro->second, arguments);
    done = from + all[close].end;
    i = close;
  }
  return result + text.substr(done);
}

// What stands for "#define SIZE IDX(NX, NY)"; of other lines the same.
std::string expanded_directive(const std::string& line, const FunctionMacros& macros) {
  const Lexemes words = lexemes_of(std::string_view(line).substr(1));
  const bool defines = words.size() > 2 && words[0].text == "define" && words[2].begin > words[1].end;
  return defines ? expanded_once(line, 1 + words[2].begin, macros) : line;
}

}  // namespace

std::string with_expanded_macros(const std::string& source) {
  FunctionMacros macros;
  for (const SourceToken& directive : tokens_of(source).directives) read_macro(directive.text, macros);
  std::string text = source;
  for (int round = 0; round < kMostRounds && !macros.empty(); ++round) {
    const std::string once = expanded_once(text, 0, macros);
    const Tokens found = tokens_of(once);
    std::string next = once;
    for (std::size_t i = found.directives.size(); i-- > 0;) {
      const auto& line = found.directives[i];
      FunctionMacros own;
      if (!read_macro(line.text, own))
        next = next.substr(0, line.begin) + expanded_directive(std::string(line.text), macros) +
               next.substr(line.end);
    }
    if (next == text || next.size() > kLargestText) break;
    text = std::move(next);
  }
  return text;
}

}  // namespace tailwave
