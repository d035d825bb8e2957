#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adopt/lexemes.h"

namespace tailwave {

// An expression of C++ as far as sizes and indices need it.
struct CTerm {
  enum class Kind {
    number,       // `text` as it is written
    name,         // with its members and scopes: "blockIdx.x", "dims->n", "std::size_t"
    call,         // `text` is what is called, or the type of a cast; parts are the arguments
    index,        // parts[0][parts[1]]
    unary,        // `text` is the operator
    binary,       // likewise
    conditional,  // parts[0] ? parts[1] : parts[2]
  } kind = Kind::number;
  std::string text;
  std::vector<CTerm> parts;
  bool operator==(const CTerm&) const = default;
};

// "dims[2]" of an element with a number; empty: it is none.
std::string element_name(const CTerm& term);

// Empty for what is no expression of that kind: assignments, lambdas, literals of text, ...
std::optional<CTerm> parse_term(LexemeSpan lexemes);

// The same with the number of lexemes that it takes, which may be less than all.
struct ParsedTerm {
  CTerm term;
  std::size_t length = 0;
};
std::optional<ParsedTerm> parse_leading_term(LexemeSpan lexemes);

// Of an integer literal: "0x10", "1'024u".
std::optional<long long> integer_of(std::string_view literal);
// Of any number: "1e-3f".
std::optional<double> number_of(std::string_view literal);

// Calls visit(term) for a term and all its parts, outermost first.
template <class Visit>
void for_each_term(const CTerm& term, Visit visit) {
  visit(term);
  for (const CTerm& part : term.parts) for_each_term(part, visit);
}

}  // namespace tailwave
