#include "core/error.h"

#include <algorithm>
#include <numeric>

namespace tailwave {
namespace {

std::string join(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment distance).
std::size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.file.empty()) text += diagnostic.file + ": ";
  if (!diagnostic.place.empty()) text += diagnostic.place + ": ";
  text += diagnostic.cause;
  if (!diagnostic.excerpt.empty()) text += "\n  " + diagnostic.excerpt;
  const bool caret = !diagnostic.excerpt.empty() && diagnostic.column >= 0;
  if (caret) text += "\n  " + std::string(static_cast<std::size_t>(diagnostic.column), ' ') + "^";
  if (!diagnostic.hint.empty()) text += (caret ? " " : "\n  ") + diagnostic.hint;
  return text;
}

Error::Error(const std::string& message, Status status) : std::runtime_error(message), status_(status) {}
Error::Error(const Diagnostic& diagnostic, Status status)
    : std::runtime_error(to_string(diagnostic)), status_(status) {}
Error::Error(const Diagnostics& diagnostics, Status status)
    : std::runtime_error(join(diagnostics)), status_(status) {}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tailwave
