#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/value.h"

namespace tailwave {

// Names and values of configurations in a C++ header that is written.

enum class FieldKind { boolean, whole, real, text };

struct Field {
  std::string name;  // of the parameter or problem quantity
  std::string member;
  FieldKind kind = FieldKind::boolean;
  std::string first;      // the literal of the first configuration that has it
  bool is_mixed = false;  // a text, since its values are of several types
};

// A member for each name that any of them has among `values`, of a type that all its values have; two never have one name.
std::vector<Field> fields(const std::vector<const Configuration*>& configurations,
                          Values Configuration::*values);

std::string_view type_name(FieldKind kind);
std::string_view empty_literal(FieldKind kind);

// The literals of a struct with these fields, with commas between them; empty ones for what `values` lacks.
std::string row(const Values& values, const std::vector<Field>& fields);

std::string literal_of_text(const std::string& text);
// A name as a C++ identifier that means nothing else there.
std::string identifier(const std::string& name);
// For a comment: on one line, whatever a file's name holds.
std::string on_one_line(std::string text);

}  // namespace tailwave
