#include "spec/view_reader.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "spec/argument_reader.h"
#include "spec/view_limits.h"

namespace tailwave {
namespace {

constexpr std::array<std::string_view, 9> kOfATexture{"width",  "height",  "depth",      "channels", "layout",
                                                      "filter", "address", "normalized", "read"};
constexpr std::array<std::string_view, 7> kOfATensorMap{"dims",       "box",          "strides", "swizzle",
                                                        "interleave", "l2_promotion", "oob"};
constexpr std::array<std::string_view, 5> kOfOthers{"value", "type", "struct", "buffers", "index"};

void refuse_without(const Json& place, std::span<const std::string_view> keys, const std::string& without,
                    Reporter& reporter) {
  for (const std::string_view key : keys)
    if (place.find(key))
      reporter.report(place.find(key).pointer(),
                      "'" + std::string(key) + "' has no meaning without '" + without + "'");
}

// Of a buffer by name, with what it holds with the defaults.
class ViewReader {
 public:
  ViewReader(const Json& place, const ArgumentScope& scope)
      : place_(place), scope_(scope), before_(scope.reporter.diagnostics().size()) {}

  std::optional<Argument> read_texture() {
    TextureArgument texture;
    if (!read_buffer("texture", texture.buffer)) return std::nullopt;
    require_key(place_, "width", scope_.reporter);
    for (const char* key : {"width", "height", "depth"}) {
      const Json size = place_.find(key);
      if (!size) break;
      if (const auto expression = read(size)) texture.size.push_back(*expression);
    }
    if (place_.find("depth") && !place_.find("height")) require_key(place_, "height", scope_.reporter);
    if (place_.find("normalized").as_flag().value_or(false)) texture.look.normalized = true;
    read_word("filter", texture.look.filter);
    read_word("address", texture.look.address);
    read_word("read", texture.look.read);
    if (const auto channels = place_.find("channels").as_value())
      if (const auto* number = std::get_if<std::int64_t>(&*channels))
        texture.look.channels = static_cast<int>(std::clamp<std::int64_t>(*number, -1, 1 << 20));
    const TextureLook plain{.channels = texture.look.channels};
    if (texture.size.size() == 1 && texture.look == plain) texture.look.layout = TextureLayout::linear;
    read_word("layout", texture.look.layout);
    return finish(texture, [&](const BufferSpec& buffer, std::int64_t scalars) {
      return texture_obstacle(texture.look, evaluate_size(texture, scope_.defaults), buffer.type, scalars);
    });
  }

  std::optional<Argument> read_tensor_map() {
    TensorMapArgument map;
    if (!read_buffer("tensor_map", map.buffer)) return std::nullopt;
    for (const char* key : {"dims", "box"}) require_key(place_, key, scope_.reporter);
    for (const auto& [key, list] :
         {std::pair{"dims", &map.dims}, {"box", &map.box}, {"strides", &map.strides}})
      for (const Json& item : place_.find(key).items())
        if (const auto expression = read(item)) list->push_back(*expression);
    for (const auto& [key, one] : {std::pair{"swizzle", &map.swizzle},
                                   {"interleave", &map.interleave},
                                   {"l2_promotion", &map.l2_promotion}})
      if (const auto expression = read(place_.find(key))) *one = *expression;
    if (const std::string* outside = place_.find("oob").as_text()) map.nan_out_of_bounds = *outside == "nan";
    return finish(map, [&](const BufferSpec& buffer, std::int64_t scalars) {
      return tensor_map_obstacle(evaluate_tensor_map(map, scope_.defaults), buffer.type, scalars);
    });
  }

 private:
  bool read_buffer(const char* key, std::string& buffer) {
    const Json name = place_.find(key);
    if (name.as_text() == nullptr || !require_buffer(name, scope_.system, scope_.reporter)) return false;
    buffer = *name.as_text();
    return true;
  }

  std::optional<Expression> read(const Json& place) {
    return read_expression(place, scope_.known, scope_.reporter);
  }

  template <class Word>
  void read_word(const char* key, Word& word) {
    if (const std::string* text = place_.find(key).as_text()) word = find_enum<Word>(*text).value_or(word);
  }

  // With the defaults; what has no value there is reported.
  template <class View, class Obstacle>
  std::optional<Argument> finish(const View& view, Obstacle obstacle) {
    if (scope_.reporter.diagnostics().size() != before_) return std::nullopt;
    if (!scope_.taken) return view;
    const BufferSpec& buffer = scope_.system.buffers.at(view.buffer);
    try {
      const std::string why_not = obstacle(buffer, buffer.count.evaluate_int(scope_.defaults));
      if (why_not.empty()) return view;
      scope_.reporter.report(place_.pointer(), why_not + ", with the defaults");
    } catch (const ExpressionError& error) {
      scope_.reporter.report(place_.pointer(), error);
    }
    return std::nullopt;
  }

  const Json& place_;
  const ArgumentScope& scope_;
  std::size_t before_;
};

}  // namespace

bool is_view(const Json& place, Reporter& reporter) {
  const bool texture = static_cast<bool>(place.find("texture")),
             map = static_cast<bool>(place.find("tensor_map"));
  if (!texture) refuse_without(place, kOfATexture, "texture", reporter);
  if (!map) refuse_without(place, kOfATensorMap, "tensor_map", reporter);
  return texture || map;
}

std::optional<Argument> read_view(const Json& place, const ArgumentScope& scope) {
  const bool texture = static_cast<bool>(place.find("texture"));
  constexpr std::array<std::string_view, 1> kOther{"tensor_map"};
  refuse_beside(place, kOfOthers, texture ? "texture" : "tensor_map", scope.reporter);
  if (texture) refuse_beside(place, kOther, "texture", scope.reporter);
  ViewReader reader(place, scope);
  return texture ? reader.read_texture() : reader.read_tensor_map();
}

}  // namespace tailwave
