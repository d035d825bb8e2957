#include <gtest/gtest.h>

#include <algorithm>

#include "docs/markdown.h"

namespace tailwave::docs {
namespace {

namespace fs = std::filesystem;

TEST(Links, OfAllPagesLeadToFilesAndHeadings) {
  std::size_t links = 0;
  for (const fs::path& page : project_pages()) {
    for (const std::string& target : link_targets(read_text(page))) {
      if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
      ++links;
      const auto hash = target.find('#');
      const std::string path = target.substr(0, hash);
      const fs::path file = path.empty() ? page : page.parent_path() / path;
      EXPECT_TRUE(fs::exists(file)) << page << ": no " << target;
      if (hash == std::string::npos || file.extension() != ".md") continue;
      const std::vector<std::string> headings = anchors(read_text(file));
      EXPECT_NE(std::find(headings.begin(), headings.end(), target.substr(hash + 1)), headings.end())
          << page << ": no heading for " << target;
    }
  }
  EXPECT_GT(links, 50U);
}

TEST(Links, ReachEveryPageOfDocsFromTheReadme) {
  const std::string readme = read_text(TAILWAVE_SOURCE_DIR "/README.md");
  for (const auto& entry : fs::directory_iterator(TAILWAVE_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    EXPECT_NE(readme.find("(docs/" + entry.path().filename().string()), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace tailwave::docs
