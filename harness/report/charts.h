#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/table.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// A picture before it is drawn: Vega-Lite with its data in it.
struct Chart {
  std::string name;   // of its files, analysis/charts/<name>.sql and .vl.json
  std::string title;  // and subtitle, in one line
  std::string spec;   // one line
};

struct ChartSet {
  std::vector<Chart> charts;
  // Names of which there are more than kMostOfOneChart, with how many there are.
  std::vector<std::pair<std::string, std::size_t>> cut;
};

constexpr std::size_t kMostOfOneChart = 4;

// Binds the rows of a chart's query to its spec. Rows with the same `chart` are one picture; `charts`, if there, says
// how many pictures there would be where the query makes only the first kMostOfOneChart. In the spec
//   - "{column}" inside a text is replaced by that column's cell of the first row, and takes its type when it is the
//     whole text; these columns are not part of the data,
//   - "data": {"name": "rows"} is replaced by the rows, without NULLs,
//   - a quantitative channel of the outermost encoding without a scale type gets a logarithmic one when all its values
//     are positive and span more than two decades.
// `style` is the "config" of all charts. Throws Error when the spec or the style is not JSON or the query has no
// `chart`.
std::vector<Chart> bind_charts(const std::string& name, const std::string& spec, const std::string& style,
                               const Table& rows);

// The charts that an experiment's rows on one device give, by name; a query without rows gives none. Files of
// `project`/analysis/charts count too. Left out are charts whose query does not ask
// for an :experiment.
ChartSet load_charts(Database& database, const Study& study, const DeviceStudy& device,
                     const std::filesystem::path& project = {});

// The chart that answers the experiment's question (report/question.h): that whose query has the question's kind in the line
// `-- answers:` and takes the answer's rows as :facts (report/answer_rows.h), a picture for each problem, the last one first.
ChartSet load_answer_charts(Database& database, const Study& study, const DeviceStudy& device,
                            const std::filesystem::path& project = {});

// Those others: of the whole database, all pictures of each.
ChartSet load_overall_charts(Database& database, const std::filesystem::path& project = {});

}  // namespace tailwave
