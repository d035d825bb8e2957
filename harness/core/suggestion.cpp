#include "core/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"

namespace tailwave {

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (candidates.empty() || candidates.size() > 6) return "";
  return (candidates.size() == 1 ? "there is " : "one of ") + quoted_list(candidates);
}

std::string suggestion_of_many(const std::string& word, const std::vector<std::string>& candidates,
                               const std::string& where) {
  constexpr std::size_t kMostNamed = 12;
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  if (candidates.empty()) return where;
  const std::size_t named = std::min(candidates.size(), kMostNamed);
  const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(named);
  std::string text = fmt::format("there are: {}", fmt::join(candidates.begin(), last, ", "));
  if (named < candidates.size()) text += fmt::format(", and {} more: {}", candidates.size() - named, where);
  return text;
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "'" : ", '") + word + "'";
  return list;
}

}  // namespace tailwave
