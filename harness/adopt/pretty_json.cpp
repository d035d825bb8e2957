#include "adopt/pretty_json.h"

namespace tailwave {
namespace {

constexpr std::size_t kWidth = 110;

}  // namespace

std::string pretty_json(const nlohmann::ordered_json& json, std::size_t indent) {
  std::string line = json.dump();
  if (!json.is_structured() || json.empty()) return line;
  std::string spaced;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    spaced += line[i];
    if (!quoted && (line[i] == ':' || line[i] == ',')) spaced += ' ';
  }
  constexpr std::size_t kKey = 24;  // that may stand before it
  if (spaced.size() + indent + kKey <= kWidth && indent > 0) return spaced;
  const std::string inner(indent + 2, ' ');
  std::string text = json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& item : json.items()) {
    text += (first ? "\n" : ",\n") + inner;
    if (json.is_object()) text += nlohmann::ordered_json(item.key()).dump() + ": ";
    text += pretty_json(item.value(), indent + 2);
    first = false;
  }
  return text + "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

}  // namespace tailwave
