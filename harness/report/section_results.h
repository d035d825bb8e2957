#pragma once

#include <string>
#include <vector>

#include "report/labels.h"
#include "report/markdown.h"
#include "report/study.h"

namespace tailwave {

// The table of a device's results: `rows` of them, the published figures beside them.
std::string results_part(const Study& study, const DeviceStudy& device,
                         const std::vector<const StudyRow*>& rows, const Labels& labels, Footnotes& notes);

// How ours compare with the published figures: the ratio and the rank correlation over the rows of this device that
// count on both sides; "" without published figures.
std::string published_part(const DeviceStudy& device);

}  // namespace tailwave
