#include "listing/sass_listing.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "listing/sass_class.h"

namespace tailwave {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kMargin = "    ";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// One blank where there are several, and none before ','.
std::string with_single_blanks(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const bool blank = kBlanks.find(character) != std::string_view::npos;
    if (blank && (result.empty() || result.back() == ' ')) continue;
    if (character == ',' && !result.empty() && result.back() == ' ') result.pop_back();
    result += blank ? ' ' : character;
  }
  return std::string(trimmed(result));
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

struct Instruction {
  std::uint64_t address = 0;
  std::string text;                 // without label: "@P0 BRA L1"
  std::vector<std::string> labels;  // that stand before it

  // "@!P0 LDG.E R0" -> "LDG.E".
  [[nodiscard]] std::string_view opcode() const {
    std::string_view rest = text;
    if (rest.starts_with('@')) rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
    return rest.substr(0, rest.find(' '));
  }
  [[nodiscard]] bool is(std::string_view name) const {
    const std::string_view code = opcode();
    return code.substr(0, code.find('.')) == name;
  }
};

struct Function {
  std::string symbol;
  std::vector<Instruction> statements;
  std::vector<std::string> waiting_labels;
};

// The value of "0x1f0"; none for anything else.
std::optional<std::uint64_t> address_of(std::string_view digits) {
  if (!digits.starts_with("0x")) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// Of "/*01f0*/   @P0 BRA `(.L_x_1) ;   /* 0x... */"; none for a line that has no instruction.
std::optional<Instruction> statement_of(std::string_view line) {
  if (!line.starts_with("/*")) return std::nullopt;
  const std::size_t close = line.find("*/");
  const std::size_t end = line.find(';');
  if (close == std::string_view::npos || end == std::string_view::npos || end < close) return std::nullopt;
  const auto address = address_of("0x" + std::string(line.substr(2, close - 2)));
  if (!address) return std::nullopt;
  Instruction statement{*address, with_single_blanks(line.substr(close + 2, end - close - 2)), {}};
  erase_all(statement.text, ".reuse");
  return statement;
}

// ".text.NAME:" of nvdisasm, "Function : NAME" of cuobjdump.
std::string symbol_of(std::string_view line) {
  constexpr std::string_view kSection = ".text.", kFunction = "Function : ";
  if (line.starts_with(kSection) && line.ends_with(':'))
    return std::string(line.substr(kSection.size(), line.size() - kSection.size() - 1));
  return line.starts_with(kFunction) ? std::string(line.substr(kFunction.size())) : "";
}

std::vector<Function> functions_of(std::string_view disassembly) {
  std::vector<Function> functions;
  while (!disassembly.empty()) {
    const std::size_t length = std::min(disassembly.find('\n'), disassembly.size());
    const std::string_view line = trimmed(disassembly.substr(0, length));
    disassembly.remove_prefix(std::min(length + 1, disassembly.size()));
    if (std::string symbol = symbol_of(line); !symbol.empty()) {
      functions.push_back({std::move(symbol), {}, {}});
    } else if (functions.empty()) {
      continue;
    } else if (auto statement = statement_of(line)) {
      statement->labels = std::exchange(functions.back().waiting_labels, {});
      functions.back().statements.push_back(*std::move(statement));
    } else if (line.ends_with(':') && line.find_first_of(kBlanks) == std::string_view::npos) {
      functions.back().waiting_labels.emplace_back(line.substr(0, line.size() - 1));
    }
  }
  return functions;
}

// Where it goes: the last operand; npos where there is none.
std::size_t target_begin(const Instruction& statement) {
  static constexpr std::array<std::string_view, 9> kJumps{"BRA", "BSSY", "CALL", "RET", "JMP",
                                                          "SSY", "PBK",  "PCNT", "CAL"};
  for (const std::string_view jump : kJumps)
    if (statement.is(jump)) return statement.text.rfind(' ') + 1;
  return std::string::npos;
}

// cuobjdump has addresses where nvdisasm has labels.
void label_addresses(Function& function) {
  std::map<std::uint64_t, Instruction*> by_address;
  for (Instruction& statement : function.statements) by_address[statement.address] = &statement;
  for (Instruction& statement : function.statements) {
    const std::size_t begin = target_begin(statement);
    if (begin == std::string::npos) continue;
    const auto address = address_of(std::string_view(statement.text).substr(begin));
    const auto found = address ? by_address.find(*address) : by_address.end();
    if (found == by_address.end()) continue;
    std::string label = fmt::format(".at_{:x}", *address);
    statement.text.erase(begin).append(label);
    std::vector<std::string>& labels = found->second->labels;
    if (labels.empty() || labels.back() != label) labels.push_back(std::move(label));
  }
}

// "`(.L_x_1)" -> ".L_x_1".
void unwrap_labels(std::string& text) {
  for (std::size_t at = text.find("`("); at != std::string::npos; at = text.find("`(", at)) {
    const std::size_t close = text.find(')', at);
    if (close != std::string::npos) text.erase(close, 1);
    text.erase(at, 2);
  }
}

// A return says where the function that it is in begins.
void drop_target_of_return(Instruction& statement) {
  if (!statement.is("RET")) return;
  const std::size_t begin = target_begin(statement);
  if (begin > statement.opcode().size()) statement.text.erase(begin - 1);
}

bool goes_to_itself(const Instruction& statement) {
  const std::size_t begin = target_begin(statement);
  if (begin == std::string::npos) return false;
  const std::string_view target = std::string_view(statement.text).substr(begin);
  return std::ranges::find(statement.labels, target) != statement.labels.end();
}

void drop_padding(std::vector<Instruction>& statements) {
  while (!statements.empty() && statements.back().is("NOP")) statements.pop_back();
  if (!statements.empty() && statements.back().text.starts_with("BRA ") && goes_to_itself(statements.back()))
    statements.pop_back();
}

// "$k$__internal_0_$__cuda_div_slowpath" says what it is; ".L_x_12" does not.
std::string name_of_label(const std::string& label, std::size_t number) {
  const std::size_t dollar = label.rfind('$');
  return dollar == std::string::npos ? fmt::format("L{}", number) : label.substr(dollar + 1);
}

// Labels that no instruction names mark ends and beginnings of functions alone.
void drop_unnamed_labels(std::vector<Instruction>& statements) {
  std::set<std::string, std::less<>> named;
  for (const Instruction& statement : statements)
    for (const std::string_view word : words_of(statement.text)) named.emplace(word);
  for (Instruction& statement : statements)
    std::erase_if(statement.labels, [&](const std::string& label) { return !named.contains(label); });
}

KernelListing listing_of(Function function) {
  label_addresses(function);
  for (Instruction& statement : function.statements) {
    unwrap_labels(statement.text);
    drop_target_of_return(statement);
  }
  drop_padding(function.statements);
  drop_unnamed_labels(function.statements);
  std::map<std::string, std::string, std::less<>> names{{function.symbol, "kernel"}};
  std::size_t number = 0;
  KernelListing listing{function.symbol, {}};
  for (const Instruction& statement : function.statements) {
    for (const std::string& label : statement.labels) names[label] = name_of_label(label, number + 1);
    if (!statement.labels.empty()) ++number;
  }
  for (const Instruction& statement : function.statements) {
    std::set<std::string> written;
    for (const std::string& label : statement.labels)
      if (written.insert(names.at(label)).second) listing.lines.push_back({names.at(label) + ":", {}});
    listing.lines.push_back(
        {std::string(kMargin) + renamed(statement.text, names), class_of_sass(statement.opcode())});
  }
  return listing;
}

}  // namespace

std::vector<KernelListing> sass_listings(std::string_view disassembly) {
  std::vector<KernelListing> listings;
  for (Function& function : functions_of(disassembly)) listings.push_back(listing_of(std::move(function)));
  return listings;
}

}  // namespace tailwave
