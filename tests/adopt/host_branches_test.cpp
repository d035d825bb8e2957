#include "adopt/host_branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tailwave {
namespace {

// "a:b" where a and b are the kernels of two launches of which only one is run.
std::vector<std::string> exclusive(const std::string& source) {
  const Lexemes lexemes = lexemes_of(source);
  const HostBranches branches{lexemes};
  std::vector<std::string> pairs;
  const auto excludes = [&](const Lexeme& left, const Lexeme& right) {
    for (const HostBranch& one : branches.of(left.begin))
      for (const HostBranch& other : branches.of(right.begin))
        if (one.choice == other.choice &&
            std::none_of(one.arms.begin(), one.arms.end(),
                         [&](std::size_t arm) { return other.arms.contains(arm); }))
          return true;
    return false;
  };
  std::vector<std::size_t> launches;
  for (std::size_t i = 1; i < lexemes.size(); ++i)
    if (lexemes[i].text == "<<<") launches.push_back(i);
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (std::size_t j = i + 1; j < launches.size(); ++j)
      if (excludes(lexemes[launches[i]], lexemes[launches[j]]))
        pairs.push_back(std::string(lexemes[launches[i] - 1].text) + ":" +
                        std::string(lexemes[launches[j] - 1].text));
  return pairs;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostBranches, ArmsOfAnIfExcludeEachOther) {
  EXPECT_THAT(exclusive("void f() { if (a) { k<<<1, 1>>>(); l<<<1, 1>>>(); } else if (b) m<<<1, 1>>>();\n"
                        "else n<<<1, 1>>>(); o<<<1, 1>>>(); }"),
              ElementsAre("k:m", "k:n", "l:m", "l:n", "m:n"));
  EXPECT_THAT(exclusive("void f() { if (a) k<<<1, 1>>>(); if (b) m<<<1, 1>>>(); }"), IsEmpty());
  EXPECT_THAT(exclusive("void f() { a ? k<<<1, 1>>>(x[i ? 1 : 2]) : m<<<1, 1>>>(); n<<<1, 1>>>(); }"),
              ElementsAre("k:m"));
  EXPECT_THAT(
      exclusive("void f() { DISPATCH(type, \"f\", [&] { if (a) k<<<1, 1>>>(); else m<<<1, 1>>>(); }); }"),
      ElementsAre("k:m"));
}

TEST(HostBranches, WhatFollowsAReturnIsAnotherArm) {
  EXPECT_THAT(exclusive("void f() { if (a) { k<<<1, 1>>>(); return; } m<<<1, 1>>>(); }\n"
                        "void g() { n<<<1, 1>>>(); }"),
              ElementsAre("k:m"));
  EXPECT_THAT(
      exclusive(
          "void f() { for (;;) { if (a) { k<<<1, 1>>>(); continue; } m<<<1, 1>>>(); } n<<<1, 1>>>(); }"),
      ElementsAre("k:m"));
  EXPECT_THAT(exclusive("void f() { if (a) { if (b) return; k<<<1, 1>>>(); } m<<<1, 1>>>(); }"), IsEmpty());
  EXPECT_THAT(
      exclusive(
          "void f() { if (a) { k<<<1, 1>>>(); std::exit(1); } else { l<<<1, 1>>>(); } m<<<1, 1>>>(); }"),
      ElementsAre("k:l", "k:m"));
}

TEST(HostBranches, CasesExcludeEachOther) {
  const std::string source =
      "void f() { switch (a) { case 1: case 2: { k<<<1, 1>>>(); break; } case B::three: l<<<1, 1>>>(); return;\n"
      "default: m<<<1, 1>>>(); } n<<<1, 1>>>(); }";
  EXPECT_THAT(exclusive(source), ElementsAre("k:l", "k:m", "l:m", "l:n"));
  const Lexemes lexemes = lexemes_of(source);
  const HostBranches branches{lexemes};
  ASSERT_EQ(branches.choices().size(), 1U);
  const HostChoice& choice = branches.choices()[0];
  EXPECT_EQ(joined(choice.subject), "a");
  ASSERT_EQ(choice.arms.size(), 3U);
  EXPECT_EQ(choice.arms[0].conditions.size(), 2U);
  EXPECT_EQ(joined(choice.arms[1].conditions[0]), "B::three");
  EXPECT_TRUE(choice.arms[2].otherwise);
}

TEST(HostBranches, EndsWithTextThatDoesNot) {
  for (const char* source : {"if (", "switch (a) {", "switch (a", "void f() { if (a) k<<<",
                             "a ? b<<< :", "do", "{ case", "switch (a) { case"})
    EXPECT_THAT(exclusive(source), IsEmpty()) << source;
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{ if (a) b ? c : ";
  EXPECT_THAT(exclusive(deep), IsEmpty());
}

}  // namespace
}  // namespace tailwave
