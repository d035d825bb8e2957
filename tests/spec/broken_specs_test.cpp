// Broken experiments and published files, each with exactly what is reported.
#include "spec/broken_spec.h"
#include "spec/experiment_reader.h"

namespace tailwave {
namespace {

TEST_P(BrokenSpec, IsReported) {
  const Break& broken = GetParam();
  const SpecTree tree;
  tree.replace(broken.file, broken.from, broken.to);
  EXPECT_EQ(tree.problems(), std::string(broken.file) + ": " + broken.message);
}

INSTANTIATE_TEST_SUITE_P(
    Experiment, BrokenSpec,
    testing::Values(
        Break{"SyntaxError", kSpec, "\"SCALE\": [1, 0.25]}", "\"SCALE\": [1, 0.25],}",
              "line 8, column 88: not valid JSON: while parsing object key - unexpected '}'; expected string "
              "literal\n"
              "  {\"variant\": \"tiled\", \"parameters\": {\"BLOCK_SIZE\": [16, 32, 64], \"SCALE\": [1, "
              "0.25],}},\n"
              "                                                                                     ^ remove "
              "the comma before it"},
        Break{"Comment", kSpec, "\"system\"", "// which one\n  \"system\"",
              "line 4, column 3: not valid JSON: while parsing object key - invalid literal; expected string "
              "literal\n"
              "  // which one\n"
              "  ^ JSON has no comments"},
        Break{"Truncated", kSpec, "\"published/study.json\"\n}", "\"published/study.json\"",
              "line 16, column 1: not valid JSON: while parsing object - unexpected end of input; expected "
              "'}'"},
        Break{"DuplicateKey", kSpec, "\"system\": \"stencil\",",
              "\"system\": \"stencil\", \"system\": \"stencil\",",
              "/system: duplicate key 'system'\n  keep one of the two"},
        Break{"SchemaVersion", kSpec, "\"schema_version\": 1", "\"schema_version\": 2",
              "/schema_version: schema_version 2 is not supported, this tailwave reads version 1"},
        Break{"UnknownKey", kSpec, "\"constraints\": [\"BLOCK", "\"constraint\": [\"BLOCK",
              "/constraint: unknown key 'constraint'\n"
              "  did you mean 'constraints'?"},
        Break{"MissingKey", kSpec, "\"system\": \"stencil\",", "",
              "missing key 'system'\n  a folder in kernel_templates/"},
        Break{"WrongType", kSpec, "\"samples\": 30", "\"samples\": \"30\"",
              "/measure/samples: expected an integer, found a string"},
        Break{"ScalarForList", kSpec, "[16, 32, 64]", "16",
              "/cases/0/parameters/BLOCK_SIZE: expected an array, found an integer\n"
              "  write [16]"},
        Break{"NotAnObject", kSpec, "{\"mode\": \"batched\", \"samples\": 30, \"time_cap_s\": 1}", "[]",
              "/measure: expected an object, found an array"},
        Break{"NotAllowed", kSpec, "\"batched\"", "\"batch\"",
              "/measure/mode: expected one of 'isolated', 'batched', 'graph', found 'batch'"},
        Break{"ColdAndBatched", kSpec, "\"batched\"", "\"batched\", \"cache\": \"cold\"",
              "/measure/cache: 'cold' has no meaning in the mode 'batched': only the first of several "
              "executions would "
              "find the caches cold\n"
              "  use the mode 'isolated', or the cache 'rotate'"},
        Break{"TooSmall", kSpec, "\"samples\": 30", "\"samples\": 0",
              "/measure/samples: expected at least 1, found 0"},
        Break{"FewerAtMostThanAtLeast", kSpec, "\"samples\": 30", "\"samples\": 30, \"max_samples\": 20",
              "/measure/max_samples: 'max_samples' is less than the 30 of 'samples'\n"
              "  'samples' count at least, and 'max_samples' end a configuration that is not precise enough"},
        Break{
            "GivesUpTheBest", kSpec, "\"samples\": 30", "\"samples\": 30, \"give_up\": 0.5",
            "/measure/give_up: 'give_up' is a multiple of the best time, and so at least 1, or 0: nothing is "
            "given up\n"
            "  say 10 to give up what takes more than 10 times as long as the best"},
        Break{"NotPositive", kSpec, "\"time_cap_s\": 1", "\"time_cap_s\": 0",
              "/measure/time_cap_s: expected more than 0, found 0"},
        Break{"EmptyList", kSpec, "[16, 32, 64]", "[]", "/cases/0/parameters/BLOCK_SIZE: the array is empty"},
        Break{"DuplicateValue", kSpec, "\"SCALE\": [1, 0.25]", "\"SCALE\": [1, 0.25, 1.0]",
              "/cases/0/parameters/SCALE/2: the value 1 is given twice"},
        Break{"HugeInteger", kSpec, "[64, 128]", "[99999999999999999999]",
              "/problem/N/0: 99999999999999999999 does not fit 64 bits\n"
              "  whole numbers go up to 9223372036854775807"},
        Break{"IntegerBeyondInt64", kSpec, "[64, 128]", "[9223372036854775809]",
              "/problem/N/0: 9223372036854775809 does not fit 64 bits\n"
              "  whole numbers go up to 9223372036854775807"},
        Break{"NumberOverflow", kSpec, "[1, 0.25]", "[1e999]",
              "line 8, column 83: not valid JSON: number overflow parsing '1e999'\n"
              "  {\"variant\": \"tiled\", \"parameters\": {\"BLOCK_SIZE\": [16, 32, 64], \"SCALE\": "
              "[1e999]}},\n"
              "                                                                                ^"},
        Break{"ValueBeyondItsType", kSpec, "[64, 128]", "[4294967296]",
              "/problem/N/0: expected an integer that fits int32, found 4294967296"},
        Break{"RealForInteger", kSpec, "[64, 128]", "[64.5]",
              "/problem/N/0: expected an integer that fits int32, found 64.5"},
        Break{"TextForNumber", kSpec, "[64, 128]", "[\"64\"]",
              "/problem/N/0: expected an integer that fits int32, found '64'"},
        Break{"ValueOfAnotherKind", kSpec, "[16, 32, 64]", "[16, \"32\"]",
              "/cases/0/parameters/BLOCK_SIZE/1: expected an integer like the default 32, found a string"},
        Break{"NameDiffersFromFile", kSpec, "\"name\": \"block_size\"", "\"name\": \"block_sise\"",
              "/name: the name 'block_sise' differs from the file's, 'block_size'"},
        Break{"UnknownSystem", kSpec, "\"system\": \"stencil\"", "\"system\": \"stencli\"",
              "/system: unknown system 'stencli'\n"
              "  did you mean 'stencil'?"},
        Break{"SystemIsAPath", kSpec, "\"system\": \"stencil\"", "\"system\": \"../stencil\"",
              "/system: unknown system '../stencil'\n"
              "  did you mean 'stencil'?"},
        Break{"UnknownProblemQuantity", kSpec, "\"problem\": {\"N\"", "\"problem\": {\"M\"",
              "/problem/M: unknown problem quantity 'M'\n"
              "  did you mean 'N'?"},
        Break{"UnknownVariant", kSpec, "{\"variant\": \"cpu\"}", "{\"variant\": \"cpus\"}",
              "/cases/1/variant: unknown variant 'cpus'\n"
              "  did you mean 'cpu'?"},
        Break{"UnknownParameterOfCase", kSpec, "{\"BLOCK_SIZE\": [", "{\"BLOCK_SIZ\": [",
              "/cases/0/parameters/BLOCK_SIZ: variant 'tiled' has no parameter 'BLOCK_SIZ'\n"
              "  did you mean 'BLOCK_SIZE'?"},
        Break{"UnknownParameterInConstraint", kSpec, "\"BLOCK_SIZE < N\"", "\"2 * BLOCK_SIZ < N\"",
              "/constraints/0: unknown parameter 'BLOCK_SIZ'\n"
              "  2 * BLOCK_SIZ < N\n"
              "      ^ did you mean 'BLOCK_SIZE'?"},
        Break{"BadConstraint", kSpec, "\"BLOCK_SIZE < N\"", "\"(BLOCK_SIZE < N\"",
              "/constraints/0: expected ')', found the end\n"
              "  (BLOCK_SIZE < N\n"
              "                 ^"},
        Break{"UnknownFunction", kSpec, "\"BLOCK_SIZE < N\"", "\"cel_div(N, BLOCK_SIZE) > 1\"",
              "/constraints/0: unknown function 'cel_div'\n"
              "  cel_div(N, BLOCK_SIZE) > 1\n"
              "  ^ did you mean 'ceil_div'?"},
        Break{"ConstraintDividesByZero", kSpec, "\"BLOCK_SIZE < N\"", "\"N % (BLOCK_SIZE - 16) == 0\"",
              "/constraints/0: '%' by zero (N = 64, BLOCK_SIZE = 16)\n"
              "  N % (BLOCK_SIZE - 16) == 0\n"
              "    ^"},
        Break{"NothingSatisfiesTheConstraints", kSpec, "\"BLOCK_SIZE < N\"", "\"N < 64\"",
              "/constraints/0: no configuration satisfies all constraints\n"
              "  'N < 64' is false for all of it"},
        Break{"NothingSatisfiesAllConstraintsTogether", kSpec, "\"BLOCK_SIZE < N\"",
              "\"N != 64\", \"N != 128\"",
              "/constraints: no configuration satisfies all constraints\n"
              "  of 14, 'N != 64' leaves 7, then 'N != 128' leaves 0"},
        Break{"NothingSatisfiesTheCpuConstraints", kSpec, "\"N <= 64\"", "\"N < 64\"",
              "/devices/cpu/constraints/0: no configuration satisfies all constraints on the CPU device\n"
              "  'N < 64' is false for all of it"},
        Break{"CpuConstraintDividesByZero", kSpec, "\"N <= 64\"", "\"1 / (N - 64) > 0\"",
              "/devices/cpu/constraints/0: '/' by zero (N = 64)\n"
              "  1 / (N - 64) > 0\n"
              "    ^"},
        Break{"UnknownDevice", kSpec, "{\"cpu\": {", "{\"gpu\": {",
              "/devices/gpu: unknown key 'gpu'\n"
              "  did you mean 'cpu'?"},
        Break{"UnknownMetric", kSpec, "\"pairs_per_second\"", "\"pair_per_second\"",
              "/metric/name: unknown metric 'pair_per_second'\n"
              "  did you mean 'pairs_per_second'?"},
        Break{"MissingPublishedFile", kSpec, "published/study.json", "published/studdy.json",
              "/published: no file 'published/studdy.json' in experiments/stencil\n"
              "  did you mean 'published/study.json'?"},
        Break{"PublishedPathLeaves", kSpec, "published/study.json", "../study.json",
              "/published: the path '../study.json' leaves experiments/stencil"},
        Break{"PublishedPathIsAbsolute", kSpec, "published/study.json", "/etc/passwd",
              "/published: the path '/etc/passwd' is absolute\n"
              "  give it relative to experiments/stencil"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Published, BrokenSpec,
    testing::Values(Break{"UnknownVariant", kPublished, "\"variant\": \"tiled\"", "\"variant\": \"tilde\"",

                          "/rows/0/variant: unknown variant 'tilde'\n"
                          "  did you mean 'tiled'?"},
                    Break{"UnknownParameter", kPublished, "\"BLOCK_SIZE\"", "\"BLOCKSIZE\"",
                          "/rows/0/BLOCKSIZE: unknown parameter 'BLOCKSIZE'\n"
                          "  did you mean 'BLOCK_SIZE'?"},
                    Break{"NoVariant", kPublished, "\"variant\": \"cpu\", ", "",
                          "/rows/1: missing key 'variant', since the experiment has several"},
                    Break{"NoValue", kPublished, "\"value\": 2.5, ", "",
                          "/rows/0: missing key 'value'\n  the figure, in `unit`"},
                    Break{"TextForValue", kPublished, "\"value\": 2.5", "\"value\": \"2.5\"",
                          "/rows/0/value: expected a number, found a string"},
                    Break{"UnknownQuantity", kPublished, "\"quantity\": \"pairs_per_second\"",
                          "\"quantity\": \"speed\"",
                          "/quantity: unknown metric 'speed'\n"
                          "  one of 'time', 'flop_per_second', 'pairs_per_second'"},
                    Break{"UnitOfAnotherQuantity", kPublished, "\"1e9/s\"", "\"ms\"",
                          "/unit: unknown unit 'ms' of pairs_per_second\n"
                          "  a number and '/s': '1e9/s'"}),
    name_of);

TEST(BrokenSpecs, AreReportedAllAtOnceAcrossFiles) {
  const SpecTree tree;
  tree.replace(kSpec, "\"samples\": 30", "\"samples\": 30.5");
  tree.replace(kSpec, "{\"variant\": \"cpu\"}", "{\"variant\": \"cpus\"}");
  tree.replace(kManifest, "\"2 * N\"", "\"2 * M\"");
  tree.replace(kPublished, "\"BLOCK_SIZE\"", "\"BLOCKSIZE\"");
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: /measure/samples: expected an integer, found a number\n"
            "kernel_templates/stencil/system.json: /buffers/cells/count: unknown parameter 'M'\n"
            "  2 * M\n"
            "      ^ did you mean 'N'?\n"
            "experiments/stencil/block_size.json: /cases/1/variant: unknown variant 'cpus'\n"
            "  did you mean 'cpu'?\n"
            "experiments/stencil/published/study.json: /rows/0/BLOCKSIZE: unknown parameter 'BLOCKSIZE'\n"
            "  did you mean 'BLOCK_SIZE'?");
}

TEST(BrokenSpecs, LetNoTunedParameterDecideTheSizeOfWhatIsCompared) {
  const SpecTree tree;
  tree.replace(kManifest, "\"cpu\": {", "\"cpu\": {\"parameters\": {\"BLOCK_SIZE\": 32}, ");
  tree.replace(kManifest, "\"2 * N\"", "\"2 * N * BLOCK_SIZE\"");
  EXPECT_EQ(
      tree.problems(),
      "kernel_templates/stencil/system.json: /buffers/cells/count: 'cells' is compared with the reference, "
      "so its size must not depend on the parameter 'BLOCK_SIZE'");
}

TEST(BrokenSpecs, NameASourceThatLeavesThroughASymbolicLink) {
  const SpecTree tree;
  tree.write("elsewhere.cu", "");
  std::filesystem::create_symlink(tree.root() / "elsewhere.cu",
                                  tree.root() / "kernel_templates/stencil/link.cu");
  tree.replace(kManifest, "\"tiled.cu\"", "\"link.cu\"");
  EXPECT_EQ(tree.problems(),
            "kernel_templates/stencil/system.json: /variants/tiled/source: the path 'link.cu' leaves "
            "kernel_templates/stencil through a symbolic link");
}

TEST(BrokenSpecs, NameAMissingFileAFolderAndAFileOutsideOfAProject) {
  const SpecTree tree;
  const auto message = [&](const std::filesystem::path& file) {
    Diagnostics diagnostics;
    EXPECT_FALSE(load_experiment(file, diagnostics).has_value());
    return tree.without_root(Error(diagnostics).what());
  };
  EXPECT_EQ(message(tree.root() / "no.json"), "no.json: cannot read the file: No such file or directory");
  EXPECT_EQ(message(tree.root() / "experiments"), "experiments: expected a file, this is a folder");
  std::filesystem::rename(tree.root() / "kernel_templates", tree.root() / "templates");
  EXPECT_EQ(
      tree.problems(),
      "experiments/stencil/block_size.json: /system: no folder above this file holds kernel_templates/\n"
      "  specs belong into experiments/SYSTEM/ beside kernel_templates/");
}

TEST(BrokenSpecs, MayBeNestedWithoutEnd) {
  const SpecTree tree;
  tree.write(kSpec, std::string(100000, '['));
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: objects and arrays are nested more than 100 deep");
}

TEST(BrokenSpecs, MayBeEmptyOrNoObject) {
  const SpecTree tree;
  tree.write(kSpec, "");
  EXPECT_EQ(tree.problems(), "experiments/stencil/block_size.json: line 1, column 1: the file is empty");
  tree.write(kSpec, "[1]");
  EXPECT_EQ(tree.problems(), "experiments/stencil/block_size.json: expected an object, found an array");
}

TEST(BrokenSpecs, ThrowOneErrorOfBadUsage) {
  const SpecTree tree;
  tree.replace(kSpec, "\"BLOCK_SIZE < N\"", "\"BLOCK_SIZ * 2 <= N\"");
  try {
    (void)tree.load();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), Error::kBadUsage);
    EXPECT_EQ(tree.without_root(error.what()),
              "experiments/stencil/block_size.json: /constraints/0: unknown parameter 'BLOCK_SIZ'\n"
              "  BLOCK_SIZ * 2 <= N\n"
              "  ^ did you mean 'BLOCK_SIZE'?");
  }
}

}  // namespace
}  // namespace tailwave
