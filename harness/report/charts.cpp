#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "report/answer_rows.h"
#include "report/question.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

using VegaJson = nlohmann::json;
using ChartRow = std::map<std::string, VegaJson>;

VegaJson json_cell(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> VegaJson {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

ChartRow record_of(const Table& table, const std::vector<Cell>& row) {
  ChartRow record;
  for (std::size_t i = 0; i < row.size(); ++i) record[table.columns[i]] = json_cell(row[i]);
  return record;
}

std::string plain_text(const VegaJson& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

std::string placeholder(const std::string& column) {
  return "{" + column + "}";
}

VegaJson filled(const std::string& text, const ChartRow& first, std::set<std::string>& used) {
  std::string result = text;
  for (const auto& [column, cell] : first) {
    const std::string key = placeholder(column);
    if (text.find(key) == std::string::npos) continue;
    used.insert(column);
    if (text == key) return cell.is_null() ? VegaJson("") : cell;
    for (std::size_t at = 0; (at = result.find(key, at)) != std::string::npos;) {
      const std::string value = plain_text(cell);
      result.replace(at, key.size(), value);
      at += value.size();
    }
  }
  return result;
}

void fill(VegaJson& node, const ChartRow& first, std::set<std::string>& used) {
  if (node.is_string()) {
    node = filled(node.get<std::string>(), first, used);
  } else if (node.is_structured()) {
    for (VegaJson& child : node) fill(child, first, used);
  }
}

bool spans_two_decades(const std::vector<ChartRow>& rows, const std::string& field) {
  double low = INFINITY;
  double high = 0;
  for (const ChartRow& row : rows) {
    const auto cell = row.find(field);
    if (cell == row.end() || !cell->second.is_number()) continue;
    low = std::min(low, cell->second.get<double>());
    high = std::max(high, cell->second.get<double>());
  }
  return low > 0 && high > 100 * low;
}

void choose_scales(VegaJson& spec, const std::vector<ChartRow>& rows) {
  if (!spec.contains("encoding")) return;
  for (VegaJson& channel : spec["encoding"]) {
    const bool open = channel.value("type", "") == "quantitative" && channel.contains("field") &&
                      !channel.value("scale", VegaJson::object()).contains("type");
    if (!open || !spans_two_decades(rows, channel["field"].get<std::string>())) continue;
    constexpr int kMarginPixels = 12;
    channel["scale"].update({{"type", "log"}, {"nice", false}, {"padding", kMarginPixels}});
  }
}

VegaJson data_of(const std::vector<ChartRow>& rows, const std::set<std::string>& constant) {
  VegaJson values = VegaJson::array();
  for (const ChartRow& row : rows) {
    VegaJson value = VegaJson::object();
    for (const auto& [column, cell] : row)
      if (!cell.is_null() && !constant.contains(column)) value[column] = cell;
    values.push_back(std::move(value));
  }
  return {{"values", std::move(values)}};
}

VegaJson parse(const std::string& text, const std::string& file) {
  try {
    return VegaJson::parse(text);
  } catch (const VegaJson::parse_error& error) {
    throw Error(Diagnostic{"analysis/charts/" + file, fmt::format("byte {}", error.byte), "is not JSON", "",
                           -1, "a chart has a query and a spec beside it"});
  }
}

std::string in_one_line(const ChartRow& first) {
  const auto text = [&](const std::string& column) {
    const auto found = first.find(column);
    return found == first.end() ? "" : plain_text(found->second);
  };
  std::string title = text("title");
  if (const std::string subtitle = text("subtitle"); !subtitle.empty()) title += ". " + subtitle;
  for (std::size_t at = 0; (at = title.find('\n', at)) != std::string::npos;) title.replace(at, 1, ". ");
  return title;
}

Chart bind_chart(const std::string& name, VegaJson spec, const VegaJson& style,
                 const std::vector<ChartRow>& rows) {
  std::set<std::string> constant{"chart", "charts"};
  fill(spec, rows.front(), constant);
  choose_scales(spec, rows);
  spec["data"] = data_of(rows, constant);
  spec["config"] = style;
  // Text of a damaged database may not be UTF-8.
  return {name, in_one_line(rows.front()), spec.dump(-1, ' ', false, VegaJson::error_handler_t::replace)};
}

std::size_t charts_there_are(const Table& rows) {
  const auto column = std::find(rows.columns.begin(), rows.columns.end(), "charts") - rows.columns.begin();
  if (column == static_cast<std::ptrdiff_t>(rows.columns.size())) return 0;
  return static_cast<std::size_t>(std::get<std::int64_t>(rows.rows.front()[column]));
}

bool is_an_answer(const std::string& sql) {
  return !header_field(sql, "answers").empty();
}

bool is_of_an_experiment(const std::string& sql) {
  return sql.find(":experiment") != std::string::npos;
}

// None without rows.
std::vector<Chart> charts_of(const std::string& name, const Table& rows,
                             const std::filesystem::path& project) {
  if (rows.rows.empty()) return {};
  return bind_charts(name, analysis_file("charts/" + name + ".vl.json", project),
                     analysis_file("charts/style.json", project), rows);
}

// Of many pictures the first kMostOfOneChart.
void add_charts(const std::string& name, const Table& rows, const std::filesystem::path& project,
                ChartSet& set) {
  std::vector<Chart> charts = charts_of(name, rows, project);
  if (charts.empty()) return;
  const std::size_t there = std::max(charts.size(), charts_there_are(rows));
  if (there > kMostOfOneChart) set.cut.emplace_back(name, there);
  charts.resize(std::min(charts.size(), kMostOfOneChart));
  std::move(charts.begin(), charts.end(), std::back_inserter(set.charts));
}

}  // namespace

std::vector<Chart> bind_charts(const std::string& name, const std::string& spec, const std::string& style,
                               const Table& rows) {
  const VegaJson parsed = parse(spec, name + ".vl.json");
  const VegaJson config = parse(style, "style.json");
  if (std::find(rows.columns.begin(), rows.columns.end(), "chart") == rows.columns.end())
    throw Error(Diagnostic{"analysis/charts/" + name + ".sql", "", "has no column 'chart'", "", -1,
                           "rows with the same value in it become one picture"});
  std::vector<std::vector<ChartRow>> pictures;
  for (const auto& row : rows.rows) {
    ChartRow record = record_of(rows, row);
    const auto same = std::find_if(pictures.begin(), pictures.end(), [&](const auto& picture) {
      return picture.front().at("chart") == record.at("chart");
    });
    if (same == pictures.end())
      pictures.push_back({std::move(record)});
    else
      same->push_back(std::move(record));
  }
  std::vector<Chart> charts;
  for (const auto& picture : pictures) charts.push_back(bind_chart(name, parsed, config, picture));
  return charts;
}

ChartSet load_charts(Database& database, const Study& study, const DeviceStudy& device,
                     const std::filesystem::path& project) {
  const Values about{{"system", study.system},
                     {"experiment", study.experiment},
                     {"device", device.device},
                     {"kind", std::string(to_string(device.kind))}};
  ChartSet set;
  for (const auto& [name, sql] : sql_files("charts", project)) {
    if (!is_of_an_experiment(sql)) continue;
    const Table rows = database.query(sql, about);
    add_charts(name, rows, project, set);
  }
  return set;
}

ChartSet load_answer_charts(Database& database, const Study& study, const DeviceStudy& device,
                            const std::filesystem::path& project) {
  ChartSet set;
  const Question question = question_of(device.contenders());
  for (const auto& [name, sql] : sql_files("charts", project))
    if (header_field(sql, "answers") == to_string(question.asks))
      add_charts(name, database.query(sql, {{"facts", answer_rows(study, device, question)}}), project, set);
  return set;
}

ChartSet load_overall_charts(Database& database, const std::filesystem::path& project) {
  ChartSet set;
  for (const auto& [name, sql] : sql_files("charts", project)) {
    if (is_of_an_experiment(sql) || is_an_answer(sql)) continue;
    std::vector<Chart> charts = charts_of(name, database.query(sql), project);
    std::move(charts.begin(), charts.end(), std::back_inserter(set.charts));
  }
  return set;
}

}  // namespace tailwave
