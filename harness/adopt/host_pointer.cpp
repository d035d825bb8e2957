#include "adopt/host_pointer.h"

#include <algorithm>
#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

// What of an object is the begin of its elements: x.data(), p.get(), &*x.begin().
constexpr std::array<std::string_view, 7> kBegins{
    "data", "get", "begin", "front", "data_ptr", "mutable_data_ptr", "const_data_ptr"};
constexpr std::array<std::string_view, 5> kPointersOf{"raw_pointer_cast", "device_pointer_cast", "to_address",
                                                      "data", "addressof"};

std::string last_part(const std::string& name) {
  return name.substr(name.find_last_of(".:>") + 1);
}

std::string text_of(const CTerm& term);

std::string text_of(const std::vector<CTerm>& parts) {
  std::string text;
  for (const CTerm& each : parts) text += (text.empty() ? "" : ", ") + text_of(each);
  return text;
}

std::string text_of(const CTerm& term) {
  switch (term.kind) {
    case CTerm::Kind::number:
    case CTerm::Kind::name:
      return with_dots(term.text);
    case CTerm::Kind::call:
      if (term.text[0] == '.' && term.parts.size() == 1) return text_of(term.parts[0]) + term.text;
      return with_dots(term.text) + "(" + text_of(term.parts) + ")";
    case CTerm::Kind::index:
      return text_of(term.parts[0]) + "[" + text_of(term.parts[1]) + "]";
    case CTerm::Kind::unary:
      return term.text + text_of(term.parts[0]);
    case CTerm::Kind::binary:
      return text_of(term.parts[0]) + " " + term.text + " " + text_of(term.parts[1]);
    case CTerm::Kind::conditional:
      return text_of(term.parts[0]) + " ? " + text_of(term.parts[1]) + " : " + text_of(term.parts[2]);
  }
  return "";
}

bool is_zero(const CTerm& term) {
  return term.kind == CTerm::Kind::number && integer_of(term.text) == 0;
}

bool is_null(const CTerm& term) {
  return is_zero(term) || (term.kind == CTerm::Kind::name && (term.text == "nullptr" || term.text == "NULL"));
}

HostPointer read(const CTerm& term);

HostPointer unknown(const CTerm& term) {
  return {.passed = text_of(term), .variable = "", .cast = ""};
}

HostPointer moved(const CTerm& base, const std::string& sign, const CTerm& by) {
  HostPointer pointer = read(base);
  if (is_zero(by) || pointer.passed.empty()) return pointer;
  pointer.passed += " " + sign + " " + text_of(by);
  pointer.is_moved = true;
  return pointer;
}

HostPointer read_call(const CTerm& term) {
  const bool is_cast = term.text.find('*') != std::string::npos;
  const std::string last = last_part(term.text);
  if (term.parts.size() == 1 && (is_cast || among(last, kPointersOf) || among(last, kBegins))) {
    HostPointer pointer = read(term.parts[0]);
    if (is_cast) pointer.cast = term.text;
    return pointer;
  }
  const std::size_t member = term.text.find_last_of(".>");
  if (!term.parts.empty() || member == std::string::npos || !among(last, kBegins)) return unknown(term);
  const std::string object = term.text.substr(0, term.text[member] == '>' ? member - 1 : member);
  return read({CTerm::Kind::name, object, {}});
}

HostPointer read(const CTerm& term) {
  if (is_null(term)) return {};
  switch (term.kind) {
    case CTerm::Kind::name:
      return {.passed = with_dots(term.text), .variable = with_dots(term.text), .cast = ""};
    case CTerm::Kind::call:
      return read_call(term);
    case CTerm::Kind::index:
      return {.passed = text_of(term), .variable = text_of(term), .cast = ""};
    case CTerm::Kind::binary:
      return term.text == "+" || term.text == "-" ? moved(term.parts[0], term.text, term.parts[1])
                                                  : unknown(term);
    case CTerm::Kind::unary: {
      const CTerm& inner = term.parts[0];
      if (term.text == "&" && inner.kind == CTerm::Kind::index)
        return moved(inner.parts[0], "+", inner.parts[1]);
      // &x is the variable of cudaMalloc(&x, ...), &*x and *&x are x.
      return term.text == "&" || (term.text == "*" && inner.kind != CTerm::Kind::name) ? read(inner)
                                                                                       : unknown(term);
    }
    default:
      return unknown(term);
  }
}

}  // namespace

std::string with_dots(const std::string& name) {
  std::string text = name;
  for (std::size_t at = 0; (at = text.find("->", at)) != std::string::npos;) text.replace(at, 2, ".");
  return text;
}

std::string addressed_variable(LexemeSpan argument) {
  const auto whole = parse_term(argument);
  const CTerm* term = whole ? &*whole : nullptr;
  while (term != nullptr && term->kind == CTerm::Kind::call && term->parts.size() == 1)
    term = term->parts.data();
  if (term == nullptr) return "";
  const bool is_address = term->kind == CTerm::Kind::unary && term->text == "&";
  return read(is_address ? term->parts[0] : *term).variable;
}

HostPointer pointer_of(LexemeSpan argument) {
  const auto term = parse_term(argument);
  if (term) return read(*term);
  return {.passed = joined(argument), .variable = "", .cast = ""};
}

HostPointer pointer_of(const CTerm& term) {
  return read(term);
}

HostPointer memory_of(const HostText& host, HostPointer pointer, std::size_t place) {
  pointer.place = place;
  constexpr int kDeepest = 8;  // names for names
  for (int step = 0; step < kDeepest && !pointer.variable.empty(); ++step) {
    const HostText::Variable origin = host.origin_of(pointer.variable, pointer.place);
    const std::string type = host.type_of(origin.name, origin.place);
    const bool is_pointer = type.find('*') != std::string::npos || type.ends_with("auto");
    const auto given = host.passed_for(origin.name, origin.place);  // x + n, which is no variable
    const auto definition = given        ? std::optional(given->term)
                            : is_pointer ? host.definition(origin.name, origin.place)
                                         : std::nullopt;
    const HostPointer next = definition ? read(*definition) : HostPointer{};
    const bool is_other_name = !next.variable.empty() && (given || next.variable != origin.name);
    const std::string& name = is_other_name ? next.passed : origin.name;
    pointer.passed = name + pointer.passed.substr(pointer.variable.size());
    pointer.variable = is_other_name ? next.variable : origin.name;
    pointer.is_moved = pointer.is_moved || (is_other_name && next.is_moved);
    pointer.place = given && is_other_name ? given->at : origin.place;
    if (!is_other_name) break;
  }
  auto memory = host.bytes_of(pointer.variable, pointer.place);
  if (!memory) memory = host.elements_of(pointer.variable, pointer.place);
  if (memory) pointer.allocated_at = memory->at;
  return pointer;
}

}  // namespace tailwave
