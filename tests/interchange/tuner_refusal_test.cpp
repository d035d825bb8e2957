// Files of other tuners that are refused, each with its place and cause.
#include <gtest/gtest.h>

#include "interchange/tuner_import_fixture.h"

namespace tailwave::samples {
namespace {

using TunerRefusal = TunerImportFixture;

TEST_F(TunerRefusal, RefusesUnitsOfAnObjectiveThatCannotBeCompared) {
  EXPECT_EQ(refusal("a.json", t4_of_measurements({R"({"name": "time", "value": 5, "unit": "ticks"})"})),
            "/results/0/measurements/0/unit: unknown time unit 'ticks'\n"
            "  use nanoseconds, microseconds, milliseconds or seconds");
  std::string text = t4_of_measurements(
      {R"({"name": "energy", "value": 5, "unit": "J"})", R"({"name": "energy", "value": 6, "unit": "mJ"})"});
  for (int i = 0; i < 2; ++i) text = replaced(text, R"(["time"])", R"(["energy"])");
  EXPECT_EQ(refusal("a.json", text),
            "/results/1/measurements/0: the unit of 'energy' is 'mJ', but was 'J' before\n"
            "  an objective has one unit, or units of time");
}

TEST_F(TunerRefusal, RefusesWhatIsNotJsonOrEmpty) {
  const std::string cause =
      "line 1, column 1: not valid JSON: while parsing value - invalid literal\n"
      "  device_name: GPU\n"
      "  ^ fetch or export it again";
  EXPECT_EQ(refusal("a.json", "device_name: GPU"), cause);
  EXPECT_EQ(refusal("a.json.gz", gzipped("device_name: GPU")), cause);
  EXPECT_EQ(refusal("a.json", ""), "line 1, column 1: the file is empty\n  fetch or export it again");
  const std::string cut = refusal("a.json", kT4.substr(0, kT4.size() / 2));
  EXPECT_TRUE(cut.starts_with("line 8, column ")) << cut;
  EXPECT_TRUE(cut.ends_with("^ fetch or export it again")) << cut;
}

TEST_F(TunerRefusal, RefusesACompressedFileThatIsCutOff) {
  const std::string bytes = gzipped(kCachefile);
  EXPECT_EQ(refusal("a.json.gz", bytes.substr(0, bytes.size() / 2)),
            "the compressed data are cut off\n  fetch the file again");
}

TEST_F(TunerRefusal, RefusesJsonThatIsNoResult) {
  for (const char* text : {"{}", "[1, 2]", R"({"General": {"BenchmarkName": "stencil"}})"}) {
    EXPECT_EQ(refusal("a.json", text),
              "has none of the formats of results that tailwave reads\n"
              "  they are its own, T4, and cachefiles of Kernel Tuner");
  }
}

TEST_F(TunerRefusal, RefusesAFileWithoutResults) {
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("cache")", R"("cash")")), "'cache' is missing");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("results")", R"("result")")), "'results' is missing");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("tune_params_keys")", R"("keys")")),
            "'tune_params_keys' is missing");
}

TEST_F(TunerRefusal, RefusesAFieldOfTheWrongType) {
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("times": [2.0, 3.0])", R"("times": [2.0, "3.0"])")),
            "/cache/16,True/times/1: must be a number");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5)", R"("time": "fast")")),
            "/cache/16,True/time: 'fast' is neither a number nor a known failure\n"
            "  failures are RuntimeFailedConfig, CompilationFailedConfig, InvalidConfig and ErrorConfig");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5)", R"("time": [2.5])")),
            "/cache/16,True/time: must be a number");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("compile_time": 300.5)", R"("compile_time": "300.5")")),
            "/cache/16,True/compile_time: must be a number");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("runtimes": [2.0, 3.0])", R"("runtimes": 2.0)")),
            "/results/0/times/runtimes: must be an array");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("value": 2.5)", R"("value": "2.5")")),
            "/results/0/measurements/0/value: must be a number");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("block_size_x": 16)", R"("block_size_x": [16])")),
            "/results/0/configuration/block_size_x: must be a number, text, true or false");
}

TEST_F(TunerRefusal, RefusesAWholeNumberThatTheDatabaseCannotHold) {
  const std::string cause =
      "18446744073709551615 does not fit 64 bits\n  whole numbers go up to 9223372036854775807";
  const std::string large = R"("block_size_x": 18446744073709551615)";
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("block_size_x": 16)", large)),
            "/results/0/configuration/block_size_x: " + cause);
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("16,True": {"block_size_x": 16)",
                                       "\"18446744073709551615,True\": {" + large)),
            "/cache/18446744073709551615,True/block_size_x: " + cause);
  EXPECT_EQ(refusal("a.json", R"({"schema_version": 18446744073709551615})"), "/schema_version: " + cause);
  import("b.json", replaced(kT4, R"("block_size_x": 16)", R"("block_size_x": 9223372036854775807)"));
  EXPECT_EQ(csv(database_, "SELECT parameters ->> 'block_size_x' AS n FROM configuration WHERE id = 1"),
            "n\n9223372036854775807\n");
}

TEST_F(TunerRefusal, RefusesATimeThatIsNegativeOrNotANumber) {
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5)", R"("time": -2.5)")),
            "/cache/16,True/time: a time cannot be negative");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"([2.0, 3.0])", R"([2.0, -3.0])")),
            "/cache/16,True/times/1: a time cannot be negative");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5)", R"("time": NaN)")),
            "/cache/16,True/time: NaN is not a number that JSON has\n  leave it out, or give a number");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"([2.0, 3.0])", R"([2.0, -3.0])")),
            "/results/0/times/runtimes/1: a time cannot be negative");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("value": 2.5)", R"("value": Infinity)")),
            "/results/0/measurements/0/value: Infinity is not a number that JSON has\n  leave it out, or "
            "give a number");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("value": 2.5)", R"("value": -2.5)")),
            "/results/0/measurements/0/value: a time cannot be negative");
}

TEST_F(TunerRefusal, RefusesAnEntryThatLacksAParameterOrTheObjective) {
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("block_size_x": 32, )", "")),
            "/cache/32,False: parameter 'block_size_x' is missing\n  tune_params_keys names it");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5, )", "")),
            "/cache/16,True: 'time' is missing");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("block_size_x": 32, )", "")),
            "/results/1/configuration: parameter 'block_size_x' is missing\n  the first result has it");
  EXPECT_EQ(
      refusal("a.json", replaced(replaced(kT4, R"("name": "time")", R"("name": "speed")"),
                                 ", \"runtimes\": [2.0, 3.0]", "")),
      "/results/0: is correct, but has neither its objective among the measurements nor runtimes above 0");
}

TEST_F(TunerRefusal, RefusesAParameterThatTheFirstResultLacks) {
  EXPECT_EQ(
      refusal("a.json", replaced(kT4, R"("block_size_x": 32, )", R"("block_size_x": 32, "tile/x": 2, )")),
      "/results/1/configuration/tile~1x: the first result has no such parameter\n"
      "  give it in all results, or in none");
}

TEST_F(TunerRefusal, RefusesACorrectResultWithoutACost) {
  const std::string cause =
      "the objective 'time' of a correct result has to be above 0\n"
      "  give what was measured, or the failure";
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("time": 2.5)", R"("time": 0)")),
            "/cache/16,True/time: " + cause);
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("value": 2.5)", R"("value": 0.0)")),
            "/results/0/measurements/0/value: " + cause);
  EXPECT_EQ(
      refusal("a.json", replaced(replaced(kCachefile, R"("objective": "time")", R"("objective": "GFLOP/s")"),
                                 R"("GFLOP/s": 12.5)", R"("GFLOP/s": -12.5)")),
      "/cache/16,True/GFLOP~1s: the objective 'GFLOP/s' of a correct result has to be above 0\n"
      "  give what was measured, or the failure");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("objective": "time")", R"("objective": [])")),
            "/objective: names no objective\n  for example \"time\"");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("objectives": ["time"])", R"("objectives": [])")),
            "/results/0/objectives: names no objective\n  for example [\"time\"]");
  EXPECT_EQ(
      refusal("a.json",
              replaced(replaced(kT4, R"("name": "time")", R"("name": "speed")"), "[2.0, 3.0]", "[2.0, 0]")),
      "/results/0: is correct, but has neither its objective among the measurements nor runtimes above 0");
}

TEST_F(TunerRefusal, RefusesResultsOfDifferentObjectives) {
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("unit": "ms"}], "objectives": ["time"])",
                                       R"("unit": "ms"}], "objectives": ["energy"])")),
            "/results/1/objectives: the first result's are time\n"
            "  results with other objectives belong into another file");
  std::string text = kT4;
  for (int i = 0; i < 2; ++i) text = replaced(text, R"(["time"])", R"(["energy"])");
  EXPECT_EQ(refusal("a.json", text),
            "/results/0: is correct, but its objective 'energy' is not among the measurements");
}

TEST_F(TunerRefusal, RefusesAMeasurementThatIsThereTwice) {
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("name": "GFLOP/s")", R"("name": "time")")),
            "/results/0/measurements/1: 'time' is measured twice\n  keep one of the two");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("name": "GFLOP/s")", R"("name": "compile_time")")),
            "/results/0/measurements/1: 'compile_time' is measured twice\n  keep one of the two");
}

TEST_F(TunerRefusal, RefusesAnotherVersionOfT4AndMetadataThatAreNoObject) {
  EXPECT_EQ(refusal("a.json", replaced(kT4, "1.0.0", "9.9.9")),
            "/schema_version: T4 9.9.9, but this tailwave reads 1.0.0");
  for (const char* metadata : {"[]", "\"x\"", "null"})
    EXPECT_EQ(refusal("a.json", replaced(kT4, R"({"timeunit": "milliseconds"})", metadata)),
              "/metadata: must be an object");
}

TEST_F(TunerRefusal, RefusesAKeyThatDoesNotMatchItsValues) {
  for (const char* key : {"16,False", "16", "16,True,1", "016,True", "16,True,", "1,6True"}) {
    EXPECT_EQ(refusal("a.json", replaced(kCachefile, "\"16,True\"", '"' + std::string(key) + '"')),
              "/cache/" + std::string(key) +
                  ": the key does not match the entry's values 16,true\n"
                  "  a key is the values joined by commas, in the order of tune_params_keys")
        << key;
  }
}

TEST_F(TunerRefusal, RefusesAConfigurationThatIsThereTwice) {
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("32,False": {"block_size_x": 32, "unroll": false)",
                                       R"("16,True": {"block_size_x": 16, "unroll": true)")),
            "/cache/16,True: duplicate key '16,True'\n  keep one of the two");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"({"block_size_x": 32, "unroll": false})",
                                       R"({"unroll": true, "block_size_x": 16})")),
            "/results/1: the same configuration as /results/0\n  keep one of the two");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, R"("32,False": {"block_size_x": 32, "unroll": false)",
                                       R"("16.0,True": {"block_size_x": 16.0, "unroll": true)")),
            "/cache/16.0,True: the same configuration as /cache/16,True\n  keep one of the two");
}

TEST_F(TunerRefusal, RefusesAnUnknownInvalidityAndOneThatContradictsTheCorrectness) {
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("invalidity": "runtime")", R"("invalidity": "broken")")),
            "/results/1/invalidity: unknown invalidity 'broken'\n"
            "  it is correct, compile, runtime, correctness, timeout or constraints");
  EXPECT_EQ(refusal("a.json", replaced(kT4, R"("correctness": 1)", R"("correctness": 0)")),
            "/results/0/correctness: is 0, yet the invalidity is 'correct'");
}

TEST_F(TunerRefusal, RefusesAnUnknownTimeUnitAndAProblemOfFourDimensions) {
  EXPECT_EQ(refusal("a.json", replaced(kT4, "milliseconds", "fortnights")),
            "/metadata/timeunit: unknown time unit 'fortnights'\n"
            "  use nanoseconds, microseconds, milliseconds or seconds");
  EXPECT_EQ(refusal("a.json", replaced(kCachefile, "4096,\n2048\n]", "1, 2, 3, 4]")),
            "/problem_size: has 4 dimensions, at most 3 are known");
}

}  // namespace
}  // namespace tailwave::samples
