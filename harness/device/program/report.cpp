#include "device/program/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/outcome.h"
#include "core/statistics.h"
#include "json/parser.h"

namespace tailwave {
namespace {

constexpr const char* kTimeKey = "time_s";
constexpr const char* kReportForm = R"({"time_s": 0.0012})";

class ReportReader {
 public:
  ReportReader(const std::string& program, double ran_s, std::span<const std::string> names)
      : program_(program), ran_s_(ran_s), names_(names) {}

  void read_line(std::string_view line) {
    ++number_;
    if (!line.starts_with('{')) return;
    const ParsedJson parsed = parse_json(line, "");
    if (!parsed.diagnostics.empty() || !parsed.json)
      refuse_report("it is no JSON: " + parsed.diagnostics.front().cause);
    for (const auto& [key, place] : parsed.json->members()) {
      if (key != kTimeKey && std::ranges::find(names_, key) == names_.end()) refuse_key(key);
      const std::optional<double> value = place.as_real();
      if (!value || !std::isfinite(*value)) refuse_report("it has no number '" + key + "'");
      if (key == kTimeKey) check_time(*value);
      values_[key].push_back(*value);
    }
    if (parsed.json->members().empty())
      refuse_report(names_.empty() ? "it has no number 'time_s'" : "it has no number");
  }

  [[nodiscard]] ProgramReport report() const {
    ProgramReport report;
    for (const auto& [key, values] : values_) {
      if (key == kTimeKey)
        report.time_s = median(values);
      else
        report.numbers[key] = median(values);
    }
    return report;
  }

 private:
  void check_time(double seconds) {
    if (!(seconds > 0)) refuse_report(fmt::format("{:g} s is no time that anything takes", seconds));
    sum_s_ += seconds;
    if (sum_s_ > ran_s_)
      refuse_report(
          fmt::format("with it, it reports {:.4g} s, and its process took {:.4g} s", sum_s_, ran_s_));
  }

  [[noreturn]] void refuse_key(const std::string& key) const {
    const std::string known = names_.empty() ? "" : fmt::format(", {}", fmt::join(names_, ", "));
    refuse_report(fmt::format("unknown key '{}' (known: {}{}; the manifest's 'metrics' has the others)", key,
                              kTimeKey, known));
  }

  [[noreturn]] void refuse_report(const std::string& why) const {
    throw Failure(Outcome::crashed,
                  fmt::format("'{}', line {} of what it printed: {}; a report is a line like {}", program_,
                              number_, why, kReportForm));
  }

  const std::string& program_;
  double ran_s_;
  std::span<const std::string> names_;
  int number_ = 0;
  std::map<std::string, std::vector<double>> values_;
  double sum_s_ = 0;
};

}  // namespace

ProgramReport read_report(std::string_view output, const std::string& program, double ran_s,
                          std::span<const std::string> names) {
  ReportReader reader(program, ran_s, names);
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    reader.read_line(line);
  }
  return reader.report();
}

double reported_time_s(const ProgramReport& report, const std::string& program) {
  if (!report.time_s)
    throw Failure(Outcome::crashed, fmt::format("'{}' reported no time: no line that it printed is like {}",
                                                program, kReportForm));
  return *report.time_s;
}

}  // namespace tailwave
