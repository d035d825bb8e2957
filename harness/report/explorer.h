#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What the latest counters of all launches say of a configuration's main launch, the longest one; "" and none: not counted.
struct ExplorerCounters {
  std::string code_hash;  // of the machine code that was counted; "": not known
  std::string hardest_unit, stall_reason;
  std::optional<double> hardest_share, l2_share, dram_share, stall_share;
};

// The configurations of an experiment for analysis/html/explorer, which draws them in an HTML page: axes that can be
// brushed, a scatter plot and a table that are linked, and all that is stored of a configuration that is chosen.
class Explorer {
 public:
  // Reads the counters of all of them, once for a report.
  explicit Explorer(Database& database);

  // The data of a page as JSON; "" where no device has two configurations that ran on it.
  //   {"experiment": "nbody/variants", "maximise": true, "devices": [{
  //     "name", "rows": how many, "left_out": of more than kMostExplored the worst,
  //     "constant": [[label, text], ...]: what all rows have in common,
  //     "columns": [{"label", "role": "parameter" | "outcome" | "metric" | "result" | "resource" | "counter",
  //       "format": "number" | "si" | "time" (seconds) | "share", "unit": of "number",
  //       "data": [number | null, ...], or "codes": [index | -1, ...] into "values": [text, ...]}, ...],
  //     "names": [of the configuration, ...], "details", "options": as codes and values,
  //     "samples": [{"count", "low", "high", "parts": [of at most kMostSamples, evenly among them, ...]} | null, ...]:
  //       parts in 10,000 by which samples of a row are above its median,
  //     "explained": {row: text}: why the best is faster than it}]}
  // Column "metric" is what the experiment optimises.
  [[nodiscard]] std::string json(const Study& study) const;

  static constexpr std::size_t kMostExplored = 20'000;
  static constexpr std::size_t kMostSamples = 60;

 private:
  Database& database_;
  std::map<std::string, std::map<std::string, ExplorerCounters>> counters_;  // device -> configuration
};

// The part of a page about it: the image stands for explorer_figure(). Pages that stay Markdown have none.
inline constexpr std::string_view kExplorerPart = "\n## Explorer\n\n![Explorer](explorer)\n";

// The data of Explorer::json(), compressed, in the element that the scripts make an explorer of.
std::string explorer_figure(const std::string& json);

// The scripts, as one.
std::string explorer_script();

}  // namespace tailwave
