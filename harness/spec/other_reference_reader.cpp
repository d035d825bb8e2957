#include "spec/other_reference_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/hash.h"
#include "spec/fill_reader.h"
#include "spec/names.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 4> kKinds{"variant", "python", "stored", "none"};

// The keys that have no meaning beside a kind.
std::vector<std::string_view> others_of(std::string_view kind) {
  if (kind == "variant") return {"python", "stored", "none", "function", "reads", "problem"};
  if (kind == "python") return {"stored", "none", "problem"};
  if (kind == "stored") return {"none", "function", "reads", "by"};
  return {"function", "reads", "by", "problem", "compare"};
}

// Files below a folder but for what Python makes of them, and but for hidden folders and virtual environments.
template <class Wanted>
std::vector<fs::path> files_below(const fs::path& folder, Wanted is_wanted) {
  std::vector<fs::path> files;
  std::error_code error;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, kOptions, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    if (entry->is_directory(ignored)) {
      if (name.starts_with('.') || name == "__pycache__" || fs::exists(path / "pyvenv.cfg", ignored))
        entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored) && is_wanted(path)) {
      files.push_back(path);
    }
  }
  return files;
}

// All Python below its folder, which it may import, and what `reads` names.
std::map<std::string, std::string> files_of(const fs::path& reference, const std::vector<fs::path>& named) {
  const fs::path folder = reference.parent_path();
  std::vector<fs::path> files =
      files_below(folder, [](const fs::path& file) { return file.extension() == ".py"; });
  for (const fs::path& one : named) {
    if (fs::is_directory(one))
      std::ranges::move(files_below(one, [](const fs::path&) { return true; }), std::back_inserter(files));
    else
      files.push_back(one);
  }
  files.push_back(reference);
  std::map<std::string, std::string> hashes;
  for (const fs::path& file : files) {
    const auto [entry, is_new] = hashes.try_emplace(file.lexically_relative(folder).string());
    if (is_new) entry->second = hash_of_file(file);
  }
  return hashes;
}

void read_python(const Json& reference, System& system, Reporter& reporter) {
  PythonReference& python = system.reference.python.emplace();
  const Json file = reference.find("python"), function = reference.find("function");
  std::vector<fs::path> named;
  for (const Json& place : reference.find("reads").items())
    if (const auto entry = entry_inside(system.directory, place, reporter)) named.push_back(*entry);
  if (const auto path = file_inside(system.directory, file, reporter)) {
    python.file = *path;
    python.files = files_of(python.file, named);
  }
  require_key(reference, "function", reporter);
  if (function.as_text() != nullptr) python.function = *function.as_text();
}

void read_stored(const Json& reference, System& system, Reporter& reporter) {
  std::vector<std::string> buffers;
  for (const auto& entry : system.buffers) buffers.push_back(entry.first);
  for (const auto& [name, place] : reference.find("stored").members()) {
    if (!system.buffers.contains(name)) {
      reporter.report_unknown(place.pointer(), "buffer", name, buffers);
      continue;
    }
    Fill& results = system.reference.stored[name];
    const Json file_name = place.is_object() ? place.find("file") : place;
    if (const auto file = file_inside(system.directory, file_name, reporter))
      results = fill_from_file(*file, file_name.pointer(), reporter);
    if (!place.is_object() || !place.find("offset")) continue;
    if (const auto offset = read_expression(place.find("offset"), problem_names(system), reporter))
      results.offset = *offset;
  }
  // Those of each value of what an offset names are there.
  const auto is_in_the_files = [&](const std::string& quantity) {
    return std::ranges::any_of(system.reference.stored, [&](const auto& entry) {
      return std::ranges::find(entry.second.offset.names(), quantity) != entry.second.offset.names().end();
    });
  };
  for (const auto& [name, quantity] : system.problem)
    if (!is_in_the_files(name)) system.reference.stored_problem.emplace(name, quantity.default_value);
  for (const auto& [name, place] : reference.find("problem").members()) {
    const auto quantity = system.problem.find(name);
    if (quantity == system.problem.end())
      reporter.report_unknown(place.pointer(), "quantity", name, problem_names(system));
    else if (const auto value = read_quantity(quantity->second.type, place, reporter))
      system.reference.stored_problem[name] = *value;
  }
}

void check_stored(const Json& reference, const System& system, Reporter& reporter) {
  const Json stored = reference.find("stored");
  for (const auto& [name, comparison] : system.reference.compare)
    if (comparison.norm != Comparison::Norm::range && !system.reference.stored.contains(name))
      reporter.report(stored ? stored.pointer() : reference.find("compare").find(name).pointer(),
                      stored ? fmt::format("missing key '{}': it is compared", name)
                             : fmt::format("no ReferenceArgument says what '{}' has to hold", name));
  for (const auto& [name, results] : system.reference.stored) {
    const Json place = stored.find(name);
    const auto compared = system.reference.compare.find(name);
    if (compared == system.reference.compare.end() || compared->second.norm == Comparison::Norm::range) {
      reporter.report(place.pointer(), fmt::format("the buffer '{}' is compared with nothing", name));
      continue;
    }
    BufferSpec buffer = system.buffers.at(name);
    buffer.fill = results;
    Values problem = system.reference.stored_problem;
    for (const auto& [quantity, spec] : system.problem) problem.emplace(quantity, spec.default_value);
    check_fill_file(name, buffer, problem, place.pointer(), reporter);
  }
  for (const auto& [name, buffer] : system.buffers)
    if (!buffer.output_only && is_random(buffer.fill))
      reporter.report(stored.pointer(),
                      fmt::format("stored results are of one draw, and the buffer '{}' is filled with other "
                                  "random numbers in each",
                                  name),
                      "fill it from a file, by an expression or with one value");
}

}  // namespace

bool read_other_reference(const Json& reference, System& system, Reporter& reporter) {
  const auto is_there = [&](std::string_view kind) { return static_cast<bool>(reference.find(kind)); };
  const auto* const kind = std::ranges::find_if(kKinds, is_there);
  if (!reference) return true;  // reported
  // A T1 file's, of which this changes what is compared.
  const bool has_one = !system.reference.variant.empty() || !system.reference.stored.empty();
  if (kind == kKinds.end() && has_one) return false;
  if (kind == kKinds.end()) {
    reporter.report(reference.pointer(), "missing key 'variant'",
                    "or 'python', 'stored' or 'none': what says which results are right");
    return true;
  }
  refuse_beside(reference, others_of(*kind), std::string(*kind), reporter);
  if (*kind != "variant") system.reference.variant.clear();
  if (*kind == "none") system.reference.compare.clear();
  if (*kind != "none" && system.reference.compare.empty()) require_key(reference, "compare", reporter);
  if (*kind == "python") read_python(reference, system, reporter);
  if (*kind == "stored") read_stored(reference, system, reporter);
  if (*kind == "none") {
    const Json why = reference.find("none");
    if (why.as_text() == nullptr || !check_one_line(why, reporter)) return true;
    system.reference.none = *why.as_text();
    if (system.reference.none.empty()) reporter.report(why.pointer(), "expected why there is none");
  }
  return *kind != "variant";
}

void check_other_reference(const Json& reference, const System& system, Reporter& reporter) {
  if (!system.reference.stored.empty()) check_stored(reference, system, reporter);
}

void check_stored_problem(const Json& problem, const std::vector<Parameter>& quantities, const System& system,
                          Reporter& reporter) {
  if (system.reference.stored.empty()) return;
  for (const auto& [name, stored] : system.reference.stored_problem) {
    const auto given = std::ranges::find(quantities, name, &Parameter::name);
    const std::vector<Value> values =
        given == quantities.end() ? std::vector<Value>{system.problem.at(name).default_value} : given->values;
    const auto differs = [&, &wanted = stored](const Value& value) {
      return to_string(value) != to_string(wanted);
    };
    const auto other = std::ranges::find_if(values, differs);
    if (other == values.end()) continue;
    const Json place = problem.find(name) ? problem.find(name) : problem;
    reporter.report(place.pointer().empty() ? "/problem" : place.pointer(),
                    fmt::format("{} is {}, and the results that are stored to compare with are of {}", name,
                                to_string(*other), to_string(stored)),
                    "a reference that computes them (a variant, or Python) is right for every problem");
  }
}

}  // namespace tailwave
