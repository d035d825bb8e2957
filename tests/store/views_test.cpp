#include "store/views.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/database.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

// What any SQLite program has: none of the functions that tailwave adds.
std::string plain_sqlite(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* plain = nullptr;
  sqlite3_open_v2(file.c_str(), &plain, SQLITE_OPEN_READONLY, nullptr);
  char* message = nullptr;
  sqlite3_exec(plain, sql.c_str(), nullptr, nullptr, &message);
  const std::string cause = message == nullptr ? "ok" : message;
  sqlite3_free(message);
  sqlite3_close(plain);
  return cause;
}

TEST(Views, WorkInAnySqliteProgram) {
  const samples::TemporaryFolder folder;
  { const Database made(folder / "results.db", Database::Mode::read_write); }
  ASSERT_GE(program_views().size(), 20U);
  for (const View& view : program_views())
    EXPECT_EQ(plain_sqlite(folder / "results.db", "SELECT * FROM " + view.name), "ok") << view.name;
  EXPECT_EQ(plain_sqlite(folder / "results.db", "SELECT median(1)"), "no such function: median");
}

TEST(Views, SayWhatTheyGive) {
  for (const View& view : program_views()) EXPECT_NE(view.title(), "") << view.name;
  EXPECT_EQ((View{"x", "Times, per block. More of it: here.", ""}.title()), "Times, per block");
  EXPECT_EQ((View{"x", "Times: of blocks. More.", ""}.title()), "Times");
  EXPECT_EQ((View{"x", "One sentence.", ""}.title()), "One sentence");
}

}  // namespace
}  // namespace tailwave
