#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/table.h"
#include "core/value.h"
#include "report/explanation.h"
#include "store/database.h"

namespace tailwave {

// Which two configurations are held against each other (report/explanation.h).

// What the view ranked_trial has of a configuration that competes.
struct ExplainedTrial {
  std::int64_t trial_id = 0;
  std::string experiment, device;  // "nbody/variants"
  Configuration configuration;
  std::int64_t place = 1;  // among those of the same problem
  std::int64_t of_ranked = 1;
  std::string unverified;    // as of a Trial
  bool is_baseline = false;  // of its problem: report/baseline.h
  // The configuration whose result this is, since machine code and launches are the same (`skipped_identical`); "": its own.
  std::string same_as;
};

struct ExplainedPair {
  ExplainedTrial a, b;
  std::vector<std::string> other_devices;  // that have times of the experiment, too
};

inline constexpr const char* kExplainedSideHelp =
    "best, worst, baseline (as docs/terminal.md has it, or the best of --baseline), each with values as in best,N=4096; values K=V,K=V "
    "(variant=NAME, parameters, problem) or a part of a name, of which the best is taken";

// For each experiment, device and problem: the best, and the baseline (report/baseline.h), or the best of the variant
// `baseline`, where that is another one. `parameters`: :experiment, :system, :device, :baseline, as of queries.
std::vector<ExplainedPair> best_and_baselines(Database& database, const Values& parameters);

// The two that `a` and `b` name (kExplainedSideHelp), in the one experiment and of the one problem that fit; of several
// devices on the one that ran it last. `b` "" is the baseline, or the worst where `a` is that. Throws Error (bad usage) where
// none or several do, with what there is, and for one and the same. One that was not measured, since
// another's machine code and launches are its own, has that one's result.
ExplainedPair find_pair(Database& database, const std::string& a, const std::string& b,
                        const Values& parameters);

// Of two with one result explain_same().
Explanation explain(Database& database, const ExplainedPair& pair, const ExplainedNames& names = {});

// The query "why": a row for each number of each pair of best_and_baselines().
Table why_table(Database& database, const Values& parameters);

}  // namespace tailwave
