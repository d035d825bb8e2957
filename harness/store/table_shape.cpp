#include "store/table_shape.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tailwave {
namespace {

struct ForeignKey {
  std::string column, table, to;
  bool owns = false;
};

std::vector<ForeignKey> foreign_keys(Database& database, const std::string& table) {
  Statement row = database.prepare(
      R"(SELECT "from", "table", "to", on_delete = 'CASCADE' FROM pragma_foreign_key_list(?) ORDER BY id, seq)");
  row.bind_all(table);
  std::vector<ForeignKey> keys;
  while (row.step()) keys.push_back({row.text(0), row.text(1), row.text(2), row.integer(3) == 1});
  return keys;
}

std::vector<std::string> optional_columns(Database& database, const std::string& name) {
  Statement column =
      database.prepare(R"(SELECT name FROM pragma_table_info(?) WHERE "notnull" = 0 AND pk = 0)");
  column.bind_all(name);
  std::vector<std::string> names;
  while (column.step()) names.push_back(column.text(0));
  return names;
}

TableShape shape_of(Database& database, const std::string& name) {
  TableShape shape;
  shape.name = name;
  Statement column = database.prepare("SELECT name, pk, type FROM pragma_table_info(?) ORDER BY cid");
  column.bind_all(name);
  std::map<std::int64_t, std::string> key;
  bool is_integer = false;
  while (column.step()) {
    shape.columns.push_back(column.text(0));
    if (column.integer(1) == 0) continue;
    key[column.integer(1)] = column.text(0);
    is_integer = column.text(2) == "INTEGER";
  }
  for (const auto& [place, part] : key) shape.key.push_back(part);
  if (key.size() == 1 && is_integer) shape.id = shape.key.front();
  Statement natural = database.prepare(R"(
    SELECT info.name FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS info
    WHERE list.origin = 'u' AND list.seq = (SELECT min(seq) FROM pragma_index_list(?) WHERE origin = 'u')
    ORDER BY info.seqno)");
  natural.bind_all(name, name);
  while (natural.step()) shape.natural.push_back(natural.text(0));
  return shape;
}

class Shapes {
 public:
  explicit Shapes(Database& database) {
    Statement table = database.prepare(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
        "AND name NOT IN ('ranking', 'ranking_trial') ORDER BY rowid");
    while (table.step()) {
      const std::string name = table.text(0);
      names_.push_back(name);
      keys_[name] = foreign_keys(database, name);
      shapes_[name] = shape_of(database, name);
      ids_[name] = shapes_[name].id;
      for (const std::string& column : optional_columns(database, name)) optional_.emplace(name, column);
    }
    for (auto& [name, shape] : shapes_) {
      for (const ForeignKey& key : keys_.at(name)) refer(shape, key);
      // Its number is that of what it is about.
      if (!shape.referred(shape.id).empty()) shape.id.clear();
    }
    for (const auto& [name, shape] : shapes_)
      for (const TableShape::Reference& one : shape.references) shapes_[one.table].is_referred_to = true;
  }

  std::vector<TableShape> in_order() {
    for (const std::string& name : names_) append(name);
    return std::move(order_);
  }

 private:
  void refer(TableShape& shape, const ForeignKey& key) {
    const std::optional<std::string> table = table_of(key.table, key.to);
    if (!table) return;
    if (shape.referred(key.column).empty())
      shape.references.push_back({key.column, *table, optional_.contains({shape.name, key.column})});
    if (!key.owns) return;
    shape.owner_column = key.column;
    shape.owner = *table;
  }

  // Whose ids a column holds.
  [[nodiscard]] std::optional<std::string> table_of(const std::string& table,
                                                    const std::string& column) const {
    for (const ForeignKey& key : keys_.at(table))
      if (key.column == column)
        if (auto further = table_of(key.table, key.to)) return further;
    return ids_.at(table) == column ? std::optional(table) : std::nullopt;
  }

  void append(const std::string& name) {
    if (!appended_.insert(name).second) return;
    for (const ForeignKey& key : keys_.at(name)) append(key.table);
    order_.push_back(shapes_.at(name));
  }

  std::vector<std::string> names_;
  std::map<std::string, std::vector<ForeignKey>> keys_;
  std::map<std::string, TableShape> shapes_;
  std::map<std::string, std::string> ids_;                  // by table
  std::set<std::pair<std::string, std::string>> optional_;  // table and column
  std::set<std::string> appended_;
  std::vector<TableShape> order_;
};

}  // namespace

bool TableShape::has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

std::string TableShape::referred(std::string_view column) const {
  const auto found = std::ranges::find(references, column, &Reference::column);
  return found == references.end() ? "" : found->table;
}

std::vector<TableShape> table_shapes(Database& database) {
  return Shapes(database).in_order();
}

}  // namespace tailwave
