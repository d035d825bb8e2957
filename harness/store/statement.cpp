#include "store/statement.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "store/sqlite_error.h"

namespace tailwave {

StatementCache::~StatementCache() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
}

sqlite3_stmt* StatementCache::take(std::string_view sql) {
  const auto found = idle_.find(sql);
  if (found == idle_.end()) return nullptr;
  sqlite3_stmt* const statement = found->second;
  idle_.erase(found);
  return statement;
}

void StatementCache::give_back(sqlite3_stmt* statement) noexcept {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  try {
    const char* const sql = sqlite3_sql(statement);
    if (sql != nullptr && idle_.size() < kMost && idle_.emplace(sql, statement).second) return;
  } catch (const std::bad_alloc&) {
    // Not kept, then.
  }
  sqlite3_finalize(statement);
}

void Statement::GiveBack::operator()(sqlite3_stmt* statement) const noexcept {
  if (cache != nullptr) return cache->give_back(statement);
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* database, std::string_view sql, std::string file, StatementCache* cache)
    : database_(database), file_(std::move(file)), handle_(nullptr, {cache}) {
  if (cache != nullptr) handle_.reset(cache->take(sql));
  if (handle_) return;
  sqlite3_stmt* statement = nullptr;
  const int result =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  handle_.reset(statement);
  check(result);
  if (statement == nullptr)
    throw Error(Diagnostic{file_, "", "no SQL statement", "", -1, ""}, Error::kRunFailed);
}

Statement::Statement(sqlite3* database, sqlite3_stmt* prepared, std::string file, StatementCache& cache)
    : database_(database), file_(std::move(file)), handle_(prepared, {&cache}) {}

Statement& Statement::bind(int position, std::monostate) {
  check(sqlite3_bind_null(handle_.get(), position));
  return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
  // A null pointer would bind NULL.
  const char* const data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(handle_.get(), position, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

// The lambdas do use `this`. NOLINTBEGIN(readability-convert-member-functions-to-static)
Statement& Statement::bind(int position, const Value& value) {
  return std::visit([&](const auto& held) -> Statement& { return bind(position, held); }, value);
}

Statement& Statement::bind(int position, const Cell& cell) {
  return std::visit([&](const auto& held) -> Statement& { return bind(position, held); }, cell);
}
// NOLINTEND(readability-convert-member-functions-to-static)

Statement& Statement::bind_integer(int position, std::int64_t number) {
  check(sqlite3_bind_int64(handle_.get(), position, number));
  return *this;
}

Statement& Statement::bind_real(int position, double number) {
  check(sqlite3_bind_double(handle_.get(), position, number));
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) check(result);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
}

int Statement::column_count() const {
  return sqlite3_column_count(handle_.get());
}

std::string Statement::column_name(int column) const {
  return sqlite3_column_name(handle_.get(), column);
}

Cell Statement::cell(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_NULL:
      return std::monostate{};
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    default:
      return text(column);
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char* const data = sqlite3_column_text(handle_.get(), column);
  if (data == nullptr) return "";
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::optional_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

int Statement::position_of(std::string_view name) const {
  const int position = sqlite3_bind_parameter_index(handle_.get(), std::string(name).c_str());
  if (position == 0) throw std::invalid_argument("the statement has no parameter " + std::string(name));
  return position;
}

void Statement::check(int result) const {
  if (result != SQLITE_OK) throw_sqlite_error(database_, file_);
}

}  // namespace tailwave
