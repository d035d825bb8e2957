#include "listing/ptx_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "compile/ptx_text.h"
#include "listing/ptx_class.h"

namespace tailwave {
namespace {

constexpr std::string_view kIndent = "    ";

bool is_blank(char character) {
  return std::isspace(static_cast<unsigned char>(character)) != 0;
}

// Remarks become a blank. Strings are left as they are.
std::string without_remarks(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t skipped = 0;
    if (text.starts_with("//")) skipped = std::min(text.find('\n'), text.size());
    if (text.starts_with("/*")) skipped = std::min(text.find("*/"), text.size() - 2) + 2;
    if (skipped > 0) {
      text.remove_prefix(skipped);
      result += ' ';
      continue;
    }
    const std::size_t taken = text.front() == '"' ? std::min(text.find('"', 1), text.size() - 1) + 1 : 1;
    result += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return result;
}

// One blank where there are several, none inside of parentheses' and brackets' ends.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (is_blank(character)) {
      if (!result.empty() && result.back() != ' ' && result.back() != '(') result += ' ';
    } else {
      if ((character == ')' || character == ',') && !result.empty() && result.back() == ' ')
        result.pop_back();
      result += character;
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

struct Statement {
  std::string text;
  bool is_label = false;
};

// Of a function's body, one after the other.
class StatementReader {
 public:
  explicit StatementReader(std::string_view body) : rest_(body) {}

  std::vector<Statement> read() {
    std::vector<Statement> statements;
    while (skip_blanks(), !rest_.empty()) {
      if (rest_.starts_with(".loc") || rest_.starts_with(".file"))
        (void)taken(rest_.find('\n'));
      else if (rest_.front() == '{' || rest_.front() == '}')
        statements.push_back({std::string(taken(0)), false});
      else if (const std::size_t colon = label_end(); colon != std::string_view::npos)
        statements.push_back({squeezed(taken(colon).substr(0, colon)), true});
      else
        statements.push_back({squeezed(taken(statement_end())), false});
    }
    return statements;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  // With the character at `last`.
  std::string_view taken(std::size_t last) {
    const std::size_t length = std::min(last, rest_.size() - 1) + 1;
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }

  // The ';' that is in no string.
  [[nodiscard]] std::size_t statement_end() const {
    bool quoted = false;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      if (rest_[at] == '"') quoted = !quoted;
      if (rest_[at] == ';' && !quoted) return at;
    }
    return rest_.size();
  }

  // The ':' behind one word; npos where there is none.
  [[nodiscard]] std::size_t label_end() const {
    const std::size_t end = rest_.find_first_of(" \t\n:;[({");
    return end != std::string_view::npos && rest_[end] == ':' && !rest_.substr(end).starts_with("::")
               ? end
               : std::string_view::npos;
  }

  std::string_view rest_;
};

// "_ZN33_INTERNAL_181ca72a_4_n_cu..." has a hash of the file.
void zero_hashes(std::string& text) {
  constexpr std::size_t kDigits = 8;
  for (const std::string_view before : {"_INTERNAL_", "_GLOBAL__N__"})
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const std::size_t begin = at + before.size();
      const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", begin), text.size());
      if (end - begin == kDigits) text.replace(begin, kDigits, kDigits, '0');
    }
}

// "k_param_0" -> "kernel_param_0", and of a template's variables in shared memory "_ZZ1kILi3EEvPfE4tile" -> "kernel.4tile".
std::string without_symbol(std::string_view word, std::string_view symbol) {
  if (word == symbol) return "kernel";
  if (word.starts_with(symbol) && word.substr(symbol.size()).starts_with("_param_"))
    return "kernel" + std::string(word.substr(symbol.size()));
  const std::string local = symbol.starts_with("_Z") ? fmt::format("_ZZ{}E", symbol.substr(2)) : "";
  if (!local.empty() && word.starts_with(local)) return fmt::format("kernel.{}", word.substr(local.size()));
  return std::string(word);
}

using Names = std::map<std::string, std::string, std::less<>>;

Names new_names(const std::vector<Statement>& statements, const std::string& symbol) {
  Names names;
  for (const Statement& statement : statements) {
    for (const std::string_view word : words_of(statement.text))
      if (std::string own = without_symbol(word, symbol); own != word) names.emplace(word, std::move(own));
  }
  std::size_t number = 0;
  for (const Statement& statement : statements)
    if (statement.is_label) names[statement.text] = fmt::format("L{}", ++number);
  return names;
}

// "@%p1 bra L1;" -> "bra".
std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.substr(0, text.find_first_of(" ;"));
}

CodeLine line_of(const Statement& statement, const Names& names) {
  std::string text = renamed(statement.text, names);
  zero_hashes(text);
  if (statement.is_label) return {text + ":", {}};
  const bool is_instruction = std::string_view(".{}").find(text.front()) == std::string_view::npos;
  if (!is_instruction) return {std::string(kIndent) + text, {}};
  const InstructionClass kind = class_of_ptx(opcode_of(text));
  return {std::string(kIndent) + std::move(text), kind};
}

// ".maxntid 128, 1, 1": what stands between parameters and body.
std::string limits_of(std::string_view ptx, const PtxFunction& function) {
  const std::string_view head = ptx.substr(0, function.open);
  const std::size_t parameters = head.rfind(')');
  return parameters == std::string_view::npos ? "" : squeezed(head.substr(parameters + 1));
}

}  // namespace

std::vector<KernelListing> ptx_listings(std::string_view ptx) {
  const std::string text = without_remarks(ptx);
  std::vector<KernelListing> listings;
  for (const PtxFunction& function : ptx_functions(text)) {
    KernelListing& listing = listings.emplace_back();
    listing.kernel = function.name;
    zero_hashes(listing.kernel);
    if (std::string limits = limits_of(text, function); !limits.empty())
      listing.lines.push_back({std::move(limits), {}});
    const std::string_view body =
        std::string_view(text).substr(function.open + 1, function.close - function.open - 1);
    const std::vector<Statement> statements = StatementReader(body).read();
    const Names names = new_names(statements, function.name);
    for (const Statement& statement : statements) listing.lines.push_back(line_of(statement, names));
  }
  return listings;
}

}  // namespace tailwave
