#include "spec/paths.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "core/suggestion.h"
#include "spec/experiment.h"
#include "spec/t1/side_file.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

// Published figures lie beside the specs in folders of this name and are no specs.
constexpr std::string_view kPublishedFolder = "published";

bool is_regular(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error);
}

constexpr std::string_view kManifest = "system.json";

// Where the files of one kind are below a folder, which may be a project's.
fs::path part_of_project(const fs::path& folder, const char* part) {
  std::error_code error;
  return fs::is_directory(folder / "kernel_templates", error) && fs::is_directory(folder / part, error)
             ? folder / part
             : folder;
}

// The *.json below but what stands beside T1 files, of which `manifests` says whether manifests or all others are wanted.
std::vector<fs::path> json_below(const fs::path& directory, bool manifests) {
  std::vector<fs::path> files;
  try {
    for (fs::recursive_directory_iterator entry(directory), end; entry != end; ++entry) {
      if (entry->is_directory() && entry->path().filename() == kPublishedFolder) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file() && entry->path().extension() == ".json" &&
                 (entry->path().filename() == kManifest) == manifests && !is_side_file(entry->path())) {
        files.push_back(entry->path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(
        Diagnostic{directory.string(), "", "cannot read the folder: " + error.code().message(), "", -1, ""});
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The way to the nearest folder above this one that has the path; empty where none has.
fs::path way_up_to(const fs::path& path) {
  std::error_code error;
  fs::path up = "..";
  for (fs::path folder = fs::current_path(error); folder.has_relative_path(); up /= "..") {
    folder = folder.parent_path();
    if (fs::exists(folder / path, error)) return up;
  }
  return {};
}

// Experiments that are meant by their names alone: "variants", "nbody/variants".
std::vector<std::string> specs_called(fs::path name) {
  std::vector<std::string> called;
  std::error_code error;
  if (name.extension() == ".json") name.replace_extension();
  const std::string end = "/" + name.string() + ".json";
  for (const fs::path& spec :
       fs::is_directory("experiments", error) ? find_specs(".") : std::vector<fs::path>{})
    if (spec.string().ends_with(end)) called.push_back(shown_path(spec));
  return called;
}

std::string hint_for_missing(const fs::path& path) {
  if (const fs::path up = way_up_to(path); !up.empty())
    return "'" + (up / path).string() +
           "' is there: start tailwave in that folder, where its results are, too (cd " + up.string() + ")";
  if (const std::vector<std::string> called = specs_called(path); !called.empty() && called.size() <= 6)
    return called.size() == 1 ? "did you mean '" + called.front() + "'?" : "one of " + quoted_list(called);
  const fs::path near = near_path(path);
  return near.empty() ? "'tailwave list experiments' names those that there are"
                      : "did you mean '" + near.string() + "'?";
}

std::vector<fs::path> specs_below(const fs::path& directory) {
  std::vector<fs::path> specs = find_specs(directory);
  if (specs.empty()) {
    throw Error(Diagnostic{directory.string(), "", "no experiment (*.json) in this folder", "", -1,
                           "'tailwave new NAME' writes one to start from"});
  }
  return specs;
}

// Whether a path is relative and leads nowhere else by its words.
bool stays_below(const fs::path& directory, const Json& place, Reporter& reporter) {
  const std::string& text = *place.as_text();
  const fs::path relative(text);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (relative.is_absolute())
    reporter.report(place.pointer(), "the path '" + text + "' is absolute",
                    "give it relative to " + shown_path(directory));
  else if (leaves)
    reporter.report(place.pointer(), "the path '" + text + "' leaves " + shown_path(directory));
  return !relative.is_absolute() && !leaves;
}

void report_missing(const fs::path& directory, const Json& place, Reporter& reporter) {
  const fs::path relative(*place.as_text());
  const fs::path file = directory / relative;
  const auto alike = [&](const fs::directory_entry& entry) {
    return is_regular(entry) && entry.path().extension() == file.extension();
  };
  const std::string near = nearest(relative.filename().string(), names_in(file.parent_path(), alike));
  reporter.report(place.pointer(), "no file '" + *place.as_text() + "' in " + shown_path(directory),
                  near.empty() ? "" : "did you mean '" + (relative.parent_path() / near).string() + "'?");
}

// Of what is there.
std::optional<fs::path> without_leaving(const fs::path& directory, const Json& place, Reporter& reporter) {
  const fs::path relative(*place.as_text());
  const fs::path real = fs::canonical(directory / relative);
  const fs::path real_directory = fs::canonical(directory);
  const auto [part, rest] =
      std::mismatch(real_directory.begin(), real_directory.end(), real.begin(), real.end());
  if (part != real_directory.end()) {
    reporter.report(place.pointer(), "the path '" + *place.as_text() + "' leaves " + shown_path(directory) +
                                         " through a symbolic link");
    return std::nullopt;
  }
  return real_directory / relative.lexically_normal();
}

}  // namespace

std::optional<fs::path> file_inside(const fs::path& directory, const Json& place, Reporter& reporter) {
  if (place.as_text() == nullptr || !stays_below(directory, place, reporter)) return std::nullopt;
  std::error_code error;
  if (fs::is_regular_file(directory / *place.as_text(), error))
    return without_leaving(directory, place, reporter);
  report_missing(directory, place, reporter);
  return std::nullopt;
}

std::optional<fs::path> entry_inside(const fs::path& directory, const Json& place, Reporter& reporter) {
  std::error_code error;
  const bool is_folder = place.as_text() != nullptr && fs::is_directory(directory / *place.as_text(), error);
  if (!is_folder) return file_inside(directory, place, reporter);
  if (!stays_below(directory, place, reporter)) return std::nullopt;
  return without_leaving(directory, place, reporter);
}

std::string shown_path(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(fs::current_path(error));
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : path.lexically_normal().string();
}

std::vector<std::string> names_in(const fs::path& directory,
                                  const std::function<bool(const fs::directory_entry&)>& accept) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (accept(entry)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path near_path(const fs::path& path) {
  std::error_code error;
  fs::path found;
  for (const fs::path& part : path) {
    if (fs::exists(found / part, error)) {
      found /= part;
      continue;
    }
    const std::string near =
        nearest(part.string(), names_in(found.empty() ? "." : found, [](const auto&) { return true; }));
    if (near.empty()) return {};
    found /= near;
  }
  return found;
}

fs::path find_project_root(const fs::path& start) {
  std::error_code error;
  fs::path folder = fs::absolute(start).lexically_normal();
  while (true) {
    if (fs::is_directory(folder / "kernel_templates", error)) return folder;
    if (!folder.has_relative_path()) break;
    folder = folder.parent_path();
  }
  throw Error(Diagnostic{start.string(), "", "no folder above holds kernel_templates/", "", -1,
                         "specs belong into experiments/SYSTEM/ beside kernel_templates/"});
}

fs::path folder_of_record(const Experiment& experiment) {
  fs::path folder = fs::absolute(experiment.file).parent_path();
  try {
    return find_project_root(folder);
  } catch (const Error&) {
    return folder;
  }
}

std::vector<fs::path> find_specs(const fs::path& folder) {
  return json_below(part_of_project(folder, "experiments"), false);
}

std::vector<fs::path> find_manifests(const fs::path& folder) {
  return json_below(part_of_project(folder, "kernel_templates"), true);
}

std::vector<fs::path> expand_specs(const std::vector<fs::path>& paths) {
  std::vector<fs::path> specs;
  std::set<fs::path> seen;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      throw Error(Diagnostic{
          .file = path.string(), .cause = "no such file or folder", .hint = hint_for_missing(path)});
    }
    const std::vector<fs::path> found =
        fs::is_directory(path, error) ? specs_below(path) : std::vector<fs::path>{path};
    for (const fs::path& spec : found) {
      if (seen.insert(fs::weakly_canonical(spec)).second) specs.push_back(spec);
    }
  }
  return specs;
}

}  // namespace tailwave
