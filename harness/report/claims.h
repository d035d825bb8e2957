#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// A sentence of a study as a query: a file of analysis/claims. Its first comment lines say
//   -- claim: the sentence
//   -- system: the system whose trials it is judged by
//   -- source: which study, which GPU, which figures
//   -- confirmed if: what has to be measured, and where (a line that begins with three spaces
//   --   goes on with the field before)
// and its SQL gives a row for each device that has the data, with the columns device, verdict, evidence, explanation.
struct Claim {
  std::string id;  // the file's name, without .sql
  std::string statement, system, source, confirmed_if;
  std::string sql;
};

// Throws Error (bad usage), naming the file, where a field is missing.
Claim parse_claim(const std::string& id, std::string_view text);

// As sql_files(), by system and id.
std::vector<Claim> list_claims(const std::filesystem::path& project = {});

// "confirmed", "refuted" or, with what is missing as evidence, "not testable here".
struct ClaimVerdict {
  const Claim* claim = nullptr;
  std::string device;  // "" where no GPU has run anything
  std::string verdict, evidence, explanation;
};

// A verdict for each claim and GPU that has run anything. Parameters: system, device (a name or a kind) and claim, each
// may be left out. Throws Error (bad usage), naming the file, for SQL that is wrong or gives something else.
std::vector<ClaimVerdict> judge(Database& database, const std::vector<Claim>& claims,
                                const Values& parameters = {});

// The same as a table: claim, device, verdict, evidence, explanation.
Table claims_table(Database& database, const std::vector<Claim>& claims, const Values& parameters = {});

}  // namespace tailwave
