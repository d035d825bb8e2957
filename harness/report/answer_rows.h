#pragma once

#include <string>

#include "report/question.h"
#include "report/study.h"

namespace tailwave {

// What the chart of an answer is drawn from (analysis/charts/answer_*.sql), as JSON:
// {"device", "axis", "metric": "interactions/s", "y_title": "Time (us)", "y_format": for d3, "maximise": 1 or 0, "as": "fast" or "good",
//  "limit": the limit of the best row of the last problem, "rows": one for each of DeviceStudy::contenders(), in the order
//  of the spec; of tuning the 30 best of each problem, best first}. A row has
//   problem: what tells its problem from others, "N 4096"; "" where there is one,
//   problem_place: 1 for the last problem, which answers first,
//   label, series: Labels::short_line and, without the axis, Labels::series,
//   common: what the rows of its problem have in common that not all configurations have, configurations: how many it has,
//   variant, x (on the axis),
//   value, low, high: of the metric with the 95 % interval, in the unit of y_title,
//   standing: as core/standing.h, tied: how many are,
//   of steps (report/baseline.h), which have the best host variant of each problem before them: baseline: its label, steps: how many
//   there are, best: 1 or 0, times: better than the baseline, gained: than the step before; none of these of what is no step,
//   limit: the metric at the least time by the manifest's limits, published: what the study's GPU reached; both may be missing.
std::string answer_rows(const Study& study, const DeviceStudy& device, const Question& question);

}  // namespace tailwave
