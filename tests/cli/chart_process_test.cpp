#include "cli/chart_process.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/project_fixture.h"
#include "report/chart_script.h"

namespace tailwave {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ChartProcessTest : public ProjectFixture {
 protected:
  ~ChartProcessTest() override { unsetenv("TAILWAVE_CHARTS"); }
  // A program in the place of Python.
  void use_script(const std::string& text) const {
    const auto file = project_ / "python.sh";
    std::ofstream(file) << "#!/bin/sh\n" << text << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("TAILWAVE_CHARTS", file.c_str(), 1);
  }
};

TEST_F(ChartProcessTest, SaysWhatIsMissingAndWhatInstallsIt) {
  unsetenv("TAILWAVE_CHARTS");
  const auto charts = ChartProcess(project_).render({"{}", "{}"});
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_THAT(charts[1].failure,
              EndsWith(".deps/charts/bin/python is not there; 'make report' in a checkout of tailwave "
                       "installs it; TAILWAVE_CHARTS may name another"));
}

TEST_F(ChartProcessTest, TakesOneAnswerALineAndSkipsOtherOutput) {
  use_script(R"sh(echo 'a warning'; echo '{"svg": "<svg/>"}'; echo '{"failure": "no such mark"}')sh");
  const auto charts = ChartProcess(project_).render({"{}", "{}"});
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].svg, "<svg/>");
  EXPECT_EQ(charts[0].failure, "");
  EXPECT_EQ(charts[1].failure, "no such mark");
}

TEST_F(ChartProcessTest, GivesManyInTheirOrderWhoeverDrawsThem) {
  use_script(R"sh(while read -r spec; do echo "{\"svg\": \"<$spec/>\"}"; done <"$4")sh");
  std::vector<std::string> specs;
  for (int i = 0; i < 51; ++i) specs.push_back(std::to_string(i));
  const auto charts = ChartProcess(project_).render(specs);
  ASSERT_EQ(charts.size(), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) EXPECT_EQ(charts[i].svg, "<" + specs[i] + "/>");
}

TEST_F(ChartProcessTest, TellsHowAProcessEndedThatDrewTooLittle) {
  use_script(R"sh(echo '{"svg": "<svg/>"}'; echo 'No module named vl_convert' >&2; exit 3)sh");
  const auto charts = ChartProcess(project_).render({"{}", "{}"});
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].svg, "<svg/>");
  EXPECT_THAT(charts[1].failure, EndsWith("python.sh ended with status 3: No module named vl_convert"));
}

TEST_F(ChartProcessTest, DrawsAsTheSameBytesEachTimeWhereVlConvertIs) {
  const std::filesystem::path source(TAILWAVE_SOURCE_DIR);
  if (!std::filesystem::exists(source / ".deps/charts/bin/python"))
    GTEST_SKIP() << "vl-convert is not installed: 'cmake/setup.sh charts' fetches it from PyPI";
  const std::vector<std::string> specs{
      R"({"data": {"values": [{"x": 0.123456, "y": "1.23456"}]}, "mark": "text", "encoding": {"x": {"field": "x",
          "type": "quantitative"}, "text": {"field": "y"}}})",
      R"({"mark": "nonsense"})"};
  std::vector<std::string> lines;
  for (std::string spec : specs) {
    std::erase(spec, '\n');
    lines.push_back(spec);
  }
  const auto first = ChartProcess(source).render(lines);
  const auto second = ChartProcess(source).render(lines);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_THAT(first[0].svg, StartsWith("<svg "));
  EXPECT_THAT(first[0].svg, HasSubstr(">1.23456<"));  // text is not rounded
  EXPECT_EQ(first[0].svg, second.at(0).svg);
  EXPECT_NE(first[1].failure, "");
}

TEST_F(ChartProcessTest, ReportWithoutARendererSaysSoInOneLine) {
  unsetenv("TAILWAVE_CHARTS");
  const std::string recorded = TAILWAVE_SOURCE_DIR "/results/h200/nbody/basic_block_size.json";
  ASSERT_EQ(tailwave({"import", recorded}).exit_status, 0);
  const CommandResult result = tailwave({"report", "--svg"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  // A report that takes over a second says before that what it does.
  EXPECT_THAT(result.err, testing::ContainsRegex(
                              "^(report: [^\n]* ...\n)*charts left out" +
                              std::string(chart_script().empty() ? "" : " of the Markdown pages") +
                              ": 3 \\(.deps/charts/bin/python is not there; "
                              "'make report' in a checkout of tailwave installs it; TAILWAVE_CHARTS may name "
                              "another\\)\n$"));
  EXPECT_EQ(result.out, "report: results/report/index.html (as Markdown: results/report/README.md)\n");
  EXPECT_EQ(std::filesystem::exists(project_ / "results/report/assets/vega.js"), !chart_script().empty());
  EXPECT_EQ(tailwave({"report", "--svg", "--quiet"}).err, "");
}

TEST_F(ChartProcessTest, ReportThatWouldBeTheSameIsLeftAsItIs) {
  use_script(R"sh(while read -r spec; do echo '{"svg": "<svg/>"}'; done <"$4")sh");
  const std::string recorded = TAILWAVE_SOURCE_DIR "/results/h200/nbody/basic_block_size.json";
  ASSERT_EQ(tailwave({"import", recorded}).exit_status, 0);
  const std::string made = "report: results/report/index.html (as Markdown: results/report/README.md)";
  EXPECT_EQ(tailwave({"report", "--svg"}).out, made + "\n");
  EXPECT_EQ(tailwave({"report", "--svg"}).out, made + ", as it was: nothing has changed\n");
  std::ofstream(project_ / "results/report/README.md", std::ios::app) << "mine";
  EXPECT_EQ(tailwave({"report", "--svg"}).out, made + "\n") << "a file of it was changed";
  EXPECT_EQ(tailwave({"report", "--svg", "--experiment", "basic_block_size"}).out, made + "\n")
      << "other arguments";
}

TEST_F(ChartProcessTest, ReportLeavesPicturesToTheBrowserWhereNoneAreAskedFor) {
  if (chart_script().empty()) GTEST_SKIP() << "this program has no script that draws charts in a browser";
  use_script(R"sh(while read -r spec; do echo '{"svg": "<svg/>"}'; done <"$4")sh");
  ASSERT_EQ(tailwave({"import", TAILWAVE_SOURCE_DIR "/results/h200/nbody/basic_block_size.json"}).exit_status,
            0);
  const std::filesystem::path page = project_ / "results/report/nbody/basic_block_size.md";
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  const CommandResult again = tailwave({"report"});
  EXPECT_THAT(again.out, HasSubstr("as it was: nothing has changed"));
  EXPECT_EQ(again.err, "");
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/report/nbody/charts"));
  EXPECT_THAT(text_of(page), HasSubstr("[Chart: "));
  ASSERT_EQ(tailwave({"report", "--svg"}).exit_status, 0);
  EXPECT_THAT(text_of(page), HasSubstr("](charts/basic_block_size/"));
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  EXPECT_THAT(text_of(page), HasSubstr("](charts/basic_block_size/"))
      << "what was drawn of the same data stays";
}

}  // namespace
}  // namespace tailwave
