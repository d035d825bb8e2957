#include "cli/imported_specs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "store/contents.h"
#include "store/result_store.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

std::filesystem::path folder_of_specs() {
  return std::filesystem::current_path() / "experiments";
}

}  // namespace

std::set<std::string> store_specs(Database& database) {
  std::set<std::string> stored;
  if (!std::filesystem::is_directory(folder_of_specs())) return stored;
  ResultStore store(database);
  for (const std::filesystem::path& file : find_specs(folder_of_specs())) {
    Diagnostics ignored;
    const std::optional<Experiment> experiment = load_experiment(file, ignored);
    if (!experiment) continue;
    store_what_reports_need(*experiment, store);
    stored.insert(experiment->system.name + "/" + experiment->name);
  }
  return stored;
}

std::string without_figures(Database& database, const std::set<std::string>& experiments,
                            const std::set<std::string>& with_specs) {
  std::vector<std::string> lacking;
  for (const auto& [name, whole] : lacking_published_figures(database))
    if (experiments.contains(name) && !with_specs.contains(whole)) lacking.push_back(whole);
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
