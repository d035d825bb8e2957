#pragma once

#include <string>

#include "report/study.h"

namespace tailwave {

// What an experiment came to on a device, one sentence without its full stop (Markdown): the best configuration of each
// problem, or of the last of many (before it how many each wins by its median, and at how many that is shown), with its value, interval and samples; how many times better it is than the baseline
// (report/baseline.h), than the median of a space and than the runner-up; how many are tied with
// it; which share it reaches of the limit that its system's manifest gives; what the published best reaches here; and how many
// configurations were correct.
std::string answer(const Study& study, const DeviceStudy& device);

// For cards: "1865 G interactions/s", "47.4 times `basic`", "39 % of the limit"; of the last problem, "" where there is none.
struct AnswerFigures {
  std::string best;     // the configuration, plain text
  std::string value;    // of the metric
  std::string problem;  // "DT 0.01, N 4096"
  std::string device;   // where it ran: of a GPU's run without kernels the CPU
  std::string speedup;  // "47.4", of the best over the baseline; "" of less than 1 %
  // Which that is, plain text: "basic, BLOCK_SIZE 32". Where no run said the manifest's defaults, of sizes the runner-up, and of
  // a space "the median of 240".
  std::string over;
  std::string limit;  // "39 %"
};

AnswerFigures answer_figures(const Study& study, const DeviceStudy& device);

}  // namespace tailwave
