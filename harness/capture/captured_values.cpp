#include "capture/captured_values.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/hex_digits.h"

namespace tailwave {

using OrderedJson = nlohmann::ordered_json;

namespace {

// A name of C has no types: what is likely is meant, and the bytes are the same whatever they mean.
ScalarType likely_type(const std::string& bytes) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 30, kSmallFloats = std::int64_t{1} << 27;
  if (bytes.size() == sizeof(std::int64_t)) return ScalarType::int64;
  const std::int64_t whole = value_of_bytes<std::int32_t>(bytes);
  return whole > kLarge / 2 || whole < -kSmallFloats ? ScalarType::float32 : ScalarType::int32;
}

}  // namespace

OrderedJson bytes_json(std::string_view bytes) {
  return {{"bytes", hex_digits(bytes)}};
}

OrderedJson value_json(OrderedJson value, ScalarType type) {
  return {{"value", std::move(value)}, {"type", std::string(to_string(type))}};
}

std::optional<OrderedJson> exact_json(const std::string& bytes, ScalarType type) {
  switch (type) {
    case ScalarType::int8:
      return value_of_bytes<std::int8_t>(bytes);
    case ScalarType::uint8:
      return value_of_bytes<std::uint8_t>(bytes);
    case ScalarType::int16:
      return value_of_bytes<std::int16_t>(bytes);
    case ScalarType::uint16:
      return value_of_bytes<std::uint16_t>(bytes);
    case ScalarType::int32:
      return value_of_bytes<std::int32_t>(bytes);
    case ScalarType::uint32:
      return value_of_bytes<std::uint32_t>(bytes);
    case ScalarType::int64:  // the least has no literal of its own
      if (value_of_bytes<std::int64_t>(bytes) == std::numeric_limits<std::int64_t>::min())
        return std::nullopt;
      return value_of_bytes<std::int64_t>(bytes);
    case ScalarType::float32:
      if (value_of_bytes<float>(bytes) == 0 && std::signbit(value_of_bytes<float>(bytes)))
        return std::nullopt;
      if (std::isfinite(value_of_bytes<float>(bytes)))
        return static_cast<double>(value_of_bytes<float>(bytes));
      return std::nullopt;
    case ScalarType::float64:
      if (value_of_bytes<double>(bytes) == 0 && std::signbit(value_of_bytes<double>(bytes)))
        return std::nullopt;
      if (std::isfinite(value_of_bytes<double>(bytes))) return value_of_bytes<double>(bytes);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// A pointer that is null has no other type.
std::optional<ScalarType> type_of_scalar(const std::vector<const CapturedArgument*>& sizes,
                                         const SignatureType* said) {
  const std::string& bytes = sizes.front()->bytes;
  if (said != nullptr && said->pointer && bytes.size() == kPointerBytes) return ScalarType::uint64;
  if (said != nullptr && !said->pointer && said->type && said->type->lanes == 1) {
    const ScalarType type = said->type->scalar;
    return size_bytes(type) == bytes.size() ? std::optional(type) : std::nullopt;
  }
  if (said != nullptr || (bytes.size() != 4 && bytes.size() != kPointerBytes)) return std::nullopt;
  const ScalarType likely = likely_type(bytes);
  const bool all =
      std::ranges::all_of(sizes, [&](const auto* one) { return likely_type(one->bytes) == likely; });
  return all ? std::optional(likely) : std::nullopt;
}

}  // namespace tailwave
