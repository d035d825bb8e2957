#include "report/front.h"

#include <gmock/gmock.h>

#include "report/fixture.h"
#include "store/metric_store.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Block sizes with a time and a size; more of the second is better.
class Fronts : public testing::Test {
 protected:
  Fronts() {
    ResultStore store(database_);
    run_ = store.begin_run(samples::run("basic_block_size", "2025-01-01T10:00:00Z"), samples::gpu());
  }

  void add(int size, double time_ns, double half, std::optional<double> second,
           const DeviceDescription& device = samples::gpu(), const std::string& unverified = "") {
    ResultStore store(database_);
    const std::string variant = device.kind == DeviceKind::cpu ? "cpu" : "basic";
    Trial one = samples::trial(variant, {{"BLOCK_SIZE", size}}, {time_ns});
    one.unverified = unverified;
    const std::int64_t trial = store.add_trial(run_, device, one);
    const double time_s = time_ns / 1e9;
    set_metrics(database_, trial,
                {{0, "time", "s", false, true, time_s, time_s - half / 1e9, time_s + half / 1e9, ""},
                 {1, "reach", "m", true, true, second, second, second, second ? "" : "nobody measured it"},
                 {2, "other", "", true, false, 1, 1, 1, ""}},
                {}, {});
  }

  std::vector<std::string> sizes(const Front& front) {
    std::vector<std::string> names;
    for (const FrontRow& row : front.rows) names.push_back(row.configuration);
    return names;
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  std::int64_t run_ = 0;
};

std::string named(int size, const std::string& variant = "basic") {
  return fmt::format("nbody/{}/BLOCK_SIZE:{}/DT:0.01/N:4096", variant, size);
}

TEST_F(Fronts, HaveWhatIsNotBeatenInAllObjectivesAndWhatIsTiedWithIt) {
  add(8, 1000, 10, 5);
  add(16, 1015, 10, 5);   // tied with it
  add(32, 1100, 10, 5);   // slower, and no better
  add(64, 2000, 10, 50);  // slower, and better
  add(128, 10, 1, std::nullopt);
  const std::vector<Front> found = fronts(database_, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(sizes(found[0]), ElementsAre(named(8), named(16), named(64)));
  EXPECT_THAT(found[0].objectives, ElementsAre("time", "reach"));
  EXPECT_EQ(
      found[0].text(),
      "3 of 4 configurations are on the front of time and reach: nothing is surely better in one of these and "
      "as good in the others; 1 not compared (reach: nobody measured it)");
  const Table shown = front_shown(found[0]);
  EXPECT_THAT(shown.columns, ElementsAre("configuration", "time", "reach"));
  EXPECT_EQ(std::get<std::string>(shown.rows[0][1]), "1 us (990 ns to 1.01 us)");
  EXPECT_EQ(std::get<std::string>(shown.rows[2][2]), "50 m (50 m to 50 m)");
}

TEST_F(Fronts, TellWhatNothingHasVerified) {
  add(8, 1000, 10, 5, samples::gpu(), "it is random");
  const Table shown = front_shown(fronts(database_, {}).at(0)), table = fronts_table(database_, {});
  EXPECT_EQ(shown.rows.at(0).at(0), Cell{named(8) + " (unverified)"});
  EXPECT_EQ(table.columns.back(), "unverified");
  EXPECT_EQ(table.rows.at(0).back(), Cell{"it is random"});
}

TEST_F(Fronts, AreOfKernelsWhereThereAreSome) {
  add(8, 1000, 10, 5);
  add(1, 10, 1, 500, samples::cpu());
  const std::vector<Front> found = fronts(database_, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(sizes(found[0]), ElementsAre(named(8)));
  EXPECT_THAT(found[0].text(), HasSubstr("1 of 1 configuration is on the front"));
}

TEST_F(Fronts, AnswerTheQuery) {
  add(8, 1000, 10, 5);
  add(32, 1100, 10, 4);
  EXPECT_EQ(samples::csv(fronts_table(database_, {{"experiment", std::string("basic_block_size")}})),
            "experiment,run_device,problem,configuration,metric,value,low,high,unit,goal,unverified\n"
            "nbody/basic_block_size,NVIDIA H200,\"{\"\"DT\"\":0.01,\"\"N\"\":4096}\"," +
                named(8) + ",time,1e-06,9.9e-07,1.01e-06,s,min,\n" +
                "nbody/basic_block_size,NVIDIA H200,\"{\"\"DT\"\":0.01,\"\"N\"\":4096}\"," + named(8) +
                ",reach,5,5,5,m,max,\n");
  EXPECT_TRUE(fronts_table(database_, {{"device", std::string("cpu")}}).rows.empty());
  EXPECT_TRUE(fronts_table(database_, {{"system", std::string("jacobi")}}).rows.empty());
}

}  // namespace
}  // namespace tailwave
