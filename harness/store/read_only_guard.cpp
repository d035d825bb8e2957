#include "store/read_only_guard.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tailwave {
namespace {

// Pragmas that only tell. The first group takes no argument here: with one it sets a value.
constexpr std::array<std::string_view, 2> kTellingPragmas{"user_version", "application_id"};
constexpr std::array<std::string_view, 11> kSchemaPragmas{
    "table_info",  "table_xinfo",      "table_list",        "index_list",      "index_info",   "index_xinfo",
    "quick_check", "foreign_key_list", "foreign_key_check", "integrity_check", "database_list"};

bool tells_only(std::string_view pragma, const char* argument) {
  const auto contains = [pragma](const auto& names) {
    return std::find(names.begin(), names.end(), pragma) != names.end();
  };
  return contains(kSchemaPragmas) || (argument == nullptr && contains(kTellingPragmas));
}

// What a refused action is called in a message; "" for an action that only reads.
std::string refusal(int action, const char* first, const char* second) {
  const auto name = [](const char* text) { return text == nullptr ? std::string() : std::string(text); };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return "";
    case SQLITE_FUNCTION:
      // The latter takes the address of code for a value.
      return name(second) == "load_extension" || name(second) == "fts3_tokenizer" ? name(second) + "()" : "";
    case SQLITE_PRAGMA:
      return tells_only(name(first), second) ? "" : "PRAGMA " + name(first);
    case SQLITE_INSERT:
      return "INSERT into " + name(first);
    // Declaring a table-valued function such as json_each asks for this; a real UPDATE of it SQLite refuses.
    case SQLITE_UPDATE:
      return name(first) == "sqlite_master" ? "" : "UPDATE of " + name(first);
    case SQLITE_DELETE:
      return "DELETE from " + name(first);
    case SQLITE_ATTACH:
      return "ATTACH";
    case SQLITE_DETACH:
      return "DETACH";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "transactions";
    default:
      return "changes of the schema";
  }
}

}  // namespace

ReadOnlyGuard::ReadOnlyGuard(sqlite3* database) {
  sqlite3_set_authorizer(database, &ReadOnlyGuard::authorize, this);
}

ReadOnlyGuard::Watch::Watch(ReadOnlyGuard& guard) : guard_(guard) {
  guard.refused_.clear();
  ++guard.watches_;
}

std::string ReadOnlyGuard::refused() const {
  return refused_.find("sqlite_") == std::string::npos ? refused_ : "changes of the schema";
}

int ReadOnlyGuard::authorize(void* self, int action, const char* first, const char* second, const char*,
                             const char*) {
  auto& guard = *static_cast<ReadOnlyGuard*>(self);
  if (guard.watches_ == 0) return SQLITE_OK;
  std::string reason = refusal(action, first, second);
  if (reason.empty()) return SQLITE_OK;
  if (guard.refused_.empty()) guard.refused_ = std::move(reason);
  return SQLITE_DENY;
}

}  // namespace tailwave
