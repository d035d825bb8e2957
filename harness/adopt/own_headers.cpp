#include "adopt/own_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "compile/include_scan.h"
#include "compile/prelude.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& source) {
  return fs::absolute(source).lexically_normal().parent_path();
}

// Of a header that a file in `beside` includes; empty: it is none of the project at `root`.
fs::path find_header(const std::string& name, const fs::path& beside, const fs::path& root) {
  std::error_code error;
  for (const fs::path& folder : {beside, root, root / "include", root / ".." / "include"}) {
    fs::path file = (folder / name).lexically_normal();
    if (!name.empty() && fs::is_regular_file(file, error)) return file;
  }
  return {};
}

class HeaderCopier {
 public:
  HeaderCopier(const fs::path& source, const std::string& system, Adopted& adopted)
      : root_(folder_of(source)), folder_(fs::path("kernel_templates") / system), adopted_(adopted) {}

  void copy() {
    // Files that are added are looked at in their turn.
    for (std::size_t i = 0; i < adopted_.files.size(); ++i) {
      const fs::path extension = adopted_.files[i].path.extension();
      const auto origin = origins_.find(adopted_.files[i].path);
      if (extension != ".json" && extension != ".cpp")
        read(i, origin == origins_.end() ? root_ : origin->second.parent_path());
    }
  }

 private:
  void read(std::size_t file, const fs::path& beside) {
    for (const IncludeDirective& include : include_directives(adopted_.files[file].text)) {
      const bool of_samples = fs::path(include.name).filename().string().starts_with("helper_");
      const fs::path found = find_header(include.name, beside, root_);
      if ((!include.quoted && !of_samples && found.empty()) || include.name.empty()) continue;
      if (found.empty() && of_samples) {
        leave_out(adopted_.files[file].text, include.name);
        remark(fmt::format("\"{}\" is not beside the source: the line that includes it is left out",
                           include.name));
      }
      if (found.empty() && !of_samples) missing(include.name);
      if (!found.empty()) copy(file, include, found);
    }
  }

  void copy(std::size_t file, const IncludeDirective& include, const fs::path& found) {
    const fs::path inside = found.lexically_relative(root_);
    const bool leaves = inside.empty() || *inside.begin() == "..";
    const fs::path as_included = adopted_.files[file].path.parent_path() / include.name;
    const bool is_found = folder_ / inside == as_included.lexically_normal() || inside == include.name;
    const bool stays = include.quoted && !leaves && is_found;
    const fs::path target = folder_ / (stays ? inside : found.filename());
    if (!stays) rename(adopted_.files[file].text, include.name, found.filename().string());
    if (origins_.emplace(target, found).second)
      adopted_.files.insert(adopted_.files.end() - 1, {target, read_file(found)});
  }

  static void rename(std::string& text, const std::string& from, const std::string& to) {
    for (const std::string& old : {'"' + from + '"', '<' + from + '>'})
      for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += to.size())
        text.replace(at, old.size(), '"' + to + '"');
  }

  void missing(const std::string& name) {
    const bool of_toolkit = name.starts_with("cuda") || name.starts_with("cub/") ||
                            name.starts_with("curand") ||
                            (name.find('/') == std::string::npos && name.find('.') == std::string::npos);
    if (!of_toolkit) remark(fmt::format("\"{}\" is not beside the source", name));
  }

  void remark(const std::string& what) {
    const bool known = std::any_of(adopted_.guesses.begin(), adopted_.guesses.end(),
                                   [&](const Adopted::Remark& each) { return each.what == what; });
    if (!known) adopted_.guesses.push_back({what, "put it into " + folder_.string()});
  }

  // NVIDIA's samples have helpers of their host code in a folder of their own.
  static void leave_out(std::string& text, const std::string& name) {
    for (const std::string& whole : {'"' + name + '"', '<' + name + '>'}) {
      const std::size_t at = text.find(whole);
      const std::size_t line = at == std::string::npos ? at : text.rfind('#', at);
      if (line != std::string::npos) text.insert(line, "// ");
    }
  }

  fs::path root_, folder_;
  Adopted& adopted_;
  std::map<fs::path, fs::path> origins_;  // of copies
};

}  // namespace

std::string texts_of_own_headers(const fs::path& source) {
  std::vector<fs::path> files{fs::absolute(source).lexically_normal()};
  std::string texts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string text = read_file(files[i]);
    if (i > 0) texts += text + "\n";
    const fs::path beside = files[i].parent_path();
    for (const IncludeDirective& include : include_directives(text)) {
      fs::path found = find_header(include.name, beside, folder_of(source));
      const bool known = std::find(files.begin(), files.end(), found) != files.end();
      if (!found.empty() && !known) files.push_back(std::move(found));
    }
  }
  return texts;
}

void add_own_headers(const fs::path& source, const std::string& system, Adopted& adopted) {
  HeaderCopier(source, system, adopted).copy();
}

}  // namespace tailwave
