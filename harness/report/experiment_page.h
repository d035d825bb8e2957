#pragma once

#include <string>
#include <vector>

#include "report/advice.h"
#include "report/adviser.h"
#include "report/curves.h"
#include "report/markdown.h"
#include "report/pictures.h"
#include "report/study.h"
#include "report/traces.h"
#include "store/database.h"

namespace tailwave {

// What several pages show.
struct PageFacts {
  bool scripted;  // browsers draw the charts
  std::vector<ObservedLaunch> traces;
  std::vector<CurveError> errors;
  const AllAdvice& advice;
};

// The page of an experiment (Markdown) without its notes: the question, the answer with its chart, and below what they rest
// on, a section for each device. `pictures`: of each device. explored: with the place of an explorer (kExplorerPart).
std::string experiment_page(Database& database, const Study& study,
                            const std::vector<SectionPictures>& pictures, const PageFacts& facts,
                            bool explored, Footnotes& notes);

}  // namespace tailwave
