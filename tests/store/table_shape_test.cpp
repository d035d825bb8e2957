#include "store/table_shape.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace tailwave {
namespace {

const TableShape& find(const std::vector<TableShape>& tables, const std::string& name) {
  return *std::ranges::find(tables, name, &TableShape::name);
}

TEST(TableShapes, KnowWhatBelongsToWhat) {
  Database database(kInMemory, Database::Mode::read_write);
  const std::vector<TableShape> tables = table_shapes(database);
  const TableShape& trial = find(tables, "trial");
  EXPECT_EQ(trial.id, "id");
  EXPECT_EQ(trial.owner, "run");
  EXPECT_EQ(trial.referred("configuration_id"), "configuration");
  EXPECT_EQ(trial.referred("regime"), "");
  const TableShape& step = find(tables, "search_step");
  EXPECT_EQ(step.owner, "run");
  EXPECT_EQ(step.owner_column, "run_id");
  EXPECT_THAT(step.key, testing::ElementsAre("run_id", "step"));
  const TableShape& energy = find(tables, "trial_energy");
  EXPECT_EQ(energy.id, "") << "its key is its trial's";
  EXPECT_EQ(energy.owner, "trial");
  const TableShape& search = find(tables, "search");
  EXPECT_EQ(search.referred("final_run_id"), "run");
  EXPECT_EQ(search.owner_column, "run_id");
  EXPECT_THAT(find(tables, "run").natural, testing::ElementsAre("identity"));
  EXPECT_EQ(find(tables, "device").natural.size(), 9U);
  EXPECT_TRUE(find(tables, "trace").is_referred_to);
  EXPECT_FALSE(find(tables, "main_kernel").is_referred_to);
}

TEST(TableShapes, ComeAfterThoseThatTheyReferTo) {
  Database database(kInMemory, Database::Mode::read_write);
  const std::vector<TableShape> tables = table_shapes(database);
  for (std::size_t i = 0; i < tables.size(); ++i)
    for (const TableShape::Reference& one : tables[i].references)
      EXPECT_LT(&find(tables, one.table) - tables.data(), static_cast<std::ptrdiff_t>(i)) << tables[i].name;
}

}  // namespace
}  // namespace tailwave
