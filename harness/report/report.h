#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/chart_renderer.h"
#include "store/database.h"

namespace tailwave {

struct ReportOptions {
  std::vector<std::string> experiments;  // "name" or "system/name"; empty: all
  std::filesystem::path out_dir = "results/report";
  std::filesystem::path project;  // whose claims and charts count beside those of the program; empty: none
  ChartRenderer* renderer = nullptr;  // nullptr: pages have no charts and do not speak of them
  std::string script;  // with which HTML pages draw their charts (chart_script.h); "": they show pictures
  // A hash of all that the report is made of (cli/report_inputs.h). Where an earlier report of the folder was made of the same, and its
  // files are as it left them, nothing is done. "": the report is made in any case.
  std::string inputs;
  std::function<void(const std::string&)> doing = [](const std::string&) {};  // called with what comes next
};

struct ReportSummary {
  bool unchanged = false;  // nothing was done (ReportOptions::inputs): below are only index, html and claims
  std::filesystem::path index;        // out_dir/README.md
  std::filesystem::path html;         // out_dir/index.html
  std::filesystem::path claims;       // out_dir/claims.md
  std::filesystem::path simulations;  // out_dir/simulations.md; empty: nothing was simulated
  std::filesystem::path gains;  // out_dir/gains.md; empty: no experiment has several problems or variants
  std::vector<std::filesystem::path> pages;   // out_dir/<system>/<experiment>.md, those written
  std::vector<std::filesystem::path> charts;  // out_dir/<system>/charts/<experiment>/<device>_<chart>.svg
  std::size_t charts_left_out =
      0;                     // of which there is no picture: HTML pages with a script have them all the same
  std::string why_left_out;  // of the first of them
};

// Writes the index of all experiments in the database, the pages of claims, of what tuning gained and of simulated searches, the pages of
// those asked for, and pages that the index would otherwise miss, with their charts; charts that an earlier report
// drew for these pages are removed. No other file of the folder is touched (report_folder.h). Each page is Markdown,
// for terminals and code hosts, and HTML, beside it and with the claims of its system; the HTML pages need only the
// files of out_dir, and open from disk. The same database gives the same bytes. With more than 20,000 trials in the
// database, some experiments asked for are all that is answered: the index only names the others. Throws Error,
// before anything is written, for an experiment without trials and for a folder that is not a report's.
ReportSummary render_report(Database& database, const ReportOptions& options);

}  // namespace tailwave
