#include "adopt/adopted_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adopt/draft_variants.h"

namespace tailwave {
namespace {

std::string question_of(const Draft& draft) {
  if (draft.alternatives)
    return fmt::format("Which of {} is the fastest?", fmt::join(kernel_names(draft), ", "));
  std::vector<std::string> names;
  for (const DraftParameter& each : draft.parameters)
    if (!each.tried.empty()) names.push_back(each.name);
  return names.empty() ? "How long does it take?" : fmt::format("Which {} is best?", fmt::join(names, ", "));
}

}  // namespace

nlohmann::ordered_json adopted_experiment(const Draft& draft, const std::string& name) {
  nlohmann::ordered_json json{{"$schema", "../../schemas/experiment.schema.json"},
                              {"schema_version", 1},
                              {"name", name},
                              {"system", name}};
  json["question"] = question_of(draft);
  for (const DraftVariant& variant : variants_of(draft)) {
    nlohmann::ordered_json one{{"variant", variant.name}};
    for (const DraftParameter* each : variant.parameters)
      if (!each->tried.empty()) one["parameters"][each->name] = each->tried;
    json["cases"].push_back(std::move(one));
    if (!draft.alternatives && !variant.thread_limits.empty()) json["constraints"] = variant.thread_limits;
  }
  json["metric"] = {{"name", "time"}};
  for (const DraftQuantity& each : draft.quantities)
    if (each.on_cpu) json["devices"]["cpu"]["problem"][each.name] = {*each.on_cpu};
  return json;
}

}  // namespace tailwave
