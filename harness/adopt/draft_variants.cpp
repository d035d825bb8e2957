#include "adopt/draft_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "space/expression.h"

namespace tailwave {
namespace {

void add_once(const std::string& text, std::vector<std::string>& all) {
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
}

void limit_threads(const Draft& draft, DraftVariant& variant) {
  constexpr std::int64_t kMostOfEachGpu = 1024;
  Values most;
  for (const DraftParameter& each : draft.parameters)
    most[each.name] = each.tried.empty() ? each.value : Value(each.tried.back());
  for (const DraftLaunch* launch : variant.launches) {
    const Polynomial threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (threads.value(most).value_or(0) > kMostOfEachGpu)
      add_once(fmt::format("{} <= {}", threads.text(), kMostOfEachGpu), variant.thread_limits);
  }
}

}  // namespace

std::vector<std::string> kernel_names(const Draft& draft) {
  std::vector<std::string> names;
  for (const DraftLaunch& launch : draft.launches) add_once(launch.kernel->name, names);
  return names;
}

std::set<std::string> followed_parameters(const Draft& draft) {
  std::set<std::string> names;
  for (const DraftBuffer& each : draft.buffers) names.insert(each.results_by.begin(), each.results_by.end());
  return names;
}

std::set<std::string> names_of_counts(const Draft& draft) {
  std::set<std::string> names = followed_parameters(draft);
  for (const DraftBuffer& each : draft.buffers) {
    const std::vector<std::string> own = Expression::parse(each.count.text()).names();
    names.insert(own.begin(), own.end());
  }
  return names;
}

std::vector<DraftVariant> variants_of(const Draft& draft) {
  std::vector<DraftVariant> all;
  if (!draft.alternatives) all.push_back({.name = kTunedVariant});
  for (const DraftLaunch& launch : draft.launches) {
    const std::string& name = launch.kernel->name;
    const bool is_taken = name == kOriginalVariant || name == kReferenceVariant;
    if (draft.alternatives) all.push_back({.name = is_taken ? name + "_1" : name});
    all.back().launches.push_back(&launch);
  }
  const std::set<std::string> shared = names_of_counts(draft);
  for (DraftVariant& variant : all) {
    for (const DraftParameter& each : draft.parameters) {
      const bool is_used =
          std::any_of(variant.launches.begin(), variant.launches.end(),
                      [&](const DraftLaunch* launch) { return draft.is_used(each, *launch); });
      if (!draft.alternatives || shared.contains(each.name) || is_used) variant.parameters.push_back(&each);
    }
    limit_threads(draft, variant);
  }
  return all;
}

}  // namespace tailwave
