#include "report/question.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tailwave {
namespace {

StudyRow row(const std::string& variant, Values parameters, Values problem = {{"N", 4096}}) {
  StudyRow one;
  one.variant = variant;
  one.parameters = std::move(parameters);
  one.problem = std::move(problem);
  one.value = 1;
  return one;
}

// "scaling N", "steps".
std::string asked(const std::vector<StudyRow>& rows) {
  std::vector<const StudyRow*> all;
  for (const StudyRow& one : rows) all.push_back(&one);
  const Question question = question_of(all);
  return std::string(to_string(question.asks)) + (question.axis.empty() ? "" : " " + question.axis);
}

TEST(Question, OfVariantsIsAboutSteps) {
  EXPECT_EQ(asked({}), "steps");
  EXPECT_EQ(asked({row("basic", {{"BLOCK_SIZE", 32}}), row("shared", {{"BLOCK_SIZE", 64}}),
                   row("tuned", {{"BLOCK_SIZE", 128}}), row("fused", {{"BLOCK_SIZE", 256}})}),
            "steps");
  EXPECT_EQ(asked({row("basic", {{"MODE", std::string("a")}}), row("basic", {{"MODE", std::string("b")}})}),
            "steps");
}

TEST(Question, OfOneNumberIsAboutItsSize) {
  std::vector<StudyRow> rows;
  for (const int size : {32, 64, 128, 256})
    for (const bool fast : {false, true})
      rows.push_back(row("basic", {{"BLOCK_SIZE", size}, {"FAST", fast}}));
  EXPECT_EQ(asked(rows), "size BLOCK_SIZE");
  rows.resize(6);
  EXPECT_EQ(asked(rows), "steps") << "three sizes are no curve";
}

TEST(Question, OfManyProblemsIsAboutScaling) {
  std::vector<StudyRow> rows;
  for (const int n : {64, 128, 256, 512}) rows.push_back(row("basic", {}, {{"N", n}, {"DT", 0.1}}));
  EXPECT_EQ(asked(rows), "scaling N");
}

TEST(Question, OfManyParametersIsAboutTuning) {
  std::vector<StudyRow> rows;
  for (const int size : {32, 64, 128, 256})
    for (const int unroll : {1, 2, 4})
      for (const int split : {1, 2, 4})
        rows.push_back(row("tuned", {{"BLOCK_SIZE", size}, {"SPLIT", split}, {"UNROLL", unroll}}));
  EXPECT_EQ(asked(rows), "tuning");
}

}  // namespace
}  // namespace tailwave
