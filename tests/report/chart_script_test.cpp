#include "report/chart_script.h"

#include <gmock/gmock.h>

namespace tailwave {
namespace {

TEST(ChartScript, IsOneScriptThatBeginsWithItsLicences) {
  if (chart_script().empty())
    GTEST_SKIP()
        << "this program was built without it: 'cmake/setup.sh charts' makes it of a wheel from PyPI";
  EXPECT_THAT(chart_script(),
              testing::ContainsRegex("^/\\*! Vega [0-9.]+, Vega-Lite [0-9.]+, Vega-Embed [0-9.]+\n"));
  const std::string licences = chart_script().substr(0, chart_script().find("*/"));
  for (const char* const name : {"BSD-3-Clause", "ISC", "MIT", "Mike Bostock", "Interactive Data Lab"})
    EXPECT_THAT(licences, testing::HasSubstr(name));
  EXPECT_GT(chart_script().size(), 500'000U);
  EXPECT_THAT(chart_script(), testing::EndsWith("})();\n"));
}

}  // namespace
}  // namespace tailwave
