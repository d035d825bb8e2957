#include "adopt/host_text.h"

#include <algorithm>
#include <array>

#include "adopt/host_passed.h"
#include "adopt/host_pointer.h"
#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 14> kReadingText{"atoi", "atol",   "atoll",   "atof",   "stoi",
                                                        "stol", "stoul",  "stoll",   "stoull", "stof",
                                                        "stod", "strtol", "strtoul", "strtoll"};
constexpr std::array<std::string_view, 6> kAllocators{"cudaMalloc",      "cudaMallocManaged",
                                                      "cudaMallocAsync", "cudaMallocHost",
                                                      "cudaHostAlloc",   "cudaMallocPitch"};

constexpr std::array<std::string_view, 4> kVectors{"vector", "device_vector", "host_vector",
                                                   "universal_vector"};

// Whether a program's arguments, or text of another origin, say what it is; not where it has a value without them.
bool is_of_user(const CTerm& term) {
  if (term.kind == CTerm::Kind::conditional) return false;
  const std::size_t scope = term.text.rfind(':');
  const std::string_view name =
      std::string_view(term.text).substr(scope == std::string::npos ? 0 : scope + 1);
  return name == "argv" || among(name, kReadingText) ||
         std::any_of(term.parts.begin(), term.parts.end(), is_of_user);
}

// Of "int n{4}" and "dim3 block{16, 16}".
std::optional<CTerm> value_of_list(const std::string& type, const std::vector<LexemeSpan>& list) {
  if (!type.ends_with("dim3")) return list.size() == 1 ? parse_term(list[0]) : std::nullopt;
  CTerm sizes{CTerm::Kind::call, "dim3", {}};
  for (const LexemeSpan each : list) {
    auto size = parse_term(each);
    if (!size) return std::nullopt;
    sizes.parts.push_back(std::move(*size));
  }
  return sizes;
}

}  // namespace

HostText::HostText(std::string_view source, std::string_view headers)
    : lexemes_(lexemes_of(source)), all_(lexemes_), functions_(all_), changed_(all_) {
  launches_ = launches_in(all_, unread_);
  read_macros(headers, 0);
  read_macros(source);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const std::string_view text = all_[i].text;
    if (among(text, kVectors)) read_vector(i);
    if (text == "resize" && i > 1 && i + 1 < all_.size() && all_[i - 1].text == "." &&
        all_[i + 1].text == "(")
      read_elements(i - 2, all_.subspan(i + 2, closing(all_, i + 1) - i - 2));
    if (text == "enum") read_enumerators(i);
    if (!is_identifier(text)) continue;
    if (among(text, kAllocators)) read_allocation(i);
    read_definition(i);
  }
}

// `at`: where they are taken to be defined; else where they are.
void HostText::read_macros(std::string_view source, std::optional<std::size_t> at) {
  for (const SourceToken& line : tokens_of(source).directives) {
    const Lexemes words = lexemes_of(line.text.substr(1));
    if (words.size() < 3 || words[0].text != "define" || words[2].begin == words[1].end) continue;
    Definition macro{.at = at.value_or(line.begin), .value = parse_term(LexemeSpan(words).subspan(2))};
    definitions_[std::string(words[1].text)].push_back(std::move(macro));
  }
}

// "enum { A = 4, B }": each one more than the one before.
void HostText::read_enumerators(std::size_t word) {
  std::size_t open = word + 1;
  while (open < all_.size() && (is_identifier(all_[open].text) || all_[open].text == ":")) ++open;
  if (open >= all_.size() || all_[open].text != "{") return;
  const std::size_t close = closing(all_, open);
  if (close == all_.size()) return;
  CTerm next{CTerm::Kind::number, "0", {}};
  const std::size_t outside = functions_.at(all_[word].begin);
  for (const LexemeSpan one : split_at_commas(all_.subspan(open + 1, close - open - 1))) {
    if (one.empty() || !is_identifier(one[0].text)) return;
    const auto given =
        one.size() > 2 && one[1].text == "=" ? parse_term(one.subspan(2)) : std::optional(next);
    if (!given) return;
    definitions_[std::string(one[0].text)].push_back(
        {.at = all_[word].begin, .function = outside, .type = "", .value = *given, .list = {}});
    next = CTerm{CTerm::Kind::binary, "+", {*given, {CTerm::Kind::number, "1", {}}}};
  }
}

// The word before "block(16, 16)", and before the first one in "dim3 block(16, 16), grid(4)"; `name` for none.
std::size_t HostText::type_of_constructed(std::size_t name) const {
  if (name == 0 || name + 1 >= all_.size() || all_[name + 1].text != "(") return name;
  if (is_identifier(all_[name - 1].text)) return name - 1;
  if (all_[name - 1].text != ",") return name;
  std::size_t begin = name;
  while (begin > 0 && all_[begin - 1].text != ";" && all_[begin - 1].text != "{" &&
         all_[begin - 1].text != "}")
    --begin;
  if (begin < name && all_[begin].text == "const") ++begin;
  return all_[begin].text == "dim3" ? begin : name;
}

// "int n = 4;", "n = 4;", "dim3 block(16, 16);"; of a name in other terms nothing.
void HostText::read_definition(std::size_t name) {
  if (name + 1 >= all_.size()) return;
  const std::string_view next = all_[name + 1].text;
  Definition one{.at = all_[name].begin, .function = functions_.at(all_[name].begin)};
  std::size_t begin = name;
  while (begin > 0 &&
         (is_identifier(all_[begin - 1].text) || all_[begin - 1].text == "*" || all_[begin - 1].text == "::"))
    --begin;
  one.type = joined(all_.subspan(begin, name - begin));
  std::size_t whole = name;
  while (whole > 1 && (all_[whole - 1].text == "." || all_[whole - 1].text == "->") &&
         is_identifier(all_[whole - 2].text))
    whole -= 2;
  if (whole < name) one.type.clear();
  if (next == "[") return read_array(name, std::move(one));
  const std::size_t brace = next == "=" ? name + 2 : name + 1;
  if (brace < all_.size() && all_[brace].text == "{" && (next == "=" || !one.type.empty())) {
    const std::size_t close = closing(all_, brace);
    one.list = split_at_commas(all_.subspan(brace + 1, std::min(close, all_.size()) - brace - 1));
    one.value = value_of_list(one.type, one.list);
  } else if (next == "=") {
    const auto value = parse_leading_term(all_.subspan(name + 2));
    if (value) one.value = value->term;
  } else if (const std::size_t type = type_of_constructed(name); type < name && one.function != 0) {
    const std::size_t close = closing(all_, name + 1);
    Lexemes call{all_[type]};
    for (std::size_t i = name + 1; i <= close && i < all_.size(); ++i) call.push_back(all_[i]);
    one.value = parse_term(call);
  } else if ((next != ";" && next != "," && next != ")") || one.type.empty()) {
    return;
  }
  one.of_user = one.value && is_of_user(*one.value);
  std::string full;
  for (std::size_t i = whole; i <= name; ++i) full += all_[i].text == "->" ? "." : all_[i].text;
  definitions_[full].push_back(std::move(one));
}

// "int sizes[2] = {4, 5};"
void HostText::read_array(std::size_t name, Definition one) {
  std::size_t brace = closing(all_, name + 1) + 1;
  if (brace < all_.size() && all_[brace].text == "=") ++brace;
  if (one.type.empty() || brace >= all_.size() || all_[brace].text != "{") return;
  const std::size_t close = std::min(closing(all_, brace), all_.size());
  one.list = split_at_commas(all_.subspan(brace + 1, close - brace - 1));
  one.type += "[]";
  definitions_[std::string(all_[name].text)].push_back(std::move(one));
}

// cudaMalloc(&x, bytes), cudaMalloc((void**)&x, bytes)
void HostText::read_allocation(std::size_t call) {
  if (call + 1 >= all_.size() || all_[call + 1].text != "(") return;
  const std::size_t close = closing(all_, call + 1);
  if (close == all_.size()) return;
  const auto arguments = split_at_commas(all_.subspan(call + 2, close - call - 2));
  if (arguments.size() < 2) return;
  const std::string pointer = addressed_variable(arguments[0]);
  auto bytes = parse_term(arguments[1]);
  if (all_[call].text == "cudaMallocPitch") bytes = pitched_bytes(call, arguments);
  if (!pointer.empty() && bytes) bytes_[pointer].push_back({*bytes, all_[call].begin});
}

// cudaMallocPitch(&x, &pitch, width, height): rows without a gap.
std::optional<CTerm> HostText::pitched_bytes(std::size_t call, const std::vector<LexemeSpan>& arguments) {
  const auto width = arguments.size() == 4 ? parse_term(arguments[2]) : std::nullopt;
  const auto height = arguments.size() == 4 ? parse_term(arguments[3]) : std::nullopt;
  if (!width || !height) return std::nullopt;
  const std::size_t at = all_[call].begin;
  definitions_[addressed_variable(arguments[1])].push_back(
      {.at = at, .function = functions_.at(at), .type = "", .value = *width, .list = {}});
  return CTerm{CTerm::Kind::binary, "*", {*width, *height}};
}

// thrust::device_vector<float> x(n), y(x.begin(), x.end());
void HostText::read_vector(std::size_t word) {
  std::size_t name = word + 1;
  while (name < all_.size() && all_[name].text != ">" && all_[name].text != ";") ++name;
  if (name == all_.size() || all_[name].text != ">") return;
  do {
    ++name;
    if (name + 1 >= all_.size() || all_[name + 1].text != "(") return;
    const std::size_t close = closing(all_, name + 1);
    if (close == all_.size()) return;
    read_elements(name, all_.subspan(name + 2, close - name - 2));
    name = close + 1;
  } while (name < all_.size() && all_[name].text == ",");
}

// Of a vector that stands there: a number, or as many as another one has.
void HostText::read_elements(std::size_t name, LexemeSpan given) {
  const auto arguments = split_at_commas(given);
  auto elements = arguments.empty() ? std::nullopt : parse_term(arguments[0]);
  if (!elements) return;
  const std::string other = elements->text.substr(0, elements->text.find('.'));
  const bool is_range = elements->kind == CTerm::Kind::call && elements->text.ends_with("begin");
  const std::size_t at = all_[name].begin;
  const bool is_copy = is_range || elements->kind == CTerm::Kind::name;
  if (const auto copied = is_copy ? elements_of(other, at) : std::nullopt) elements = copied->term;
  auto& known = elements_[std::string(all_[name].text)];
  std::erase_if(known, [&](const Located& each) { return functions_.at(each.at) == functions_.at(at); });
  known.push_back({*elements, at});
}

// Between where it is declared or assigned and `place`. Pointers keep what is said of them. A variable at namespace scope is
// another one than those of its name in functions. What is read over a number that is not 0 has that for its default.
bool HostText::is_changed(const std::string& name, const Definition& one, std::size_t place) const {
  if (one.type.find('*') != std::string::npos || one.type.find("const") != std::string::npos) return false;
  const bool is_default =
      one.value && one.value->kind == CTerm::Kind::number && number_of(one.value->text) != 0;
  const auto& all = definitions_.at(name);
  const auto& changes = changed_.changes_of(name);
  return std::any_of(changes.begin(), changes.end(), [&](const ChangedVariables::Change& change) {
    if (change.at <= one.at || change.at >= place || (change.is_read && is_default)) return false;
    const std::size_t function = functions_.at(change.at);
    const auto is_other = [&](const Definition& each) {
      return each.function == function && !each.type.empty();
    };
    return function == one.function || (one.function == 0 && std::none_of(all.begin(), all.end(), is_other));
  });
}

const HostText::Definition* HostText::find(const std::string& name, std::size_t place) const {
  const auto all = definitions_.find(name);
  if (all == definitions_.end()) return nullptr;
  const std::size_t function = functions_.at(place);
  const Definition* global = nullptr;
  const Definition* local = nullptr;
  for (const Definition& each : all->second) {
    const bool has_value = has_any_value(each) && !is_changed(name, each, place);
    if (each.function == 0 && (global == nullptr || has_value)) global = &each;
    const bool better = local == nullptr || has_value || !has_any_value(*local);
    if (each.function == function && function != 0 && each.at < place && better) local = &each;
  }
  return local != nullptr && (has_any_value(*local) || global == nullptr) ? local : global;
}

std::optional<CTerm> HostText::definition(const std::string& name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found == nullptr || is_changed(name, *found, place) ? std::nullopt : found->value;
}

std::optional<CTerm> HostText::sizes(const std::string& variable, std::size_t place) const {
  const Definition* whole = find(variable, place);
  std::optional<CTerm> all = definition(variable, place);
  if (all && (all->kind != CTerm::Kind::call || all->text != "dim3")) return all;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string member = variable + "." + "xyz"[i];
    const Definition* part = find(member, place);
    const auto size = part == nullptr ? std::nullopt : definition(member, place);
    if (!size || (whole != nullptr && part->at < whole->at)) continue;
    if (!all) all = CTerm{CTerm::Kind::call, "dim3", {}};
    while (all->parts.size() <= i) all->parts.push_back({CTerm::Kind::number, "1", {}});
    all->parts[i] = *size;
  }
  return all;
}

bool HostText::is_open(const std::string& name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found != nullptr && (!has_any_value(*found) || is_changed(name, *found, place));
}

std::vector<LexemeSpan> HostText::list_of(const std::string& name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found == nullptr ? std::vector<LexemeSpan>() : found->list;
}

std::string HostText::type_of(const std::string& name, std::size_t place) const {
  const auto all = definitions_.find(name);
  if (all == definitions_.end()) return "";
  const std::size_t function = functions_.at(place);
  for (const Definition& each : all->second)
    if (!each.type.empty() && (each.function == function || each.function == 0)) return each.type;
  return "";
}

std::string HostText::own_name(const std::string& name, std::size_t place) const {
  const auto is_same = [](const Definition& a, const Definition& b) {
    return a.value == b.value &&
           std::equal(a.list.begin(), a.list.end(), b.list.begin(), b.list.end(),
                      [](LexemeSpan x, LexemeSpan y) { return joined(x) == joined(y); });
  };
  const auto all = definitions_.find(definitions_.contains(name) ? name : name.substr(0, name.find('.')));
  const std::size_t function = functions_.at(place);
  if (all == definitions_.end() || function == 0) return name;
  std::vector<const Definition*> local;
  const Definition* own = nullptr;
  for (const Definition& each : all->second) {
    if (each.function == 0 || !has_any_value(each)) continue;
    local.push_back(&each);
    if (each.function == function && own == nullptr) own = &each;
  }
  if (own == nullptr) return name;
  const auto first =
      std::find_if(local.begin(), local.end(), [&](const Definition* each) { return is_same(*each, *own); });
  const std::size_t owner = (*first)->function;
  return owner == local.front()->function ? name : name + "@" + std::to_string(owner);
}

bool HostText::is_lambda(LexemeSpan argument) const {
  if (argument.empty()) return false;
  if (argument[0].text == "[") return true;
  for (std::size_t i = 0; argument.size() == 1 && i + 2 < all_.size(); ++i)
    if (all_[i].text == argument[0].text && all_[i + 1].text == "=" && all_[i + 2].text == "[") return true;
  return false;
}

std::optional<HostText::Located> HostText::nearest(const LocatedByName& all, const std::string& name,
                                                   std::size_t place) const {
  const auto found = all.find(name);
  if (found == all.end() || found->second.empty()) return std::nullopt;
  for (const Located& each : found->second)
    if (functions_.at(each.at) == functions_.at(place)) return each;
  return found->second.front();
}

std::optional<HostText::Located> HostText::bytes_of(const std::string& pointer, std::size_t place) const {
  const std::string array = pointer.substr(0, pointer.rfind('[') + 1);
  if (auto own = nearest(bytes_, pointer, place); own || array.empty()) return own;
  // d[i] of a loop, for d[1]
  const auto found = std::find_if(bytes_.begin(), bytes_.end(),
                                  [&](const auto& each) { return each.first.starts_with(array); });
  return found == bytes_.end() ? std::nullopt : nearest(bytes_, found->first, place);
}

std::optional<HostText::Located> HostText::elements_of(const std::string& vector, std::size_t place) const {
  return nearest(elements_, vector, place);
}

std::optional<HostFunctions::Passed> HostText::argument_for(const std::string& name,
                                                            std::size_t place) const {
  const Definition* own = find(name, place);
  if (own != nullptr && own->function != 0 && has_any_value(*own)) return std::nullopt;
  return functions_.passed_for(name, place);
}

std::optional<HostText::Located> HostText::passed_for(const std::string& name, std::size_t place) const {
  const auto passed = argument_for(name, place);
  const auto term = passed ? parse_term(passed->argument) : std::nullopt;
  return term ? std::optional(Located{*term, passed->at}) : std::nullopt;
}

HostText::Variable HostText::origin_of(const std::string& name, std::size_t place) const {
  constexpr int kDeepest = 8;  // functions that call each other
  const std::size_t dot = std::min(name.find('.'), name.size());
  Variable variable{name.substr(0, dot), place};
  for (int step = 0; step < kDeepest; ++step) {
    const auto passed = argument_for(variable.name, variable.place);
    std::string own = passed ? variable_passed(*passed) : "";
    if (own.empty()) break;
    variable = {std::move(own), passed->at};
  }
  variable.name += name.substr(dot);
  return variable;
}

}  // namespace tailwave
