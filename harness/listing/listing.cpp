#include "listing/listing.h"

#include <cctype>

namespace tailwave {
namespace {

bool is_in_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' || character == '.' ||
         character == '$' || character == '%';
}

}  // namespace

InstructionCounts count_instructions(const KernelListing& listing) {
  InstructionCounts counts;
  for (const CodeLine& line : listing.lines)
    if (line.kind) ++counts[*line.kind];
  return counts;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end + 1) {
    for (end = begin; end < line.size() && is_in_word(line[end]);) ++end;
    if (end > begin) words.push_back(line.substr(begin, end - begin));
  }
  return words;
}

std::string renamed(std::string_view line, const std::map<std::string, std::string, std::less<>>& names) {
  std::string text;
  const char* written = line.data();
  for (const std::string_view word : words_of(line)) {
    const auto found = names.find(word);
    if (found == names.end()) continue;
    text.append(written, word.data());
    text += found->second;
    written = word.data() + word.size();
  }
  return text.append(written, line.data() + line.size());
}

}  // namespace tailwave
