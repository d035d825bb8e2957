// tailwave check --races. What is found, and where, is tested by tests/races.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

class CheckRaces : public ProjectFixture {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "processes of a program with other sanitizers run too slowly";
  }

  // A system of one variant whose threads all write one element; `plain` says how, `more` is of its manifest.
  void write_flag(const std::string& plain, const std::string& more = "") const {
    write("kernel_templates/flag/flag.cu",
          "__global__ void flag(int* out) {\n  out[threadIdx.x] = 1;\n  " + plain + "\n}\n");
    write("kernel_templates/flag/system.json", R"({"schema_version": 1, "name": "flag", "title": "A flag",
      "problem": {"N": {"type": "int", "default": 32}},
      "buffers": {"out": {"type": "int32", "count": "N + 1"}},
      "reference": {"variant": "flag", "compare": {"out": {"norm": "exact"}}}, "work": {"elements": "N"},
      "variants": {"flag": {"target": "cuda", "source": "flag.cu", )" +
                                                   more + R"("launches": [
        {"kernel": "flag", "grid": 1, "block": "N", "args": ["out"]}]}}})");
  }

  [[nodiscard]] CommandResult check(bool as_json = false) const {
    std::vector<std::string> arguments{"check", "kernel_templates/flag", "--races"};
    if (as_json) arguments.emplace_back("--json");
    CommandResult result = tailwave(arguments);
    if (result.err.find("races cannot be looked for") != std::string::npos) lacks_it_ = true;
    return result;
  }
  mutable bool lacks_it_ = false;
};

constexpr const char* kOk =
    "kernel_templates/flag/system.json: ok: system, 1 variant\n"
    "  verified for no other sizes than those that are timed: '\"verify\": {\"problems\": [{\"N\": 101}]}' in "
    "kernel_templates/flag/system.json adds one that no block divides\n";
constexpr const char* kFound =
    "  buffer 'out': write at kernel_templates/flag/flag.cu:3 (block 0, thread 1) after write at "
    "kernel_templates/flag/flag.cu:3 (block 0, thread 0)\n";

TEST_F(CheckRaces, NamesBothPlacesAndExitsWith1) {
  write_flag("out[32] = 1;");
  const CommandResult result = check();
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, kOk + std::string("flag/flag/N:32: 1 race\n") + kFound);
  EXPECT_EQ(result.err, "1 of 1 configurations has races\n");
}

TEST_F(CheckRaces, SaysThemInJson) {
  write_flag("out[32] = 1;");
  const CommandResult result = check(true);
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 1);
  const auto said = nlohmann::json::parse(result.out).at("races").at(0);
  EXPECT_EQ(said.at("configuration"), "flag/flag/N:32");
  EXPECT_EQ(said.at("verdict"), "races");
  EXPECT_EQ(said.at("races").at(0).at("earlier"), nlohmann::json::parse(R"({"access": "write",
    "file": "kernel_templates/flag/flag.cu", "line": 3, "block": 0, "thread": 0})"));
}

TEST_F(CheckRaces, NamesWhatIsOutsideOfABuffer) {
  write_flag("if (threadIdx.x == 0) out[0] += out[33];");
  const CommandResult result = check();
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, kOk + std::string("flag/flag/N:32: out of bounds\n"
                                          "  buffer 'out' of 33 elements: read of element 33 at "
                                          "kernel_templates/flag/flag.cu:3 (block 0, thread 0)\n"));
  EXPECT_EQ(result.err, "1 of 1 configurations reads or writes outside of buffers\n");
  const auto said = nlohmann::json::parse(check(true).out).at("races").at(0);
  EXPECT_EQ(said.at("verdict"), "out_of_bounds");
  EXPECT_EQ(said.at("out_of_bounds").at(0).at("element"), 33);
}

TEST_F(CheckRaces, KnowsOfThoseThatAManifestKnows) {
  write_flag("out[32] = 1;", R"("known_races": "all write the same",)");
  const CommandResult result = check();
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(
      result.out,
      kOk + std::string("flag/flag/N:32: 1 race, which its manifest knows: all write the same\n") + kFound);
  EXPECT_EQ(result.err, "");
}

TEST_F(CheckRaces, TellsOfKnownOnesThatAreNotThere) {
  write_flag("atomicExch(&out[32], 1);", R"("known_races": "all write the same",)");
  const CommandResult result = check();
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.out, kOk + std::string("flag/flag/N:32: no races\n"));
  EXPECT_EQ(result.err,
            "warning: kernel_templates/flag/system.json: /variants/flag/known_races: no race was found\n");
}

TEST_F(CheckRaces, FailsWhereNothingWasChecked) {
  write_flag("assert(threadIdx.x != 31);");
  const CommandResult result = check();
  if (lacks_it_) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out,
            kOk + std::string("flag/flag/N:32: not checked: kernel_templates/flag/flag.cu:3: block: "
                              "[0,0,0], thread: [31,0,0] Assertion `threadIdx.x != 31` failed.\n"));
  EXPECT_EQ(result.err, "1 of 1 configurations was not checked for races\n");
}

}  // namespace
}  // namespace tailwave
