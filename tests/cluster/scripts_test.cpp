#include "cluster/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/process.h"
#include "fakes/error_of.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Submission submission() {
  Submission submission;
  submission.identity = "ab12cd34ef56ab12";
  submission.folder = "/shared/it's 100% mine";
  submission.experiment = "tile_size";
  submission.directory = "/home/me/project";
  submission.program = "/opt/tailwave";
  submission.tasks = 6;
  return submission;
}

TEST(Scripts, AreWhatOneWouldWriteByHand) {
  Submission one = submission();
  one.folder = "/shared/one";
  one.gres = "gpu:1";
  one.partition = "short";
  one.options = {"-A", "my group", "--time=1:00:00", "--comment=two words"};
  EXPECT_EQ(array_script(one),
            "#!/bin/bash\n"
            "# A shard of tile_size, 1 to 6: measured on the node's own disk.\n"
            "#SBATCH --job-name=tailwave-tile_size-ab12cd34\n"
            "#SBATCH --output=/shared/one/logs/%A_%a.log\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --partition=short\n"
            "#SBATCH --gres=gpu:1\n"
            "#SBATCH --signal=B:TERM@60\n"
            "#SBATCH --requeue\n"
            "#SBATCH -A \"my group\"\n"
            "#SBATCH --time=1:00:00\n"
            "#SBATCH --comment=\"two words\"\n"
            "cd /home/me/project || exit 1\n"
            "exec /opt/tailwave submit /shared/one --task \"$SLURM_ARRAY_TASK_ID\"\n");
  EXPECT_EQ(merge_script(one),
            "#!/bin/bash\n"
            "# Merges what the tasks have published, and submits those again that did not finish.\n"
            "#SBATCH --job-name=tailwave-tile_size-ab12cd34-merge\n"
            "#SBATCH --output=/shared/one/logs/merge_%j.log\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --partition=short\n"
            "#SBATCH --requeue\n"
            "#SBATCH -A \"my group\"\n"
            "#SBATCH --time=1:00:00\n"
            "#SBATCH --comment=\"two words\"\n"
            "cd /home/me/project || exit 1\n"
            "exec /opt/tailwave submit /shared/one --merge\n");
}

TEST(Scripts, QuoteForSlurmAndForTheShell) {
  const std::string text = array_script(submission());
  EXPECT_THAT(text, HasSubstr("#SBATCH --output=\"/shared/it's 100%% mine/logs/%A_%a.log\"\n"));
  EXPECT_THAT(text, HasSubstr(R"(exec /opt/tailwave submit '/shared/it'\''s 100% mine' --task "$SLURM)"));
  EXPECT_THAT(text, Not(HasSubstr("--gres")));
}

TEST(Scripts, WordsComeBackFromAShell) {
  for (const std::string& word : {std::string("a b"), std::string("it's"), std::string("$HOME `id` \"x\" \\"),
                                  std::string(), std::string("plain-1.0/x=y,z"), std::string("two\nlines")})
    EXPECT_EQ(run_process({"sh", "-c", "printf %s " + shell_word(word)}, std::chrono::seconds(10)).output,
              word);
  EXPECT_EQ(shell_line({"sbatch", "--array=1-2", "a b"}), "sbatch --array=1-2 'a b'");
}

TEST(Scripts, AreSubmittedWithWhatDiffersFromRoundToRound) {
  Submission one = submission();
  one.folder = "/shared/one";
  EXPECT_THAT(sbatch_array(one, {2, 5}),
              ElementsAre("sbatch", "--parsable", "--array=2,5", "/shared/one/array.sh"));
  one.jobs = 4;
  EXPECT_THAT(sbatch_array(one, {1, 2, 3}),
              ElementsAre("sbatch", "--parsable", "--array=1-3%4", "/shared/one/array.sh"));
  EXPECT_THAT(sbatch_merge(one, "12"),
              ElementsAre("sbatch", "--parsable", "--dependency=afterany:12", "/shared/one/merge.sh"));
  EXPECT_THAT(sbatch_merge(one, ""), ElementsAre("sbatch", "--parsable", "/shared/one/merge.sh"));
}

TEST(Scripts, IndicesAreRanges) {
  EXPECT_EQ(index_list({1, 2, 3, 5, 7, 8}), "1-3,5,7-8");
  EXPECT_EQ(index_list({4}), "4");
  EXPECT_EQ(index_list({}), "");
}

TEST(Scripts, RefuseWhatIsNoOptionOfSbatch) {
  require_sbatch_options({});
  require_sbatch_options({"-A", "name"});
  const auto refusal = [](const std::vector<std::string>& words) {
    return samples::error_of([&] { require_sbatch_options(words); });
  };
  EXPECT_EQ(refusal({"other.json"}),
            "submit: 'other.json' is no option of sbatch\n"
            "  submit takes one SPEC or FOLDER; behind -- stand options, such as --time=1:00:00");
  EXPECT_THAT(refusal({"--comment=a\nb"}), HasSubstr("an option of sbatch has a control character"));
  EXPECT_THAT(refusal({"--comment=\xff"}), HasSubstr("an option of sbatch has a control character"));
  for (const char* word : {"--array=1", "--arr=1", "-a1", "--wrap=ls", "--dependency=afterok:1", "-d",
                           "--parsable", "--help", "--test-only", "--clusters=b", "-M", "-Mb"})
    EXPECT_THAT(refusal({"--mem=1G", word}), HasSubstr("cannot be passed on to sbatch"));
  require_sbatch_options(
      {"--account=name", "-A", "name", "--deadline=now", "--wait", "-D", "/x", "--hint=nomultithread"});
}

}  // namespace
}  // namespace tailwave
