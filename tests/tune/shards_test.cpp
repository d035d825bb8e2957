#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/shard.h"
#include "store/merge.h"
#include "tune/bench_fixture.h"
#include "tune/pipeline.h"
#include "tune/tuner.h"

namespace tailwave {
namespace {

constexpr std::size_t kShards = 6;

struct ShardProgress : SilentProgress {
  void shard_chosen(const Shard& shard, std::size_t own, std::size_t all) override {
    said.push_back(to_string(shard) + ": " + std::to_string(own) + " of " + std::to_string(all));
  }
  std::vector<std::string> said;
};

// Block sizes 1 to 64, of which 40 is the fastest, and 7 does not compile.
class Shards : public BenchFixture {
 protected:
  Shards() {
    std::vector<Value> sizes;
    for (std::int64_t size = 1; size <= 64; ++size) sizes.emplace_back(size);
    experiment_ = fakes::twice_experiment(std::move(sizes));
    kernels_.broken = "BLOCK_SIZE:7/";
    device_.time_of = [](std::span<const Launch> launches) {
      return 10000 + 1000 * std::abs(static_cast<double>(launches.front().block.x) - 40);
    };
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return scratch_ / (name + ".db");
  }
  Database open(const std::string& name) const { return {path(name), Database::Mode::read_write}; }

  RunSummary run(Database& database, const PipelineOptions& options = {}) {
    ResultStore store(database);
    Measurer measurer(tools_);
    return run_experiment(experiment_, measurer, store, {}, options, shown_);
  }
  RunSummary run_shard(const Shard& shard, const std::string& name) {
    Database database = open(name);
    PipelineOptions options;
    options.shard = shard;
    return run(database, options);
  }
  std::vector<SearchSummary> tune_shard(const Shard& shard, const std::string& name) {
    Database database = open(name);
    ResultStore store(database);
    TuneOptions options;
    options.strategy = &find_strategy("random");
    options.budget = {.evaluations = 1000};
    options.final_count = 0;
    options.shard = shard;
    Measurer measurer(tools_);
    return tune_experiment(experiment_, measurer, store, {}, options, shown_);
  }
  void merge(const std::string& from, const std::string& into) {
    Database source(path(from), Database::Mode::read_only);
    Database target = open(into);
    merge_database(target, source, {});
  }
  static std::string rows(Database& database, const std::string& sql) {
    return render(database.query(sql), TableFormat::csv);
  }
  static std::string name_of(std::size_t shard) { return "shard" + std::to_string(shard); }

  static constexpr const char* kResults = R"(
    SELECT configuration, outcome, detail, metric, value, place, of_ranked, median_ns, samples
    FROM current_trial LEFT JOIN ranked_trial USING (trial_id, configuration, outcome, detail, metric)
      LEFT JOIN trial_time USING (trial_id) ORDER BY configuration)";

  ShardProgress shown_;
};

TEST_F(Shards, MergedGiveWhatOneRunGives) {
  EXPECT_EQ(run(database_).to_measure, 64U);
  std::size_t own = 0;
  for (std::size_t shard = 1; shard <= kShards; ++shard) {
    const RunSummary summary = run_shard({shard, kShards}, name_of(shard));
    own += 64 - summary.of_other_shards;
  }
  EXPECT_EQ(own, 64U);
  for (std::size_t shard = kShards; shard >= 1; --shard) merge(name_of(shard), "all");
  Database all = open("all");
  EXPECT_EQ(rows(all, kResults), rows(database_, kResults));
  EXPECT_THAT(rows(all, "SELECT configuration FROM ranked_trial WHERE place = 1"),
              testing::HasSubstr("BLOCK_SIZE:40/"));
  EXPECT_EQ(rows(all, "SELECT count(*) AS n FROM partial_study"), "n\n0\n");
  EXPECT_EQ(rows(all, "SELECT count(*) AS runs, count(DISTINCT shard) AS shards FROM run"),
            "runs,shards\n6,6\n");
  // Nothing twice but the anchor, which is measured in each shard that is large enough.
  EXPECT_EQ(
      rows(
          all,
          "SELECT name, count(*) > 1 AS often FROM trial JOIN configuration ON configuration.id = configuration_id "
          "GROUP BY name HAVING count(*) > 1"),
      "name,often\ntwice/twice/BLOCK_SIZE:1/N:64,1\n");
}

TEST_F(Shards, ThatAreNotAllAreAPartOfTheStudy) {
  for (std::size_t shard = 1; shard < kShards; ++shard) {
    run_shard({shard, kShards}, name_of(shard));
    merge(name_of(shard), "all");
  }
  Database all = open("all");
  EXPECT_EQ(
      rows(
          all,
          "SELECT measured = (SELECT count(*) FROM current_trial) AS counts, searched, configurations FROM partial_study"),
      "counts,searched,configurations\n1,0,64\n");
}

TEST_F(Shards, CountTogetherInOneDatabaseToo) {
  for (std::size_t shard = 1; shard <= kShards; ++shard) run_shard({shard, kShards}, "one");
  Database one = open("one");
  run(database_);
  EXPECT_EQ(rows(one, kResults), rows(database_, kResults));
}

TEST_F(Shards, MeasureTheAnchorWhereThatIsCheap) {
  const RunSummary large = run_shard({1, 3}, "large");
  EXPECT_EQ(shown_.said, std::vector{fmt::format("1/3: {} of 64", 64 - large.of_other_shards)});
  Database database = open("large");
  const std::string anchor =
      "SELECT count(*) AS n FROM trial JOIN configuration ON configuration.id = configuration_id WHERE name LIKE '%BLOCK_SIZE:1/%'";
  EXPECT_EQ(rows(database, anchor), "n\n1\n");
  std::size_t with_anchor = 0;
  for (std::size_t shard = 1; shard <= 30; ++shard) {
    run_shard({shard, 30}, "small" + std::to_string(shard));
    Database small = open("small" + std::to_string(shard));
    with_anchor += rows(small, anchor) == "n\n1\n" ? 1 : 0;
  }
  EXPECT_EQ(with_anchor, 1U) << "in its own shard alone";
}

TEST_F(Shards, WithoutConfigurationsAreNoError) {
  experiment_.cases.at(0).parameters.at(0).values = {std::int64_t{8}};
  std::size_t empty = 0;
  for (std::size_t shard = 1; shard <= 4; ++shard) {
    const RunSummary summary = run_shard({shard, 4}, name_of(shard));
    if (summary.chosen() > 0) continue;
    ++empty;
    EXPECT_EQ(summary.of_other_shards, 1U);
    EXPECT_FALSE(summary.interrupted);
    EXPECT_TRUE(tune_shard({shard, 4}, "tuned").empty());
  }
  EXPECT_EQ(empty, 3U);
}

TEST_F(Shards, AreContinuedAndReplaceOnlyWhatTheyMeasure) {
  run(database_);
  PipelineOptions options;
  options.shard = {2, kShards};
  EXPECT_EQ(run(database_, options).to_measure, 0U) << "the database has it";
  options.fresh = true;
  const std::size_t again = run(database_, options).to_measure;
  EXPECT_GT(again, 0U);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE fresh"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 64);
}

TEST_F(Shards, OfSearchesMergedGiveWhatOneSearchGives) {
  const std::vector<SearchSummary> whole = tune_shard({}, "whole");
  std::size_t evaluations = 0;
  for (std::size_t shard = 1; shard <= kShards; ++shard) {
    const std::vector<SearchSummary> part = tune_shard({shard, kShards}, name_of(shard));
    ASSERT_EQ(part.size(), 1U);
    EXPECT_EQ(part[0].stopped_by, whole.at(0).stopped_by);
    evaluations += part[0].evaluations;
    merge(name_of(shard), "all");
  }
  EXPECT_EQ(evaluations, whole.at(0).evaluations);
  EXPECT_EQ(evaluations, 64U);
  Database all = open("all"), one = open("whole");
  const std::string winner = "SELECT configuration FROM ranked_trial WHERE place = 1";
  EXPECT_EQ(rows(all, winner), rows(one, winner));
  EXPECT_EQ(rows(all, "SELECT count(*) AS n FROM current_trial"), "n\n64\n");
  EXPECT_EQ(rows(all, "SELECT count(*) AS n FROM partial_study"), "n\n0\n");
  EXPECT_EQ(rows(all, "SELECT sum(space_size) AS own, max(configurations) AS all_of_them FROM search"),
            "own,all_of_them\n64,64\n");
}

TEST_F(Shards, OfSearchesThatAreNotAllAreAPartOfTheStudy) {
  for (const std::size_t shard : {1, 2}) {
    tune_shard({shard, kShards}, name_of(shard));
    merge(name_of(shard), "all");
  }
  Database all = open("all");
  EXPECT_EQ(
      rows(
          all,
          "SELECT measured = (SELECT sum(space_size) FROM search) AS both, searched, configurations FROM partial_study"),
      "both,searched,configurations\n1,1,64\n");
}

}  // namespace
}  // namespace tailwave
