// What a person waits for with a million trials in the database: every named query about one experiment, the table
// that a run ends with, and the report of one experiment without charts. The database, 700 MB, is made once
// (million.sql) beside the program; delete it to have it made anew.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "report/queries.h"
#include "report/report.h"
#include "report/summary.h"
#include "store/database.h"

namespace tailwave {
namespace {

constexpr const char* kExperiment = "nbody/sweep_01";  // 3 GPUs, 20 runs of 200 configurations each

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Database& million() {
  static Database database = [] {
    const std::filesystem::path file = "million.db";
    {
      Database made(file, Database::Mode::read_write);
      if (made.query("SELECT 1 FROM trial LIMIT 1").rows.empty()) {
        Transaction transaction(made);
        made.execute(text_of(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "tests/bench/million.sql"));
        transaction.commit();
      }
    }
    return Database(file, Database::Mode::read_only);
  }();
  return database;
}

Values about(const NamedQuery& query) {
  Values parameters;
  if (query.parameters.find(":experiment") != std::string::npos)
    parameters["experiment"] = std::string(kExperiment);
  if (query.name == "claims") parameters["system"] = std::string("nbody");
  return parameters;
}

void named_query(benchmark::State& state, const NamedQuery& query) {
  Database& database = million();
  std::size_t rows = 0;
  for ([[maybe_unused]] const auto _ : state) rows = run_query(database, query, about(query)).rows.size();
  state.counters["rows"] = static_cast<double>(rows);
}

void report(benchmark::State& state) {
  ReportOptions options;
  options.experiments = {kExperiment};
  options.out_dir = "million_report";
  for ([[maybe_unused]] const auto _ : state) render_report(million(), options);
}

void table_of_a_run(benchmark::State& state) {
  for ([[maybe_unused]] const auto _ : state) {
    const RunTable table = summary_table(million(), kExperiment, "Made GPU 1");
    benchmark::DoNotOptimize(table.shown.rows.data());
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const NamedQuery& query : list_queries())
    benchmark::RegisterBenchmark(("query/" + query.name).c_str(), named_query, query)
        ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("summary_table", table_of_a_run)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("report", report)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace tailwave
