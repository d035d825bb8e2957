#include "core/error.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

const Diagnostic kUnknown{"a.json",
                          "/constraints/0",
                          "unknown parameter 'BLOCK_SIZ'",
                          "2 * BLOCK_SIZ",
                          4,
                          "did you mean 'BLOCK_SIZE'?"};

TEST(Diagnostic, PointsACaretAtTheExcerptWithTheHintBesideIt) {
  EXPECT_EQ(to_string(kUnknown),
            "a.json: /constraints/0: unknown parameter 'BLOCK_SIZ'\n"
            "  2 * BLOCK_SIZ\n"
            "      ^ did you mean 'BLOCK_SIZE'?");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotHave) {
  EXPECT_EQ(to_string(Diagnostic{"a.json", "", "missing key 'name'", "", -1, ""}),
            "a.json: missing key 'name'");
  EXPECT_EQ(to_string(Diagnostic{"", "", "bad", "", 3, "do better"}), "bad\n  do better");
  EXPECT_EQ(to_string(Diagnostic{"a", "/b", "bad", "N - N", -1, "with N = 1"}),
            "a: /b: bad\n  N - N\n  with N = 1");
  EXPECT_EQ(to_string(Diagnostic{"a", "", "bad", "N", 0, ""}), "a: bad\n  N\n  ^");
}

TEST(Error, SaysAllDiagnosticsAndMeansBadUsage) {
  const Error error(Diagnostics{kUnknown, {"b.json", "", "bad", "", -1, ""}});
  EXPECT_EQ(std::string(error.what()), to_string(kUnknown) + "\nb.json: bad");
  EXPECT_EQ(error.exit_status(), Error::kBadUsage);
  EXPECT_EQ(Error(kUnknown).exit_status(), Error::kBadUsage);
}

TEST(Error, MeansThatTheRunFailedWhenItIsJustAMessage) {
  EXPECT_EQ(Error("no device").exit_status(), Error::kRunFailed);
  EXPECT_STREQ(Error("no device").what(), "no device");
}

TEST(Nearest, FindsTypingErrorsOnly) {
  EXPECT_EQ(nearest("BLOCK_SIZ", {"UNROLL", "BLOCK_SIZE"}), "BLOCK_SIZE");
  EXPECT_EQ(nearest("cel_div", {"ceil", "ceil_div"}), "ceil_div");
  EXPECT_EQ(nearest("N", {"M"}), "M");
  EXPECT_EQ(nearest("WAVES", {"BLOCK_SIZE", "N"}), "");
  EXPECT_EQ(nearest("bets", {"worst", "best"}), "best");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, KeepsTheFirstOfEquallyNearCandidates) {
  EXPECT_EQ(nearest("cat", {"car", "bat"}), "car");
}

}  // namespace
}  // namespace tailwave
