#include "core/suggestion.h"

#include "core/error.h"

namespace tailwave {

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (candidates.empty() || candidates.size() > 6) return "";
  return (candidates.size() == 1 ? "there is " : "one of ") + quoted_list(candidates);
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "'" : ", '") + word + "'";
  return list;
}

}  // namespace tailwave
