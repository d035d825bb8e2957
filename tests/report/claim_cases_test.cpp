// Each claim has data that confirm it and data by which it does not hold: tests/data/claims/ID.json,
//   {"defaults": {"gpu_trial": {"device": "NVIDIA H200", ...}},   values that rows of a view have unless they say
//    "cases": [{"verdict": "confirmed", "rows": {"gpu_trial": [{"variant": "v1", "median_us": 6720}, ...]}}, ...]}
// The rows stand in the place of those views and tables; columns that a row lacks are NULL, objects are JSON text.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "report/claims.h"
#include "report/fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Another tree than the one that the test was built from, to try its claims with.
fs::path tree() {
  const char* const other = std::getenv("TAILWAVE_CLAIMS_TREE");
  return other == nullptr ? TAILWAVE_SOURCE_DIR : other;
}

// As the files say, and not as this build has them.
std::vector<Claim> claims_of_tree() {
  std::vector<Claim> claims;
  for (const auto& entry : fs::directory_iterator(tree() / "analysis/claims"))
    claims.push_back(parse_claim(entry.path().stem(), samples::read_file(entry.path())));
  return claims;
}

// Times are REAL in views, whether or not they are whole here.
std::string sql_of(const std::string& column, const Json& value) {
  if (value.is_null()) return "NULL";
  if (value.is_number() && column.ends_with("_us")) return Json(value.get<double>()).dump();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number()) return value.dump();
  std::string quoted = "'";
  for (const char letter : value.is_string() ? value.get<std::string>() : value.dump())
    quoted += letter == '\'' ? std::string("''") : std::string(1, letter);
  return quoted + "'";
}

void replace_rows(Database& database, const std::string& view, const Json& defaults, const Json& rows) {
  database.execute("DROP TABLE IF EXISTS temp." + view + "; CREATE TEMP TABLE " + view +
                   " AS SELECT * FROM main." + view + " LIMIT 0");
  for (const Json& row : rows) {
    Json whole = defaults.value(view, Json::object());
    whole.update(row);
    std::string columns;
    std::string values;
    for (const auto& [column, value] : whole.items()) {
      columns += (columns.empty() ? "" : ", ") + column;
      values += (values.empty() ? "" : ", ") + sql_of(column, value);
    }
    database.execute("INSERT INTO temp." + view + " (" + columns + ") VALUES (" + values + ")");
  }
}

class ClaimCases : public samples::Fixture {
 protected:
  // The verdict, or what is wrong with the claim; the evidence and what it says of the study's GPU behind it.
  std::string judged(const Claim& claim, const Json& defaults, const Json& rows) {
    Database database(fs::path(kInMemory), Database::Mode::read_write);
    ResultStore store(database);
    store.begin_run(samples::run("any", "2025-01-01T10:00:00Z"), samples::gpu());
    for (const auto& [view, of_view] : rows.items()) replace_rows(database, view, defaults, of_view);
    const ClaimVerdict verdict = judge(database, {claim}).at(0);
    last_ = verdict.evidence + " | " + verdict.explanation + " | " + verdict.there;
    return std::string(to_string(verdict.verdict));
  }
  std::string last_;
};

TEST_F(ClaimCases, ConfirmEachClaimAndContradictIt) {
  for (const Claim& claim : claims_of_tree()) {
    SCOPED_TRACE(claim.id);
    std::ifstream file(tree() / "tests/data/claims" / (claim.id + ".json"));
    if (!file.good()) {
      ADD_FAILURE() << "tests/data/claims/" << claim.id << ".json is missing";
      continue;
    }
    const Json data = Json::parse(file);
    std::set<std::string> seen;
    for (const Json& one : data.at("cases")) {
      const std::string verdict = judged(claim, data.value("defaults", Json::object()), one.at("rows"));
      EXPECT_EQ(verdict, one.at("verdict").get<std::string>()) << one.dump() << "\n" << last_;
      seen.insert(verdict);
    }
    EXPECT_TRUE(seen.contains("confirmed")) << "no data confirm it";
    EXPECT_TRUE(seen.contains("refuted") || seen.contains("differs here")) << "no data contradict it";
  }
}

TEST_F(ClaimCases, AreOfClaimsThatExist) {
  std::set<std::string> claims;
  for (const Claim& claim : claims_of_tree()) claims.insert(claim.id);
  for (const auto& entry : fs::directory_iterator(tree() / "tests/data/claims"))
    EXPECT_TRUE(claims.contains(entry.path().stem())) << entry.path();
}

}  // namespace
}  // namespace tailwave
