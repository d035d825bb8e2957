#include "compile/ptx_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace tailwave {
namespace {

bool is_ptx_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Behind the brace that closes the one at `open`.
std::size_t behind_body(std::string_view text, std::size_t open) {
  PtxScanner scanner(text, open);
  int depth = 0;
  do {
    const std::string_view token = scanner.next();
    if (token.empty()) throw Failure(Outcome::compile_error, "the PTX ends inside a function");
    depth += token == "{" ? 1 : token == "}" ? -1 : 0;
  } while (depth > 0);
  return scanner.at();
}

// The function whose .entry or .func was just read; empty when it is only declared.
std::optional<PtxFunction> read_function(PtxScanner& scanner, std::string_view text, bool entry) {
  PtxFunction function{.entry = entry};
  std::string_view token = scanner.next();
  if (token == "(") {  // what a .func returns
    scanner.skip_behind(")");
    token = scanner.next();
  }
  function.name = token;
  for (token = scanner.next(); token != "{"; token = scanner.next()) {
    if (token.empty() || token == ";") return std::nullopt;
    if (token == "(") scanner.skip_behind(")");
  }
  function.open = scanner.begin();
  function.close = behind_body(text, function.open) - 1;
  scanner = PtxScanner(text, function.close + 1);
  return function;
}

}  // namespace

std::string_view PtxScanner::next() {
  skip();
  begin_ = at_;
  if (at_ == text_.size()) return {};
  if (!is_ptx_word(text_[at_])) return text_.substr(at_++, 1);
  while (at_ < text_.size() && is_ptx_word(text_[at_])) ++at_;
  return text_.substr(begin_, at_ - begin_);
}

void PtxScanner::skip_behind(std::string_view what) {
  const auto found = text_.find(what, at_);
  at_ = found == std::string_view::npos ? text_.size() : found + what.size();
}

void PtxScanner::skip() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      skip_behind("\n");
    } else if (rest.starts_with("/*")) {
      skip_behind("*/");
    } else if (rest.starts_with('"')) {
      ++at_;
      skip_behind("\"");
    } else {
      return;
    }
  }
}

std::vector<PtxFunction> ptx_functions(std::string_view ptx) {
  std::vector<PtxFunction> functions;
  PtxScanner scanner(ptx);
  for (std::string_view token = scanner.next(); !token.empty(); token = scanner.next()) {
    if (token != ".entry" && token != ".func") continue;
    if (auto function = read_function(scanner, ptx, token == ".entry")) functions.push_back(*function);
  }
  return functions;
}

std::size_t first_instruction(std::string_view ptx, const PtxFunction& function) {
  PtxScanner scanner(ptx, function.open + 1);
  for (;;) {
    const std::string_view token = scanner.next();
    if (!token.starts_with('.')) return scanner.begin();
    scanner.skip_behind(token == ".loc" ? "\n" : ";");
  }
}

std::size_t behind_ptx_header(std::string_view ptx) {
  PtxScanner scanner(ptx);
  while (scanner.next() != ".address_size") {
    if (scanner.at() == ptx.size()) throw Failure(Outcome::compile_error, "the PTX has no .address_size");
  }
  scanner.skip_behind("\n");
  return scanner.at();
}

Failure no_entry(const std::string& name) {
  return {Outcome::compile_error, "the PTX has no entry '" + name + "'"};
}

std::string limit_registers(std::string_view ptx, const std::map<std::string, int>& registers) {
  std::string limited;
  std::size_t copied = 0;
  for (const PtxFunction& function : ptx_functions(ptx)) {
    const std::string_view head = ptx.substr(copied, function.open - copied);
    limited += head;
    const std::string_view own = head.substr(std::min(head.rfind(function.name), head.size()));
    const bool has_own =
        own.find(".maxnreg") != std::string_view::npos || own.find(".minnctapersm") != std::string_view::npos;
    const auto limit = registers.find(function.name);
    if (function.entry && !has_own && limit != registers.end())
      limited += fmt::format(".maxnreg {}\n", limit->second);
    limited += ptx.substr(function.open, function.close + 1 - function.open);
    copied = function.close + 1;
  }
  return limited += ptx.substr(copied);
}

}  // namespace tailwave
