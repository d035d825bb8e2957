// docs/fidelity.md: what it says of the studies is there, and what is there it says.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "docs/markdown.h"

namespace tailwave::docs {
namespace {

namespace fs = std::filesystem;

const fs::path kProject = TAILWAVE_SOURCE_DIR;

struct Row {
  std::string number, described, here, state;
  std::vector<std::pair<std::string, std::string>> references;  // kind and name
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream parts(line.substr(1));
  for (std::string cell; std::getline(parts, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

std::map<std::string, std::vector<Row>> rows_by_system() {
  static const std::regex reference("`(variant|experiment|claim|recorded):([^`]+)`");
  std::map<std::string, std::vector<Row>> systems;
  std::string system;
  std::istringstream lines(read_text(kProject / "docs/fidelity.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) system = line.substr(3);
    if (!std::regex_search(line, std::regex(R"(^\| *\d)"))) continue;
    const std::vector<std::string> cells = cells_of(line);
    Row& row = systems[system].emplace_back();
    EXPECT_EQ(cells.size(), 4U) << line;
    if (cells.size() != 4) continue;
    row = {cells[0], cells[1], cells[2], cells[3], {}};
    for (std::sregex_iterator at(row.here.begin(), row.here.end(), reference), end; at != end; ++at)
      row.references.emplace_back((*at)[1], (*at)[2]);
  }
  return systems;
}

nlohmann::json manifest_of(const std::string& system) {
  return nlohmann::json::parse(read_text(kProject / "kernel_templates" / system / "system.json"));
}

bool is_there(const std::string& system, const std::string& kind, const std::string& name) {
  if (kind == "variant") return manifest_of(system).at("variants").contains(name);
  if (kind == "experiment") return fs::exists(kProject / "experiments" / system / (name + ".json"));
  if (kind == "claim") return fs::exists(kProject / "analysis/claims" / (name + ".sql"));
  return fs::exists(kProject / "results/h200" / system / (name + ".json"));
}

std::set<std::string> named(const std::vector<Row>& rows, const std::string& kind) {
  std::set<std::string> names;
  for (const Row& row : rows)
    for (const auto& [of, name] : row.references)
      if (of == kind) names.insert(name);
  return names;
}

TEST(Fidelity, NamesWhatIsThereAndSaysWhyARowIsNotComplete) {
  const std::map<std::string, std::vector<Row>> systems = rows_by_system();
  ASSERT_EQ(systems.size(), 5U);
  std::size_t rows = 0;
  for (const auto& [system, of_system] : systems) {
    int number = 0;
    for (const Row& row : of_system) {
      SCOPED_TRACE(system + " " + row.number + ": " + row.described);
      ++rows;
      EXPECT_EQ(row.number, std::to_string(++number));
      EXPECT_TRUE(row.state == "complete" || row.state.starts_with("partial: ") ||
                  row.state.starts_with("not possible: "))
          << row.state;
      EXPECT_TRUE(row.state != "complete" || !row.here.empty());
      for (const auto& [kind, name] : row.references)
        EXPECT_TRUE(is_there(system, kind, name)) << kind << " " << name;
    }
  }
  EXPECT_GE(rows, 88U);
}

TEST(Fidelity, NamesEveryClaimPrintedVariantAndPublishedExperiment) {
  for (const auto& [system, rows] : rows_by_system()) {
    SCOPED_TRACE(system);
    const std::set<std::string> claims = named(rows, "claim");
    for (const auto& entry : fs::directory_iterator(kProject / "analysis/claims")) {
      const std::string id = entry.path().stem();
      const bool is_of_system =
          read_text(entry.path()).find("-- system: " + system + "\n") != std::string::npos;
      EXPECT_TRUE(!is_of_system || claims.contains(id)) << id;
    }
    const std::set<std::string> variants = named(rows, "variant");
    const nlohmann::json manifest = manifest_of(system);
    for (const auto& [name, variant] : manifest.at("variants").items()) {
      const std::string description = variant.value("description", "");
      const bool is_printed = description.find("as printed") != std::string::npos ||
                              description.find("as it prints it") != std::string::npos ||
                              description.find("as described") != std::string::npos ||
                              description.find("as the study has it") != std::string::npos;
      EXPECT_TRUE(!is_printed || variants.contains(name)) << name;
    }
    const std::set<std::string> experiments = named(rows, "experiment");
    for (const auto& entry : fs::directory_iterator(kProject / "experiments" / system / "published")) {
      const auto published = nlohmann::json::parse(read_text(entry.path()));
      for (const auto& row : published.at("rows"))
        EXPECT_TRUE(experiments.contains(row.at("experiment").get<std::string>())) << row.dump();
    }
  }
}

}  // namespace
}  // namespace tailwave::docs
