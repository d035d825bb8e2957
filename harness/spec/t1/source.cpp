#include "spec/t1/source.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "core/text_behind.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string without_comments(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("//"), text.find("/*"));
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const bool line = text[begin + 1] == '/';
    const std::size_t end = text.find(line ? "\n" : "*/", begin + 2);
    if (end == std::string_view::npos) break;
    text.remove_prefix(line ? end : end + 2);
    result += line ? "" : " ";
  }
  return result;
}

std::vector<fs::path> included_by(std::string_view text, const fs::path& folder) {
  std::vector<fs::path> files;
  for (std::size_t hash = text.find('#'); hash != std::string_view::npos; hash = text.find('#', hash + 1)) {
    const auto directive = text_behind(text.substr(hash + 1), "include");
    const auto named = directive ? text_behind(*directive, "\"") : std::nullopt;
    if (!named) continue;
    const std::size_t end = named->find_first_of("\"\n");
    if (end != std::string_view::npos && end > 0 && (*named)[end] == '"')
      files.push_back(folder / named->substr(0, end));
  }
  return files;
}

// The first place of the word from `from` on; npos: none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

// Elsewhere there may be anything, even what never ends.
bool is_file_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error || !fs::is_regular_file(real, error)) return false;
  return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
}

}  // namespace

T1Source::T1Source(const fs::path& file, const fs::path& folder) {
  std::vector<fs::path> pending{file};
  std::set<fs::path> seen;
  while (!pending.empty()) {
    const fs::path next = pending.back();
    pending.pop_back();
    std::ostringstream text;
    if (!is_file_below(next, folder)) continue;
    std::ifstream stream(next);
    if (!stream || !seen.insert(next.lexically_normal()).second) continue;
    text << stream.rdbuf();
    const std::string plain = without_comments(text.str());
    text_ += plain + "\n";
    for (fs::path& included : included_by(plain, next.parent_path())) pending.push_back(std::move(included));
  }
}

bool T1Source::has(std::string_view word) const {
  return find_word(text_, word) != std::string_view::npos;
}

std::optional<std::size_t> T1Source::parameters_of(std::string_view kernel) const {
  std::size_t at = find_word(text_, function_of(kernel));
  const auto is_definition = [&] {
    const std::size_t global = text_.rfind("__global__", at);
    return global != std::string::npos && text_.find_first_of(";{}", global) > at;
  };
  while (at != std::string_view::npos && !is_definition()) at = find_word(text_, function_of(kernel), at + 1);
  const std::size_t open = at == std::string_view::npos ? at : text_.find('(', at);
  if (open == std::string::npos) return std::nullopt;
  std::size_t count = 1;
  int depth = 0;
  for (std::size_t i = open; i < text_.size(); ++i) {
    const char c = text_[i];
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 1) ++count;
    if (depth > 0) continue;
    const std::string_view inside = std::string_view(text_).substr(open + 1, i - open - 1);
    return inside.find_first_not_of(" \t\r\n") == std::string_view::npos ? 0 : count;
  }
  return std::nullopt;
}

std::string_view function_of(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colons = kernel.rfind("::");
  return colons == std::string_view::npos ? kernel : kernel.substr(colons + 2);
}

}  // namespace tailwave
