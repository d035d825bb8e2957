#include "compile/source_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "compile/include_scan.h"
#include "compile/nvrtc_log.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored);
}

}  // namespace

SourceParts::SourceParts(const std::string& text, std::string name, const fs::path& source,
                         const fs::path& folder, const std::vector<std::string>& kernels)
    : name_(std::move(name)) {
  parts_.push_back({.file = real_path(source), .text = text, .names = {}});
  for (const fs::path& header : project_headers(source, folder))
    parts_.push_back({.file = real_path(header), .text = read_file(header), .names = {}});
  for (Part& part : parts_) {
    part.host = HostCode(part.text, kernels);
    for (const Part& other : parts_)
      for (const IncludeDirective& each : include_directives(other.text))
        for (const fs::path& place :
             {other.file.parent_path(), parts_.front().file.parent_path(), real_path(folder)})
          if (fs::path(each.name).filename() == part.file.filename() &&
              real_path(place / each.name) == part.file)
            part.names.insert(each.name);
  }
}

SourceParts::Part* SourceParts::part_of(std::string_view file) {
  if (file == name_) return &parts_.front();
  const fs::path wanted = real_path(file);
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& each) { return each.file == wanted; });
  return found == parts_.end() ? nullptr : &*found;
}

bool SourceParts::leave_out(const std::string& log) {
  // ::sqrt and cuda::std::sqrt: whoever calls one of them is not to blame.
  const bool ambiguous = log.find("more than one instance of overloaded function") != std::string::npos;
  if (ambiguous && !no_using_std_) return no_using_std_ = true;
  bool is_more = false;
  for (const NvrtcError& error : errors_in(log)) {
    Part* part = part_of(error.file);
    if (part == nullptr) continue;
    for (const HostCode::Declaration& one : part->host.declarations())
      if (one.first_line <= error.line && error.line <= one.last_line)
        is_more = part->left_out.insert(&one).second || is_more;
  }
  return is_more;
}

std::string SourceParts::without(const Part& part) const {
  return part.host.without(part.left_out, no_using_std_);
}

std::map<std::string, std::string> SourceParts::headers() const {
  std::map<std::string, std::string> all;
  for (auto part = std::next(parts_.begin()); part != parts_.end(); ++part) {
    if (part->left_out.empty() && !no_using_std_) continue;
    const std::string text = fmt::format("#line 1 \"{}\"\n{}", display_path(part->file), without(*part));
    for (const std::string& name : part->names) all.emplace(name, text);
  }
  return all;
}

std::string SourceParts::note() const {
  std::vector<std::string> names;
  for (const Part& part : parts_)
    for (const HostCode::Declaration* one : part.left_out)
      names.push_back(&part == &parts_.front()
                          ? one->name
                          : fmt::format("{} of {}", one->name, part.file.filename().string()));
  if (no_using_std_) names.emplace_back("using namespace std");
  return names.empty()
             ? ""
             : fmt::format("(left out, since it does not compile for a GPU: {})", fmt::join(names, ", "));
}

bool SourceParts::is_missed(const std::string& log) const {
  for (const Part& part : parts_)
    for (const HostCode::Declaration* one : part.left_out) {
      const std::string text = part.text.substr(one->begin, one->end - one->begin);
      const bool is_header = &part != &parts_.front();
      for (const NvrtcError& error : errors_in(log)) {
        const std::string name(between(error.message, "identifier \"", "\" is undefined"));
        if (!name.empty() && (one->name == name || (is_header && text.find(name) != std::string::npos)))
          return true;
      }
    }
  return false;
}

}  // namespace tailwave
