#include "report/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/suggestion.h"
#include "report/gpu_functions.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::string& id, const std::string& cause, const std::string& hint = "") {
  refuse_sql_file("claims", id, cause, hint);
}

using Field = HeaderField<Claim>;
constexpr std::array<Field, 6> kFields{
    Field{"claim", &Claim::statement}, Field{"system", &Claim::system},
    Field{"source", &Claim::source},   Field{"place", &Claim::place},
    Field{"derived", &Claim::derived}, Field{"holds if", &Claim::holds_if}};
constexpr std::array<std::string_view, 6> kColumns{"device",      "holds",       "evidence",
                                                   "explanation", "holds_there", "there"};

std::string string_in(const Cell& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

bool is_asked_for(const Values& parameters, const std::string& name, const std::string& value) {
  const auto found = parameters.find(name);
  return found == parameters.end() || found->second == Value{value};
}

void require_claim(const std::vector<Claim>& claims, const Values& parameters) {
  const auto given = parameters.find("claim");
  if (given == parameters.end()) return;
  std::vector<std::string> known;
  for (const Claim& claim : claims) known.push_back(claim.id);
  const std::string name = to_string(given->second);
  if (std::ranges::find(known, name) == known.end())
    throw Error(Diagnostic{.cause = fmt::format("there is no claim '{}'", name),
                           .hint = suggestion_of_many(name, known, "'tailwave query claims' has them")});
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
    if (!std::equal(table.columns.begin(), table.columns.end(), kColumns.begin(), kColumns.end()))
      refuse(claim.id, fmt::format("its columns are not {}", fmt::join(kColumns, ", ")));
    return table;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("analysis/claims/")) throw;
    refuse(claim.id, error.what());
  }
}

// 1, 0, or nothing for NULL.
std::optional<bool> truth_of(const Claim& claim, std::string_view column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return std::nullopt;
  const auto* const number = std::get_if<std::int64_t>(&cell);
  if (number == nullptr || (*number != 0 && *number != 1))
    refuse(claim.id, fmt::format("'{}' is not 1, 0 or NULL", column));
  return *number == 1;
}

Judgement judgement_of(const Claim& claim, const std::vector<Cell>& row) {
  const std::optional<bool> holds = truth_of(claim, "holds", row[1]);
  if (!holds) return Judgement::not_testable;
  if (*holds) return Judgement::confirmed;
  const std::optional<bool> holds_there = truth_of(claim, "holds_there", row[4]);
  if (!holds_there)
    refuse(claim.id, "it does not hold here, and 'holds_there' is NULL",
           "say whether it holds on the study's own GPU, by its figures or by arithmetic");
  return *holds_there ? Judgement::differs_here : Judgement::refuted;
}

ClaimVerdict checked_verdict(const Claim& claim, const std::vector<Cell>& row) {
  return {&claim,           string_in(row[0]), judgement_of(claim, row), string_in(row[2]), string_in(row[3]),
          string_in(row[5])};
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
        {&claim, device, Judgement::not_testable, "No data. It holds if " + claim.holds_if, "", ""});
  std::sort(verdicts.begin() + static_cast<std::ptrdiff_t>(first), verdicts.end(),
            [](const ClaimVerdict& a, const ClaimVerdict& b) { return a.device < b.device; });
}

}  // namespace

Claim parse_claim(const std::string& id, std::string_view text) {
  Claim claim;
  claim.id = id;
  claim.sql = text;
  read_header(
      claim, kFields, &Claim::derived, "claims",
      "a claim begins with '-- claim: ', '-- system: ', '-- source: ', '-- place: ' and '-- holds if: '");
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
  add_gpu_functions(database.handle());
  const std::vector<std::string> devices = devices_to_judge(database, parameters);
  require_claim(claims, parameters);
  std::vector<ClaimVerdict> verdicts;
  for (const Claim& claim : claims) {
    if (is_asked_for(parameters, "system", claim.system) && is_asked_for(parameters, "claim", claim.id))
      judge_one(database, claim, devices, verdicts);
  }
  return verdicts;
}

Table claims_table(Database& database, const std::vector<Claim>& claims, const Values& parameters) {
  Table table{{"claim", "device", "verdict", "evidence", "explanation", "there"}, {}};
  for (const ClaimVerdict& verdict : judge(database, claims, parameters)) {
    table.rows.push_back({verdict.claim->id, cell_of(verdict.device), std::string(to_string(verdict.verdict)),
                          verdict.evidence, cell_of(verdict.explanation), cell_of(verdict.there)});
  }
  return table;
}

}  // namespace tailwave
