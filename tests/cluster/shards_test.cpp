#include "cluster/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Submission of_three() {
  Submission submission;
  submission.identity = "ab12cd34ef56ab12";
  submission.experiment = "tile_size";
  submission.tasks = 3;
  submission.retries = 1;
  submission.rounds = {{.submitted_at = "", .shards = {1, 2, 3}, .array_job = "12", .merge_job = "13"}};
  return submission;
}

TaskRecord record(TaskState state, int fruitless = 0) {
  TaskRecord record;
  record.state = state;
  record.attempt = 1;
  record.fruitless = fruitless;
  return record;
}

ShardState judged(std::optional<TaskRecord> record, const std::string& slurm_state, bool answered = true,
                  bool engine = false) {
  const SlurmJob job{"12_1", 1, slurm_state, "None", "node1"};
  return shard_state(of_three(), 1, std::move(record), slurm_state.empty() ? nullptr : &job, answered,
                     engine);
}

TEST(ShardStates, AreWhatTheTaskSaysWhereItHasFinished) {
  EXPECT_EQ(judged(record(TaskState::finished), "RUNNING").phase, ShardPhase::finished);
  EXPECT_EQ(judged(record(TaskState::finished), "", false).phase, ShardPhase::finished);
}

TEST(ShardStates, AreWhatSlurmSaysWhereItHasTheJob) {
  EXPECT_EQ(judged({}, "PENDING").phase, ShardPhase::waiting);
  EXPECT_EQ(judged(record(TaskState::running), "RUNNING").phase, ShardPhase::running);
  EXPECT_EQ(judged(record(TaskState::stopped), "PENDING").phase, ShardPhase::waiting);  // it was requeued
  EXPECT_EQ(judged(record(TaskState::stopped), "CANCELLED").phase, ShardPhase::cancelled);
}

TEST(ShardStates, OfWhatWasKilledAreUnfinished) {
  for (const char* state : {"TIMEOUT", "FAILED", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"}) {
    const ShardState killed = judged(record(TaskState::running, 1), state);
    EXPECT_EQ(killed.phase, ShardPhase::unfinished) << state;
    EXPECT_EQ(killed.reason, state);
  }
  EXPECT_EQ(judged(record(TaskState::running), "").reason, "killed");
}

TEST(ShardStates, AreUnknownWhereSlurmDoesNotAnswer) {
  EXPECT_EQ(judged(record(TaskState::running), "", false).phase, ShardPhase::unknown);
  EXPECT_EQ(judged({}, "", false).phase, ShardPhase::unknown);
  EXPECT_EQ(judged(record(TaskState::failed), "", false).phase, ShardPhase::unfinished);
}

TEST(ShardStates, OfALocalEngineFollowItsLock) {
  EXPECT_EQ(judged({}, "", true, true).phase, ShardPhase::waiting);
  EXPECT_EQ(judged(record(TaskState::running), "", true, true).phase, ShardPhase::running);
  EXPECT_EQ(judged(record(TaskState::running), "", true, false).phase, ShardPhase::unfinished);
}

TEST(ShardStates, AreGivenUpWhereNothingNewComes) {
  EXPECT_EQ(judged(record(TaskState::failed, 1), "FAILED").phase, ShardPhase::unfinished);
  EXPECT_EQ(judged(record(TaskState::failed, 2), "FAILED").phase, ShardPhase::given_up);
  TaskRecord wrong = record(TaskState::failed, 1);
  wrong.permanent = true;
  wrong.cause = "spec.json: has changed";
  EXPECT_EQ(judged(wrong, "FAILED").phase, ShardPhase::given_up);
  EXPECT_EQ(judged(wrong, "FAILED").reason, "spec.json: has changed");
}

TEST(ShardStates, AreGivenUpWhereNoAttemptEverBegan) {
  Submission twice = of_three();
  const SlurmJob job{"12_1", 1, "NODE_FAIL", "None", ""};
  EXPECT_EQ(shard_state(twice, 1, {}, &job, true, false).phase, ShardPhase::unfinished);
  twice.rounds.push_back({.submitted_at = "", .shards = {1}, .array_job = "14", .merge_job = "15"});
  EXPECT_EQ(shard_state(twice, 1, {}, &job, true, false).phase, ShardPhase::given_up);
}

TEST(ShardStates, OnlyTheUnfinishedAreSubmittedAgain) {
  std::vector<ShardState> states(7);
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i].shard = i + 1;
    states[i].phase = static_cast<ShardPhase>(i);
  }
  EXPECT_THAT(shards_to_submit(states), ElementsAre(4));
}

TEST(SlurmAnswers, HaveTheLatestJobOfEachShardAndOfTheMerge) {
  Submission submission = of_three();
  submission.rounds.push_back({.submitted_at = "", .shards = {2}, .array_job = "14", .merge_job = "15"});
  const SlurmAnswer answer = read_slurm_jobs(
      "slurm_load_jobs: a remark\n"
      "12_1|12|1|COMPLETED|None|n1|tailwave-tile_size-ab12cd34\n"
      "12_2|12|2|FAILED|NonZeroExitCode|n2|tailwave-tile_size-ab12cd34\n"
      "14_2|14|2|RUNNING|None|n3|renamed\n"
      "13|13|N/A|COMPLETED|None|n1|tailwave-tile_size-ab12cd34-merge\n"
      "15|15|N/A|PENDING|Dependency||tailwave-tile_size-ab12cd34-merge\n"
      "16_3|16|3|PENDING|Priority||tailwave-tile_size-ab12cd34\n"
      "17_3|17|3|PENDING|Priority||somebody-elses\n"
      "18_4|12|4|PENDING|Priority||a shard that there is not\n",
      submission);
  EXPECT_EQ(answer.jobs.size(), 4U);
  EXPECT_EQ(answer.find(1)->state, "COMPLETED");
  EXPECT_EQ(answer.find(2)->job, "14_2");
  EXPECT_EQ(answer.find(2)->node, "n3");
  EXPECT_EQ(answer.find(3)->job, "16_3");  // submitted by a merge that was killed before it noted the number
  EXPECT_EQ(answer.find(0)->job, "15");
  EXPECT_THAT(read_slurm_jobs("", submission).jobs, IsEmpty());
}

TEST(SlurmAnswers, StatesAreWaitingUnderWayOrEnded) {
  EXPECT_TRUE(is_waiting("PENDING"));
  EXPECT_TRUE(is_under_way("PENDING"));
  EXPECT_TRUE(is_under_way("RUNNING"));
  EXPECT_TRUE(is_under_way("COMPLETING"));
  EXPECT_FALSE(is_waiting("RUNNING"));
  for (const char* ended : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", ""})
    EXPECT_FALSE(is_under_way(ended)) << ended;
}

}  // namespace
}  // namespace tailwave
