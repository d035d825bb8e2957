#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/chart_renderer.h"

namespace tailwave {

// Charts drawn by a Python that has the package vl-convert-python: one process for all of them. It is looked for at
// the first chart: $TAILWAVE_CHARTS, else `project`/.deps/charts/bin/python, which `make report` installs. Throws
// Error when the request cannot be written to the system's folder of temporary files.
class ChartProcess : public ChartRenderer {
 public:
  explicit ChartProcess(const std::filesystem::path& project);
  std::vector<RenderedChart> render(const std::vector<std::string>& specs) override;
  [[nodiscard]] std::string version() const override;

 private:
  std::filesystem::path python_;
};

}  // namespace tailwave
