#pragma once

#include <sqlite3.h>

#include <string>

namespace tailwave {

// Refuses to prepare what does more than read, while it is on. It stays with its connection, since SQLite prepares
// every statement of a connection again once it is given an authorizer.
class ReadOnlyGuard {
 public:
  explicit ReadOnlyGuard(sqlite3* database);
  ReadOnlyGuard(const ReadOnlyGuard&) = delete;
  ReadOnlyGuard& operator=(const ReadOnlyGuard&) = delete;

  // On for as long as any lives: a query may run another.
  class Watch {
   public:
    explicit Watch(ReadOnlyGuard& guard);
    ~Watch() { --guard_.watches_; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    ReadOnlyGuard& guard_;
  };

  // The first action refused by the latest watch, "" for none; a CREATE is reported as such and not as its INSERT into
  // sqlite_master.
  [[nodiscard]] std::string refused() const;

 private:
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);

  int watches_ = 0;
  std::string refused_;
};

}  // namespace tailwave
