#include "report/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/labels.h"
#include "report/markdown.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr const char* kCurveErrors = R"(
  WITH latest AS (
    SELECT *, row_number() OVER (PARTITION BY device_id, configuration_id, position
                                   ORDER BY measured_at DESC, id DESC) AS age
    FROM grid_curve)
  SELECT latest.system, latest.experiment, device.name, device.kind, configuration.name, kernel, model, position,
    count(*), max(waves), median(abs(relative_error)), quantile(abs(relative_error), 0.95)
  FROM latest
    JOIN grid_error ON curve_id = latest.id
    JOIN device ON device.id = device_id
    JOIN configuration ON configuration.id = configuration_id
  WHERE age = 1
  GROUP BY latest.id, model
  ORDER BY latest.system, device.kind DESC, device.name, configuration.name, position, latest.id,
    model = 'selected', median(abs(relative_error)), model)";

bool has_row(const DeviceStudy& device, const std::string& configuration) {
  return std::any_of(device.rows.begin(), device.rows.end(),
                     [&](const StudyRow& row) { return row.configuration == configuration; });
}

std::string error_cell(const CurveError& error) {
  return fmt::format("{:.1f} % ({:.1f} %)", 100 * error.median, 100 * error.quantile_95);
}

// The errors of one curve.
struct CurveRow {
  const CurveError* staircase = nullptr;
  const CurveError* least = nullptr;  // of the models but `selected`
  const CurveError* selected = nullptr;
};

CurveRow curve_row(const std::vector<const CurveError*>& errors) {
  CurveRow row;
  for (const CurveError* error : errors) {
    if (error->model == "staircase") row.staircase = error;
    if (error->model == "selected") {
      row.selected = error;
    } else if (row.least == nullptr) {
      row.least = error;
    }
  }
  return row;
}

bool same_curve(const CurveError& one, const CurveError& other) {
  return std::tie(one.configuration, one.position) == std::tie(other.configuration, other.position);
}

}  // namespace

std::vector<CurveError> load_curve_errors(Database& database) {
  Statement row = database.prepare(kCurveErrors);
  std::vector<CurveError> errors;
  while (row.step())
    errors.push_back({row.text(0), row.text(1), row.text(2), from_string<DeviceKind>(row.text(3)),
                      row.text(4), row.text(5), row.text(6), row.integer(7), row.integer(8), row.real(9),
                      row.real(10), row.real(11)});
  return errors;
}

std::string wave_models(const Study& study, const DeviceStudy& device,
                        const std::vector<CurveError>& errors) {
  std::vector<std::vector<const CurveError*>> curves;
  for (const CurveError& error : errors) {
    const bool here = error.system == study.system && error.device == device.device &&
                      error.kind == device.kind &&
                      (error.experiment == study.experiment || has_row(device, error.configuration));
    if (!here) continue;
    if (curves.empty() || !same_curve(*curves.back().front(), error)) curves.emplace_back();
    curves.back().push_back(&error);
  }
  if (curves.empty()) return "";
  const Labels labels(device, study.names);
  MarkdownTable table({"configuration", "kernel", "held-out grids:", "up to waves:", "staircase:",
                       "selected:", "least:", "least, by model"});
  for (const std::vector<const CurveError*>& curve : curves) {
    const CurveError& any = *curve.front();
    const CurveRow row = curve_row(curve);
    table.add({configuration_label(device, labels, any.configuration), code(any.kernel),
               fmt::format("{}", any.held_out_grids), format_number(any.largest_waves),
               row.staircase != nullptr ? error_cell(*row.staircase) : "",
               row.selected != nullptr ? error_cell(*row.selected) : "",
               row.least != nullptr ? error_cell(*row.least) : "",
               row.least != nullptr ? code(row.least->model) : ""});
  }
  return fmt::format(
      "\n"
      "### Wave models\n\n"
      "The kernel was timed with its grid cut to many sizes, "
      "and the models of time against waves were fitted to some of them. Of their errors on the others: "
      "the median (and the 95th percentile). `selected` chose its model by the fitted grids alone; "
      "`least` was found by looking.\n\n"
      "{}",
      table.text());
}

}  // namespace tailwave
