#include "adopt/size_macros.h"

#include <algorithm>
#include <cstdint>

#include "adopt/kernel_scope.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostOfABlock = 1024;  // of a block, on every GPU
constexpr std::int64_t kLeastSize = 64;       // what is smaller is small enough for a CPU

// Whether an index of blocks stays below something with it.
bool limits_blocks(Draft& draft, const DraftLaunch& launch, const std::string& name) {
  KernelScope scope(launch, draft, false);
  const std::vector<KernelScope::Limit> limits = scope.limits();
  return std::any_of(limits.begin(), limits.end(), [&](const KernelScope::Limit& limit) {
    const bool of_blocks = std::any_of(kBlockNumbers.begin(), kBlockNumbers.end(),
                                       [&](const char* number) { return limit.value.has(number); });
    return of_blocks && limit.below.has(name);
  });
}

// Whether blocks or threads are so far apart.
bool is_a_stride(Draft& draft, const DraftLaunch& launch, const std::string& name) {
  KernelScope scope(launch, draft, false);
  const std::vector<Polynomial> all = scope.coordinates();
  return std::any_of(all.begin(), all.end(), [&](const Polynomial& each) { return each.has(name); });
}

// Whether the host's launch has it in the number of blocks.
bool counts_blocks(const Draft& draft, const HostLaunch* host, const CTerm& term, const std::string& name,
                   int depth = 0) {
  constexpr int kDeepest = 6;  // variables made of variables
  bool found = false;
  for_each_term(term, [&](const CTerm& part) {
    if (found || part.kind != CTerm::Kind::name) return;
    found = part.text == name;
    const auto definition = draft.host.definition(part.text, host->at);
    if (!found && definition && depth < kDeepest)
      found = counts_blocks(draft, host, *definition, name, depth + 1);
  });
  return found;
}

bool is_size(Draft& draft, const DraftParameter& parameter) {
  const MacroText* macro = draft.macro(parameter.name);
  if (macro == nullptr || !macro->value || *macro->value < kLeastSize || parameter.of_blocks ||
      !parameter.tried.empty())
    return false;
  const bool is_large = *macro->value > kMostOfABlock;
  return std::any_of(draft.launches.begin(), draft.launches.end(), [&](const DraftLaunch& launch) {
    const auto grid = launch.host != nullptr ? parse_term(launch.host->grid) : std::nullopt;
    return limits_blocks(draft, launch, parameter.name) ||
           (grid && counts_blocks(draft, launch.host, *grid, parameter.name)) ||
           (is_large && is_a_stride(draft, launch, parameter.name));
  });
}

}  // namespace

void make_sizes_of_macros(Draft& draft) {
  std::vector<DraftParameter> kept, sizes;
  for (const DraftParameter& each : draft.parameters) (is_size(draft, each) ? sizes : kept).push_back(each);
  draft.parameters = std::move(kept);
  for (const DraftParameter& each : sizes) {
    const bool large = std::get<std::int64_t>(each.value) > INT32_MAX;
    draft.quantities.push_back({.name = each.name,
                                .type = large ? ScalarType::int64 : ScalarType::int32,
                                .value = each.value,
                                .is_macro = true});
    draft.host_names[each.name] = Polynomial::factor(each.name);
    for (DraftLaunch& launch : draft.launches) launch.known[each.name] = Polynomial::factor(each.name);
  }
}

}  // namespace tailwave
