#include "store/no_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggestion.h"

namespace tailwave {

Diagnostic no_trials(const Database& database, const std::string& experiment, const std::string& device,
                     const std::string& hint) {
  const std::string where = device.empty() ? "" : fmt::format(" on device '{}'", device);
  return {.file = database.file().string(),
          .cause = fmt::format("no trials of experiment '{}'{}", experiment, where),
          .hint = hint};
}

Diagnostic only_recorded(const Database& database, const std::string& experiment) {
  return {.file = database.file().string(),
          .cause = fmt::format("the results of '{}' were recorded by another tuner, so there is no report",
                               experiment),
          .hint = fmt::format(
              "'tailwave query best --experiment {0}' lists them, 'tailwave simulate' searches them",
              experiment)};
}

Diagnostic unknown_experiment(const Database& database, const std::string& experiment,
                              const std::vector<std::string>& known) {
  std::vector<std::string> names = known;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return no_trials(
      database, experiment, "",
      suggestion_of_many(experiment, names, "'tailwave query runs' shows what the database has"));
}

}  // namespace tailwave
