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
  std::vector<std::string> texts;
  while (!pending.empty()) {
    const fs::path next = pending.back();
    pending.pop_back();
    std::ostringstream text;
    if (!is_file_below(next, folder)) continue;
    std::ifstream stream(next);
    if (!stream || !seen.insert(next.lexically_normal()).second) continue;
    text << stream.rdbuf();
    texts.push_back(text.str());
    for (fs::path& included : included_by(texts.back(), next.parent_path()))
      pending.push_back(std::move(included));
  }
  outline_ = outline_of(texts);
}

bool T1Source::has(std::string_view word) const {
  return outline_.pastes || outline_.words.contains(std::string(word));
}

const std::vector<OutlineParameter>* T1Source::parameters_of(std::string_view name, bool is_kernel) const {
  const OutlineFunction* found = nullptr;
  for (const OutlineFunction& function : outline_.functions) {
    if (function.kernel != is_kernel || function.name != function_of(name)) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found == nullptr || !found->parameters ? nullptr : &*found->parameters;
}

std::vector<std::string> T1Source::kernels() const {
  std::vector<std::string> names;
  for (const OutlineFunction& function : outline_.functions)
    if (function.kernel) names.push_back(function.name);
  return names;
}

std::string_view function_of(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colons = kernel.rfind("::");
  return colons == std::string_view::npos ? kernel : kernel.substr(colons + 2);
}

}  // namespace tailwave
