#include "device/program/reported_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/outcome.h"
#include "core/statistics.h"
#include "json/parser.h"

namespace tailwave {
namespace {

constexpr const char* kReportForm = R"({"time_s": 0.0012})";

class ReportReader {
 public:
  ReportReader(const std::string& program, double ran_s) : program_(program), ran_s_(ran_s) {}

  void read_line(std::string_view line) {
    ++number_;
    if (!line.starts_with('{')) return;
    const ParsedJson parsed = parse_json(line, "");
    if (!parsed.diagnostics.empty() || !parsed.json)
      refuse_report("it is no JSON: " + parsed.diagnostics.front().cause);
    for (const auto& [key, place] : parsed.json->members())
      if (key != "time_s") refuse_report("unknown key '" + key + "'");
    const std::optional<double> seconds = parsed.json->find("time_s").as_real();
    if (!seconds) refuse_report("it has no number 'time_s'");
    if (!(*seconds > 0) || !std::isfinite(*seconds))
      refuse_report(fmt::format("{:g} s is no time that anything takes", *seconds));
    times_s_.push_back(*seconds);
    sum_s_ += *seconds;
    if (sum_s_ > ran_s_)
      refuse_report(
          fmt::format("with it, it reports {:.4g} s, and its process took {:.4g} s", sum_s_, ran_s_));
  }

  [[nodiscard]] double time_s() const {
    if (times_s_.empty())
      throw Failure(Outcome::crashed, fmt::format("'{}' reported no time: no line that it printed is like {}",
                                                  program_, kReportForm));
    return median(times_s_);
  }

 private:
  [[noreturn]] void refuse_report(const std::string& why) const {
    throw Failure(Outcome::crashed,
                  fmt::format("'{}', line {} of what it printed: {}; a report is a line like {}", program_,
                              number_, why, kReportForm));
  }

  const std::string& program_;
  double ran_s_;
  int number_ = 0;
  std::vector<double> times_s_;
  double sum_s_ = 0;
};

}  // namespace

double reported_time_s(std::string_view output, const std::string& program, double ran_s) {
  ReportReader reader(program, ran_s);
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    reader.read_line(line);
  }
  return reader.time_s();
}

}  // namespace tailwave
