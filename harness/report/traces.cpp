#include "report/traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/labels.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr const char* kLatestTraces = R"(
  WITH latest AS (
    SELECT *, row_number() OVER (PARTITION BY system, experiment, device_id, configuration_id
                                   ORDER BY traced_at DESC, id DESC) AS age
    FROM trace)
  SELECT latest.system, latest.experiment, device.name, device.kind, configuration.name, kernel, cause, disturbed,
    blocks, blocks_per_sm, max_residency, 
    1.0 * grid_x * grid_y * grid_z / coalesce(cluster_slots, trace_launch.sms * blocks_per_sm), waves,
    trace_idle.duration_ns / 1e9, traced_time_ns / plain_time_ns, utilisation, ramp, early_warps, hand_over,
    quantisation, drain, sm_imbalance, block_variance, doubtful
  FROM latest
    JOIN trace_idle ON trace_id = latest.id
    JOIN trace_launch USING (trace_id, position)
    JOIN device ON device.id = device_id
    JOIN configuration ON configuration.id = configuration_id
  WHERE age = 1
  ORDER BY latest.system, latest.experiment, device.kind DESC, device.name, configuration.name, position)";

std::string share_cell(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "";
}

std::vector<std::string> trace_cells(const ObservedLaunch& launch, Footnotes& notes) {
  const std::string mark = launch.disturbed.empty() ? "" : " " + notes.mark(launch.disturbed);
  const std::string doubt = launch.doubtful.empty() ? "" : " " + notes.mark(launch.doubtful);
  return {code(launch.kernel),
          fmt::format("{}", launch.blocks),
          fmt::format("{}", launch.blocks_per_sm),
          launch.seen_blocks_per_sm ? fmt::format("{}", *launch.seen_blocks_per_sm) : "",
          format_number(launch.waves),
          format_number(launch.seen_waves),
          format_time(launch.duration_s),
          fmt::format("{:+.1f} %{}", 100 * (launch.traced_over_plain - 1), mark),
          share_cell(launch.utilisation),
          share_cell(launch.ramp),
          share_cell(launch.early_warps),
          share_cell(launch.hand_over) + doubt,
          share_cell(launch.quantisation),
          share_cell(launch.drain),
          share_cell(launch.sm_imbalance),
          share_cell(launch.block_variance),
          launch.cause};
}

bool has_traces(Database& database, const Study& study) {
  Statement statement =
      database.prepare("SELECT EXISTS (SELECT 1 FROM trace WHERE system = ? AND experiment = ?)");
  statement.bind_all(study.system, study.experiment);
  return statement.step() && statement.integer(0) == 1;
}

}  // namespace

std::vector<ObservedLaunch> load_traces(Database& database, const std::vector<const Study*>& studies) {
  std::vector<ObservedLaunch> traces;
  if (std::none_of(studies.begin(), studies.end(),
                   [&](const Study* study) { return has_traces(database, *study); }))
    return traces;
  Statement row = database.prepare(kLatestTraces);
  while (row.step()) {
    ObservedLaunch launch{row.text(0),
                          row.text(1),
                          row.text(2),
                          from_string<DeviceKind>(row.text(3)),
                          row.text(4),
                          row.text(5),
                          row.text(6),
                          row.text(7),
                          row.integer(8),
                          row.integer(9),
                          row.optional_integer(10),
                          row.real(11),
                          row.real(12),
                          row.real(13),
                          row.real(14)};
    launch.utilisation = row.optional_real(15);
    launch.ramp = row.optional_real(16);
    launch.early_warps = row.optional_real(17);
    launch.hand_over = row.optional_real(18);
    launch.quantisation = row.optional_real(19);
    launch.drain = row.optional_real(20);
    launch.sm_imbalance = row.optional_real(21);
    launch.block_variance = row.optional_real(22);
    launch.doubtful = row.text(23);
    traces.push_back(std::move(launch));
  }
  return traces;
}

std::string observed_waves(const Study& study, const DeviceStudy& device,
                           const std::vector<ObservedLaunch>& traces, Footnotes& notes) {
  const Labels labels(device, study.names);
  MarkdownTable table({"configuration", "kernel", "blocks:", "blocks/SM:", "seen:", "waves:", "seen:",
                       "duration:", "tracing:", "busy:", "ramp:", "early warps:", "hand-over:",
                       "quantisation:", "drain:", "SM imbalance:", "block variance:", "cause"});
  for (const ObservedLaunch& launch : traces) {
    if (launch.system != study.system || launch.experiment != study.experiment ||
        launch.device != device.device || launch.kind != device.kind)
      continue;
    std::vector<std::string> cells = trace_cells(launch, notes);
    cells.insert(cells.begin(), configuration_label(device, labels, launch.configuration));
    table.add(std::move(cells));
  }
  if (table.empty()) return "";
  const std::string of_workers = device.kind == DeviceKind::cpu
                                     ? "\n"
                                       "Here an SM is a worker, "
                                       "a thread of the host that runs one block after another: "
                                       "SM imbalance is how the host treated its threads, "
                                       "and says nothing of a GPU.\n"
                                     : "";
  return fmt::format(
      "\n"
      "### Observed waves\n\n"
      "From the SM, start and end of every block of one traced execution. "
      "busy and what follows it are shares of the slots' time and make 100 %; "
      "tracing is what it added to the time.\n"
      "{}\n"
      "{}",
      of_workers, table.text());
}

}  // namespace tailwave
