#include "cli/chart_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/process.h"
#include "core/temporary_folder.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

// Start-up takes about a second and a chart a tenth; a busy machine may be ten times as slow.
constexpr std::chrono::seconds kStartLimit{60};
constexpr std::chrono::seconds kChartLimit{5};
constexpr std::size_t kManyCharts = 24;  // from here on two processes draw

// The specs, one a line, in a file that goes when this does.
class ChartRequest {
 public:
  explicit ChartRequest(const std::vector<std::string>& specs) {
    std::ofstream stream(file(), std::ios::binary);
    for (const std::string& spec : specs) stream << spec << '\n';
    stream.close();
    if (!stream) refuse_temporary_file(file(), "cannot be written");
  }
  [[nodiscard]] std::string file() const { return (folder_.path() / "charts.jsonl").string(); }

 private:
  TemporaryFolder folder_;
};

// The lines of the process that are answers; whatever else it prints is not.
std::vector<RenderedChart> answers_in(const std::string& output) {
  std::vector<RenderedChart> answers;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    if (!answer.is_object()) continue;
    answers.push_back({answer.value("svg", ""), answer.value("failure", "")});
    if (answers.back().svg.empty() && answers.back().failure.empty())
      answers.back().failure = "the renderer gave an empty picture";
  }
  return answers;
}

std::string last_line(const std::string& output) {
  std::string last;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

std::string why_missing(const ProcessResult& result, const std::string& python) {
  if (result.timed_out) return fmt::format("{} took too long", python);
  return fmt::format("{} ended with status {}: {}", python, result.exit_status, last_line(result.output));
}

// "" where Python is there.
std::string why_no_python(const std::filesystem::path& python) {
  std::error_code error;
  if (std::filesystem::exists(python, error)) return "";
  return fmt::format(
      "{} is not there; 'make report' in a checkout of tailwave installs it; "
      "TAILWAVE_CHARTS may name another",
      python.lexically_normal().string());
}

// In one process.
std::vector<RenderedChart> render_with(const std::filesystem::path& python,
                                       const std::vector<std::string>& specs) {
  const ChartRequest request(specs);
  const ProcessResult result = run_process({std::filesystem::absolute(python).string(), "-I", "-c",
                                            analysis_file("charts/render.py"), request.file()},
                                           kStartLimit + kChartLimit * specs.size());
  std::vector<RenderedChart> charts = answers_in(result.output);
  if (charts.size() < specs.size())
    charts.resize(specs.size(), {"", why_missing(result, python.lexically_normal().string())});
  return charts;
}

}  // namespace

ChartProcess::ChartProcess(const std::filesystem::path& project) {
  const char* chosen = std::getenv("TAILWAVE_CHARTS");
  python_ = chosen != nullptr && *chosen != '\0' ? std::filesystem::path(chosen)
                                                 : project / ".deps/charts/bin/python";
}

std::vector<RenderedChart> ChartProcess::render(const std::vector<std::string>& specs) {
  if (const std::string reason = why_no_python(python_); !reason.empty())
    return std::vector<RenderedChart>(specs.size(), {"", reason});
  const bool many = specs.size() >= kManyCharts && std::thread::hardware_concurrency() > 1;
  const auto half = specs.begin() + static_cast<std::ptrdiff_t>(many ? specs.size() / 2 : 0);
  std::future<std::vector<RenderedChart>> other;
  if (many)
    other = std::async(std::launch::async, [&] { return render_with(python_, {specs.begin(), half}); });
  std::vector<RenderedChart> last = render_with(python_, {half, specs.end()});
  std::vector<RenderedChart> charts = many ? other.get() : std::vector<RenderedChart>{};
  std::ranges::move(last, std::back_inserter(charts));
  return charts;
}

// The renderer's own version is pinned by what installs it (cmake/setup.sh).
std::string ChartProcess::version() const {
  return analysis_file("charts/render.py");
}

}  // namespace tailwave
