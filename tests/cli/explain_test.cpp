// tailwave explain, on a run of the CPU device whose times are changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ExplainCommand : public ProjectFixture {
 protected:
  ExplainCommand() {
    write_experiment("[4, 8]", 8);
    EXPECT_EQ(tailwave(kRun).exit_status, 0);
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute(
        "DELETE FROM sample WHERE position >= 8");  // a busy machine may have taken more than were asked for
    database.execute(
        "UPDATE sample SET dropped = NULL, time_ns = (SELECT 1e8 / coalesce(parameters ->> 'TILE', 1) + 100 * position FROM trial "
        "JOIN configuration ON configuration.id = configuration_id WHERE trial.id = trial_id)");
  }
};

TEST_F(ExplainCommand, SaysWhyTheBestIsFasterThanTheSlowest) {
  const CommandResult result = tailwave({"explain", "best", "worst"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("transpose/tile_size on "));
  EXPECT_THAT(result.out, HasSubstr("\nA: transpose/tile/"));
  EXPECT_THAT(result.out, HasSubstr(" (place 1 of 2)\nB: transpose/tile/"));
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "\nA is 2 times as fast as B: 12.5 ms against 25 ms (95 % interval of the ratio 2 to 2, within this "
          "run alone)."));
  EXPECT_THAT(result.out, Not(HasSubstr("ounted")));  // no GPU
  EXPECT_THAT(result.out, ContainsRegex("\n +A +B +more has\n[- ]+\ntime +12.5 ms +25 ms +B, 2 times\n"));
}

TEST_F(ExplainCommand, TakesAnyTwoInAnyOrder) {
  const auto document = nlohmann::json::parse(tailwave({"explain", "TILE=4", "TILE=8", "--json"}).out);
  EXPECT_EQ(document.at("verdict"), "b faster");
  EXPECT_THAT(document.at("a").get<std::string>(), HasSubstr("TILE:4"));
  EXPECT_EQ(document.at("numbers").at(0).at("quantity"), "time");
  EXPECT_THAT(document.at("text").get<std::string>(),
              StartsWith("B is 2 times as fast as A: 12.5 ms against 25 ms"));
  EXPECT_THAT(tailwave({"explain", "TILE=4", "TILE=8", "--format", "csv"}).out,
              StartsWith("quantity,a,b,ratio,unit,a_by,b_by,says\ntime,25000350,12500350,1.9999"));
  EXPECT_THAT(tailwave({"explain", "TILE=4", "TILE=8"}).out,
              ContainsRegex("\n +B +A +more has\n[- ]+\ntime +12.5 ms +25 ms +A, 2 times\n"));
}

TEST_F(ExplainCommand, SaysFirstThatTwoAreTheSame) {
  Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
  const std::string small = "(SELECT id FROM configuration WHERE name LIKE '%TILE:4%')";
  database.execute(
      "DELETE FROM sample WHERE trial_id IN (SELECT id FROM trial WHERE configuration_id = " + small + ")");
  database.execute(
      "UPDATE trial SET outcome = 'skipped_identical', timer = NULL, stopped_by = NULL, same_as = (SELECT name FROM configuration WHERE "
      "name LIKE '%TILE:8%') WHERE configuration_id = " +
      small);
  const CommandResult result = tailwave({"explain", "TILE=4", "TILE=8"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              ContainsRegex("\nA: transpose/tile/.*TILE:4.* \\(place 1 of 1, measured as "
                            "transpose/tile/.*TILE:8.*, which has its machine code and launches\\)\n"));
  EXPECT_THAT(result.out,
              HasSubstr("\nA and B are the same, machine code and launches: neither is faster than "
                        "the other, and one of them was measured.\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("more has")));
  const auto document = nlohmann::json::parse(tailwave({"explain", "TILE=4", "TILE=8", "--json"}).out);
  EXPECT_EQ(document.at("verdict"), "tied");
  EXPECT_THAT(document.at("a_measured_as").get<std::string>(), HasSubstr("TILE:8"));
}

TEST_F(ExplainCommand, RefusesWhatItCannotCompare) {
  const CommandResult same = tailwave({"explain", "TILE=8", "baseline"});
  EXPECT_EQ(same.exit_status, 2);
  EXPECT_THAT(same.err, StartsWith("'TILE=8' and 'baseline' are both transpose/tile/"));
  EXPECT_THAT(tailwave({"explain", "TILE=5", "best"}).err, HasSubstr("TILE"));
  EXPECT_THAT(tailwave({"explain", "--experiment", "tile_sizes"}).err,
              HasSubstr("nothing of experiment 'tile_sizes'\n  did you mean"));
  EXPECT_EQ(tailwave({"explain", "--db", "none.db"}).exit_status, 2);
}

}  // namespace
}  // namespace tailwave
