#include "report/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::string& id, const std::string& cause, const std::string& hint = "") {
  throw Error(Diagnostic{fmt::format("analysis/claims/{}.sql", id), "", cause, "", -1, hint});
}

using Field = std::pair<std::string_view, std::string Claim::*>;
constexpr std::array<Field, 4> kFields{
    Field{"-- claim: ", &Claim::statement}, Field{"-- system: ", &Claim::system},
    Field{"-- source: ", &Claim::source}, Field{"-- confirmed if: ", &Claim::confirmed_if}};

std::string string_in(const Cell& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

bool is_asked_for(const Values& parameters, const std::string& name, const std::string& value) {
  const auto found = parameters.find(name);
  return found == parameters.end() || found->second == Value{value};
}

// The GPUs that have run anything, or those of them that are meant. The statement refuses other parameters.
std::vector<std::string> devices_to_judge(Database& database, const Values& parameters) {
  const Table rows = database.query(
      "WITH asked AS (SELECT :system, :claim) "
      "SELECT DISTINCT device.name FROM device JOIN run ON run.device_id = device.id "
      "WHERE kind = 'cuda' AND (:device IS NULL OR :device IN (device.name, kind)) ORDER BY 1",
      parameters);
  std::vector<std::string> devices;
  for (const auto& row : rows.rows) devices.push_back(string_in(row[0]));
  return devices;
}

Table rows_of(Database& database, const Claim& claim) {
  try {
    Table table = database.query(claim.sql);
    if (table.columns != std::vector<std::string>{"device", "verdict", "evidence", "explanation"})
      refuse(claim.id, "its columns are not device, verdict, evidence, explanation");
    return table;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("analysis/claims/")) throw;
    refuse(claim.id, error.what());
  }
}

ClaimVerdict checked_verdict(const Claim& claim, const std::vector<Cell>& row) {
  const std::string text = string_in(row[1]);
  const std::optional<Judgement> verdict = find_enum<Judgement>(text);
  if (!verdict)
    refuse(claim.id, fmt::format("its verdict is '{}'", text),
           fmt::format("there are: {}", fmt::join(EnumNames<Judgement>::names, ", ")));
  return {&claim, string_in(row[0]), *verdict, string_in(row[2]), string_in(row[3])};
}

void judge_one(Database& database, const Claim& claim, std::vector<std::string> devices,
               std::vector<ClaimVerdict>& verdicts) {
  const std::size_t first = verdicts.size();
  std::set<std::string> judged;
  for (const std::vector<Cell>& row : rows_of(database, claim).rows) {
    ClaimVerdict verdict = checked_verdict(claim, row);
    if (!judged.insert(verdict.device).second)
      refuse(claim.id, "it has two rows for " + verdict.device, "a claim gives one row a device");
    if (std::erase(devices, verdict.device) > 0) verdicts.push_back(std::move(verdict));
  }
  if (devices.empty() && verdicts.size() == first) devices.emplace_back();
  for (const std::string& device : devices)
    verdicts.push_back(
        {&claim, device, Judgement::not_testable, "No data. Confirmed if " + claim.confirmed_if, ""});
  std::sort(verdicts.begin() + static_cast<std::ptrdiff_t>(first), verdicts.end(),
            [](const ClaimVerdict& a, const ClaimVerdict& b) { return a.device < b.device; });
}

}  // namespace

Claim parse_claim(const std::string& id, std::string_view text) {
  Claim claim;
  claim.id = id;
  claim.sql = text;
  constexpr std::string_view kGoesOn = "--   ";
  std::string* field = nullptr;
  std::istringstream lines(claim.sql);
  for (std::string line; std::getline(lines, line) && line.starts_with("--");) {
    if (field != nullptr && line.starts_with(kGoesOn)) *field += " " + line.substr(kGoesOn.size());
    for (const auto& [key, member] : kFields) {
      if (!line.starts_with(key)) continue;
      field = &(claim.*member);
      *field = line.substr(key.size());
    }
  }
  for (const auto& [key, member] : kFields) {
    if (!(claim.*member).empty()) continue;
    refuse(id, fmt::format("the field '{}' is missing", key.substr(3, key.size() - 5)),
           "a claim begins with '-- claim: ', '-- system: ', '-- source: ' and '-- confirmed if: '");
  }
  return claim;
}

std::vector<Claim> list_claims(const std::filesystem::path& project) {
  std::vector<Claim> claims;
  for (const auto& [id, text] : sql_files("claims", project)) claims.push_back(parse_claim(id, text));
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return std::tie(a.system, a.id) < std::tie(b.system, b.id);
  });
  return claims;
}

std::vector<ClaimVerdict> judge(Database& database, const std::vector<Claim>& claims,
                                const Values& parameters) {
  const std::vector<std::string> devices = devices_to_judge(database, parameters);
  std::vector<ClaimVerdict> verdicts;
  for (const Claim& claim : claims) {
    if (is_asked_for(parameters, "system", claim.system) && is_asked_for(parameters, "claim", claim.id))
      judge_one(database, claim, devices, verdicts);
  }
  return verdicts;
}

Table claims_table(Database& database, const std::vector<Claim>& claims, const Values& parameters) {
  Table table{{"claim", "device", "verdict", "evidence", "explanation"}, {}};
  for (const ClaimVerdict& verdict : judge(database, claims, parameters)) {
    table.rows.push_back({verdict.claim->id, cell_of(verdict.device), std::string(to_string(verdict.verdict)),
                          verdict.evidence, cell_of(verdict.explanation)});
  }
  return table;
}

}  // namespace tailwave
