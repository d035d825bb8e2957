#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailwave::docs {

// A fenced block: what stands behind the opening ```, the lines inside, and the line number of the opening.
struct Fence {
  std::string info;
  std::string text;
  int line = 0;
};
std::vector<Fence> fences(const std::string& markdown);

// The targets of [text](target), but not those in fenced blocks and code spans.
std::vector<std::string> link_targets(const std::string& markdown);

// The anchors of its headings as code hosts make them: "What is dropped" is "what-is-dropped".
std::vector<std::string> anchors(const std::string& markdown);

std::string read_text(const std::filesystem::path& file);

// The Markdown files that belong to the project, in no folder that was built or fetched.
std::vector<std::filesystem::path> project_pages();

// Compares a page with what it has to be; with TAILWAVE_UPDATE_DOCS set (make docs) it is written instead.
void expect_page(const std::string& page, const std::string& generated);

}  // namespace tailwave::docs
