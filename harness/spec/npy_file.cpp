#include "spec/npy_file.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <optional>

namespace tailwave {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

NpyError no_npy(const std::string& why) {
  return {"the file is no array of NumPy: " + why, "numpy.save writes one"};
}

// The value of a key of the dictionary: what follows it up to the comma that ends it, outside parentheses.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}:", quote, key);
    const std::size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view value = dictionary.substr(at + quoted.size());
    int depth = 0;
    std::size_t end = 0;
    for (; end < value.size(); ++end) {
      const char c = value[end];
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
    }
    value = value.substr(0, end);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    return value;
  }
  throw no_npy(fmt::format("its heading has no '{}'", key));
}

std::string unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"');
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

// The product of a tuple's numbers.
std::uint64_t count_of(std::string_view shape) {
  std::uint64_t count = 1;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (at != end) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    std::uint64_t length = 0;
    const auto [after, failure] = std::from_chars(at, end, length);
    if (failure != std::errc{} || (length > 0 && count > std::numeric_limits<std::uint64_t>::max() / length))
      throw no_npy(fmt::format("its shape is {}", shape));
    count *= length;
    at = after;
  }
  return count;
}

// By NumPy's letter and bytes.
std::optional<ElementType> type_of_text(const std::string& text) {
  static const std::map<std::string, ElementType, std::less<>> known{
      {"b1", {ScalarType::uint8, 1}},   {"i1", {ScalarType::int8, 1}},    {"u1", {ScalarType::uint8, 1}},
      {"i2", {ScalarType::int16, 1}},   {"u2", {ScalarType::uint16, 1}},  {"i4", {ScalarType::int32, 1}},
      {"u4", {ScalarType::uint32, 1}},  {"i8", {ScalarType::int64, 1}},   {"u8", {ScalarType::uint64, 1}},
      {"f2", {ScalarType::float16, 1}}, {"f4", {ScalarType::float32, 1}}, {"f8", {ScalarType::float64, 1}},
      {"c8", {ScalarType::float32, 2}}, {"c16", {ScalarType::float64, 2}}};
  if (text.size() < 3 || std::string_view("<|=").find(text[0]) == std::string_view::npos) return std::nullopt;
  const auto found = known.find(std::string_view(text).substr(1));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool is_npy(const std::filesystem::path& file) {
  return file.extension() == ".npy";
}

Fill::Heading read_npy_heading(std::string_view contents) {
  constexpr std::size_t kVersionAt = 6, kLengthAt = 8;
  if (!contents.starts_with(kMagic) || contents.size() < kLengthAt + 4)
    throw no_npy("it does not begin like one");
  const int version = static_cast<unsigned char>(contents[kVersionAt]);
  if (version < 1 || version > 3) throw no_npy(fmt::format("version {} of the format is not known", version));
  const std::size_t digits = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = digits; i > 0; --i)
    length = length << 8U | static_cast<unsigned char>(contents[kLengthAt + i - 1]);
  if (contents.size() - kLengthAt - digits < length) throw no_npy("it is cut off");
  const std::string_view dictionary = contents.substr(kLengthAt + digits, length);
  const std::string type_text = unquoted(value_of(dictionary, "descr"));
  const std::string_view shape = value_of(dictionary, "shape");
  const std::string_view in_columns = value_of(dictionary, "fortran_order");
  const bool has_several_axes = shape.find(',') + 2 < shape.size();  // "(4,)" has one
  if (in_columns == "True" && has_several_axes)
    throw NpyError("the array lies column by column (fortran_order)", "save numpy.ascontiguousarray(array)");
  if (type_text.starts_with('>'))
    throw NpyError(fmt::format("the array's type is '{}', whose bytes are the wrong way round", type_text),
                   fmt::format("save array.astype('<{}')", type_text.substr(1)));
  const auto type = type_of_text(type_text);
  if (!type)
    throw NpyError(fmt::format("the array's type is '{}', which no buffer has", type_text),
                   "save array.astype(...) with the type of the buffer");
  return {*type, count_of(shape), kLengthAt + digits + length};
}

std::string numpy_name(ScalarType type) {
  if (type == ScalarType::bfloat16) return "uint16";
  if (is_small_float(type) && size_bytes(type) == 1) return "uint8";
  return std::string(to_string(type));
}

}  // namespace tailwave
