#include "compile/project_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "compile/include_scan.h"
#include "compile/prelude.h"
#include "core/error.h"
#include "core/hash.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& file, int line, const std::string& cause, std::string_view excerpt,
                         const std::string& hint) {
  throw Error(
      Diagnostic{display_path(file), fmt::format("line {}", line), cause, std::string(excerpt), 0, hint});
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Throws Error for what cannot be followed.
std::vector<IncludeDirective> includes_of(const fs::path& file, const std::string& content) {
  std::vector<IncludeDirective> found = include_directives(content);
  for (const IncludeDirective& one : found) {
    if (one.word != "include")
      refuse(file, one.line, fmt::format("#{} is not followed", one.word), line_of(content, one.line),
             "say #include: what other directives read cannot be part of a build's content key");
    if (one.name.empty())
      refuse(file, one.line, "#include of something that is not a file name", line_of(content, one.line),
             "name the file: what a macro includes cannot be part of a build's content key");
  }
  return found;
}

// Where an include of `file` leads, if it is a file of the project. `source`: what is compiled.
std::optional<fs::path> resolve(const IncludeDirective& include, const fs::path& file, const fs::path& source,
                                const fs::path& folder, StatCache& stats) {
  std::vector<fs::path> places;
  if (include.quoted) places.push_back(file.parent_path());
  places.push_back(source.parent_path());
  places.push_back(folder);
  for (const fs::path& place : places) {
    stats.add(place / include.name);
    std::error_code error;  // of a name that no file can have
    const fs::path candidate = fs::weakly_canonical(place / include.name, error);
    if (error || !fs::is_regular_file(candidate, error)) continue;
    if (!is_inside(candidate, folder))
      refuse(file, include.line, fmt::format("'{}' is outside the system's folder", include.name), "",
             fmt::format("put what it needs into {}", display_path(folder)));
    return candidate;
  }
  return std::nullopt;
}

struct Sources {
  fs::path root, start;  // canonical
  // Of `start` and of the project's files that it includes, directly or not.
  std::map<fs::path, std::string> texts;
};

Sources read_with_headers(const fs::path& source, const fs::path& folder, StatCache& stats) {
  stats.add(source);
  stats.add(folder);
  Sources sources{fs::weakly_canonical(folder), fs::weakly_canonical(source), {}};
  std::vector<fs::path> pending{sources.start};
  while (!pending.empty()) {
    const fs::path file = pending.back();
    pending.pop_back();
    const auto [entry, is_new] = sources.texts.try_emplace(file);
    if (!is_new) continue;
    entry->second = read_file(file);
    for (const IncludeDirective& include : includes_of(file, entry->second))
      if (auto target = resolve(include, file, sources.start, sources.root, stats))
        pending.push_back(std::move(*target));
  }
  return sources;
}

std::string digest_of(const Sources& sources) {
  FieldHasher hasher;
  hasher.add(sources.texts.at(sources.start));
  for (const auto& [file, text] : sources.texts)
    if (file != sources.start) hasher.add(file.lexically_relative(sources.root).string()).add(text);
  return hasher.digest();
}

}  // namespace

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::vector<fs::path> project_headers(const fs::path& source, const fs::path& folder) {
  StatCache unused;
  const Sources sources = read_with_headers(source, folder, unused);
  std::vector<fs::path> headers;
  for (const auto& [file, text] : sources.texts)
    if (file != sources.start) headers.push_back(file);
  return headers;
}

std::string SourceDigests::of(const fs::path& source, const fs::path& folder) {
  const std::scoped_lock lock(mutex_);
  std::optional<Known>& known = known_[{source.string(), folder.string()}];
  if (known && known->stats.still_hold()) return known->digest;
  known.reset();
  Known fresh{StatCache(settled_after_), ""};
  fresh.digest = digest_of(read_with_headers(source, folder, fresh.stats));
  ++made_;
  if (fresh.stats.show_any_change()) known = fresh;
  return fresh.digest;
}

}  // namespace tailwave
