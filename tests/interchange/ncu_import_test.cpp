#include "interchange/ncu_import.h"

#include <gmock/gmock.h>

#include <fstream>

#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;

constexpr const char* kHeader =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid "
    "Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"inst\"\n";

class NcuImportTest : public ::testing::Test {
 protected:
  NcuImportTest() {
    run_ = store_.begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), samples::gpu());
    add("basic", 32, 128);
    add("shared", 64, 64);
  }

  // A correct trial whose plan is one launch of body_force.
  void add(const std::string& variant, std::int64_t grid, std::int64_t block) {
    add_trial(variant, {samples::launch("body_force<4>", grid, block, 8, "warps", 1, {})});
  }
  void add_trial(const std::string& variant, std::vector<LaunchRecord> launches) {
    Trial trial = samples::trial(variant, {{"BLOCK_SIZE", 128}}, {1000});
    trial.launches = std::move(launches);
    store_.add_trial(run_, samples::gpu(), trial);
  }

  std::filesystem::path write(const std::string& rows) {
    const auto file = folder_ / "profile.csv";
    std::ofstream(file) << kHeader << rows;
    return file;
  }
  static std::string row(int id, const std::string& kernel, const std::string& grid, const std::string& block,
                         const std::string& instructions, const std::string& capability = "9.0") {
    return fmt::format(
        "\"{}\",\"1\",\"app\",\"h\",\"void {}(float *)\",\"1\",\"7\",\"({}, 1, 1)\",\"({}, 1, 1)\",\"0\",\"{}\","
        "\"10.5\",\"{}\"\n",
        id, kernel, block, grid, capability, instructions);
  }
  ImportSummary import(const std::string& rows, const NcuScope& scope = {}) {
    return import_ncu(database_, write(rows), scope);
  }
  // After the file's name.
  std::string import_error(const std::string& rows, const NcuScope& scope = {}) {
    const std::string error = error_of([&] { import(rows, scope); });
    EXPECT_EQ(csv(database_, "SELECT count(*) AS runs FROM counter_run"), "runs\n0\n");
    const std::string prefix = (folder_ / "profile.csv").string() + ": ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }
  std::string stored() {
    return csv(
        database_,
        "SELECT variant, metric_set, method, kernel, position, count, metric, value FROM counter_run "
        "JOIN configuration ON configuration.id = configuration_id "
        "JOIN counted_launch ON counted_launch.counter_run_id = counter_run.id "
        "JOIN counter_value USING (counter_run_id, position) WHERE metric LIKE 'smsp%' ORDER BY variant, position");
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
  std::int64_t run_ = 0;
};

constexpr const char* kColumns = "variant,metric_set,method,kernel,position,count,metric,value\n";

TEST_F(NcuImportTest, FindsTheConfigurationsByKernelGridAndBlock) {
  const ImportSummary summary =
      import(row(0, "body_force<4>", "64", "64", "7") + row(1, "body_force<4>", "32", "128", "1,000"));
  EXPECT_EQ(summary.trials_added, 2);
  EXPECT_EQ(summary.experiment, "nbody/variants");
  EXPECT_EQ(summary.device, "NVIDIA H200");
  EXPECT_EQ(summary.remark, "");
  EXPECT_EQ(stored(), std::string(kColumns) +
                          "basic,imported,ncu,body_force<4>,0,1,smsp__inst_executed.sum,1000\n"
                          "shared,imported,ncu,body_force<4>,0,1,smsp__inst_executed.sum,7\n");
}

TEST_F(NcuImportTest, AddsTheSameFileOnce) {
  const std::string rows = row(0, "body_force<4>", "32", "128", "1000");
  import(rows);
  const ImportSummary again = import_ncu(database_, folder_ / "profile.csv", {});
  EXPECT_EQ(again.trials_added, 0);
  EXPECT_EQ(again.trials_present, 1);
}

TEST_F(NcuImportTest, TakesTheMedianOfALaunchThatWasProfiledOften) {
  import(row(0, "body_force<4>", "32", "128", "10") + row(1, "body_force<4>", "32", "128", "30") +
         row(2, "body_force<4>", "32", "128", "11"));
  EXPECT_EQ(stored(),
            std::string(kColumns) + "basic,imported,ncu,body_force<4>,0,1,smsp__inst_executed.sum,11\n");
}

TEST_F(NcuImportTest, PutsTheLaunchesOfAPlanTogether) {
  LaunchRecord first = samples::launch("step", 5, 32, 8, "warps", 1, {});
  LaunchRecord other = samples::launch("sum", 1, 32, 8, "warps", 1, {});
  other.position = 1;
  LaunchRecord again = first;
  again.position = 2;
  again.count = 20;
  add_trial("looped", {first, other, again});
  import(row(0, "step", "5", "32", "1") + row(1, "sum", "1", "32", "2"));
  EXPECT_EQ(stored(), std::string(kColumns) +
                          "looped,imported,ncu,step,0,21,smsp__inst_executed.sum,1\n"
                          "looped,imported,ncu,sum,1,1,smsp__inst_executed.sum,2\n");
}

TEST_F(NcuImportTest, LeavesOutWhatNoConfigurationLaunchesAndSaysSo) {
  const ImportSummary summary =
      import(row(0, "body_force<4>", "32", "128", "1") + row(1, "fill", "3", "256", "2"));
  EXPECT_EQ(summary.remark, "left out: no configuration launches fill (grid 3 x 1 x 1, block 256 x 1 x 1)");
  EXPECT_EQ(summary.trials_added, 1);
}

TEST_F(NcuImportTest, SaysWhatItCouldNotRead) {
  const std::string whole = row(0, "body_force<4>", "32", "128", "1");
  std::string rows =
      whole + row(1, "body_force<4>", "?", "128", "2") + row(2, "body_force<4>", "64", "64", "3");
  rows.resize(rows.rfind(','));
  EXPECT_EQ(import(rows).remark,
            "left out: line 4: Grid Size '(?, 1, 1)' is none; line 5: a row of 12 columns in a table of 13");
  EXPECT_EQ(stored(),
            std::string(kColumns) + "basic,imported,ncu,body_force<4>,0,1,smsp__inst_executed.sum,1\n");
}

TEST_F(NcuImportTest, DoubtsWhatNoCounterHolds) {
  import(row(0, "body_force<4>", "32", "128", "1" + std::string(40, '0')));
  EXPECT_EQ(csv(database_, "SELECT doubt FROM counter_value WHERE metric LIKE 'smsp%'"),
            "doubt\nmore than a counter can hold\n");
}

TEST_F(NcuImportTest, RefusesAFileWithoutANumber) {
  std::string rows = row(0, "body_force<4>", "32", "128", "n/a");
  rows.replace(rows.find("10.5"), 4, "n/a");
  EXPECT_EQ(import_error(rows),
            "holds no number of a metric: launches without a counter: 1\n"
            "  'ncu --csv --page raw --set full PROGRAM > FILE' writes what can be imported");
  rows.resize(rows.rfind(','));
  EXPECT_EQ(
      import_error(rows),
      "has no launch in a table as 'ncu --csv' prints it; line 3: a row of 12 columns in a table of 13\n"
      "  'ncu --csv --page raw --set full PROGRAM > FILE' writes what can be imported");
}

TEST_F(NcuImportTest, RefusesAFileOfOtherLaunches) {
  EXPECT_EQ(import_error(row(0, "fill", "3", "256", "2"), {.experiment = "nbody/variants"}),
            "no configuration of 'nbody/variants' launches fill (grid 3 x 1 x 1, block 256 x 1 x 1)\n"
            "  --experiment and --config name what was profiled; kernel, grid and block have to be the same");
}

TEST_F(NcuImportTest, RefusesALaunchOfSeveralConfigurationsUnlessOneIsNamed) {
  add("other", 32, 128);
  const std::string rows = row(0, "body_force<4>", "32", "128", "5");
  EXPECT_EQ(import_error(rows),
            "body_force (grid 32 x 1 x 1, block 128 x 1 x 1) may be of 2 configurations: "
            "nbody/basic/BLOCK_SIZE:128/DT:0.01/N:4096, nbody/other/BLOCK_SIZE:128/DT:0.01/N:4096\n"
            "  --config (and --experiment) name the one that was profiled");
  import(rows, {.configurations = "variant=other"});
  EXPECT_EQ(stored(),
            std::string(kColumns) + "other,imported,ncu,body_force<4>,0,1,smsp__inst_executed.sum,5\n");
}

TEST_F(NcuImportTest, RefusesAConfigurationOfSeveralExperimentsUnlessOneIsNamed) {
  run_ = store_.begin_run(samples::run("again", "2025-01-02T10:00:00Z"), samples::gpu());
  add("basic", 32, 128);
  const std::string rows = row(0, "body_force<4>", "32", "128", "5");
  EXPECT_EQ(import_error(rows),
            "'nbody/basic/BLOCK_SIZE:128/DT:0.01/N:4096' is a configuration of nbody/again, nbody/variants\n"
            "  --experiment names the one that was profiled");
  EXPECT_EQ(import(rows, {.experiment = "again"}).experiment, "nbody/again");
}

TEST_F(NcuImportTest, RefusesAnotherGpuAndSeveral) {
  EXPECT_EQ(import_error(row(0, "body_force<4>", "32", "128", "5", "8.0")),
            "was profiled on a GPU of compute capability 80, and NVIDIA H200 has 90\n"
            "  --device names the one that was profiled");
  DeviceDescription other = samples::gpu();
  other.name = "NVIDIA A100";
  other.compute_capability = 80;
  const std::int64_t run = store_.begin_run(samples::run("variants", "2025-01-02T10:00:00Z"), other);
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 128}}, {1000});
  trial.launches = {samples::launch("body_force<4>", 32, 128, 8, "warps", 1, {})};
  store_.add_trial(run, other, trial);
  EXPECT_EQ(import_error(row(0, "body_force<4>", "32", "128", "5", "8.0")),
            "several GPUs have run such configurations: NVIDIA A100, NVIDIA H200\n"
            "  --device names the one that was profiled");
  EXPECT_EQ(import(row(0, "body_force<4>", "32", "128", "5", "8.0"), {.device = "NVIDIA A100"}).device,
            "NVIDIA A100");
}

TEST_F(NcuImportTest, RefusesAFileWithoutALaunch) {
  EXPECT_EQ(import_error(""),
            "has no launch in a table as 'ncu --csv' prints it\n"
            "  'ncu --csv --page raw --set full PROGRAM > FILE' writes what can be imported");
  EXPECT_EQ(import_error("==ERROR== ERR_NVGPUCTRPERM - no permission\n"),
            "ERR_NVGPUCTRPERM - no permission\n"
            "  'ncu --csv --page raw --set full PROGRAM > FILE' writes what can be imported");
}

TEST_F(NcuImportTest, RefusesADatabaseThatHasNothingToCompareWith) {
  EXPECT_EQ(import_error(row(0, "body_force<4>", "32", "128", "5"), {.experiment = "stride"}),
            "the database has no correct configuration of 'stride'\n"
            "  'tailwave run' measures some, whose launches are then looked for in the file");
}

}  // namespace
}  // namespace tailwave
