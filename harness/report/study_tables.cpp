#include "report/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "core/error.h"
#include "core/table.h"
#include "report/gpu_functions.h"
#include "report/markdown.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

using TableField = HeaderField<StudyTable>;
constexpr std::array<TableField, 4> kTableFields{
    TableField{"table", &StudyTable::title}, TableField{"system", &StudyTable::system},
    TableField{"place", &StudyTable::place}, TableField{"note", &StudyTable::note}};

std::vector<std::string> gpus_of(Database& database, const std::string& system) {
  const Table rows = database.query(
      "SELECT DISTINCT device.name FROM device JOIN run ON run.device_id = device.id "
      "WHERE kind = 'cuda' AND system = :system ORDER BY 1",
      {{"system", system}});
  std::vector<std::string> names;
  for (const auto& row : rows.rows) names.push_back(std::get<std::string>(row[0]));
  return names;
}

Table rows_of(Database& database, const StudyTable& table, const Values& parameters) {
  try {
    return database.query(table.sql, parameters);
  } catch (const Error& error) {
    refuse_sql_file("studies", table.id, error.what());
  }
}

std::string table_section(Database& database, const StudyTable& table, const Values& parameters) {
  const Table rows = rows_of(database, table, parameters);
  const std::string note = table.note.empty() ? "" : " " + prose(table.note);
  return fmt::format("\n### {}\n\nIn the text: {}.{}\n\n{}", prose(table.title), prose(table.place), note,
                     render(without_empty_columns(rows), TableFormat::markdown));
}

}  // namespace

StudyTable parse_study_table(const std::string& id, std::string_view text) {
  StudyTable table;
  table.id = id;
  table.sql = text;
  read_header(table, kTableFields, &StudyTable::note, "studies",
              "a study's table begins with '-- table: ', '-- system: ' and '-- place: '");
  return table;
}

std::vector<StudyTable> list_study_tables(const std::filesystem::path& project) {
  std::vector<StudyTable> tables;
  for (const auto& [id, text] : sql_files("studies", project)) tables.push_back(parse_study_table(id, text));
  std::sort(tables.begin(), tables.end(), [](const StudyTable& a, const StudyTable& b) {
    return std::tie(a.system, a.id) < std::tie(b.system, b.id);
  });
  return tables;
}

std::string study_page(Database& database, const std::vector<StudyTable>& tables, const std::string& system) {
  add_gpu_functions(database.handle());
  std::string text = fmt::format(
      "# The tables of the study of {}\n\nAs its text has them, beside the same programs as printed, measured here. "
      "A query each (analysis/studies).\n",
      prose(system));
  const auto add = [&](const std::string& heading, const Values& parameters) {
    text += fmt::format("\n## {}\n", prose(heading));
    for (const StudyTable& table : tables)
      if (table.system == system) text += table_section(database, table, parameters);
  };
  const std::vector<std::string> gpus = gpus_of(database, system);
  for (const std::string& gpu : gpus) add(gpu, {{"device", gpu}});
  if (gpus.empty()) add("Published", {});
  return text;
}

}  // namespace tailwave
