#include "adopt/pointer_uses.h"

#include <algorithm>
#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 7> kLoads{
    "__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", "__builtin_assume_aligned"};
constexpr std::array<std::string_view, 6> kNoCalls{"if", "while", "for", "switch", "return", "sizeof"};
constexpr std::array<std::string_view, 4> kStores{"__stcg", "__stcs", "__stwb", "__stwt"};

CTerm number_term(long long number) {
  return {CTerm::Kind::number, std::to_string(number), {}};
}

CTerm binary_term(const char* op, CTerm left, CTerm right) {
  return {CTerm::Kind::binary, op, {std::move(left), std::move(right)}};
}

bool ends_operand(std::string_view text) {
  return is_identifier(text) || text == ")" || text == "]" ||
         (!text.empty() && text[0] >= '0' && text[0] <= '9');
}

}  // namespace

PointerUses::PointerUses(LexemeSpan lexemes, const std::vector<OutlineParameter>& pointers,
                         const KernelBody& body, const TypeAliases& aliases)
    : lexemes_(lexemes), body_(body), places_(lexemes, pointers, body, aliases) {}

std::string_view PointerUses::text(std::size_t i) const {
  return i < lexemes_.size() ? lexemes_[i].text : std::string_view();
}

MemoryAccess PointerUses::access(const PointerPlace& place, std::optional<CTerm> index) {
  MemoryAccess access{.pointer = place.pointer, .index = std::nullopt};
  if (!place.index || !index) return access;
  access.index = binary_term("+", *place.index, std::move(*index));
  if (place.scale > 1)
    access.index = binary_term(
        "+",
        binary_term("+", *place.index, binary_term("*", access.index->parts[1], number_term(place.scale))),
        number_term(place.scale - 1));
  return access;
}

std::vector<MemoryAccess> PointerUses::accesses() {
  found_.clear();
  for (std::size_t i = 0; i < lexemes_.size(); ++i) {
    const bool member = i > 0 && (text(i - 1) == "." || text(i - 1) == "->");
    const std::string name(text(i));
    if (!member && is_whole_struct(i))
      for (const std::string& pointer : places_.members_of(name))
        found_.push_back({pointer, std::nullopt, true, true});
    if (member || !places_.is_pointer(name)) continue;
    const std::size_t before = found_.size();
    read_use(i);
    for (std::size_t own = before, end = found_.size(); own < end; ++own)
      for (const std::string& other : places_.others(name)) {
        if (other == found_[own].pointer) continue;
        found_.push_back(found_[own]);
        found_.back().pointer = other;
      }
  }
  return found_;
}

// Box in "store(box, i)" and "box.at(i) = 1": what functions do with its pointers nobody knows.
bool PointerUses::is_whole_struct(std::size_t at) const {
  return is_identifier(text(at)) && (text(at + 1) != "." || text(at + 3) == "(");
}

void PointerUses::read_use(std::size_t at) {
  if (text(at + 1) == "[") return read_element(at);
  if (read_dereference(at)) return;
  const bool is_declared = text(at + 1) == "=" || text(at + 1) == ";";
  if (is_declared || among(text(at + 1), kCompoundAssignments)) return;
  read_argument(at);
}

void PointerUses::read_element(std::size_t at) {
  const std::size_t close = closing(lexemes_, at + 1);
  const PointerPlace& place = places_.at(std::string(text(at)));
  const auto index = parse_term(lexemes_.subspan(at + 2, std::min(close, lexemes_.size()) - at - 2));
  if (at > 0 && text(at - 1) == "&" && (at < 2 || !ends_operand(text(at - 2)))) return read_argument(at);
  add(access(place, index), at, close + 1);
}

// *x and *(x + i).
bool PointerUses::read_dereference(std::size_t at) {
  std::size_t begin = at, behind = at + 1;
  if (at > 0 && text(at - 1) == "(") {
    begin = at - 1;
    behind = closing(lexemes_, begin) + 1;
  }
  if (begin == 0 || text(begin - 1) != "*") return false;
  if (begin > 1 && ends_operand(text(begin - 2)) && !ends_condition(begin - 2)) return false;
  const auto term =
      parse_term(begin == at ? lexemes_.subspan(at, 1) : lexemes_.subspan(begin + 1, behind - begin - 2));
  const auto place = term ? places_.place_of(*term) : std::nullopt;
  if (!place) return false;
  add(access(*place, number_term(0)), begin - 1, behind);
  return true;
}

// The '(' or '[' that is open there; size() for none.
std::size_t PointerUses::bracket_around(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = at; i-- > 0;) {
    if (text(i) == ")" || text(i) == "]") ++depth;
    if ((text(i) == "(" || text(i) == "[") && depth-- == 0) return i;
    if (text(i) == ";" || text(i) == "{" || text(i) == "}") break;
  }
  return lexemes_.size();
}

// Whether it is the bracket behind the condition of an if or a loop, or the word else.
bool PointerUses::ends_condition(std::size_t at) const {
  if (text(at) == "else") return true;
  if (text(at) != ")") return false;
  int depth = 0;
  for (std::size_t i = at + 1; i-- > 0;) {
    if (text(i) == ")") ++depth;
    if (text(i) != "(" || --depth != 0) continue;
    return i > 0 && (text(i - 1) == "if" || text(i - 1) == "while" || text(i - 1) == "for");
  }
  return false;
}

// Of a call, or of what makes another pointer of it.
void PointerUses::read_argument(std::size_t at) {
  const std::size_t open = bracket_around(at);
  const PointerPlace& place = places_.at(std::string(text(at)));
  if (open == lexemes_.size()) {
    // "row = in + r * n;" is a local, whose uses count. What else it is nobody knows.
    std::size_t begin = at;
    while (begin > 0 && text(begin - 1) != ";" && text(begin - 1) != "{" && text(begin - 1) != "}" &&
           text(begin - 1) != "=")
      --begin;
    const bool is_made =
        begin > 1 && text(begin - 1) == "=" && places_.is_pointer(std::string(text(begin - 2)));
    if (!is_made) add({place.pointer, std::nullopt, true, true}, at, lexemes_.size());
    return;
  }
  const std::string_view callee = open > 0 ? text(open - 1) : std::string_view();
  const bool cast_only = callee == ">" || !is_identifier(callee) || callee == "if" || callee == "while";
  if (cast_only && callee != ">") return read_grouped(at, open);
  if (cast_only) {
    // reinterpret_cast<float4*>(x)[i]
    const std::size_t close = closing(lexemes_, open);
    std::size_t word = open - 1;
    while (word > 0 && text(word) != "<") --word;
    const auto term = word > 0 ? parse_term(lexemes_.subspan(word - 1, close - word + 2)) : std::nullopt;
    const auto made = term ? places_.place_of(*term) : std::nullopt;
    if (!made || text(close + 1) != "[") {
      const bool is_local =
          word > 2 && text(word - 2) == "=" && places_.is_pointer(std::string(text(word - 3)));
      if (!is_local) add({place.pointer, std::nullopt, true, true}, at, lexemes_.size());
      return;
    }
    const std::size_t end = closing(lexemes_, close + 1);
    const auto index = parse_term(lexemes_.subspan(close + 2, std::min(end, lexemes_.size()) - close - 2));
    return add(access(*made, index), word - 1, end + 1);
  }
  if (callee == "sizeof") return;
  const std::size_t close = closing(lexemes_, open);
  std::optional<PointerPlace> whole;
  for (const LexemeSpan part : split_at_commas(lexemes_.subspan(open + 1, close - open - 1))) {
    if (part.empty() || lexemes_[at].begin < part.front().begin || lexemes_[at].begin > part.back().begin)
      continue;
    const auto term = parse_term(part);
    whole = term ? places_.place_of(*term) : std::nullopt;
  }
  const bool atomic = callee.starts_with("atomic"), load = among(callee, kLoads),
             store = among(callee, kStores);
  if (!whole || (!atomic && !load && !store))
    return add({place.pointer, std::nullopt, true, true}, at, lexemes_.size());
  MemoryAccess found = access(*whole, number_term(0));
  found.reads = atomic || load;
  found.writes = atomic || store;
  found_.push_back(std::move(found));
}

// ((float*)((char*)x + y * pitch))[i] and *(float*)((char*)x + i). Other brackets are a comparison's, or stand in a term that is
// looked at elsewhere.
void PointerUses::read_grouped(std::size_t at, std::size_t open) {
  const MemoryAccess unknown{.pointer = places_.at(std::string(text(at))).pointer, .index = std::nullopt};
  for (std::size_t begin = open; text(begin) == "(";) {
    const std::size_t close = closing(lexemes_, begin);
    if (text(close + 1) == "[") {
      const std::size_t end = closing(lexemes_, close + 1);
      const auto whole = parse_term(lexemes_.subspan(begin + 1, close - begin - 1));
      const auto made = whole ? places_.place_of(*whole) : std::nullopt;
      const auto index = parse_term(lexemes_.subspan(close + 2, std::min(end, lexemes_.size()) - close - 2));
      return add(made ? access(*made, index) : unknown, begin, end + 1);
    }
    while (begin > 1 && text(begin - 1) == ")" && text(begin - 2) == "*") begin = bracket_around(begin - 1);
    if (begin == 0 || begin >= lexemes_.size()) return;
    const bool is_operand = begin > 1 && ends_operand(text(begin - 2)) && !ends_condition(begin - 2);
    if (text(begin - 1) == "*" && !is_operand) return add(unknown, begin - 1, close + 1);
    if (is_identifier(text(begin - 1)) && !among(text(begin - 1), kNoCalls))
      return add({unknown.pointer, std::nullopt, true, true}, begin, lexemes_.size());
    --begin;
  }
}

// `behind` is where the operator that follows stands; size() where the access says itself what it does.
void PointerUses::add(MemoryAccess access, std::size_t begin, std::size_t behind) {
  while (text(behind) == "." && is_identifier(text(behind + 1))) behind += 2;
  if (behind < lexemes_.size()) {
    const bool steps = text(behind) == "++" || text(behind) == "--" ||
                       (begin > 0 && (text(begin - 1) == "++" || text(begin - 1) == "--"));
    // "float& sum = x[i]" may be written to later
    const bool bound = begin > 2 && text(begin - 1) == "=" && text(begin - 3) == "&";
    const bool changes = steps || bound || among(text(behind), kCompoundAssignments);
    access.writes = changes || text(behind) == "=";
    access.reads = changes || text(behind) != "=";
  } else if (!access.writes) {
    access.reads = true;
  }
  found_.push_back(std::move(access));
}

std::map<std::string, std::set<std::string>> PointerUses::indexed_by(
    const std::vector<MemoryAccess>& accesses) const {
  std::map<std::string, std::set<std::string>> all;
  const auto add = [&](const CTerm& index, const std::string& target) {
    std::set<std::string> pointers;
    add_index_pointers(index, 0, pointers);
    for (const std::string& each : pointers) all[each].insert(target);
  };
  for (const MemoryAccess& each : accesses)
    if (each.index) add(*each.index, each.pointer);
  for (const SharedArray& array : body_.shared)
    for (const CTerm& index : array.indices) add(index, array.name);
  return all;
}

// An element's own index counts for that element alone.
void PointerUses::add_index_pointers(const CTerm& term, int depth, std::set<std::string>& pointers) const {
  constexpr int kDeepestLocal = 3;
  if (term.kind == CTerm::Kind::index && term.parts[0].kind == CTerm::Kind::name) {
    if (places_.is_pointer(term.parts[0].text)) {
      pointers.insert(places_.at(term.parts[0].text).pointer);
      return;
    }
  }
  for (const CTerm& part : term.parts) add_index_pointers(part, depth, pointers);
  const auto local = body_.locals.find(term.text);
  if (term.kind == CTerm::Kind::name && local != body_.locals.end() && local->second.first &&
      depth < kDeepestLocal && !places_.is_pointer(term.text))
    add_index_pointers(*local->second.first, depth + 1, pointers);
}

}  // namespace tailwave
