// What buffers begin with: every kind of fill, and everything that is reported of them.
#include <gmock/gmock.h>

#include <set>

#include "core/hash.h"
#include "fakes/npy.h"
#include "spec/broken_spec.h"
#include "spec/fill_reader.h"
#include "spec/fill_values.h"
#include "spec/npy_file.h"
#include "spec/system_fields.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

using fakes::npy;
using testing::ElementsAre;

constexpr const char* kFill = R"({"kind": "uniform", "low": -1, "high": 1, "seed": 42})";

System load_filled(const SpecTree& tree) {
  Diagnostics diagnostics;
  const std::optional<System> system = load_system(tree.root() / kManifest, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << to_string(diagnostic);
  return system.value_or(System());
}

System filled_with(const std::string& fill) {
  const SpecTree tree;
  tree.replace(kManifest, kFill, fill);
  return load_filled(tree);
}

std::string digest_of(const System& system) {
  FieldHasher hasher;
  add_buffers(hasher, system);
  return hasher.digest();
}

FillValues values_of(const std::string& fill, std::int64_t n) {
  const System system = filled_with(fill);
  return evaluate_fill(system.buffers.at("cells"), 2 * n, {{"N", n}, {"DT", 0.5}});
}

TEST(Fills, HaveAmountsOverTheProblem) {
  const FillValues normal =
      values_of(R"({"kind": "normal", "mean": "N / 4", "deviation": "DT", "seed": "N + 1"})", 8);
  EXPECT_EQ(normal.low, 2);
  EXPECT_EQ(normal.high, 0.5);
  EXPECT_EQ(normal.seed, 9U);
  const FillValues integers = values_of(R"({"kind": "integers", "low": "-N", "high": "N - 1"})", 8);
  EXPECT_EQ(integers.least, -8);
  EXPECT_EQ(integers.greatest, 7);
  EXPECT_EQ(values_of(R"({"kind": "constant", "value": "N"})", 3).low, 3);
  EXPECT_EQ(values_of(R"({"kind": "generated", "element": "i % N"})", 5).element.text(), "i % (5)");
  EXPECT_EQ(values_of(R"({"kind": "permutation", "seed": 3})", 5).seed, 3U);
}

TEST(Fills, ThatDifferHaveKeysThatDiffer) {
  std::set<std::string> digests;
  const std::vector<std::string> all{
      kFill,
      R"({"kind": "uniform", "low": -1, "high": "DT", "seed": 42})",
      R"({"kind": "uniform", "low": -1, "high": 1, "seed": 43})",
      R"({"kind": "normal"})",
      R"({"kind": "normal", "mean": 1})",
      R"({"kind": "normal", "deviation": 2})",
      R"({"kind": "integers", "high": 9})",
      R"({"kind": "integers", "high": 8})",
      R"({"kind": "permutation"})",
      R"({"kind": "permutation", "seed": 1})",
      R"({"kind": "constant", "value": 1})",
      R"({"kind": "constant", "value": "N"})",
      R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["cells"]})",
      R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["cells", "N"]})",
      R"({"kind": "function", "source": "cpu.cpp", "function": "fake", "args": ["cells", "N"]})"};
  for (const std::string& fill : all) digests.insert(digest_of(filled_with(fill)));
  EXPECT_EQ(digests.size(), all.size());
  EXPECT_EQ(digest_of(filled_with(kFill)),
            digest_of(filled_with(R"({"kind": "uniform", "low": -1.0, "high": 1.0, "seed": 42})")));
}

// Then a fill is an axis of an experiment, and the reference begins with the same.
TEST(Fills, NameParametersOfTheReferenceWhichIsComputedByThem) {
  const SpecTree tree;
  tree.replace(kManifest, kFill, R"({"kind": "normal", "deviation": "SPREAD"})");
  tree.replace(kManifest, R"("description": "serial")", R"("parameters": {"SPREAD": 2.0})");
  const System system = load_filled(tree);
  EXPECT_THAT(system.reference.by, ElementsAre("SPREAD"));
  const Values own = scope_of_reference(system, {{"N", std::int64_t{4}}});
  EXPECT_EQ(evaluate_fill(system.buffers.at("cells"), 8, own).high, 2)
      << "a variant without it has the reference's";
}

TEST(Fills, AreDescribed) {
  const auto text = [](const std::string& fill) {
    return describe(filled_with(fill).buffers.at("cells").fill);
  };
  EXPECT_EQ(text(kFill), "uniform -1 to 1, seed 42");
  EXPECT_EQ(text(R"({"kind": "normal", "deviation": "DT / 2"})"), "normal, mean 0, deviation DT / 2");
  EXPECT_EQ(text(R"({"kind": "integers", "high": "N", "seed": "N"})"), "integers 0 to N, seed N");
  EXPECT_EQ(text(R"({"kind": "permutation"})"), "a permutation");
  EXPECT_EQ(text(R"({"kind": "constant", "value": 3})"), "all 3");
}

TEST(Fills, OfFunctionsHaveAMakerThatCallsThem) {
  const System system = filled_with(
      R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["cells", {"value": "N / 2", "type": "double"}]})");
  const VariantSpec* const maker = system.find_variant(maker_of("cells"));
  ASSERT_NE(maker, nullptr);
  EXPECT_EQ(maker->target, VariantSpec::Target::host);
  EXPECT_EQ(maker->source.filename(), "cpu.cpp");
  EXPECT_EQ(maker->launches.at(0).kernel, "make");
  EXPECT_EQ(maker->launches.at(0).arguments.size(), 2U);
  EXPECT_EQ(system.variants.size(), 2U) << "a maker is none of them";
  EXPECT_EQ(describe(system.buffers.at("cells").fill), "make() in cpu.cpp");
}

TEST(Fills, OfNumPySayTypeLengthAndWhereTheirElementsBegin) {
  const Fill::Heading heading = read_npy_heading(npy("<c16", "(2, 3)", ""));
  EXPECT_EQ(heading.type, (ElementType{ScalarType::float64, 2}));
  EXPECT_EQ(heading.count, 6U);
  EXPECT_EQ(heading.bytes % 64, 0U);
  EXPECT_EQ(read_npy_heading(npy("|i1", "()", "")).count, 1U);
  EXPECT_EQ(read_npy_heading(npy("|b1", "(4,)", "", "True")).type.scalar, ScalarType::uint8);
  EXPECT_EQ(numpy_name(ScalarType::bfloat16), "uint16");
}

std::string refusal_of(const std::string& contents) {
  try {
    read_npy_heading(contents);
  } catch (const NpyError& error) {
    return std::string(error.what()) + "; " + error.hint;
  }
  return "";
}

TEST(Fills, OfNumPyAreRefusedByName) {
  EXPECT_EQ(refusal_of("text"),
            "the file is no array of NumPy: it does not begin like one; numpy.save writes one");
  EXPECT_EQ(refusal_of(npy("<f4", "(2,)", "").substr(0, 40)),
            "the file is no array of NumPy: it is cut off; numpy.save writes one");
  EXPECT_EQ(refusal_of(std::string("\x93NUMPY\x09\0\0\0\0\0", 12)),
            "the file is no array of NumPy: version 9 of the format is not known; numpy.save writes one");
  EXPECT_EQ(refusal_of(npy(">f4", "(2,)", "")),
            "the array's type is '>f4', whose bytes are the wrong way round; save array.astype('<f4')");
  EXPECT_EQ(refusal_of(npy("<f4", "(2, 3)", "", "True")),
            "the array lies column by column (fortran_order); save numpy.ascontiguousarray(array)");
  EXPECT_EQ(
      refusal_of(npy("<U8", "(2,)", "")),
      "the array's type is '<U8', which no buffer has; save array.astype(...) with the type of the buffer");
  EXPECT_EQ(refusal_of(npy("<f4", "(99999999999, 99999999999)", "")),
            "the file is no array of NumPy: its shape is (99999999999, 99999999999); numpy.save writes one");
}

TEST(Fills, TakeAnArrayOfNumPy) {
  const SpecTree tree;
  tree.replace(kManifest, kFill, R"({"kind": "file", "file": "cells.npy"})");
  const auto write = [&](const std::string& contents) {
    tree.write("kernel_templates/stencil/cells.npy", contents);
  };
  const auto problems = [&] {
    Diagnostics diagnostics;
    load_system(tree.root() / kManifest, diagnostics);
    return diagnostics.size() == 1 ? tree.without_root(to_string(diagnostics.front())) : "none";
  };
  const std::string place = "kernel_templates/stencil/system.json: /buffers/cells/fill/file: ";
  write(npy("<f4", "(32, 4)", fakes::bytes_of(std::vector<float>(128, 0.5F))));
  const System system = load_filled(tree);
  EXPECT_EQ(system.buffers.at("cells").fill.heading->count, 128U);
  write(npy("<f8", "(128,)", fakes::bytes_of(std::vector<double>(128))));
  EXPECT_EQ(problems(), place +
                            "the array has numbers of float64, the buffer 'cells' of float32\n"
                            "  save array.astype('float32')");
  write(npy("<f4", "(2, 50)", fakes::bytes_of(std::vector<float>(100))));
  EXPECT_EQ(problems(), place + "the array has 100 numbers, the buffer 'cells' with N = 64 needs 128");
  write("no array");
  EXPECT_EQ(problems(),
            place + "the file is no array of NumPy: it does not begin like one\n  numpy.save writes one");
  write(npy("<f4", "(128,)", fakes::bytes_of(std::vector<float>(128))));
  tree.replace(kManifest, R"("cells": {"type": "float32")", R"("cells": {"type": "bfloat16")");
  EXPECT_EQ(problems(), place +
                            "the array has numbers of float32, the buffer 'cells' of bfloat16\n"
                            "  NumPy has no bfloat16: save its bits as an array of uint16");
}

INSTANTIATE_TEST_SUITE_P(
    Fills, BrokenSpec,
    testing::Values(
        Break{"NormalWithAnothersKey", kManifest, kFill, R"({"kind": "normal", "low": 1})",
              "/buffers/cells/fill/low: 'low' has no meaning for the fill 'normal'"},
        Break{"NegativeDeviation", kManifest, kFill, R"({"kind": "normal", "deviation": "1 - N"})",
              "/buffers/cells/fill/deviation: the deviation is -63, expected at least 0\n"
              "  with the defaults N = 64"},
        Break{
            "AmountOfARegimeThatTheReferenceLacks", kSpec, "\"metric\": ",
            R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "normal", "deviation": "SCALE"}}}], "metric": )",
            "/regimes/0/fills/cells/deviation: the reference 'cpu' has no parameter 'SCALE'\n"
            "  SCALE\n"
            "  ^ it begins with the same inputs"},
        Break{"MeanBeyondItsType", kManifest, kFill, R"({"kind": "normal", "mean": 1e39})",
              "/buffers/cells/fill/mean: 1e+39 is no float32"},
        Break{"NegativeSeed", kManifest, kFill, R"({"kind": "permutation", "seed": -1})",
              "/buffers/cells/fill/seed: the seed is -1, expected at least 0"},
        Break{"IntegersWithoutAnEnd", kManifest, kFill, R"({"kind": "integers"})",
              "/buffers/cells/fill: missing key 'high'"},
        Break{"NoIntegers", kManifest, kFill, R"({"kind": "integers", "low": 3, "high": "N - 62"})",
              "/buffers/cells/fill: 'low' is 3, expected at most 'high', 2\n"
              "  with the defaults N = 64"},
        Break{"IntegersWithAFraction", kManifest, kFill, R"({"kind": "integers", "high": 2.5})",
              "/buffers/cells/fill: expected a whole number, found 2.5"},
        Break{
            "IntegersThatFloatsDoNotHave", kManifest, kFill, R"({"kind": "integers", "high": "2 ** 25"})",
            "/buffers/cells/fill/high: float32 does not have all whole numbers up to 33554432, only up to 16777216"},
        Break{
            "PermutationThatItsTypeDoesNotHold", kManifest,
            R"("cells": {"type": "float32", "count": "2 * N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 42}})",
            R"("cells": {"type": "int8", "count": "3 * N", "fill": {"kind": "permutation"}})",
            "/buffers/cells/fill/kind: 191 is no int8"},
        Break{"AmountOfWhatTheReferenceLacks", kManifest, kFill,
              R"({"kind": "normal", "deviation": "2 * SCALE"})",
              "/buffers/cells/fill/deviation: the reference 'cpu' has no parameter 'SCALE'\n"
              "  2 * SCALE\n"
              "      ^ it begins with the same inputs"},
        Break{"FunctionWithoutArguments", kManifest, kFill,
              R"({"kind": "function", "source": "cpu.cpp", "function": "make"})",
              "/buffers/cells/fill: missing key 'args'"},
        Break{"FunctionOfNoSource", kManifest, kFill,
              R"({"kind": "function", "source": "x.cpp", "function": "make", "args": ["cells"]})",
              "/buffers/cells/fill/source: no file 'x.cpp' in kernel_templates/stencil"},
        Break{"FunctionOfAnotherBuffer", kManifest, kFill,
              R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["cells", "sums"]})",
              "/buffers/cells/fill/args: 'sums' is another buffer, which holds nothing yet"},
        Break{"FunctionOfNoBuffer", kManifest, kFill,
              R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["N"]})",
              "/buffers/cells/fill/args: 'cells' is none of the arguments, and the function fills it"},
        Break{"FunctionOfAnUnknownArgument", kManifest, kFill,
              R"({"kind": "function", "source": "cpu.cpp", "function": "make", "args": ["cells", "M"]})",
              "/buffers/cells/fill/args/1: unknown argument 'M'\n"
              "  did you mean 'N'?"},
        Break{
            "FunctionOfNoName", kManifest, kFill,
            R"({"kind": "function", "source": "cpu.cpp", "function": "a b", "args": ["cells"]})",
            "/buffers/cells/fill/function: the name 'a b' of the function is no identifier (letters, digits and '_', no digit first)"},
        Break{"AmountOfAnUnknownName", kManifest, kFill, R"({"kind": "integers", "high": "M"})",
              "/buffers/cells/fill/high: unknown parameter 'M'\n"
              "  M\n"
              "  ^ did you mean 'N'?"},
        Break{"AmountThatCannotBeEvaluated", kManifest, kFill,
              R"x({"kind": "constant", "value": "DT / (0 * N)"})x",
              "/buffers/cells/fill/value: '/' by zero\n"
              "  DT / (0 * N)\n"
              "     ^ with the defaults DT = 1, N = 64"}),
    name_of);

}  // namespace
}  // namespace tailwave
