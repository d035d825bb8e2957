#include "spec/argument_reader.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/hex_digits.h"
#include "core/suggestion.h"
#include "spec/names.h"
#include "spec/system_reader.h"
#include "spec/view_reader.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 2> kOfAValue{"value", "type"};

}  // namespace

bool require_buffer(const Json& place, const System& system, Reporter& reporter) {
  if (system.buffers.contains(*place.as_text())) return true;
  std::vector<std::string> buffers;
  for (const auto& entry : system.buffers) buffers.push_back(entry.first);
  reporter.report_unknown(place.pointer(), "buffer", *place.as_text(), buffers);
  return false;
}

template <class Read>
std::optional<Argument> ArgumentReader::read_fields(const std::vector<Json>& places, std::size_t alignment,
                                                    Read read) {
  StructArgument whole{{}, alignment};
  for (const Json& place : places) {
    std::optional<Argument> field = read(place);
    if (!field) return std::nullopt;
    if (std::holds_alternative<TextureArgument>(*field) ||
        std::holds_alternative<TensorMapArgument>(*field)) {
      reporter_.report(place.pointer(), "a struct has no texture and no tensor map in it",
                       "it is an argument of its own");
      return std::nullopt;
    }
    whole.fields.push_back(std::move(*field));
  }
  return whole;
}

std::optional<Argument> ArgumentReader::read(const Json& place) {
  if (const std::string* name = place.as_text()) return named_argument(*name, place.pointer());
  if (!place.is_object()) return std::nullopt;  // the schema has no more
  if (is_view(place, reporter_)) return read_view(place, {system_, known_, defaults_, taken_, reporter_});
  if (place.find("buffers") || place.find("index")) return read_choice(place);
  if (place.find("struct")) return read_struct(place);
  if (place.find("buffer") || place.find("offset")) return read_pointer(place);
  if (place.find("bytes")) return read_bytes(place);
  if (!place.find("value") && !place.find("type")) {
    if (place.members().empty())
      reporter_.report(
          place.pointer(), "the object is empty",
          R"(an argument is a name, {"value": "N / 2", "type": "int32"}, {"buffers": ["a", )"
          R"("b"], "index": 0}, {"buffer": "a", "offset": 8}, {"bytes": "0000803f"} or {"struct": ["a", "N"]})");
    return std::nullopt;  // of other keys the schema has said that they are unknown
  }
  for (const std::string_view key : kOfAValue) require_key(place, key, reporter_);
  const std::optional<ElementType> type = read_element_type(place.find("type"), reporter_);
  if (!type) return std::nullopt;
  const Json value = place.find("value");
  if (!value) return std::nullopt;
  return type->lanes > 1 ? read_vector(value, *type) : read_scalar(value, type->scalar);
}

std::vector<Argument> ArgumentReader::read_by_name(const std::vector<OutlineParameter>& parameters,
                                                   const std::string& pointer) {
  std::vector<Argument> arguments;
  for (const OutlineParameter& parameter : parameters) {
    std::optional<Argument> argument = named_argument(parameter.name, pointer);
    if (!argument) continue;
    auto* const scalar = std::get_if<ScalarArgument>(&*argument);
    if (scalar != nullptr && parameter.type && parameter.lanes == 1 && !parameter.pointer) {
      scalar->type = *parameter.type;
      check_argument(scalar->value, scalar->type, pointer);
    }
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

std::optional<Argument> ArgumentReader::read_scalar(const Json& place, ScalarType type) {
  if (place.is_array()) {
    reporter_.report(place.pointer(),
                     "a list for the type '" + std::string(to_string(type)) + "', which has one component");
    return std::nullopt;
  }
  const auto expression = read_expression(place, known_, reporter_);
  if (!expression) return std::nullopt;
  check_argument(*expression, type, place.pointer());
  return ScalarArgument{*expression, type};
}

std::optional<Argument> ArgumentReader::read_vector(const Json& place, const ElementType& type) {
  const std::vector<Json> components = place.items();
  if (components.size() != static_cast<std::size_t>(type.lanes)) {
    reporter_.report(place.pointer(),
                     "expected a list of " + std::to_string(type.lanes) + " values for the type '" +
                         to_string(type) + "'" +
                         (place.is_array() ? ", found " + std::to_string(components.size()) : ""));
    return std::nullopt;
  }
  return read_fields(components, alignment_bytes(type),
                     [&](const Json& component) { return read_scalar(component, type.scalar); });
}

std::optional<Argument> ArgumentReader::read_struct(const Json& place) {
  refuse_beside(place, kOfAValue, "struct", reporter_);
  auto whole = read_fields(place.find("struct").items(), 1, [&](const Json& field) { return read(field); });
  if (!whole) return std::nullopt;
  const std::size_t bytes = layout_of(*whole).bytes;
  if (bytes <= kMostArgumentBytes) return whole;
  reporter_.report(place.pointer(), "the struct has " + std::to_string(bytes) +
                                        " bytes, and an argument at most " +
                                        std::to_string(kMostArgumentBytes));
  return std::nullopt;
}

// Just behind the last scalar is a place to point to, too.
std::optional<Argument> ArgumentReader::read_pointer(const Json& place) {
  refuse_beside(place, kOfAValue, "buffer", reporter_);
  for (const char* key : {"buffer", "offset"}) require_key(place, key, reporter_);
  const Json buffer = place.find("buffer"), from = place.find("offset");
  if (buffer.as_text() == nullptr || !require_buffer(buffer, system_, reporter_)) return std::nullopt;
  const auto offset = read_expression(from, known_, reporter_);
  if (!offset) return std::nullopt;
  if (taken_) check_whole(*offset, defaults_, 0, from.pointer(), reporter_);
  return BufferArgument{*buffer.as_text(), *offset};
}

std::optional<Argument> ArgumentReader::read_bytes(const Json& place) {
  refuse_beside(place, kOfAValue, "bytes", reporter_);
  const Json digits = place.find("bytes");
  if (digits.as_text() == nullptr) return std::nullopt;
  std::optional<std::string> bytes = bytes_of_hex(*digits.as_text());
  if (bytes && bytes->size() <= kMostArgumentBytes) return BytesArgument{*std::move(bytes)};
  reporter_.report(digits.pointer(),
                   bytes ? "there are " + std::to_string(bytes->size()) +
                               " bytes, and an argument has at most " + std::to_string(kMostArgumentBytes)
                         : "expected two hexadecimal digits for each byte",
                   bytes ? "" : R"("0000803f" is the float 1)");
  return std::nullopt;
}

std::optional<Argument> ArgumentReader::read_choice(const Json& place) {
  refuse_beside(place, kOfAValue, "buffers", reporter_);
  for (const char* key : {"buffers", "index"}) require_key(place, key, reporter_);
  BufferChoice choice;
  for (const Json& item : place.find("buffers").items()) {
    if (item.as_text() == nullptr || !require_buffer(item, system_, reporter_)) continue;
    choice.buffers.push_back(*item.as_text());
    const ScalarType first = system_.buffers.at(choice.buffers.front()).type;
    const ScalarType type = system_.buffers.at(*item.as_text()).type;
    if (type == first) continue;
    reporter_.report(item.pointer(), "the buffer '" + *item.as_text() + "' has the type " +
                                         std::string(to_string(type)) + ", the first one " +
                                         std::string(to_string(first)));
  }
  const auto index = read_expression(place.find("index"), known_, reporter_);
  if (!index || choice.buffers.empty()) return std::nullopt;
  choice.index = *index;
  if (taken_) check_below(*index, defaults_, choice.buffers.size(), place.find("index").pointer(), reporter_);
  return choice;
}

std::optional<Argument> ArgumentReader::named_argument(const std::string& name, const std::string& pointer) {
  if (system_.buffers.contains(name)) return BufferArgument{name};
  const auto quantity = system_.problem.find(name);
  if (quantity != system_.problem.end()) {
    return ScalarArgument{Expression::parse(name), quantity->second.type};
  }
  const auto value = defaults_.find(name);
  if (value == defaults_.end()) {
    report_unknown_argument(name, pointer);
    return std::nullopt;
  }
  if (std::holds_alternative<std::string>(value->second)) {
    reporter_.report(pointer, "the parameter '" + name + "' is text, which cannot be an argument");
    return std::nullopt;
  }
  const bool real = std::holds_alternative<double>(value->second);
  return ScalarArgument{Expression::parse(name), real ? ScalarType::float32 : ScalarType::int32};
}

void ArgumentReader::report_unknown_argument(const std::string& name, const std::string& pointer) {
  std::vector<std::string> candidates = known_;
  for (const auto& entry : system_.buffers) candidates.push_back(entry.first);
  const bool expression = !why_not_a_name(name).empty();
  const std::string type = std::holds_alternative<double>(parse_value(name)) ? "float32" : "int32";
  reporter_.report(pointer, "unknown argument '" + name + "'",
                   expression
                       ? R"(an expression is written {"value": ")" + name + R"(", "type": ")" + type + "\"}"
                       : suggestion(name, candidates));
}

void ArgumentReader::check_argument(const Expression& expression, ScalarType type,
                                    const std::string& pointer) {
  if (!taken_) return;
  const auto value = try_evaluate(expression, defaults_, pointer, reporter_);
  if (!value) return;
  try {
    const Expression constant = Expression::constant(*value);
    const Value converted =
        is_real(type) ? Value(constant.evaluate_double({})) : Value(constant.evaluate_int({}));
    (void)quantity_of(type, converted, pointer, reporter_);
  } catch (const ExpressionError& error) {
    reporter_.report(
        Diagnostic{"", pointer, error.what(), expression.text(), -1, with_defaults(expression, defaults_)});
  }
}

}  // namespace tailwave
