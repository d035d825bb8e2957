#include "cli/imported_specs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "store/result_store.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

std::filesystem::path folder_of_specs() {
  return std::filesystem::current_path() / "experiments";
}

}  // namespace

void store_specs(Database& database) {
  if (!std::filesystem::is_directory(folder_of_specs())) return;
  ResultStore store(database);
  for (const std::filesystem::path& file : find_specs(folder_of_specs())) {
    Diagnostics ignored;
    const std::optional<Experiment> experiment = load_experiment(file, ignored);
    if (!experiment) continue;
    store_what_reports_need(*experiment, store);
  }
}

std::string without_figures(Database& database, const std::set<std::string>& experiments) {
  Statement row = database.prepare(R"(
    SELECT DISTINCT experiment, system || '/' || experiment FROM run
    WHERE recorded_from IS NOT NULL AND json_valid(spec_text) AND json_extract(spec_text, '$.published') IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM published_value AS known
        WHERE known.experiment = run.experiment AND coalesce(known.system, run.system) = run.system)
    ORDER BY 2)");
  std::vector<std::string> lacking;
  while (row.step())
    if (experiments.contains(row.text(0))) lacking.push_back(row.text(1));
  if (lacking.empty()) return "";
  constexpr std::size_t kMostNamed = 3;
  const std::size_t all = lacking.size();
  if (all > kMostNamed) lacking.resize(kMostNamed);
  return fmt::format("no published figures of {}{}: they come from the specs in {}, and it has none of {}\n",
                     fmt::join(lacking, ", "),
                     all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : "",
                     folder_of_specs().string(), all == 1 ? "it" : "them");
}

}  // namespace tailwave
