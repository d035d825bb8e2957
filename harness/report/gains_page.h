#pragma once

#include <string>
#include <vector>

#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// The page (Markdown) of what tuning gained and what limits the best: a row for each problem of the experiments of which more
// than one problem or variant was measured, below a section for each experiment. "" where there is none such. `studies` are of
// load_studies(). partly: they are not all that the database has.
std::string gains_page(Database& database, const std::vector<Study>& studies, bool partly);

}  // namespace tailwave
