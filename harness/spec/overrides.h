#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/experiment.h"

namespace tailwave {

// What a try has in place of what an experiment says: `tailwave run --set N=8192 --samples 20`.
struct Overrides {
  std::vector<std::string> settings;    // "NAME=VALUE" or "NAME=VALUE,VALUE", each name once
  std::optional<std::int64_t> samples;  // of a repetition: exactly so many

  [[nodiscard]] bool any() const { return !settings.empty() || samples.has_value(); }
  // "N=8192, samples=20".
  [[nodiscard]] std::string text() const;
};

// The experiment with them, under a name of its own, "variants@N=8192,samples=20": no result of it is one of the
// experiment's. A name is a quantity of the problem (on the CPU device, too), or a parameter that a variant of its cases
// has. Without published figures. Throws Error (bad usage) for a setting that is none, a name that neither has (with
// those that there are), a value of the wrong kind, and where no configuration is left.
Experiment with_overrides(Experiment experiment, const Overrides& overrides);

// Whether an experiment's name is that of a try.
bool is_try(std::string_view experiment);

}  // namespace tailwave
