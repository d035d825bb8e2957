#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/system.h"
#include "spec/timing_mode.h"

namespace tailwave {

struct MeasureSettings;

// A condition under which the best configurations of an experiment are measured again, to see whether the winner holds.
// What it does not change is as in the experiment.
struct Regime {
  std::string name;
  TimingMode mode = TimingMode::isolated;
  CacheState cache = CacheState::hot;
  std::map<std::string, Fill> fills;     // by buffer, instead of the manifest's
  std::shared_ptr<const System> system;  // the experiment's, with these fills; null: it has none
};

// Names that need no more words:
//
// | name    | mode     | cache  |
// |---------|----------|--------|
// | hot     | isolated | hot    |
// | cold    | isolated | cold   |
// | rotate  | batched  | rotate |
// | batched | batched  | hot    |
// | graph   | graph    | hot    |
struct NamedRegime {
  std::string_view name;
  TimingMode mode;
  CacheState cache;
};
std::span<const NamedRegime> named_regimes();
// How a regime is called that is as the experiment's own settings and has none of these names.
inline constexpr std::string_view kOwnRegime = "experiment";

// Without fills, called as above.
Regime own_regime(const MeasureSettings& settings);

// The same mode, cache and inputs.
bool is_alike(const Regime& one, const Regime& other);

// With the experiment's own regime among them, which comes first where it is added: the winner is the best of that one.
std::vector<Regime> with_own_regime(std::vector<Regime> regimes, const MeasureSettings& settings);

// Why this mode does not go with that state of the caches; "": it does.
std::string why_not_together(TimingMode mode, CacheState cache);

// "isolated, cold; x zeros": mode, cache and fills.
std::string describe(const Regime& regime);

}  // namespace tailwave
