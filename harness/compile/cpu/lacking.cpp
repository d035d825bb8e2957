#include "compile/cpu/lacking.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <regex>
#include <sstream>

namespace tailwave {
namespace {

// GCC's quotation marks in a locale of UTF-8 as in others.
std::string with_plain_quotes(std::string_view text) {
  std::string plain(text);
  for (const std::string_view quote : {"\u2018", "\u2019"})
    for (auto at = plain.find(quote); at != std::string::npos; at = plain.find(quote, at))
      plain.replace(at, quote.size(), "'");
  return plain;
}

// What GCC and Clang say of something that nobody has declared, and of which group of the words it is.
struct ErrorShape {
  const char* pattern;
  const char* shape;
};

constexpr std::array<ErrorShape, 14> kErrorShapes{{
    {"error: .*the CPU device lacks ([^\"\n]*[^\"\n ])", "{}"},
    {"error: ([^ :\n]*): No such file", "<{}>"},
    {"error: '([^'\n]*)' file not found", "<{}>"},
    {"error: '([^'\n]*)' was not declared", "{}"},
    {"error: '([^'\n]*)' has not been declared", "{}"},
    {"error: there are no arguments to '([^'\n]*)'", "{}"},
    {"error: '([^'\n]*)' (?:in namespace '[^'\n]*' )?does not name a", "{}"},
    {"error: '([^'\n]*)' is not a member", "{}"},
    {"error: use of undeclared identifier '([^'\n]*)'", "{}"},
    {"error: unknown type name '([^'\n]*)'", "{}"},
    {"error: '[^'\n]*' has no member named '([^'\n]*)'", "{}"},
    {"error: no (?:member|type|template) named '([^'\n]*)'", "{}"},
    {"error: no matching function for call to '([^'(\n]*)", "such a {}()"},
    {"undefined reference to [`']([^'(\n]*)", "{}"},
}};

}  // namespace

std::string lacking_on_cpu(std::string_view log) {
  constexpr std::size_t kMostRead = 20000;
  const std::string plain = with_plain_quotes(log.substr(0, kMostRead));
  std::string found = "something that it uses";
  auto first = std::string::npos;
  for (const ErrorShape& one : kErrorShapes) {
    std::smatch match;
    if (!std::regex_search(plain, match, std::regex(one.pattern))) continue;
    const auto at = static_cast<std::size_t>(match.position());
    if (at >= first) continue;
    first = at;
    found = fmt::format(fmt::runtime(one.shape), match[1].str());
  }
  const auto assembly = std::min(plain.find("Assembler messages"), plain.find("in 'asm'"));
  return assembly < first ? "inline PTX" : found;
}

bool has_code_for_cpu(const BuildRequest& request) {
  std::ifstream stream(request.variant->source, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str().find("TAILWAVE_CPU") != std::string::npos;
}

}  // namespace tailwave
