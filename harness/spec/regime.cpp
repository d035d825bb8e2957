#include "spec/regime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/hash.h"
#include "spec/experiment.h"
#include "spec/fill_reader.h"
#include "spec/system_fields.h"

namespace tailwave {
namespace {

std::string inputs_of(const Regime& regime) {
  if (!regime.system) return "";
  FieldHasher hasher;
  add_buffers(hasher, *regime.system);
  return hasher.digest();
}

}  // namespace

std::span<const NamedRegime> named_regimes() {
  static constexpr std::array<NamedRegime, 5> kNamed{{{"hot", TimingMode::isolated, CacheState::hot},
                                                      {"cold", TimingMode::isolated, CacheState::cold},
                                                      {"rotate", TimingMode::batched, CacheState::rotate},
                                                      {"batched", TimingMode::batched, CacheState::hot},
                                                      {"graph", TimingMode::graph, CacheState::hot}}};
  return kNamed;
}

Regime own_regime(const MeasureSettings& settings) {
  const auto named = named_regimes();
  const auto found = std::ranges::find_if(named, [&](const NamedRegime& one) {
    return one.mode == settings.mode && one.cache == settings.cache;
  });
  return {.name = std::string(found == named.end() ? kOwnRegime : found->name),
          .mode = settings.mode,
          .cache = settings.cache,
          .fills = {},
          .system = nullptr};
}

bool is_alike(const Regime& one, const Regime& other) {
  return one.mode == other.mode && one.cache == other.cache && inputs_of(one) == inputs_of(other);
}

std::vector<Regime> with_own_regime(std::vector<Regime> regimes, const MeasureSettings& settings) {
  Regime own = own_regime(settings);
  if (std::ranges::none_of(regimes, [&](const Regime& one) { return is_alike(one, own); }))
    regimes.insert(regimes.begin(), std::move(own));
  return regimes;
}

std::string why_not_together(TimingMode mode, CacheState cache) {
  if (cache != CacheState::cold || mode == TimingMode::isolated) return "";
  return fmt::format(
      "'cold' has no meaning in the mode '{}': only the first of several executions would find the caches cold",
      to_string(mode));
}

std::string describe(const Regime& regime) {
  std::string text = fmt::format("{}, {}", to_string(regime.mode), to_string(regime.cache));
  for (const auto& [buffer, fill] : regime.fills)
    text += fmt::format("{} {} {}", text.find(';') == std::string::npos ? ";" : ",", buffer, describe(fill));
  return text;
}

}  // namespace tailwave
