#include "docs/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace tailwave::docs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTicks = "```";

std::string without_fences(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kTicks)) {
      inside = !inside;
    } else if (!inside) {
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace

std::vector<Fence> fences(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::vector<Fence> found;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(kTicks)) {
      inside = !inside;
      if (inside) found.push_back({line.substr(kTicks.size()), "", number});
    } else if (inside) {
      found.back().text += line + "\n";
    }
  }
  return found;
}

std::vector<std::string> link_targets(const std::string& markdown) {
  const std::string text = std::regex_replace(without_fences(markdown), std::regex("`[^`]*`"), "");
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> targets;
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at)
    targets.push_back((*at)[1]);
  return targets;
}

std::vector<std::string> anchors(const std::string& markdown) {
  std::istringstream lines(without_fences(markdown));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    std::string anchor;
    for (const char character : line.substr(level + 1)) {
      const auto byte = static_cast<unsigned char>(character);
      if (std::isalnum(byte) != 0 || character == '_' || character == '-')
        anchor += static_cast<char>(std::tolower(byte));
      if (character == ' ') anchor += '-';
    }
    found.push_back(anchor);
  }
  return found;
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<fs::path> project_pages() {
  static const std::set<std::string> kParts{"docs",    "analysis",         "experiments",
                                            "harness", "kernel_templates", "tests"};
  const fs::path root(TAILWAVE_SOURCE_DIR);
  std::vector<fs::path> pages{root / "README.md", root / "results/README.md"};
  for (const std::string& part : kParts)
    for (const auto& entry : fs::recursive_directory_iterator(root / part))
      // What tests compare with has links of where it is written to; a starter's are of where it is put.
      if (entry.path().extension() == ".md" && entry.path().string().find("/data/") == std::string::npos &&
          entry.path().string().find("/starter/") == std::string::npos)
        pages.push_back(entry.path());
  std::sort(pages.begin(), pages.end());
  return pages;
}

void expect_page(const std::string& page, const std::string& generated) {
  const fs::path file = fs::path(TAILWAVE_SOURCE_DIR) / page;
  if (std::getenv("TAILWAVE_UPDATE_DOCS") != nullptr) std::ofstream(file) << generated;
  EXPECT_EQ(read_text(file), generated) << page << " is not what its sources make: run `make docs`";
}

}  // namespace tailwave::docs
