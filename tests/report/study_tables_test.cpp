#include "report/study_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/error.h"
#include "interchange/import.h"
#include "report/fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kTableHeader = "-- table: Sizes\n-- system: nbody\n-- place: the second table\n";

class StudyTables : public samples::Fixture {};

TEST_F(StudyTables, AreOfAllStudies) {
  std::set<std::string> systems;
  for (const StudyTable& table : list_study_tables()) {
    EXPECT_TRUE(table.id.starts_with(table.system + "_")) << table.id;
    systems.insert(table.system);
  }
  EXPECT_EQ(systems, (std::set<std::string>{"jacobi", "nbody", "nbody_force_law", "particles", "plasma"}));
}

TEST_F(StudyTables, HaveWhatWasPublishedWithoutAnyResult) {
  Database empty(folder_ / "empty.db", Database::Mode::read_write);
  const std::string page = study_page(empty, list_study_tables(), "nbody");
  EXPECT_THAT(page, HasSubstr("\n## Published\n\n### The three programs\n"));
  EXPECT_THAT(page, HasSubstr("218.453"));
  EXPECT_THAT(page, Not(HasSubstr("here, 1e9")));
  EXPECT_THAT(study_page(empty, list_study_tables(), "jacobi"), HasSubstr("0.00034546"));
}

TEST_F(StudyTables, StandBesideWhatWasMeasuredOnEachGpu) {
  ResultStore store(database_);
  RunRecord record = samples::run("shared_block_size", "2025-05-01T10:00:00Z");
  const std::int64_t run = store.begin_run(record, samples::gpu());
  Trial trial = samples::trial("nbody_shared", {{"BLOCK_SIZE", 128}, {"BLOCK_STRIDE", 4}}, {33554.432});
  store.add_trial(run, samples::gpu(),
                  samples::with_launch(trial, 128, 128, 16, "warps", 1, {0.06, 0, 0.06, 0.06, 128}));
  const std::string page = study_page(database_, list_study_tables(), "nbody");
  EXPECT_THAT(page, HasSubstr("\n## NVIDIA H200\n"));
  EXPECT_THAT(page, Not(HasSubstr("## Published")));
  // 4096 * 4096 pairs in 33.554432 us are 500e9 a second.
  EXPECT_THAT(page, HasSubstr("| 128 | 4 | 218.453 | 500 | 2.29 | 0.06 |"));
}

TEST_F(StudyTables, OfTheRecordedResultsHaveOursInThem) {
  Database recorded(folder_ / "recorded.db", Database::Mode::read_write);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TAILWAVE_SOURCE_DIR "/results/h200"))
    if (entry.path().filename() == "variants.json" || entry.path().filename() == "editions.json")
      import_recorded(recorded, entry.path());
  const std::vector<StudyTable> tables = list_study_tables();
  EXPECT_THAT(study_page(recorded, tables, "nbody_force_law"), HasSubstr("| v1 | 16.5 | 6."));
  EXPECT_THAT(study_page(recorded, tables, "nbody"), HasSubstr("| nbody_GPU_shared | 218.453 | 4"));
  EXPECT_THAT(study_page(recorded, tables, "particles"),
              HasSubstr("| 3 | shared memory | 1*n | 1*128 | 0.16 |"));
  EXPECT_THAT(study_page(recorded, tables, "plasma"), HasSubstr("| sincos | 50 % | 3"));
}

TEST_F(StudyTables, WithoutAFieldOrWithWrongSqlNameTheirFile) {
  EXPECT_EQ(
      samples::error_of([] { parse_study_table("mine", "-- table: x\n-- system: nbody\nSELECT 1"); }),
      "analysis/studies/mine.sql: the field 'place' is missing\n  a study's table begins with '-- table: ', "
      "'-- system: ' and '-- place: '");
  EXPECT_EQ(samples::error_of([&] {
              study_page(database_, {parse_study_table("mine", kTableHeader + "SELECT sizes FROM gpu_trail")},
                         "nbody");
            }).find("analysis/studies/mine.sql: query: no such table: gpu_trail"),
            0U);
}

}  // namespace
}  // namespace tailwave
