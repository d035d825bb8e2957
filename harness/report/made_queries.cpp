#include "report/made_queries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "report/advice.h"
#include "report/claims.h"
#include "report/explained_pair.h"
#include "report/front.h"
#include "report/gains.h"
#include "report/limits.h"
#include "report/over_sizes.h"
#include "report/regimes.h"
#include "report/speedups.h"
#include "report/sql_files.h"
#include "tune/foreign_record.h"

namespace tailwave {
namespace {

constexpr const char* kOfExperiments = ":experiment, :system, :device";
constexpr const char* kWithBaseline =
    ":experiment, :system, :device, :baseline (a variant; without it, that of docs/terminal.md)";
constexpr const char* kNoTime = "no configuration has a time";
constexpr const char* kClaims = "claims";

struct MadeQuery {
  std::string_view name;
  const char* title;
  const char* parameters;
  const char* when_empty;
  Table (*rows)(Database& database, const Values& parameters);  // null: run_made_query() has it
  bool ours_alone = false;                                      // as of a NamedQuery
};

constexpr std::array<MadeQuery, 11> kMade{{
    {"advice", "What to change next, by what was measured: only what is likely to be right (docs/waves.md)",
     ":experiment, :system, :device, :configuration (its name, or 'all' for the fastest fifth of each problem and "
     "variant, at most 300; without it, the best of each problem), :least (gain; 1.02), :limit (how many for each; 5), "
     ":margin (what differs by no more counts as tied; 0.01)",
     "nothing that was measured says that a change would gain", advice_table},
    {"advice_record",
     "How often advice was right, by what it rests on, where what it says was measured (docs/waves.md)",
     kOfExperiments, "no two configurations that were measured differ by what advice would change",
     advice_record_table},
    {kClaims, "What the studies claim, and whether it holds on each GPU", ":system, :device, :claim", "",
     nullptr},
    {"foreign_record",
     "How well times on one GPU predict those that were measured on another (docs/planning.md)",
     kOfExperiments, "no experiment has times of two GPUs", foreign_record_table},
    {"front",
     "The configurations that no other one beats in all objectives of their experiment (docs/specs.md)",
     kOfExperiments, "no experiment has objectives; docs/specs.md says how", fronts_table},
    {"gains",
     "What the best of each problem gained over the default, and what is lost by the winner of another problem and by "
     "the best of another variant, with intervals of 95 % (docs/explaining.md)",
     kOfExperiments, kNoTime, gains_table, true},
    {"limits",
     "What limits the best of each problem: the manifest's limit, the unit driven hardest, stalls, waves, occupancy "
     "(docs/explaining.md)",
     kOfExperiments, kNoTime, limits_table, true},
    {"over_sizes",
     "One configuration, or a few, for all problems of an experiment: the least weighted geometric mean, or the least "
     "worst case, of cost over each problem's best (docs/searching.md)",
     ":experiment, :system, :device, :keep (configurations at most; 1), :goal (mean, worst; mean)",
     "no experiment has several problems that so few configurations serve without a failure: --set keep=2",
     over_sizes_table},
    {"regimes",
     "Does the winner of each experiment hold in other regimes (cold caches, batches, other inputs)?",
     ":experiment, :system, :device, :margin (what is slower by no more counts as tied; 0.01)", "",
     regimes_table},
    {"speedup",
     "How many times better than the baseline, as reports and the end of a run have it, or than the best one of a "
     "variant; and of the steps of a ladder, than the step before",
     kWithBaseline, kNoTime, speedup_table, true},
    {"why", "Why the best of each problem is faster than its baseline, number by number", kWithBaseline,
     "no problem has times of its baseline and of another that is better: 'tailwave explain best worst'",
     why_table, true},
}};

// Of the query in SQL that has the times of regimes.
std::string without_regimes() {
  return parse_query("regime_times", analysis_file("tables/regime_times.sql")).when_empty;
}

}  // namespace

std::vector<NamedQuery> list_made_queries(const std::filesystem::path& project) {
  std::vector<NamedQuery> queries;
  for (const MadeQuery& made : kMade)
    queries.push_back({.name = std::string(made.name),
                       .title = made.title,
                       .parameters = made.parameters,
                       .needs = "",
                       .when_empty = made.name == "regimes" ? without_regimes() : made.when_empty,
                       .sql = "",
                       .ours_alone = made.ours_alone,
                       .project = project});
  return queries;
}

Table run_made_query(Database& database, const NamedQuery& query, const Values& parameters) {
  if (query.name == kClaims) return claims_table(database, list_claims(query.project), parameters);
  return std::ranges::find(kMade, std::string_view(query.name), &MadeQuery::name)->rows(database, parameters);
}

}  // namespace tailwave
