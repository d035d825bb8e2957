#include "tune/kept_turns.h"

#include <gtest/gtest.h>

#include "core/program_identity.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

class KeptTurns : public testing::Test {
 protected:
  KeptTurns() : run_(store_.begin_run(samples::run("a", "2026-01-01T10:00:00Z"), samples::gpu())) {
    kept_.trial = samples::trial("basic", {}, {10, 11});
    kept_.trial.samples[0].sequence = 7;
    kept_.trial.samples[1].sequence = 3;
    kept_.repetitions = 5;
    kept_.begun = 2;
    fresh_.trial.configuration = kept_.trial.configuration;
    fresh_.trial.key = kept_.trial.key;
    fresh_.repetitions = 5;
  }

  bool resume() { return resume_turns(fresh_, store_.unfinished_trials(program_identity())); }

  Database database_{kInMemory, Database::Mode::read_write};
  ResultStore store_{database_};
  std::int64_t run_;
  Candidate kept_, fresh_;
};

TEST_F(KeptTurns, ComeBackWithTheOrderOfTheirSamples) {
  EXPECT_FALSE(resume());
  keep_turns(store_, run_, kept_);
  ASSERT_TRUE(resume());
  EXPECT_EQ(fresh_.begun, 2);
  ASSERT_EQ(fresh_.trial.samples.size(), 2U);
  EXPECT_EQ(fresh_.trial.samples[0].sequence, 7);
  EXPECT_EQ(fresh_.trial.samples[1].sequence, 3);
}

TEST_F(KeptTurns, MayBeAllThatThereAre) {
  kept_.begun = 5;
  keep_turns(store_, run_, kept_);
  EXPECT_TRUE(resume());
  fresh_.repetitions = 4;
  EXPECT_FALSE(resume());
}

TEST_F(KeptTurns, AreIgnoredWhereTheyMakeNoSense) {
  store_.keep_unfinished(run_, kept_.trial.key, program_identity(), {2, "nonsense"});
  EXPECT_FALSE(resume());
  EXPECT_EQ(fresh_.begun, 0);
  fresh_.trial.configuration.variant = "other";
  keep_turns(store_, run_, kept_);
  EXPECT_FALSE(resume());
}

}  // namespace
}  // namespace tailwave
