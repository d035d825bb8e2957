#include "report/timelines.h"

#include <string>
#include <utility>

#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

constexpr const char* kShares = R"(
  SELECT gpu, name, count(*), sum(end_ns - begin_ns), sum(end_ns - begin_ns) * 1.0 / nullif(span_ns, 0),
    max(end_ns - begin_ns)
  FROM timeline_record JOIN timeline_gpu USING (timeline_id, gpu)
  WHERE timeline_id = ? GROUP BY gpu, kind, name ORDER BY gpu, 4 DESC, name)";

constexpr const char* kAtOnce = R"(
  WITH own AS MATERIALIZED (SELECT gpu, idle_ns, overlap_ns, span_ns FROM timeline_gpu WHERE timeline_id = ?)
  SELECT gpu, 'nothing' AS what, idle_ns, idle_ns * 1.0 / nullif(span_ns, 0) FROM own
  UNION ALL SELECT gpu, 'two or more', overlap_ns, overlap_ns * 1.0 / nullif(span_ns, 0) FROM own
  ORDER BY gpu, what)";

Cell time_cell(const Statement& row, int column) {
  return format_time(row.real(column) / 1e9);
}

Cell span_share_cell(const Statement& row, int column) {
  return row.is_null(column) ? Cell{} : Cell{percent(row.real(column))};
}

}  // namespace

Table timeline_table(Database& database, std::int64_t timeline) {
  Table table{{"GPU", "what", "times", "in all", "of the span", "longest"}, {}};
  Statement share = database.prepare(kShares);
  share.bind_all(timeline);
  while (share.step())
    table.rows.push_back({share.integer(0), share.text(1), share.integer(2), time_cell(share, 3),
                          span_share_cell(share, 4), time_cell(share, 5)});
  Statement at_once = database.prepare(kAtOnce);
  at_once.bind_all(timeline);
  while (at_once.step())
    table.rows.push_back(
        {at_once.integer(0), at_once.text(1), {}, time_cell(at_once, 2), span_share_cell(at_once, 3), {}});
  return table;
}

}  // namespace tailwave
