#include "cli/spec_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/result_json.h"
#include "compile/source_check.h"
#include "measure/shape_check.h"
#include "spec/paths.h"

namespace tailwave {

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
  const auto size = std::find_if(system.problem.begin(), system.problem.end(),
                                 [](const auto& quantity) { return !is_real(quantity.second.type); });
  if (size == system.problem.end()) return "";
  return fmt::format(
      "verified for no other sizes than those that are timed: '\"verify\": {{\"problems\": [{{\"{}\": 101}}]}}' "
      "in {} adds one that no block divides",
      size->first, shown_path(system.file));
}

nlohmann::ordered_json warnings_json(const Diagnostics& warnings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Diagnostic& warning : warnings) all.push_back(diagnostic_json(warning));
  return all;
}

}  // namespace tailwave
