#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/enum_names.h"
#include "core/table.h"
#include "core/value.h"

namespace tailwave {

// Deleter that calls a C library's own destroy function.
template <auto destroy>
struct Destroy {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    destroy(handle);
  }
};

// Prepared statements that nobody uses at the moment, by their SQL: preparing one takes longer than most of them run.
class StatementCache {
 public:
  StatementCache() = default;
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // Null when there is none.
  sqlite3_stmt* take(std::string_view sql);
  // As newly prepared the next time.
  void give_back(sqlite3_stmt* statement) noexcept;

 private:
  static constexpr std::size_t kMost = 256;  // more than a report has
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;
};

// One prepared SQL statement. Throws Error (kRunFailed) "FILE: cause" where SQLite reports one. The Database
// must outlive it.
class Statement {
 public:
  // `file` is only for messages. `sql` is one statement; text after it is ignored. With a cache, which must outlive
  // it, the statement is taken from there and given back.
  Statement(sqlite3* database, std::string_view sql, std::string file, StatementCache* cache = nullptr);
  // Of one that is prepared, and given to the cache in the end.
  Statement(sqlite3* database, sqlite3_stmt* prepared, std::string file, StatementCache& cache);

  // Binds the parameter at a position, counted from 1; text is copied. NaN is stored as NULL.
  Statement& bind(int position, std::monostate);
  Statement& bind(int position, std::string_view text);
  Statement& bind(int position, std::integral auto number) {
    return bind_integer(position, static_cast<std::int64_t>(number));
  }
  Statement& bind(int position, std::floating_point auto number) {
    return bind_real(position, static_cast<double>(number));
  }
  Statement& bind(int position, NamedEnum auto value) { return bind(position, to_string(value)); }
  Statement& bind(int position, const Value& value);
  Statement& bind(int position, const Cell& cell);
  template <class T>
  Statement& bind(int position, const std::optional<T>& value) {
    return value ? bind(position, *value) : bind(position, std::monostate{});
  }
  Statement& bind(int position, const char* text) { return bind(position, std::string_view(text)); }
  Statement& bind(int position, const std::string& text) { return bind(position, std::string_view(text)); }

  // Binds by name with its prefix, ":experiment". Throws std::invalid_argument for a name the SQL lacks.
  template <class T>
  Statement& bind(std::string_view name, const T& value) {
    return bind(position_of(name), value);
  }
  // By the names of these that `parameters` has, without their prefix; the others stay NULL.
  Statement& bind_given(const Values& parameters, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto given = parameters.find(name); given != parameters.end())
        bind(std::string(":") + name, given->second);
    return *this;
  }
  // Binds positions 1, 2, ... in order.
  template <class... T>
  Statement& bind_all(const T&... values) {
    int position = 0;
    (bind(++position, values), ...);
    return *this;
  }

  // Advances to the next row; false when there is none.
  bool step();
  // Runs to the end and resets, so that the next bind_all and run() work; bindings stay.
  void run();
  void reset();

  // Of the current row, columns counted from 0. The typed getters convert as SQLite does; NULL is 0 or "".
  [[nodiscard]] int column_count() const;
  [[nodiscard]] std::string column_name(int column) const;
  [[nodiscard]] Cell cell(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;

  [[nodiscard]] sqlite3_stmt* handle() const { return handle_.get(); }

 private:
  Statement& bind_integer(int position, std::int64_t number);
  Statement& bind_real(int position, double number);
  [[nodiscard]] int position_of(std::string_view name) const;
  void check(int result) const;

  sqlite3* database_;
  std::string file_;
  struct GiveBack {
    StatementCache* cache = nullptr;
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, GiveBack> handle_;
};

}  // namespace tailwave
