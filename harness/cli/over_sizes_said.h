#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/console.h"
#include "core/over_sizes.h"
#include "spec/experiment.h"
#include "tune/tune_over_sizes.h"

namespace tailwave {

// One answer for many sizes: what commands ask and say of it.

struct OverSizesArguments {
  bool wanted = false;
  std::optional<std::int64_t> keep;  // none: 1
  bool worst_case = false;

  // None where it is not wanted. Throws Error (bad usage) where something is said of it nevertheless.
  [[nodiscard]] std::optional<OverSizesOptions> options() const;
};

// `--over-sizes`, `--keep` and `--worst-case`.
void add_over_sizes_options(Command& command, OverSizesArguments& arguments, const std::string& what);

// Before anything is measured. Throws Error (bad usage) where there is only one problem.
void require_several(const Experiment& experiment, DeviceKind device);

// Throws Error (kRunFailed) where nothing is kept.
void require_kept(const Experiment& experiment, const OverSizes& answer);

// For people: what is kept, what it costs at each size, and the best single configuration beside several.
void say_over_sizes(const Experiment& experiment, const OverSizesSummary& summary,
                    const OverSizesArguments& arguments, const Console& console);

// The same for --json.
nlohmann::ordered_json over_sizes_json(const Experiment& experiment, const OverSizesSummary& summary);

}  // namespace tailwave
