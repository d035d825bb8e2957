#include "store/merge_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace tailwave {
namespace {

// What becomes of a row that has an id, in the table of ids.
enum How {
  kSame = 0,     // it is there, with all that it owns
  kExtend = 1,   // it is there, and lacks some of what it owns
  kAdd = 2,      // it is new
  kReplace = 3,  // as kExtend, and of rows with the same key those that are merged are later
};

std::string ids_of(const std::string& table) {
  return "temp.ids_of_" + table;
}

std::string joined(const std::vector<std::string>& words, const std::string& between = ", ") {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> each(const std::vector<std::string>& columns,
                              const std::function<std::string(const std::string&)>& text) {
  std::vector<std::string> texts;
  for (const std::string& column : columns) texts.push_back(text(column));
  return texts;
}

std::vector<std::string> without(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  std::vector<std::string> others;
  std::ranges::copy_if(all, std::back_inserter(others), [&](const std::string& column) {
    return std::ranges::find(some, column) == some.end();
  });
  return others;
}

// Rows of a table that is merged, as `theirs`, with columns that have ids in terms of the database they come into.
struct Theirs {
  const TableShape& table;

  [[nodiscard]] std::string from() const {
    std::string text = fmt::format("{}.{} AS theirs", kMerged, table.name);
    for (const TableShape::Reference& one : table.references)
      text += fmt::format(" LEFT JOIN {0} AS ids_{1} ON ids_{1}.theirs = theirs.{1}", ids_of(one.table),
                          one.column);
    return text;
  }
  [[nodiscard]] std::string value(const std::string& column) const {
    if (column == "merged_from" && table.name == "run") return "coalesce(theirs.merged_from, :file)";
    return table.referred(column).empty() ? "theirs." + column : fmt::format("ids_{}.ours", column);
  }
  [[nodiscard]] std::string values(const std::vector<std::string>& columns) const {
    return joined(each(columns, [&](const std::string& column) { return value(column); }));
  }
  // That a row of ours has the same in these columns.
  [[nodiscard]] std::string is_ours(const std::vector<std::string>& columns) const {
    return joined(
        each(columns,
             [&](const std::string& column) { return fmt::format("ours.{} IS {}", column, value(column)); }),
        " AND ");
  }
};

class RowMerger {
 public:
  RowMerger(Database& into, const std::vector<TableShape>& tables, const std::string& file)
      : into_(into), tables_(tables), file_(file) {}

  MergedRows run() {
    for (const TableShape& table : tables_)
      if (is_of_manifests(table)) take_later(table);
    for (const TableShape& table : tables_)
      if (!table.id.empty())
        into_.execute(fmt::format(
            "CREATE TEMP TABLE ids_of_{} (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL, how INTEGER NOT NULL)",
            table.name));
    for (const TableShape& table : tables_) {
      if (is_of_manifests(table)) continue;
      if (table.id.empty())
        copy_owned(table);
      else if (table.natural.empty())
        copy_numbered(table);
      else if (owns_any(table))
        copy_growing(table);
      else
        copy_shared(table);
    }
    for (const TableShape& table : tables_) refer_to_later(table);
    count("run", kAdd, result_.runs_added);
    count("run", kExtend, result_.runs_extended);
    count("run", kReplace, result_.runs_extended);
    count("run", kSame, result_.runs_known);
    count("trial", kAdd, result_.trials_added);
    for (const TableShape& table : tables_)
      if (!table.id.empty()) into_.execute("DROP TABLE " + ids_of(table.name));
    return result_;
  }

 private:
  std::int64_t execute(const std::string& sql) {
    Statement statement = into_.prepare(sql);
    if (sql.find(":file") != std::string::npos) statement.bind(":file", file_);
    statement.run();
    return sqlite3_changes64(into_.handle());
  }
  void insert(const std::string& sql) { result_.rows_added += execute("INSERT INTO main." + sql); }

  void count(const std::string& table, How how, std::int64_t& sum) {
    Statement statement = into_.prepare(fmt::format("SELECT count(*) FROM {} WHERE how = ?", ids_of(table)));
    statement.bind_all(static_cast<int>(how)).step();
    sum += statement.integer(0);
  }

  static bool is_of_manifests(const TableShape& table) {
    return table.references.empty() && !table.is_referred_to && table.has("system");
  }
  [[nodiscard]] bool owns_any(const TableShape& table) const {
    return std::ranges::any_of(tables_, [&](const TableShape& one) { return one.owner == table.name; });
  }
  // What is owned by it, directly or not.
  [[nodiscard]] std::vector<const TableShape*> owned_by(const std::string& table) const {
    std::vector<const TableShape*> owned;
    for (const TableShape& one : tables_) {
      if (one.owner != table) continue;
      owned.push_back(&one);
      for (const TableShape* further : owned_by(one.name)) owned.push_back(further);
    }
    return owned;
  }
  [[nodiscard]] const TableShape& table(const std::string& name) const {
    return *std::ranges::find(tables_, name, &TableShape::name);
  }

  // Of what manifests say, as of the latest run of a database.
  void take_later(const TableShape& table) {
    const std::vector<std::string> scope = table.has("experiment")
                                               ? std::vector<std::string>{"system", "experiment"}
                                               : std::vector<std::string>{"system"};
    const auto latest = [&](const std::string& database, const std::string& row) {
      return fmt::format(
          "coalesce((SELECT max(started_at || identity) FROM {0}.run WHERE run.system = coalesce({1}.system, run.system){2}), '')",
          database, row,
          table.has("experiment") ? fmt::format(" AND run.experiment = {}.experiment", row) : "");
    };
    const std::string columns = joined(without(table.columns, {table.id}));
    execute(fmt::format(R"(
      CREATE TEMP TABLE taken AS
      SELECT {0} FROM (SELECT {0} FROM {1}.{2} UNION SELECT {0} FROM main.{2}) AS scope
      WHERE {3} > {4} OR {4} = '' AND NOT EXISTS (SELECT 1 FROM main.{2} AS ours WHERE {5}))",
                        joined(scope), kMerged, table.name, latest(kMerged, "scope"), latest("main", "scope"),
                        same("ours", "scope", scope)));
    execute(
        fmt::format("DELETE FROM main.{} AS ours WHERE EXISTS (SELECT 1 FROM temp.taken AS scope WHERE {})",
                    table.name, same("ours", "scope", scope)));
    insert(fmt::format(
        "{0} ({1}) SELECT {1} FROM {2}.{0} AS theirs WHERE EXISTS (SELECT 1 FROM temp.taken AS scope WHERE {3})",
        table.name, columns, kMerged, same("theirs", "scope", scope)));
    execute("DROP TABLE temp.taken");
  }

  static std::string same(const std::string& one, const std::string& other,
                          const std::vector<std::string>& columns) {
    return joined(each(columns,
                       [&](const std::string& column) {
                         return fmt::format("{0}.{2} IS {1}.{2}", one, other, column);
                       }),
                  " AND ");
  }

  void copy_shared(const TableShape& table) {
    const Theirs theirs{table};
    const std::vector<std::string> columns = without(table.columns, {table.id});
    const std::vector<std::string> others = without(columns, table.natural);
    const std::string keep =
        others.empty()
            ? "NOTHING"
            : fmt::format(
                  "UPDATE SET {} WHERE ({}) < ({})",
                  joined(each(others,
                              [](const std::string& one) { return fmt::format("{0} = excluded.{0}", one); })),
                  joined(each(others, [](const std::string& one) { return "excluded." + one; })),
                  joined(each(others, [&](const std::string& one) { return table.name + "." + one; })));
    insert(fmt::format("{} ({}) SELECT {} FROM {} WHERE true ORDER BY theirs.{} ON CONFLICT ({}) DO {}",
                       table.name, joined(columns), theirs.values(columns), theirs.from(), table.id,
                       joined(table.natural), keep));
    find_ours(table, table.natural, "0", "true");
  }

  // Whose rows of ours, in these columns, are theirs.
  void find_ours(const TableShape& table, const std::vector<std::string>& columns, const std::string& how,
                 const std::string& where) {
    const Theirs theirs{table};
    execute(fmt::format(
        "INSERT OR IGNORE INTO {} SELECT theirs.{}, ours.{}, {} FROM {} CROSS JOIN main.{} AS ours WHERE {} AND {}",
        ids_of(table.name), table.id, table.id, how, theirs.from(), table.name, theirs.is_ours(columns),
        where));
  }

  // Those without an id of ours are new.
  void add_new(const TableShape& table, const std::string& where) {
    const Theirs theirs{table};
    execute(fmt::format(R"(
      INSERT INTO {0}
      SELECT theirs.{1}, (SELECT coalesce(max({1}), 0) FROM main.{2}) + row_number() OVER (ORDER BY theirs.{1}), {3}
      FROM {4} WHERE NOT EXISTS (SELECT 1 FROM {0} AS known WHERE known.theirs = theirs.{1}) AND {5})",
                        ids_of(table.name), table.id, table.name, static_cast<int>(kAdd), theirs.from(),
                        where));
    const std::vector<std::string> columns = without(table.columns, {table.id});
    insert(fmt::format(
        "{0} ({1}, {2}) SELECT own.ours, {3} FROM {4} JOIN {5} AS own ON own.theirs = theirs.{1} WHERE own.how = {6} ORDER BY own.ours",
        table.name, table.id, joined(columns), theirs.values(columns), theirs.from(), ids_of(table.name),
        static_cast<int>(kAdd)));
  }

  // What belongs to a run, and what belongs to nothing.
  void copy_numbered(const TableShape& table) {
    const std::vector<std::string> columns = without(table.columns, {table.id});
    if (table.owner.empty()) {
      find_ours(table, columns, "0", "true");
      return add_new(table, "true");
    }
    const std::string how = fmt::format("ids_{}.how", table.owner_column);
    find_ours(table, columns, how, fmt::format("{} IN ({:d}, {:d})", how, kExtend, kReplace));
    add_new(table, how + " > 0");
  }

  void copy_growing(const TableShape& table) {
    find_ours(table, table.natural, "0", "true");
    execute(
        fmt::format("UPDATE {} AS own SET how = {:d} WHERE {}", ids_of(table.name), kExtend, differs(table)));
    if (table.has("finished_at"))
      execute(fmt::format(R"(
        UPDATE {0} AS own SET how = {1:d}
        WHERE how = {2:d} AND (SELECT coalesce(finished_at, ''), status = 'done' FROM {3}.{4} WHERE id = own.theirs)
          > (SELECT coalesce(finished_at, ''), status = 'done' FROM main.{4} WHERE id = own.ours))",
                          ids_of(table.name), kReplace, kExtend, kMerged, table.name));
    add_new(table, "true");
    const std::vector<std::string> columns = without(table.columns, {table.id, "merged_from"});
    const Theirs theirs{table};
    execute(fmt::format(
        "UPDATE main.{0} SET ({1}) = (SELECT {2} FROM {3} JOIN {4} AS own ON own.theirs = theirs.{5} WHERE own.ours = {0}.{5})"
        " WHERE {5} IN (SELECT ours FROM {4} WHERE how = {6:d})",
        table.name, joined(columns), theirs.values(columns), theirs.from(), ids_of(table.name), table.id,
        kReplace));
  }

  // Whether there are more or fewer rows of what `own` owns, or its row is another.
  [[nodiscard]] std::string differs(const TableShape& table) const {
    const std::vector<std::string> plain = without(table.columns, {table.id, "merged_from"});
    std::vector<std::string> columns;
    std::ranges::copy_if(plain, std::back_inserter(columns),
                         [&](const std::string& column) { return table.referred(column).empty(); });
    std::string text = fmt::format(
        "NOT EXISTS (SELECT 1 FROM {0}.{1} AS theirs JOIN main.{1} AS ours ON {2} WHERE theirs.{3} = own.theirs AND ours.{3} = own.ours)",
        kMerged, table.name, same("ours", "theirs", columns), table.id);
    for (const TableShape* owned : owned_by(table.name))
      text += fmt::format(" OR ({}) <> ({})", rows_of(*owned, table.name, kMerged, "own.theirs"),
                          rows_of(*owned, table.name, "main", "own.ours"));
    return text;
  }

  // SQL for the number of rows of a table that `root` owns.
  [[nodiscard]] std::string rows_of(const TableShape& owned, const std::string& root,
                                    const std::string& database, const std::string& id) const {
    std::string from = fmt::format("{}.{}", database, owned.name);
    const TableShape* one = &owned;
    while (one->owner != root) {
      const TableShape& owner = table(one->owner);
      from = fmt::format("{0}.{1} CROSS JOIN {2} ON {3}.{4} = {1}.{5}", database, owner.name, from, one->name,
                         one->owner_column, owner.id);
      one = &owner;
    }
    return fmt::format("SELECT count(*) FROM {} WHERE {}.{} = {}", from, one->name, one->owner_column, id);
  }

  // Rows that are known by what they belong to.
  void copy_owned(const TableShape& table) {
    const Theirs theirs{table};
    const std::string rows = fmt::format("{} ({}) SELECT {} FROM {} WHERE", table.name, joined(table.columns),
                                         theirs.values(table.columns), theirs.from());
    if (table.owner.empty()) return insert(rows + " true ON CONFLICT DO NOTHING");
    const std::string how = fmt::format("ids_{}.how", table.owner_column);
    insert(fmt::format("{} {} IN ({:d}, {:d}) ON CONFLICT DO NOTHING", rows, how, kExtend, kAdd));
    const std::vector<std::string> others = without(table.columns, table.key);
    const std::string update =
        others.empty() ? "NOTHING" : "UPDATE SET " + joined(each(others, [](const std::string& one) {
                                       return fmt::format("{0} = excluded.{0}", one);
                                     }));
    insert(
        fmt::format("{} {} = {:d} ON CONFLICT ({}) DO {}", rows, how, kReplace, joined(table.key), update));
  }

  // What is filled in after the row was stored refers to what was stored later.
  void refer_to_later(const TableShape& table) {
    for (const TableShape::Reference& one : table.references) {
      if (!table.id.empty() || table.owner.empty() || !one.is_optional) continue;
      const Theirs theirs{table};
      execute(fmt::format(R"(
        UPDATE main.{0} AS ours SET {1} = later.id
        FROM (SELECT {2} AS id, {3} FROM {4} WHERE theirs.{1} IS NOT NULL) AS later
        WHERE {5} AND later.id > coalesce(ours.{1}, 0))",
                          table.name, one.column, theirs.value(one.column), named_values(theirs, table.key),
                          theirs.from(), same("ours", "later", table.key)));
    }
  }
  static std::string named_values(const Theirs& theirs, const std::vector<std::string>& columns) {
    return joined(each(columns, [&](const std::string& one) { return theirs.value(one) + " AS " + one; }));
  }

  Database& into_;
  const std::vector<TableShape>& tables_;
  const std::string& file_;
  MergedRows result_;
};

}  // namespace

MergedRows merge_rows(Database& into, const std::vector<TableShape>& tables, const std::string& file) {
  return RowMerger(into, tables, file).run();
}

}  // namespace tailwave
