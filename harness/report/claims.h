#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// A sentence of a study as a query: a file of analysis/claims. Its first comment lines say
//   -- claim: the sentence
//   -- system: the system whose trials it is judged by
//   -- source: which study, which GPU, which figures
//   -- place: where the text says it: a heading, a table, a figure
//   -- derived: what in the sentence is ours and does not stand in the text; may be left out
//   -- holds if: what has to be measured, and where (a line that begins with three spaces
//   --   goes on with the field before)
// and its SQL gives a row for each device that has the data, with the columns
//   device,
//   holds: 1 or 0, whether what was measured there is as the sentence says; NULL where it cannot be told,
//   evidence: the figures, or what is missing,
//   explanation: why, from waves, occupancy, SMs with a block or counters of the same rows,
//   holds_there: 1 or 0, whether the sentence is right of the study's own GPU, by its own figures or by arithmetic
//     (report/gpu_functions.h),
//   there: those figures, or that arithmetic.
struct Claim {
  std::string id;  // the file's name, without .sql
  std::string statement, system, source, place, derived, holds_if;
  std::string sql;
};

// Throws Error (bad usage), naming the file, where a field is missing.
Claim parse_claim(const std::string& id, std::string_view text);

// As sql_files(), by system and id.
std::vector<Claim> list_claims(const std::filesystem::path& project = {});

// What a device's data say of a claim:
// - confirmed: it holds here,
// - refuted: it is wrong as stated, here and on the study's own GPU,
// - differs_here: it holds on the study's GPU and not on this one,
// - not_testable: the evidence is what is missing.
enum class Judgement { confirmed, refuted, differs_here, not_testable };

template <>
struct EnumNames<Judgement> {
  static constexpr std::string_view noun = "verdict";
  static constexpr std::array<std::string_view, 4> names{"confirmed", "refuted", "differs here",
                                                         "not testable here"};
};

struct ClaimVerdict {
  const Claim* claim = nullptr;
  std::string device;  // "" where no GPU has run anything
  Judgement verdict = Judgement::not_testable;
  std::string evidence, explanation;
  std::string there;  // what is known of the study's own GPU
};

// A verdict for each claim and GPU that has run anything. Parameters: system, device (a name or a kind) and claim, each
// may be left out. Throws Error (bad usage), naming the file, for SQL that is wrong or gives something else.
std::vector<ClaimVerdict> judge(Database& database, const std::vector<Claim>& claims,
                                const Values& parameters = {});

// The same as a table: claim, device, verdict, evidence, explanation, there.
Table claims_table(Database& database, const std::vector<Claim>& claims, const Values& parameters = {});

}  // namespace tailwave
