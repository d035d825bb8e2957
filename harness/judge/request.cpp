#include "judge/request.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "compile/prelude.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "spec/paths.h"
#include "spec/reporter.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 10> kMembers{"id",     "system",  "source",  "file",    "name",
                                                    "params", "problem", "variant", "samples", "reuse"};
constexpr int kMostSamples = 10000;

std::vector<std::string> cuda_variants(const System& system) {
  std::vector<std::string> names;
  for (const VariantSpec& variant : system.variants)
    if (variant.target == VariantSpec::Target::cuda) names.push_back(variant.name);
  return names;
}

void check_members(const Json& request, Reporter& reporter) {
  const std::vector<std::string> known(kMembers.begin(), kMembers.end());
  for (const auto& [name, place] : request.members())
    if (std::find(known.begin(), known.end(), name) == known.end())
      reporter.report_unknown(place.pointer(), "member", name, known);
}

// "" for what is absent, or reported.
std::string text_of(const Json& place, Reporter& reporter) {
  if (!place) return "";
  if (const std::string* text = place.as_text()) return *text;
  reporter.report(place.pointer(), "expected a string, found " + with_article(place.type()));
  return "";
}

std::size_t system_of(const Json& place, const JudgeDefaults& defaults, Reporter& reporter) {
  std::vector<std::string> names;
  for (const System* system : defaults.systems) names.push_back(system->name);
  if (!place) {
    if (names.size() > 1)
      reporter.report(place.pointer(), "the system is missing",
                      fmt::format("one of {}", fmt::join(names, ", ")));
    return 0;
  }
  const std::string name = text_of(place, reporter);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (place.is_text()) reporter.report_unknown(place.pointer(), "system", name, names);
  return 0;
}

// The one that is named, or else the only one.
const VariantSpec* variant_of(const System& system, const std::string& name, const std::string& pointer,
                              const std::string& what, Reporter& reporter) {
  const std::vector<std::string> names = cuda_variants(system);
  if (name.empty() && names.size() == 1) return system.find_variant(names.front());
  if (name.empty()) {
    reporter.report(pointer, fmt::format("the {} is missing", what),
                    names.empty() ? fmt::format("the system '{}' has no cuda variant", system.name)
                                  : fmt::format("one of {}", fmt::join(names, ", ")));
    return nullptr;
  }
  if (std::find(names.begin(), names.end(), name) != names.end()) return system.find_variant(name);
  if (system.find_variant(name) != nullptr)
    reporter.report(pointer,
                    fmt::format("the {} '{}' is a host variant, expected a cuda variant", what, name));
  else
    reporter.report_unknown(pointer, what, name, names);
  return nullptr;
}

void check_object(const Json& place, Reporter& reporter) {
  if (place && !place.is_object())
    reporter.report(place.pointer(), "expected an object, found " + with_article(place.type()));
}

Values parameters_of(const VariantSpec& variant, const Json& given, Reporter& reporter) {
  Values values(variant.parameters.begin(), variant.parameters.end());
  std::vector<std::string> names;
  for (const auto& entry : variant.parameters) names.push_back(entry.first);
  for (const auto& [name, place] : given.members()) {
    const auto known = values.find(name);
    if (known == values.end())
      reporter.report_unknown(place.pointer(), "parameter", name, names);
    else if (const auto value = read_parameter_value(known->second, place, reporter))
      known->second = *value;
    else if (!place.as_value())
      reporter.report(place.pointer(), "expected a value, found " + with_article(place.type()));
  }
  return values;
}

Values problem_of(const System& system, const Json& given, Reporter& reporter) {
  Values values;
  for (const auto& [name, quantity] : system.problem) values.emplace(name, quantity.default_value);
  for (const auto& [name, place] : given.members()) {
    const auto quantity = system.problem.find(name);
    if (quantity == system.problem.end())
      reporter.report_unknown(place.pointer(), "problem quantity", name, problem_names(system));
    else if (const auto value = read_quantity(quantity->second.type, place, reporter))
      values[name] = *value;
    else if (!place.as_value())
      reporter.report(place.pointer(), "expected a number, found " + with_article(place.type()));
  }
  return values;
}

// What a file can be called that compilers name in their messages.
std::string file_name_of(std::string name) {
  constexpr std::size_t kLongest = 100;
  if (name.empty()) return "_";
  name.resize(std::min(name.size(), kLongest));
  for (char& letter : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                      std::string_view("._-+").find(letter) != std::string_view::npos;
    if (!fits) letter = '_';
  }
  if (name.front() == '.') name.front() = '_';
  return name;
}

void read_source(const Json& request, JudgeRequest& wanted, Reporter& reporter) {
  const Json source = request.find("source"), file = request.find("file");
  if (source && file) return reporter.report(file.pointer(), "'source' and 'file' exclude each other");
  if (!source && !file) return reporter.report("", "neither 'source' nor 'file' is there");
  wanted.source = text_of(source, reporter);
  if (file.as_text() != nullptr) {
    const std::string& path = *file.as_text();
    if (path.empty()) return reporter.report(file.pointer(), "the file's name is empty");
    wanted.name = fs::path(path).filename().string();
    try {
      wanted.source = read_candidate(path);
    } catch (const Error& error) {
      reporter.report(file.pointer(), error.what());
    }
  }
  if (const std::string name = text_of(request.find("name"), reporter); !name.empty()) wanted.name = name;
  wanted.name = file_name_of(wanted.name);
}

void read_settings(const Json& request, JudgeRequest& wanted, Reporter& reporter) {
  if (const Json samples = request.find("samples")) {
    const auto number = samples.as_whole();
    if (!number || *number < 1 || *number > kMostSamples)
      reporter.report(samples.pointer(), fmt::format("expected a whole number from 1 to {}", kMostSamples));
    else
      wanted.samples = static_cast<int>(*number);
  }
  if (const Json reuse = request.find("reuse")) {
    if (const auto flag = reuse.as_flag())
      wanted.reuse = *flag;
    else
      reporter.report(reuse.pointer(), "expected a boolean, found " + with_article(reuse.type()));
  }
}

}  // namespace

JudgeRequest read_request(const Json& request, const JudgeDefaults& defaults) {
  if (!request.is_object()) request.refuse("expected an object, found " + with_article(request.type()));
  Diagnostics wrong;
  Reporter reporter(request.diagnostic("").file, wrong), of_params("--params", wrong),
      of_problem("--problem", wrong);
  Reporter of_baseline("--baseline-params", wrong);
  check_members(request, reporter);
  JudgeRequest wanted;
  wanted.system = system_of(request.find("system"), defaults, reporter);
  if (!wrong.empty()) throw Error(wrong);  // what follows needs the system
  const System& system = *defaults.systems[wanted.system];
  const Json named = request.find("variant"), params = request.find("params"),
             problem = request.find("problem");
  std::string name = text_of(named, reporter);
  if (name.empty()) name = defaults.variant;
  const VariantSpec* baseline = nullptr;
  if (!defaults.baseline.empty()) baseline = variant_of(system, defaults.baseline, "", "baseline", reporter);
  const VariantSpec* const variant =
      name.empty() && !defaults.baseline.empty()
          ? baseline
          : variant_of(system, name, named ? named.pointer() : "", "variant", reporter);
  if (defaults.baseline.empty()) baseline = variant;
  check_object(params, reporter);
  check_object(problem, reporter);
  wanted.configuration.system = wanted.baseline.system = system.name;
  wanted.configuration.problem = wanted.baseline.problem =
      problem ? problem_of(system, problem, reporter) : problem_of(system, defaults.problem, of_problem);
  if (variant != nullptr) {
    wanted.configuration.variant = variant->name;
    wanted.configuration.parameters = params ? parameters_of(*variant, params, reporter)
                                             : parameters_of(*variant, defaults.parameters, of_params);
  }
  if (baseline != nullptr) {
    wanted.baseline.variant = baseline->name;
    wanted.baseline.parameters = parameters_of(*baseline, defaults.baseline_parameters, of_baseline);
  }
  read_source(request, wanted, reporter);
  read_settings(request, wanted, reporter);
  if (!wrong.empty()) throw Error(wrong);
  return wanted;
}

std::string read_candidate(const fs::path& file) {
  std::error_code error;
  const auto refuse = [&](const std::string& cause) {
    throw Error(Diagnostic{.file = shown_path(file), .cause = cause});
  };
  if (!fs::exists(file, error)) refuse("there is no such file");
  if (!fs::is_regular_file(file, error)) refuse("is no regular file");
  // Neither the type nor the size says that reading it ends: files of /proc wait, or have more than their size.
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(kMostSourceBytes + 1, ' ');
  std::size_t size = 0;
  for (ssize_t count = 1; count != 0 && size < text.size(); size += static_cast<std::size_t>(count)) {
    count = read(opened.number(), text.data() + size, text.size() - size);
    if (count < 0) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (size > kMostSourceBytes) refuse(fmt::format("is larger than {} MiB", kMostSourceBytes >> 20U));
  text.resize(size);
  return text;
}

}  // namespace tailwave
