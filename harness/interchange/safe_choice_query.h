#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interchange/export.h"
#include "interchange/safe_choice.h"
#include "space/expression.h"
#include "spec/system.h"
#include "store/database.h"

namespace tailwave {

// What the database knows for a choice that is never worse than the default.

// The manifest's values of the first variant that the latest run's spec names, of those in `variants`: as the run noted
// them, or else, as in recordings of early versions, as `manifest` has them. None where neither says so, and of what
// another tuner recorded.
std::optional<Configuration> standard_configuration(Database& database, const ExportScope& scope,
                                                    const std::vector<std::string>& variants,
                                                    const System* manifest = nullptr);

// Of a variant, what has to be true of a configuration on a problem: `requires` of its manifest, and of the latest run's
// spec the constraints that name one of its parameters and none that it lacks. Others say which problems were measured.
std::map<std::string, std::vector<Expression>> conditions_of(
    Database& database, const ExportScope& scope, const std::vector<Configuration>& configurations);

// For the device of the scope, the current trials that are ranked among `peers`, each with the results that GPUs of the same name have
// for it: the latest of each GPU, of the same machine code in the same mode. A configuration that was skipped because its
// machine code is another's has the other's.
std::vector<ChoiceTrial> load_choice_trials(Database& database, const ExportScope& scope, std::int64_t peers);

}  // namespace tailwave
