#pragma once

#include <string>
#include <vector>

#include "report/fixture.h"
#include "report/report.h"

namespace tailwave::samples {

// Reports of the experiments of Fixture.
class ReportFixture : public Fixture {
 protected:
  ReportSummary render(const std::string& folder = "report",
                       const std::vector<std::string>& experiments = {}) {
    return render_report(database_, {experiments, folder_ / folder});
  }
  std::string page(const std::string& name) { return read_file(folder_ / ("report/" + name)); }
};

}  // namespace tailwave::samples
