#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "interchange/import.h"
#include "interchange/tuner_files.h"
#include "store/sample_data.h"

namespace tailwave::samples {

class TunerImportFixture : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    return write_file(folder_ / name, text);
  }
  ImportSummary import(const std::string& name, const std::string& text) {
    return import_recorded(database_, write(name, text));
  }
  // The error without the file's name, after a check that it added no rows.
  std::string refusal(const std::string& name, const std::string& text) {
    const auto file = write(name, text);
    const std::string error = error_of([&] { import_recorded(database_, file); });
    EXPECT_EQ(csv(database_,
                  "SELECT (SELECT count(*) FROM device) + (SELECT count(*) FROM run) + (SELECT count(*) "
                  "FROM trial) + (SELECT count(*) FROM configuration) AS rows"),
              "rows\n0\n");
    const std::string prefix = file.string() + ": ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

// Correct results in T4 that differ in their one measurement alone.
inline std::string t4_of_measurements(const std::vector<std::string>& measurements) {
  std::string results;
  for (std::size_t i = 0; i < measurements.size(); ++i)
    results += fmt::format(
        R"({}{{"configuration": {{"a": {}}}, "times": {{}}, "invalidity": "correct", "correctness": 1,
              "measurements": [{}], "objectives": ["time"]}})",
        i == 0 ? "" : ", ", i, measurements[i]);
  return R"({"schema_version": "1.0.0", "metadata": {}, "results": [)" + results + "]}";
}

}  // namespace tailwave::samples
