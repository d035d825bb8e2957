#include "spec/select.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

// basic with block sizes 64 and 128; shared with those, and with and without fast math.
std::vector<Configuration> configurations() {
  std::vector<Configuration> all;
  const Values problem{{"N", std::int64_t{4096}}, {"DT", 0.5}};
  for (const std::int64_t size : {64, 128})
    all.push_back({"nbody", "basic", {{"BLOCK_SIZE", size}}, problem});
  for (const std::int64_t size : {64, 128})
    for (const bool fast : {false, true})
      all.push_back({"nbody", "shared", {{"BLOCK_SIZE", size}, {"FAST_MATH", fast}}, problem});
  return all;
}

std::string selected(const std::string& text) {
  const std::vector<Configuration> all = configurations();
  return select_configuration(all, text, "a.json").name();
}

std::string refusal(const std::string& text) {
  try {
    return "selected " + selected(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), Error::kBadUsage);
    return error.what();
  }
}

TEST(SelectConfiguration, TakesTheOneWithTheseValues) {
  EXPECT_EQ(selected("variant=basic,BLOCK_SIZE=64"), "nbody/basic/BLOCK_SIZE:64/DT:0.5/N:4096");
  EXPECT_EQ(selected("BLOCK_SIZE=128,FAST_MATH=true,N=4096"),
            "nbody/shared/BLOCK_SIZE:128/FAST_MATH:true/DT:0.5/N:4096");
}

TEST(SelectConfiguration, ComparesNumbersByValue) {
  EXPECT_EQ(selected("FAST_MATH=1,BLOCK_SIZE=64.0,DT=.5,N=4096"),
            "nbody/shared/BLOCK_SIZE:64/FAST_MATH:true/DT:0.5/N:4096");
  EXPECT_EQ(selected("FAST_MATH=0,BLOCK_SIZE=64"),
            "nbody/shared/BLOCK_SIZE:64/FAST_MATH:false/DT:0.5/N:4096");
}

TEST(SelectConfiguration, TakesPythonsWordsForBooleans) {
  EXPECT_EQ(selected("FAST_MATH=True,BLOCK_SIZE=64"),
            "nbody/shared/BLOCK_SIZE:64/FAST_MATH:true/DT:0.5/N:4096");
  EXPECT_EQ(selected("FAST_MATH=False,BLOCK_SIZE=64"),
            "nbody/shared/BLOCK_SIZE:64/FAST_MATH:false/DT:0.5/N:4096");
}

TEST(SelectConfiguration, TakesTextInQuotes) {
  std::vector<Configuration> texts;
  for (const char* text : {"", "a,b", "8", "\"q\""})
    texts.push_back({"nbody", "basic", {{"TEXT", std::string(text)}}, {{"N", std::int64_t{1}}}});
  const auto index = [&](const std::string& text) {
    return &select_configuration(texts, text, "a.json") - texts.data();
  };
  EXPECT_EQ(index("TEXT=\"\",N=1"), 0);
  EXPECT_EQ(index("N=1,TEXT=\"a,b\""), 1);
  EXPECT_EQ(index("TEXT=\"8\""), 2);
  EXPECT_EQ(index("TEXT=\"\"\"q\"\"\""), 3);
  for (const char* open : {"TEXT=\"a,b", "TEXT=\"a\"b"})
    EXPECT_EQ(refusal(open), std::string("a.json: '") + open +
                                 "' has no '\"' that ends the value\n  a '\"' in it is written twice");
}

TEST(SelectConfiguration, NeedsNoValuesWhereThereIsOne) {
  const std::vector<Configuration> one{configurations()[1]};
  EXPECT_EQ(&select_configuration(one, "", "a.json"), &one[0]);
}

TEST(SelectConfiguration, ListsWhatIsAmbiguous) {
  EXPECT_EQ(refusal("variant=shared"),
            "a.json: 4 configurations fit 'variant=shared', expected one\n"
            "  say also:\n"
            "    BLOCK_SIZE: 64, 128\n"
            "    FAST_MATH: false, true");
  EXPECT_EQ(refusal("BLOCK_SIZE=64,FAST_MATH=true,variant=shared"),
            "selected nbody/shared/BLOCK_SIZE:64/FAST_MATH:true/DT:0.5/N:4096");
  EXPECT_EQ(refusal(""),
            "a.json: 6 configurations fit '', expected one\n"
            "  say also:\n"
            "    variant: basic, shared\n"
            "    BLOCK_SIZE: 64, 128\n"
            "    FAST_MATH: false, true");
}

TEST(SelectConfiguration, CutsLongListsOfValues) {
  std::vector<Configuration> many;
  for (std::int64_t size = 1; size <= 20; ++size) many.push_back({"nbody", "basic", {{"SIZE", size}}, {}});
  try {
    select_configuration(many, "", "a.json");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.json: 20 configurations fit '', expected one\n"
                 "  say also:\n"
                 "    SIZE: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ... (20 values)");
  }
}

TEST(SelectConfiguration, RefusesValuesThatNoneHas) {
  EXPECT_EQ(refusal("BLOCK_SIZE=96"),
            "a.json: no configuration has BLOCK_SIZE=96\n"
            "  BLOCK_SIZE is there: 64, 128");
  EXPECT_EQ(refusal("variant=basic,FAST_MATH=true"),
            "a.json: no configuration with variant=basic has FAST_MATH=true\n"
            "  none of them has a value named 'FAST_MATH'");
  EXPECT_EQ(refusal("BLOCK_SIZE=true"),
            "a.json: no configuration has BLOCK_SIZE=true\n"
            "  BLOCK_SIZE is there: 64, 128");
}

TEST(SelectConfiguration, RefusesUnknownNames) {
  EXPECT_EQ(refusal("BLOCK_SIZ=64"),
            "a.json: no configuration has a value named 'BLOCK_SIZ'\n"
            "  did you mean 'BLOCK_SIZE'?");
  EXPECT_EQ(refusal("threads=64"),
            "a.json: no configuration has a value named 'threads'\n"
            "  there are: variant, BLOCK_SIZE, FAST_MATH, DT, N");
}

TEST(SelectConfiguration, RefusesWhatIsNoListOfValues) {
  EXPECT_EQ(refusal("variant=shared,,N=4096"),
            "a.json: '' is not NAME=VALUE\n"
            "  for example variant=shared,BLOCK_SIZE=128; a text with a ',' stands in double quotes");
  EXPECT_EQ(refusal("N=1,N=2"), "a.json: 'N' is given twice");
}

TEST(SelectConfiguration, TakesANameOrARegularExpressionThatItMatches) {
  EXPECT_EQ(selected("nbody/basic/BLOCK_SIZE:64/DT:0.5/N:4096"), "nbody/basic/BLOCK_SIZE:64/DT:0.5/N:4096");
  EXPECT_EQ(selected("basic.*:128/"), "nbody/basic/BLOCK_SIZE:128/DT:0.5/N:4096");
  EXPECT_EQ(select_configurations(configurations(), "BLOCK_SIZE:(64|96)/", "a.json").size(), 3U);
}

TEST(SelectConfiguration, RefusesAnExpressionThatFitsNoneOrSeveralOrIsNone) {
  EXPECT_EQ(refusal("BLOCK_SIZE:96"),
            "a.json: 'BLOCK_SIZE:96' matches none of 6 configurations\n"
            "  their names look like nbody/basic/BLOCK_SIZE:64/DT:0.5/N:4096");
  EXPECT_EQ(refusal("basic"),
            "a.json: 2 configurations fit 'basic', expected one\n"
            "  say also:\n"
            "    BLOCK_SIZE: 64, 128");
  EXPECT_EQ(
      refusal("SIZE:(64"),
      "a.json: 'SIZE:(64' is neither NAME=VALUE,NAME=VALUE nor a regular expression: missing ): SIZE:(64\n"
      "  expressions are those of RE2: without back references and (?=...)");
}

TEST(SelectConfiguration, RefusesToChooseFromNothing) {
  EXPECT_THROW(select_configuration({}, "", "a.json"), Error);
}

}  // namespace
}  // namespace tailwave
