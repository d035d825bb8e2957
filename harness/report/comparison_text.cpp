#include "report/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/markdown.h"
#include "report/section_text.h"
#include "report/units.h"

namespace tailwave {
namespace {

// "different work: interactions is 100 in A, 50 in B"; empty for what is comparable.
std::string why_not_comparable(const ComparedRow& row) {
  const std::string reason(to_string(row.obstacle));
  return row.obstacle_detail.empty() ? reason : reason + ": " + row.obstacle_detail;
}

// " (different metrics, different work)".
std::string reasons(const std::vector<ComparedRow>& rows) {
  std::set<Obstacle> obstacles;
  for (const ComparedRow& row : rows)
    if (row.compared == ComparedAs::not_comparable) obstacles.insert(row.obstacle);
  std::vector<std::string_view> names;
  for (const Obstacle obstacle : obstacles) names.push_back(to_string(obstacle));
  return fmt::format(" ({})", fmt::join(names, ", "));
}

std::size_t count_of(const std::vector<ComparedRow>& rows, ComparedAs compared) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [compared](const ComparedRow& row) { return row.compared == compared; }));
}

Cell median_cell(const std::optional<SideTrial>& trial) {
  return trial && trial->median_s ? Cell{*trial->median_s * 1e6} : Cell{};
}

std::string median_text(const std::optional<SideTrial>& trial) {
  return trial && trial->median_s ? format_time(*trial->median_s) : "";
}

bool is_unverified(const std::optional<SideTrial>& trial) {
  return trial && trial->outcome == Outcome::correct && !trial->unverified.empty();
}

std::string_view outcome_word(const std::optional<SideTrial>& trial) {
  return is_unverified(trial) ? kUnverified : to_string(trial->outcome);
}

// "correct", or "unverified -> timeout".
std::string outcomes(const ComparedRow& row) {
  const std::string_view b = row.b ? outcome_word(row.b) : "";
  const std::string_view a = row.a ? outcome_word(row.a) : b;
  return b.empty() || a == b ? std::string(a) : fmt::format("{} -> {}", a, b);
}

std::string emphasised_verdict(ComparedAs compared) {
  const std::string name(to_string(compared));
  return compared == ComparedAs::failed || compared == ComparedAs::slower ? "**" + name + "**" : name;
}

std::string differences_table(const SideComparison& comparison) {
  MarkdownTable table({"different", "A", "B"});
  for (const Difference& one : comparison.differences)
    table.add({prose(one.what), prose(one.a), prose(one.b)});
  return table.empty() ? "" : "\n" + table.text();
}

std::string rows_table(const SideComparison& comparison, std::size_t most) {
  MarkdownTable table(
      {"configuration", "B is", "A:", "B:", "B / A:", "95 % interval:", "outcome", "not comparable"});
  for (std::size_t i = 0; i < std::min(most, comparison.rows.size()); ++i) {
    const ComparedRow& row = comparison.rows[i];
    const std::string outcome = outcomes(row);
    table.add({code(row.configuration), emphasised_verdict(row.compared), median_text(row.a),
               median_text(row.b), row.ratio ? fmt::format("{:.3f}", *row.ratio) : "",
               row.interval ? fmt::format("{:.3f} to {:.3f}", row.interval->low, row.interval->high) : "",
               outcome == to_string(Outcome::correct) ? "" : prose(outcome), prose(why_not_comparable(row))});
  }
  const std::string left_out = left_out_text(comparison, most);
  return (table.empty() ? "" : "\n" + table.text()) + (left_out.empty() ? "" : "\n" + left_out);
}

}  // namespace

std::size_t SideComparison::count(ComparedAs compared) const {
  return count_of(rows, compared);
}

std::vector<UnverifiedPart> SideComparison::unverified() const {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const ComparedRow& row : rows) {
    if (is_unverified(row.a)) ++counts[{"A", row.a->unverified}];
    if (is_unverified(row.b)) ++counts[{"B", row.b->unverified}];
  }
  std::vector<UnverifiedPart> parts;
  for (const auto& [part, count] : counts) parts.push_back({part.first, part.second, count});
  return parts;
}

std::size_t SideComparison::on_both() const {
  return rows.size() - count(ComparedAs::only_a) - count(ComparedAs::only_b);
}

std::string left_out_text(const SideComparison& comparison, std::size_t most) {
  std::string text;
  const std::size_t both = comparison.on_both();
  if (most < both) text = fmt::format("The first {} of {}; --all shows all.\n", most, both);
  std::vector<std::string> counts;
  for (const ComparedAs one : {ComparedAs::only_a, ComparedAs::only_b}) {
    std::size_t count = comparison.count(one);
    for (std::size_t i = both; i < std::min(most, comparison.rows.size()); ++i)
      count -= comparison.rows[i].compared == one ? 1 : 0;
    if (count > 0) counts.push_back(fmt::format("{} {}", count, to_string(one)));
  }
  if (!counts.empty()) text += fmt::format("{}; --all shows them.\n", fmt::join(counts, ", "));
  return text;
}

std::string count_line(const std::vector<ComparedRow>& rows) {
  std::string text;
  for (std::size_t i = 0; i < EnumNames<ComparedAs>::names.size(); ++i) {
    const auto compared = static_cast<ComparedAs>(i);
    const std::size_t count = count_of(rows, compared);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(compared));
    if (compared == ComparedAs::not_comparable) text += reasons(rows);
  }
  return fmt::format("of {} configuration{} {}", rows.size(), rows.size() == 1 ? "" : "s",
                     text.empty() ? "none is on a side" : text);
}

std::string summary_line(const SideComparison& comparison) {
  std::string text = count_line(comparison.rows);
  if (!comparison.only_a.empty()) text += fmt::format("; only in A: {}", fmt::join(comparison.only_a, ", "));
  if (!comparison.only_b.empty()) text += fmt::format("; only in B: {}", fmt::join(comparison.only_b, ", "));
  for (const UnverifiedPart& part : comparison.unverified())
    text += fmt::format("; unverified in {}: {} ({})", part.side, part.configurations, part.why);
  return text;
}

Table comparison_table(const SideComparison& comparison, std::size_t most) {
  Table table{
      {"experiment", "configuration", "B_is", "us_A", "us_B", "ratio", "low", "high", "outcome", "why"}, {}};
  for (std::size_t i = 0; i < std::min(most, comparison.rows.size()); ++i) {
    const ComparedRow& row = comparison.rows[i];
    table.rows.push_back({row.experiment, row.configuration, std::string(to_string(row.compared)),
                          median_cell(row.a), median_cell(row.b), cell_of(row.ratio),
                          row.interval ? Cell{row.interval->low} : Cell{},
                          row.interval ? Cell{row.interval->high} : Cell{}, outcomes(row),
                          row.obstacle == Obstacle::none ? Cell{} : Cell{why_not_comparable(row)}});
  }
  return table;
}

std::string comparison_page(const SideComparison& comparison, std::size_t most) {
  return fmt::format(
             "# Comparison\n\n- A: {}\n- B: {}\n\n**{}** (margin {:g} %, intervals within these runs alone): {}.\n",
             prose(comparison.name_a), prose(comparison.name_b), "B against A", 100 * comparison.margin,
             prose(summary_line(comparison))) +
         differences_table(comparison) + rows_table(comparison, most);
}

}  // namespace tailwave
