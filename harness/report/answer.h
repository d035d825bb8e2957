#pragma once

#include <string>

#include "report/study.h"

namespace tailwave {

// What an experiment came to on a device, one sentence without its full stop (Markdown): the best configuration of each
// problem, or of the last of many, with its value, interval and samples; how many times better it is than what the question
// sets it beside (the first step, the slowest size, the median of a space) and than the runner-up; how many are tied with
// it; which share it reaches of the limit that its system's manifest gives; what the published best reaches here; and how many
// configurations were correct.
std::string answer(const Study& study, const DeviceStudy& device);

// For cards: "1865 G interactions/s", "47.4 times `basic`", "39 % of the limit"; of the last problem, "" where there is none.
struct AnswerFigures {
  std::string best;     // the configuration, plain text
  std::string value;    // of the metric
  std::string speedup;  // "47.4", of the best over what the question sets it beside
  std::string over;     // what that is, plain text: "basic, BLOCK_SIZE 32", "the median of 240"
  std::string limit;    // "39 %"
};
// "47.4", "1.04", "6235": a factor for people.
std::string times_text(double ratio);

AnswerFigures answer_figures(const Study& study, const DeviceStudy& device);

}  // namespace tailwave
