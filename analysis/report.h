#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/table.h"
#include "store/database.h"

namespace tailwave {

struct ReportOptions {
  std::vector<std::string> experiments;  // "name" or "system/name"; empty: all
  std::filesystem::path out_dir = "results/report";
  std::filesystem::path project;  // whose claims are judged beside those of the program; empty: none
};

struct ReportSummary {
  std::filesystem::path index;               // out_dir/README.md
  std::filesystem::path claims;              // out_dir/claims.md
  std::vector<std::filesystem::path> pages;  // out_dir/<system>/<experiment>.md, those written
};

// Writes the index of all experiments in the database, the page of claims, the pages of those asked for, and pages that the index
// would otherwise miss. The same database gives the same bytes. Throws Error for an experiment without trials.
ReportSummary render_report(Database& database, const ReportOptions& options);

// The current trials of one experiment on one run device (by name), for a terminal: what tells the configurations
// apart, outcome, median time, rate, its share of the best, blocks per SM, limiter, waves. With more rows than `most`
// only the best `most`, best first. Throws Error when there are no trials.
Table summary_table(Database& database, const std::string& experiment, const std::string& device,
                    std::size_t most = 20);

}  // namespace tailwave
