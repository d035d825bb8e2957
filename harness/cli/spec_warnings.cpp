#include "cli/spec_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/result_json.h"
#include "compile/source_check.h"
#include "measure/shape_check.h"
#include "spec/paths.h"
#include "spec/verify_reader.h"

namespace tailwave {
namespace {

// Whether buffers have another number of elements with another value of it.
bool is_size(const System& system, const std::string& quantity) {
  return std::any_of(system.buffers.begin(), system.buffers.end(), [&](const auto& entry) {
    const std::vector<std::string> names = entry.second.count.names();
    return std::find(names.begin(), names.end(), quantity) != names.end();
  });
}

}  // namespace

Diagnostics warnings_of(const Experiment& experiment) {
  Diagnostics warnings = experiment.warnings;
  for (Diagnostic& warning : check_shapes(experiment)) warnings.push_back(std::move(warning));
  if (experiment.system.file.filename() != "system.json") return warnings;  // a T1 file has no manifest
  for (Diagnostic& warning : check_sources(experiment.system)) warnings.push_back(std::move(warning));
  return warnings;
}

void SpecWarnings::say(const Diagnostics& warnings) {
  for (const Diagnostic& warning : warnings) {
    const std::string text = to_string(warning);
    if (said_.insert(text).second) console_.note(fmt::format("warning: {}\n", text));
  }
}

std::string sizes_hint(const System& system) {
  const ReferenceSpec& reference = system.reference;
  if (!system.verify.problems.empty() || !reference.none.empty() || !reference.stored.empty() ||
      system.file.filename() != "system.json")
    return "";
  constexpr std::array<std::int64_t, 2> kPrimes{101, 1009};
  for (const auto& [name, quantity] : system.problem)
    for (const std::int64_t size : kPrimes)
      if (is_size(system, name) && can_be_verified_with(system, {{name, Expression::constant(size)}}))
        return fmt::format(
            "verified for no other sizes than those that are timed: '\"verify\": {{\"problems\": [{{\"{}\": "
            "{}}}]}}' in {} adds one that no block divides",
            name, size, shown_path(system.file));
  return "";
}

nlohmann::ordered_json warnings_json(const Diagnostics& warnings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Diagnostic& warning : warnings) all.push_back(diagnostic_json(warning));
  return all;
}

}  // namespace tailwave
