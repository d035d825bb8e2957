#include "spec/spec_order.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

std::string order_of(const std::string& spec) {
  const SpecOrder order = spec_order(spec);
  return fmt::format("{} | {} | {}", fmt::join(order.variants, " "), fmt::join(order.parameters, " "),
                     fmt::join(order.quantities, " "));
}

TEST(SpecOrder, IsThatOfTheCasesWhateverElseHasTheirNames) {
  EXPECT_EQ(order_of(R"({"name": "tuned", "question": "Is \"B\" as good as \"tuned\"?", "system": "basic",
                         "problem": {"N": [1], "M": [2]},
                         "cases": [{"variant": "shared", "parameters": {"Z": [1], "B": [2]}}, {"variant": "basic"},
                                   {"variant": "tuned", "parameters": {"A": [1], "Z": [2]}},
                                   {"variant": "shared"}]})"),
            "shared basic tuned | Z B A | N M");
}

TEST(SpecOrder, IsThatOfAManifestAndOfAT1File) {
  EXPECT_EQ(order_of(R"({"name": "x", "variants": {"naive": {"parameters": {"T": 8, "B": 0}}, "cpu": {}}})"),
            "naive cpu | T B | ");
  EXPECT_EQ(order_of(R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "y"}, {"Name": "x"}]}})"),
            " | y x | ");
}

TEST(SpecOrder, IsThatOfTheSizesOfAList) {
  EXPECT_EQ(order_of(R"({"problem": [{"N": 1, "weight": 2}, {"M": 2, "N": 1}, 3]})"), " |  | N M");
}

TEST(SpecOrder, IsNoneOfWhatIsNoSpec) {
  for (const char* text : {"", "{", "3", "[1]", "{\"cases\": 3}", "{\"cases\": [4, {\"variant\": 1}]}",
                           "{\"variants\": [1]}", "{\"problem\": 1, \"ConfigurationSpace\": []}"})
    EXPECT_EQ(order_of(text), " |  | ") << text;
  for (const char* text : {"", "{", "3", "[{}]", "{\"basic\": 3}"})
    EXPECT_TRUE(defaults_in(text).empty()) << text;
}

}  // namespace
}  // namespace tailwave
