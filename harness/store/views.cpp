#include "store/views.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "store/embedded.h"

namespace tailwave {
namespace {

std::string leading_comment(const std::string& text) {
  constexpr std::string_view kMark = "-- ";
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with(kMark);)
    comment += (comment.empty() ? "" : " ") + line.substr(kMark.size());
  return comment;
}

}  // namespace

std::string View::title() const {
  const std::string text = description.substr(0, std::min(description.find(". "), description.find(": ")));
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::vector<View> program_views() {
  std::vector<View> views;
  for (const auto& [path, text] : embedded::store::files()) {
    const std::filesystem::path file(path);
    if (file.parent_path().filename() != "views") continue;
    std::string statement(text.substr(text.find("CREATE VIEW")));
    statement.erase(statement.rfind(';'));
    views.push_back({file.stem().string(), leading_comment(std::string(text)), std::move(statement)});
  }
  return views;
}

}  // namespace tailwave
