// The charts of reports, with a renderer that draws nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "report/chart_renderer.h"
#include "report/fixture.h"
#include "report/report.h"
#include "report/traces.h"

namespace tailwave {
namespace {

// Draws nothing: what it "draws" is the spec, or a reason.
class FakeRenderer : public ChartRenderer {
 public:
  std::vector<RenderedChart> render(const std::vector<std::string>& specs) override {
    ++calls;
    drawn += specs.size();
    std::vector<RenderedChart> charts;
    for (const std::string& spec : specs)
      charts.push_back(failure.empty() ? RenderedChart{"<svg>" + spec + "</svg>", ""}
                                       : RenderedChart{"", failure});
    return charts;
  }
  std::string failure;
  int calls = 0;
  std::size_t drawn = 0;
};

class ReportWithCharts : public samples::Fixture {
 protected:
  ReportSummary render() {
    return render_report(database_, {{}, folder_ / "report", {}, &renderer_, script_});
  }
  std::string page() { return samples::read_file(folder_ / "report/nbody/basic_block_size.md"); }

  FakeRenderer renderer_;
  std::string script_ = "script";
};

TEST_F(ReportWithCharts, ShowsThatOfTheAnswerBelowItAndOthersBeforeTheTables) {
  const ReportSummary summary = render();
  const auto folder = folder_ / "report/nbody/charts";
  EXPECT_EQ(summary.charts, (std::vector<std::filesystem::path>{
                                folder_ / "report/jacobi/charts/block_size/nvidia_h200_answer_steps.svg",
                                folder / "basic_block_size/nvidia_h200_answer_steps.svg",
                                folder / "basic_block_size/nvidia_h200_block_size.svg",
                                folder / "basic_block_size/test_cpu_2_cores_answer_steps.svg",
                                folder / "variants/nvidia_h200_answer_steps.svg"}));
  EXPECT_EQ(summary.charts_left_out, 0U);
  EXPECT_EQ(renderer_.calls, 1);
  EXPECT_TRUE(samples::read_file(summary.charts[2]).starts_with("<svg>{"))
      << samples::read_file(summary.charts[2]);
  const std::string text = page();
  EXPECT_NE(
      text.find(
          "2 of 2 configurations correct.\n\n![How many times as fast as BLOCK_SIZE 1, on NVIDIA H200. interactions/s; "
          "in brackets, over the step before](charts/basic_block_size/nvidia_h200_answer_steps.svg)\n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "\n## NVIDIA H200\n\n### Charts\n\n![Throughput against block size on NVIDIA H200. N 4096; 132 SMs; 0.03 to "
          "0.97 waves](charts/basic_block_size/nvidia_h200_block_size.svg)\n\n### All 5 configurations\n"),
      std::string::npos)
      << text;
}

TEST_F(ReportWithCharts, AreDrawnAgainOnlyWhereTheyChanged) {
  const ReportSummary first = render();
  const std::string before = samples::read_file(first.charts.at(2));
  EXPECT_EQ(render().charts, first.charts);
  EXPECT_EQ(renderer_.calls, 1);
  EXPECT_EQ(samples::read_file(first.charts.at(2)), before);
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("variants", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1e5}));
  render();
  EXPECT_EQ(renderer_.calls, 2);
  EXPECT_EQ(renderer_.drawn, 6U) << "that of variants alone";
  std::ofstream(first.charts.at(2)) << "<svg>mine</svg>";
  render();
  EXPECT_EQ(samples::read_file(first.charts.at(2)), before);
}

TEST_F(ReportWithCharts, AreInteractiveInHtml) {
  const ReportSummary summary = render();
  EXPECT_EQ(samples::read_file(folder_ / "report/assets/vega.js"), "script");
  const std::string html = samples::read_file(folder_ / "report/nbody/basic_block_size.html");
  EXPECT_NE(html.find("<script defer src=\"../assets/vega.js\"></script>"), std::string::npos);
  const std::string svg = samples::read_file(summary.charts.at(2));
  const std::string spec = svg.substr(5, svg.find("</svg>") - 5);  // what the renderer was given
  EXPECT_NE(html.find("<img src=\"charts/basic_block_size/nvidia_h200_block_size.svg\""), std::string::npos);
  EXPECT_NE(html.find("<script type=\"application/json\">" + spec + "</script>"), std::string::npos) << html;
  const std::string other = samples::read_file(folder_ / "report/nbody/study.html");
  EXPECT_EQ(other.find("vega.js"), std::string::npos);
}

TEST_F(ReportWithCharts, ArePicturesWhereThereIsNoScript) {
  script_ = "";
  render();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report/assets/vega.js"));
  const std::string html = samples::read_file(folder_ / "report/nbody/basic_block_size.html");
  EXPECT_EQ(html.find("vega.js"), std::string::npos);
  EXPECT_NE(html.find("<img src=\"charts/"), std::string::npos);
}

TEST_F(ReportWithCharts, NeedNothingButTheScriptInHtml) {
  renderer_.failure = "no renderer";
  EXPECT_EQ(render().charts_left_out, 5U);
  const std::string html = samples::read_file(folder_ / "report/nbody/basic_block_size.html");
  EXPECT_NE(html.find("<script defer src=\"../assets/vega.js\"></script>"), std::string::npos);
  EXPECT_NE(html.find("<noscript><p>Throughput against block size on NVIDIA H200."), std::string::npos)
      << html;
  EXPECT_NE(html.find("<script type=\"application/json\">{"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_NE(
      page().find("\n[Chart: Throughput against block size on NVIDIA H200. N 4096; 132 SMs; 0.03 to 0.97 "
                  "waves](basic_block_size.html)\n"),
      std::string::npos)
      << page();
  EXPECT_EQ(page().find("!["), std::string::npos);
}

TEST_F(ReportWithCharts, AreTheSameBytesEachTime) {
  const ReportSummary first = render();
  const std::string before = page() + samples::read_file(first.charts.at(0));
  const ReportSummary second = render();
  EXPECT_EQ(page() + samples::read_file(second.charts.at(0)), before);
}

TEST_F(ReportWithCharts, SaysInOneLineWhyTheyAreLeftOut) {
  samples::add_trace(database_, "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096", samples::seven_blocks(), 2, 2);
  renderer_.failure = "no [renderer]";
  script_ = "";
  const ReportSummary summary = render();
  EXPECT_EQ(summary.charts_left_out, 9U);  // the trace's two show in the experiment of variants too
  EXPECT_EQ(summary.why_left_out, "no [renderer]");
  EXPECT_NE(page().find("\n### Charts\n\n4 charts are left out: no \\[renderer\\].\n\n### All"),
            std::string::npos)
      << page();
}

}  // namespace
}  // namespace tailwave
