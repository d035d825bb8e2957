#include "interchange/ncu_csv.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

namespace tailwave {
namespace {

using Cells = std::vector<std::string>;

std::size_t quotes_in(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count(line, '"'));
}

// RFC 4180: two quotes within quotes are one.
Cells split_csv(const std::string& line) {
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

// "12,345.6": ncu groups thousands; "1,234 (600; 634)" has the values of single units behind it.
std::optional<double> number_of(std::string text) {
  if (const std::size_t details = text.find(" ("); details != std::string::npos) text.resize(details);
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "(32, 1, 1)"
std::optional<Dim3> dimensions_of(const std::string& text) {
  std::istringstream words(text);
  Dim3 size;
  char open = 0, first = 0, second = 0, close = 0;
  words >> open >> size.x >> first >> size.y >> second >> size.z >> close;
  if (words.fail() || open != '(' || first != ',' || second != ',' || close != ')') return std::nullopt;
  return size;
}

struct Unit {
  std::string name;
  double factor = 1;
  bool known = false;
};

// Without SI's prefixes; versions differ in the names. What is by time stays as it is but for them.
Unit unit_of(const std::string& text) {
  static const std::map<std::string, double, std::less<>> in_ns{
      {"ns", 1},   {"nsecond", 1},   {"nanosecond", 1}, {"us", 1e3},    {"usecond", 1e3},
      {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},        {"second", 1e9}};
  static const std::map<char, double> prefixes{{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  if (const auto time = in_ns.find(text); time != in_ns.end()) return {"ns", time->second, true};
  for (const std::string_view base : {"byte", "hz", "Hz"}) {
    if (text.starts_with(base)) return {text, 1, true};
    if (text.size() > base.size() && text.substr(1).starts_with(base)) {
      if (const auto prefix = prefixes.find(text[0]); prefix != prefixes.end())
        return {text.substr(1), prefix->second, true};
    }
  }
  return {text};
}

// Whether it comes in units of several sizes, so that a number alone says nothing.
bool has_sizes(const std::string& metric) {
  return metric.find("__time_") != std::string::npos || metric.find("bytes") != std::string::npos;
}

// What sections call a metric, where that has no other meaning in another section.
struct Label {
  std::string_view label, metric;
};
constexpr std::array kLabels{
    Label{"Duration", "gpu__time_duration.sum"},
    Label{"Elapsed Cycles", "gpc__cycles_elapsed.max"},
    Label{"SM Active Cycles", "sm__cycles_active.avg"},
    Label{"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    Label{"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"Compute (SM) [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"SOL SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"SOL DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"SOL L2 Cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    Label{"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    Label{"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    Label{"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
    Label{"Executed Instructions", "smsp__inst_executed.sum"},
    Label{"Issued Instructions", "smsp__inst_issued.sum"}};

// "" for what is no counter: properties of the launch and the device, and names of sections that stand for no metric.
std::string metric_of(const std::string& name) {
  for (const std::string_view other : {"launch__", "device__", "profiler__", "numa__", "nvlink__", "pcie__"})
    if (name.starts_with(other)) return "";
  if (name.find("__") != std::string::npos && name.find(' ') == std::string::npos) return name;
  const auto* const label =
      std::ranges::find_if(kLabels, [&](const Label& one) { return one.label == name; });
  return label == kLabels.end() ? "" : std::string(label->metric);
}

// "==ERROR== ERR_NVGPUCTRPERM - ..." without the marks.
std::string error_line(const std::string& line) {
  constexpr std::string_view kMark = "==ERROR== ";
  return line.starts_with(kMark) ? line.substr(kMark.size()) : "";
}

class Reader {
 public:
  NcuReport read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      line_ = ++read_;
      if (report_.obstacle.empty()) report_.obstacle = error_line(line);
      if (line.starts_with("\"ID\",")) {
        begin_table(split_csv(line));
      } else if (!header_.empty() && line.starts_with('"')) {
        // A text of a rule may have several lines.
        for (std::string more; quotes_in(line) % 2 == 1 && std::getline(lines, more); ++read_)
          line += "\n" + more;
        add_row(split_csv(line));
      }
    }
    return std::move(report_);
  }

 private:
  void begin_table(Cells header) {
    header_ = std::move(header);
    units_.clear();
    id_.clear();
    is_long_ = place_of("Metric Name").has_value();
  }

  [[nodiscard]] std::optional<std::size_t> place_of(std::string_view column) const {
    const auto found = std::ranges::find(header_, column);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }
  [[nodiscard]] std::string cell(const Cells& row, std::string_view column) const {
    const auto place = place_of(column);
    return place ? row[*place] : "";
  }

  void add_row(const Cells& row) {
    if (row.size() != header_.size()) {
      // A program may write what begins with a quote, too, though hardly two columns of it.
      if (row.size() > 1)
        add_fault(fmt::format("a row of {} columns in a table of {}", row.size(), header_.size()));
      return;
    }
    if (!is_long_ && row.front().empty()) {
      units_ = row;
      return;
    }
    if (id_ != row.front()) begin_launch(row);
    if (!taken_) return;
    if (is_long_)
      return add_metric(cell(row, "Metric Name"), cell(row, "Metric Unit"), cell(row, "Metric Value"));
    for (std::size_t i = 0; i < row.size(); ++i)
      add_metric(header_[i], units_.empty() ? "" : units_[i], row[i]);
  }

  // Nothing where its sizes cannot be read: it would pass for a launch of any size.
  void begin_launch(const Cells& row) {
    id_ = row.front();
    taken_ = false;
    NcuLaunch launch;
    launch.kernel = kernel_base_name(cell(row, "Kernel Name"));
    for (const auto& [column, size] :
         {std::pair("Grid Size", &launch.grid), std::pair("Block Size", &launch.block)}) {
      const std::string text = cell(row, column);
      *size = dimensions_of(text);
      if (!*size && !text.empty()) return add_fault(fmt::format("{} '{}' is none", column, text));
    }
    if (const auto capability = number_of(cell(row, "CC"))) {
      constexpr double kTens = 10;  // "9.0"
      launch.compute_capability = static_cast<int>(std::lround(*capability * kTens));
    }
    report_.launches.push_back(std::move(launch));
    taken_ = true;
  }

  void add_fault(const std::string& cause) {
    report_.faults.push_back(fmt::format("line {}: {}", line_, cause));
  }

  void add_metric(const std::string& name, const std::string& unit, const std::string& text) {
    NcuLaunch& launch = report_.launches.back();
    const std::optional<double> value = number_of(text);
    if (!value) return;
    if (name == "launch__grid_size" || name == "Grid Size") launch.grid_size = std::llround(*value);
    if (name == "launch__block_size" || name == "Block Size") launch.block_size = std::llround(*value);
    const std::string metric = metric_of(name);
    if (metric.empty() || launch.find(metric) != nullptr) return;
    const Unit base = unit_of(unit);
    if (!base.known && has_sizes(metric))
      return add_fault(fmt::format("{} in '{}', which is no unit of it", metric, unit));
    launch.values.push_back(counter_value(metric, *value * base.factor, base.name));
  }

  NcuReport report_;
  Cells header_, units_;
  std::string id_;      // of the launch whose rows are read
  bool taken_ = false;  // that launch
  bool is_long_ = false;
  std::size_t read_ = 0, line_ = 0;  // lines so far, and where the row begins
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace

const CounterValue* NcuLaunch::find(std::string_view metric) const {
  const auto found =
      std::ranges::find_if(values, [&](const CounterValue& one) { return one.metric == metric; });
  return found == values.end() ? nullptr : &*found;
}

NcuReport parse_ncu_csv(const std::string& text) {
  return Reader().read(text);
}

std::string kernel_base_name(std::string name) {
  if (name.starts_with("_Z")) name = demangled(name);
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
      name.erase(at, unnamed.size());
  name.resize(std::min({name.find('<'), name.find('('), name.size()}));
  while (name.ends_with(' ')) name.pop_back();
  const std::size_t before = name.find_last_of(" :");
  return before == std::string::npos ? name : name.substr(before + 1);
}

}  // namespace tailwave
