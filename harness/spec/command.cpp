#include "spec/command.h"

namespace tailwave {

CommandWord CommandWord::with(const Values& scope) const {
  CommandWord word{written, {}};
  for (const Part& part : parts) {
    const auto* const expression = std::get_if<Expression>(&part);
    if (expression == nullptr)
      word.parts.push_back(part);
    else
      word.parts.emplace_back(to_string(expression->evaluate(scope)));
  }
  return word;
}

std::string CommandWord::text(const std::filesystem::path& source,
                              const std::filesystem::path& program) const {
  std::string text;
  for (const Part& part : parts) {
    if (const auto* const own = std::get_if<std::string>(&part)) text += *own;
    if (const auto* const place = std::get_if<Place>(&part))
      text += (*place == Place::source ? source : program).string();
  }
  return text;
}

std::string file_of_buffer(const std::string& buffer) {
  return buffer + ".bin";
}

}  // namespace tailwave
