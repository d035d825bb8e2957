#include "report/counters.h"

#include <fmt/format.h>

#include <string>

#include "report/labels.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr const char* kLaunches = R"(
  SELECT kernel, grid, block, count, duration_ns, occupancy, issue_share, hardest_unit, hardest_share, l2_share,
    dram_share, stall_reason, stall_share, any_doubt
  FROM counter_summary WHERE counter_run_id = ? ORDER BY position)";

// Of the configurations that an experiment has, whichever experiment's they were counted as.
constexpr const char* kOfStudy = R"(
  age = 1 AND counter_launch.system = :system AND counter_launch.device = :device AND counter_launch.kind = :kind
    AND (counter_launch.experiment = :experiment OR configuration_id IN (
      SELECT configuration_id FROM current_trial WHERE current_trial.system = :system
        AND current_trial.experiment = :experiment AND run_device = :device AND run_kind = :kind))
  ORDER BY configuration, counter_launch.position)";
constexpr std::size_t kMostCounted = 64;

Cell percent_cell(const Statement& row, int column) {
  return row.is_null(column) ? Cell{} : Cell{percent(row.real(column))};
}

std::string share_text(const Statement& row, int column) {
  return row.is_null(column) ? "" : percent(row.real(column));
}

Statement of_study(Database& database, const std::string& select, const Study& study,
                   const DeviceStudy& device) {
  Statement row = database.prepare(select + " WHERE" + kOfStudy + " LIMIT " + std::to_string(kMostCounted));
  row.bind(":system", study.system).bind(":experiment", study.experiment).bind(":device", device.device);
  row.bind(":kind", device.kind);
  return row;
}

// What was attained under which roof.
std::string roofline_part(Database& database, const Study& study, const DeviceStudy& device,
                          const Labels& labels) {
  MarkdownTable table({"configuration", "kernel", "precision",
                       "flop:", "flop/byte:", "attained:", "roof:", "bound by", "of the roof:"});
  Statement row = of_study(database, R"(
    SELECT configuration, kernel, precision, flop, intensity, attained_flop_per_s, ceiling_flop_per_s, bound,
      counter_roofline.share
    FROM counter_launch JOIN counter_roofline USING (counter_run_id, position))",
                           study, device);
  while (row.step()) {
    constexpr int kFlop = 3, kIntensity = 4, kAttained = 5, kRoof = 6, kBound = 7, kShare = 8;
    const auto rate = [&](int column) {
      return row.is_null(column) ? "" : format_si(row.real(column)) + "flop/s";
    };
    table.add({configuration_label(device, labels, row.text(0)), code(row.text(1)), row.text(2),
               format_si(row.real(kFlop)), row.is_null(kIntensity) ? "" : format_number(row.real(kIntensity)),
               rate(kAttained), rate(kRoof), row.is_null(kBound) ? "" : row.text(kBound),
               share_text(row, kShare)});
  }
  if (table.empty()) return "";
  return "\nThe roofline: flop for each byte of DRAM, without those of tensor cores, under the less of the peak rate "
         "and what DRAM could have fed.\n\n" +
         table.text_said_once();
}

Table all_values(Database& database, std::int64_t run) {
  return database.query(R"(
    SELECT kernel, metric, value, unit, doubt FROM counter_value
      JOIN counted_launch USING (counter_run_id, position)
    WHERE counter_run_id = :run ORDER BY position, metric)",
                        {{"run", run}});
}

bool has_instructions(Database& database, std::int64_t run) {
  Statement statement = database.prepare(
      "SELECT EXISTS (SELECT 1 FROM counter_launch WHERE counter_run_id = ? AND instructions IS NOT NULL)");
  return statement.bind_all(run).step() && statement.integer(0) == 1;
}

}  // namespace

Table counter_table(Database& database, std::int64_t run) {
  if (!has_instructions(database, run)) return all_values(database, run);
  Table table{{"kernel", "grid", "block", "launches", "counted", "occupancy", "issue", "driven hardest",
               "of its peak", "L2", "DRAM", "warps wait for", "of their time"},
              {}};
  std::vector<Cell> doubts;
  bool doubted = false;
  Statement row = database.prepare(kLaunches);
  row.bind_all(run);
  while (row.step()) {
    constexpr int kDuration = 4, kOccupancy = 5, kIssue = 6, kHardest = 7, kHardestShare = 8, kL2 = 9,
                  kDram = 10, kReason = 11, kReasonShare = 12, kDoubt = 13;
    const auto text = [&](int column) { return row.is_null(column) ? Cell{} : Cell{row.text(column)}; };
    table.rows.push_back({row.text(0), row.integer(1), row.integer(2), row.integer(3),
                          row.is_null(kDuration) ? Cell{} : Cell{format_time(row.real(kDuration) / 1e9)},
                          percent_cell(row, kOccupancy), percent_cell(row, kIssue), text(kHardest),
                          percent_cell(row, kHardestShare), percent_cell(row, kL2), percent_cell(row, kDram),
                          text(kReason), percent_cell(row, kReasonShare)});
    doubts.push_back(text(kDoubt));
    doubted = doubted || !row.is_null(kDoubt);
  }
  if (!doubted) return table;
  table.columns.emplace_back("cannot be");
  for (std::size_t i = 0; i < doubts.size(); ++i) table.rows[i].push_back(doubts[i]);
  return table;
}

std::string counters_section(Database& database, const Study& study, const DeviceStudy& device,
                             Footnotes& notes) {
  const Labels labels(device, study.names);
  MarkdownTable table({"configuration", "kernel", "launches:", "counted:", "occupancy:", "issue:",
                       "driven hardest", "of its peak:", "L2:", "DRAM:", "warps wait for", "of their time:"});
  Statement row = of_study(database, R"(
    SELECT configuration, kernel, count, duration_ns, occupancy, issue_share, hardest_unit, hardest_share, l2_share,
      dram_share, stall_reason, stall_share, any_doubt
    FROM counter_summary AS counter_launch)",
                           study, device);
  while (row.step()) {
    constexpr int kCount = 2, kDuration = 3, kOccupancy = 4, kIssue = 5, kUnit = 6, kUnitShare = 7, kL2 = 8,
                  kDram = 9, kReason = 10, kReasonShare = 11, kDoubt = 12;
    const std::string mark =
        row.is_null(kDoubt) ? "" : " " + notes.mark("Cannot be: " + prose(row.text(kDoubt)) + ".");
    table.add({configuration_label(device, labels, row.text(0)), code(row.text(1)) + mark,
               std::to_string(row.integer(kCount)),
               row.is_null(kDuration) ? "" : format_time(row.real(kDuration) / 1e9),
               share_text(row, kOccupancy), share_text(row, kIssue),
               row.is_null(kUnit) ? "" : row.text(kUnit), share_text(row, kUnitShare), share_text(row, kL2),
               share_text(row, kDram), row.is_null(kReason) ? "" : code(row.text(kReason)),
               share_text(row, kReasonShare)});
  }
  if (table.empty()) return "";
  return "\n### Hardware counters\n\n"
         "Of launches that were counted alone, in a process of its own; none of these is a time that counts. Shares "
         "are of what the unit could have done in the launch's cycles; `tailwave query stalls` and `speed_of_light` "
         "have the others.\n\n" +
         table.text_said_once() + roofline_part(database, study, device, labels);
}

}  // namespace tailwave
