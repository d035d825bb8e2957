// Loops, conditions, choices of buffers, streams: good ones and broken ones.
#include <gmock/gmock.h>

#include "spec/broken_spec.h"
#include "spec/enumerate.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr const char* kPrepare =
    R"("prepare": [{"kernel": "setup::fill<4>", "grid": 1, "block": [8, 8], "args": ["sums"]}])";

// The tiled variant gets these plans in place of its "prepare".
System load_with(const SpecTree& tree, const std::string& plans) {
  tree.replace(kManifest, kPrepare, plans);
  Diagnostics diagnostics;
  std::optional<System> system = load_system(tree.root() / kManifest, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << to_string(diagnostic);
  return system.value();
}

TEST(Plan, HasTheLaunchesOfALoopOneAfterAnother) {
  const SpecTree tree;
  const System system = load_with(tree, R"("prepare": [
    {"kernel": "first", "grid": 1, "block": 1, "args": []},
    {"repeat": "N // 2", "counter": "step", "launches": [
      {"kernel": "move", "grid": "1 + step", "block": 32, "when": "step % 2 == 0", "stream": "step % 4", "wait": [0, "step"],
       "args": [{"buffers": ["sums", "sums"], "index": "step % 2"}, {"value": "step", "type": "int32"}]},
      {"kernel": "turn", "grid": 1, "block": 1, "args": [], "sms": "8 + 8 * step"}]}])");
  const std::vector<LaunchSpec>& plan = system.find_variant("tiled")->prepare;
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan[0].loop, nullptr);
  ASSERT_NE(plan[1].loop, nullptr);
  EXPECT_EQ(plan[1].loop, plan[2].loop);
  EXPECT_EQ(plan[1].loop->repeat.text(), "N // 2");
  EXPECT_EQ(plan[1].loop->counter, "step");
  EXPECT_FALSE(plan[1].loop->until);
  EXPECT_EQ(plan[1].when->text(), "step % 2 == 0");
  EXPECT_EQ(plan[1].stream.text(), "step % 4");
  EXPECT_EQ(plan[1].wait.at(1).text(), "step");
  EXPECT_EQ(plan[1].sms.text(), Expression().text());
  EXPECT_EQ(plan[2].sms.text(), "8 + 8 * step");
  const auto& choice = std::get<BufferChoice>(plan[1].arguments.at(0));
  EXPECT_THAT(choice.buffers, testing::ElementsAre("sums", "sums"));
  EXPECT_EQ(choice.index.text(), "step % 2");
}

TEST(Plan, HasTheAttributesOfALaunch) {
  const SpecTree tree;
  const System system = load_with(tree, R"("prepare": [
    {"kernel": "first", "grid": ["N", 4], "block": 1, "args": [], "cluster": ["BLOCK_SIZE // 16", 2], "priority": "-N // 16"},
    {"kernel": "second", "grid": 1, "block": 1, "args": [], "dependent": "FAST", "cluster": 1}])");
  const std::vector<LaunchSpec>& plan = system.find_variant("tiled")->prepare;
  ASSERT_EQ(plan.size(), 2U);
  ASSERT_TRUE(plan[0].cluster);
  EXPECT_EQ(plan[0].cluster->at(0).text(), "BLOCK_SIZE // 16");
  EXPECT_EQ(plan[0].cluster->at(1).text(), "2");
  EXPECT_EQ(plan[0].cluster->at(2).text(), "1");
  EXPECT_EQ(plan[0].priority.text(), "-N // 16");
  EXPECT_EQ(plan[0].dependent.text(), Expression().text());
  EXPECT_EQ(plan[1].dependent.text(), "FAST");
  EXPECT_TRUE(plan[1].cluster);
}

TEST(Plan, HasTexturesAndTensorMaps) {
  const SpecTree tree;
  const System system = load_with(tree, R"("prepare": [
    {"kernel": "first", "grid": 1, "block": 1, "args": [
      {"texture": "cells", "width": "N"},
      {"texture": "cells", "width": 8, "height": "N // 8", "filter": "linear", "address": "wrap", "normalized": true},
      {"texture": "cells", "width": 2, "height": 2, "depth": 2, "channels": 4, "address": "border"},
      {"tensor_map": "cells", "dims": [16, 8], "box": ["BLOCK_SIZE // 4", 2], "swizzle": "BLOCK_SIZE", "oob": "nan"},
      {"tensor_map": "cells", "dims": [8, 4], "box": [8, 1], "strides": [32], "l2_promotion": 128}]}])");
  const VariantSpec& variant = *system.find_variant("tiled");
  EXPECT_EQ(variant.unavailable_on_cpu, "'first' reads a texture, which GPUs alone have");
  const std::vector<Argument>& arguments = variant.prepare.at(0).arguments;
  ASSERT_EQ(arguments.size(), 5U);
  const auto& line = std::get<TextureArgument>(arguments[0]);
  EXPECT_EQ(line.look, TextureLook{.layout = TextureLayout::linear});
  const auto& plane = std::get<TextureArgument>(arguments[1]);
  EXPECT_EQ(plane.size.at(1).text(), "N // 8");
  EXPECT_EQ(
      plane.look,
      (TextureLook{.filter = TextureFilter::linear, .address = TextureAddress::wrap, .normalized = true}));
  EXPECT_EQ(std::get<TextureArgument>(arguments[2]).look,
            (TextureLook{.address = TextureAddress::border, .channels = 4}));
  const TensorMapShape map =
      evaluate_tensor_map(std::get<TensorMapArgument>(arguments[3]), default_scope(system, variant));
  EXPECT_EQ(map,
            (TensorMapShape{
                .dims = {16, 8}, .box = {8, 2}, .strides = {16}, .swizzle = 32, .nan_out_of_bounds = true}));
  EXPECT_EQ(
      evaluate_tensor_map(std::get<TensorMapArgument>(arguments[4]), default_scope(system, variant)).strides,
      std::vector<std::int64_t>{32});
  EXPECT_EQ(layout_of(arguments[0]).bytes, 8U);
  EXPECT_EQ(layout_of(arguments[3]).bytes, 128U);
  EXPECT_EQ(layout_of(arguments[3]).alignment, 64U);
  EXPECT_THAT(used_buffers(system, variant), testing::Contains("cells"));
}

TEST(Plan, OfProcessingElementsNamesTheirNumbers) {
  const SpecTree tree;
  const System system = load_with(tree, R"("pes": "1 + BLOCK_SIZE // 32", "prepare": [
    {"kernel": "first", "grid": "1 + PE", "block": "32 * PES", "args": [{"value": "PE", "type": "int32"}], "when": "PE < PES"},
    {"collective": "barrier", "stream": 1, "wait": [0]}])");
  const VariantSpec& variant = *system.find_variant("tiled");
  ASSERT_TRUE(variant.pes);
  EXPECT_EQ(variant.pes->text(), "1 + BLOCK_SIZE // 32");
  EXPECT_EQ(variant.unavailable_on_cpu, "its processing elements are processes with a GPU each");
  ASSERT_EQ(variant.prepare.size(), 2U);
  EXPECT_TRUE(variant.prepare[0].is_kernel());
  EXPECT_FALSE(variant.prepare[1].is_kernel());
  EXPECT_EQ(variant.prepare[1].collective, Collective::barrier);
  EXPECT_EQ(variant.prepare[1].stream.text(), "1");
}

TEST(Plan, CountsTheBufferThatALoopWaitsForAmongThoseUsed) {
  const SpecTree tree;
  tree.replace(kManifest, R"("launches": [{"function": "step", "args": ["cells", "DT", "N"]}])",
               R"("launches": [{"repeat": 10, "until": {"buffer": "cells", "at_most": "DT / 2"},
                                "launches": [{"function": "step", "args": ["cells", "DT", "N"]}]}])");
  const System system = load_with(tree, kPrepare);
  EXPECT_TRUE(has_until(system.find_variant("cpu")->launches));
  EXPECT_FALSE(has_until(system.find_variant("tiled")->launches));
  EXPECT_THAT(used_buffers(system, *system.find_variant("cpu")), testing::ElementsAre("cells"));
}

TEST(Plan, ChecksNoSizeOfALaunchThatDoesNotTakePlaceWithTheDefaults) {
  const SpecTree tree;
  load_with(tree, R"x("prepare": [{"kernel": "rest", "when": "N % 64 > 0", "grid": "N % 64", "block": 1,
                                  "args": [{"value": "1 // (N % 64)", "type": "int32"}]}])x");
}

TEST(Plan, CanBePutOnSomeSms) {
  const SpecTree tree;
  const System system = load_with(tree, R"("prepare": [
    {"kernel": "first", "grid": 1, "block": 1, "args": [], "sms": 16, "gpu": "N - 64"}, {"copy": "sums", "symbol": "s"}])");
  VariantSpec variant = *system.find_variant("tiled");
  variant.launches = variant.prepare;
  const VariantSpec part = with_sms(variant, 32);
  const auto sms = [&](std::size_t i, std::int64_t n) {
    return part.launches.at(i).sms.evaluate_int({{"N", n}});
  };
  EXPECT_EQ(sms(0, 64), 32);
  EXPECT_EQ(sms(0, 65), 0);  // on another GPU
  EXPECT_EQ(sms(1, 64), 0);  // a copy
  EXPECT_EQ(part.prepare.at(0).sms.text(), "16");
  EXPECT_EQ(with_sms(variant, 0).launches.at(0).sms.evaluate_int({{"N", std::int64_t{64}}}), 0);
}

TEST(Comparison, HasATolerancePerConfigurationARangeAndACondition) {
  const SpecTree tree;
  tree.replace(
      kManifest, R"({"cells": {"norm": "relative_l2", "tolerance": 1e-5}})",
      R"({"cells": {"norm": "relative_l2", "tolerance": "1e-3 if MODE == 'fast' else 1e-5", "when": "N < 99"}})");
  const Comparison cells = load_with(tree, kPrepare).reference.compare.at("cells");
  EXPECT_EQ(cells.tolerance.evaluate_double({{"MODE", std::string("fast")}}), 1e-3);
  EXPECT_EQ(cells.when->text(), "N < 99");

  const SpecTree other;
  other.replace(kManifest, R"({"norm": "relative_l2", "tolerance": 1e-5})",
                R"({"norm": "range", "low": 0.4, "high": 2})");
  const Comparison range = load_with(other, kPrepare).reference.compare.at("cells");
  EXPECT_EQ(range.norm, Comparison::Norm::range);
  EXPECT_EQ(range.low, 0.4);
  EXPECT_EQ(range.high, 2);
}

TEST(Limits, AreOverWorkProblemAndRatesOfTheDevice) {
  const SpecTree tree;
  tree.replace(
      kManifest, R"("variants": {)",
      R"("limits": {"fp32_issue": {"seconds": "flop / FP32_RATE", "description": "one a lane"}}, "variants": {)");
  const System system = load_with(tree, kPrepare);
  EXPECT_EQ(system.limits.at("fp32_issue").seconds.text(), "(20 * (N * N)) / FP32_RATE");
  EXPECT_EQ(system.limits.at("fp32_issue").description, "one a lane");
}

TEST(Experiment, HasAnotherProblemOnTheCpuDevice) {
  const SpecTree tree;
  tree.replace(kSpec, R"("cpu": {"constraints": ["N <= 64"]})",
               R"("cpu": {"problem": {"N": [16, 18], "DT": [2]}})");
  tree.replace(kSpec, R"(, "SCALE": [1, 0.25])", "");
  tree.replace(kSpec, R"("BLOCK_SIZE < N", "SCALE == 1 or BLOCK_SIZE == 16")", R"("BLOCK_SIZE < N")");
  const Experiment experiment = tree.load();
  std::vector<std::string> names;
  for (const Configuration& configuration : enumerate(experiment, true).configurations)
    names.push_back(configuration.variant + " " + to_string(configuration.problem.at("N")) + " " +
                    to_string(configuration.problem.at("DT")));
  EXPECT_THAT(names, testing::ElementsAre("cpu 16 2", "tiled 18 2", "cpu 18 2"));
  EXPECT_EQ(enumerate(experiment, false).configurations.front().problem.at("N"), Value(std::int64_t{64}));
}

INSTANTIATE_TEST_SUITE_P(
    Plan, BrokenSpec,
    testing::Values(
        Break{
            "UntilWithoutALoop", kManifest, R"("block": [8, 8],)",
            R"("block": [8, 8], "until": {"buffer": "sums", "at_most": 1},)",
            "/variants/tiled/prepare/0/until: 'until' has no meaning without 'repeat'\n"
            "kernel_templates/stencil/system.json: /variants/tiled/prepare/0/until: only 'launches' can have "
            "'until'"},
        Break{
            "GridOfALoop", kManifest, kPrepare,
            R"("prepare": [{"repeat": 2, "grid": 1, "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
            "/variants/tiled/prepare/0/grid: 'grid' has no meaning beside 'repeat'\n"
            "  it belongs to one of the loop's 'launches'"},
        Break{"CopyOfAnUnknownBuffer", kManifest, kPrepare,
              R"("prepare": [{"copy": "sum", "symbol": "field"}])",
              "/variants/tiled/prepare/0/copy: unknown buffer 'sum'\n"
              "  did you mean 'sums'?"},
        Break{"CopyWithAGrid", kManifest, kPrepare,
              R"("prepare": [{"copy": "sums", "symbol": "field", "grid": 1}])",
              "/variants/tiled/prepare/0/grid: 'grid' has no meaning beside 'copy'"},
        Break{"CopyOnSomeSms", kManifest, kPrepare,
              R"("prepare": [{"copy": "sums", "symbol": "field", "sms": 8}])",
              "/variants/tiled/prepare/0/sms: 'sms' has no meaning beside 'copy'"},
        Break{
            "SmsOfALoop", kManifest, kPrepare,
            R"("prepare": [{"repeat": 2, "sms": 8, "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
            "/variants/tiled/prepare/0/sms: 'sms' has no meaning beside 'repeat'\n"
            "  it belongs to one of the loop's 'launches'"},
        Break{"NegativeSms", kManifest, kPrepare,
              R"("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "sms": "N - 65"}])",
              "/variants/tiled/prepare/0/sms: the value is -1, expected at least 0\n"
              "  N - 65\n"
              "  with the defaults N = 64"},
        Break{"SmsWithoutEnd", kManifest, kPrepare,
              R"("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "sms": 100001}])",
              "/variants/tiled/prepare/0/sms: the value is 100001, expected less than 100001\n"
              "  100001"},
        Break{"SmsOfAHostVariant", kManifest, R"({"function": "step",)", R"({"function": "step", "sms": 8,)",
              "/variants/cpu/launches/0/sms: 'sms' has no meaning in a host variant"},
        Break{
            "ClusterDividesNoGrid", kManifest, kPrepare,
            R"("prepare": [{"kernel": "f", "grid": "N // 10", "block": 1, "args": [], "cluster": [4, 1]}])",
            "/variants/tiled/prepare/0/cluster: a grid of 6 in x is no multiple of the cluster's 4, with the "
            "defaults"},
        Break{"LargeCluster", kManifest, kPrepare,
              R"("prepare": [{"kernel": "f", "grid": [64, 64], "block": 1, "args": [], "cluster": [8, 4]}])",
              "/variants/tiled/prepare/0/cluster: a cluster of 32 blocks, with the defaults\n"
              "  it has at most 8, and on some GPUs up to 16"},
        Break{"EmptyCluster", kManifest, kPrepare,
              R"("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "cluster": "N - 64"}])",
              "/variants/tiled/prepare/0/cluster: the value is 0, expected at least 1\n"
              "  N - 64\n"
              "  with the defaults N = 64"},
        Break{"CopyInClusters", kManifest, kPrepare,
              R"("prepare": [{"copy": "sums", "symbol": "field", "cluster": 2}])",
              "/variants/tiled/prepare/0/cluster: 'cluster' has no meaning beside 'copy'"},
        Break{"ClusterOfAHostVariant", kManifest, R"({"function": "step",)",
              R"({"function": "step", "cluster": 2,)",
              "/variants/cpu/launches/0/cluster: 'cluster' has no meaning in a host variant"},
        Break{
            "DependentThatWaits", kManifest, kPrepare,
            R"("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "dependent": true, "wait": [1]}])",
            "/variants/tiled/prepare/0/wait: 'wait' has no meaning beside 'dependent'"},
        Break{
            "DependentLoop", kManifest, kPrepare,
            R"("prepare": [{"repeat": 2, "dependent": true, "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
            "/variants/tiled/prepare/0/dependent: 'dependent' has no meaning beside 'repeat'\n"
            "  it belongs to one of the loop's 'launches'"},
        Break{
            "DependentOnNothing", kManifest, kPrepare,
            R"json("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "dependent": "1 // (N - 64)"}])json",
            "/variants/tiled/prepare/0/dependent: '//' by zero\n"
            "  1 // (N - 64)\n"
            "    ^ with the defaults N = 64"},
        Break{"PositivePriority", kManifest, kPrepare,
              R"("prepare": [{"kernel": "f", "grid": 1, "block": 1, "args": [], "priority": 1}])",
              "/variants/tiled/prepare/0/priority: the value is 1, expected a whole number from -100 to 0\n"
              "  1"},
        Break{"PriorityOfAPrefetch", kManifest, kPrepare,
              R"("prepare": [{"prefetch": "sums", "to": "host", "priority": -1}])",
              "/variants/tiled/prepare/0/priority: 'priority' has no meaning beside 'prefetch'"},
        Break{"CopyToNowhere", kManifest, kPrepare, R"("prepare": [{"copy": "sums"}])",
              "/variants/tiled/prepare/0: missing key 'to' or 'symbol'\n"
              "  where the copy goes: \"to\" is a buffer, \"symbol\" a variable of the program"},
        Break{"LoopWithoutLaunches", kManifest, kPrepare, R"("prepare": [{"repeat": 2}])",
              "/variants/tiled/prepare/0: missing key 'launches'"},
        Break{"LoopInALoop", kManifest, kPrepare,
              R"("prepare": [{"repeat": 2, "launches": [{"repeat": 3, "launches": [{"kernel": "f"}]}]}])",
              "/variants/tiled/prepare/0/launches/0: a loop cannot hold a loop\n"
              "  its 'launches' are launches and copies"},
        Break{"LoopWithoutRepeat", kManifest, kPrepare,
              R"("prepare": [{"launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
              "/variants/tiled/prepare/0: missing key 'repeat'"},
        Break{
            "NegativeRepeat", kManifest, kPrepare,
            R"("prepare": [{"repeat": "0 - N", "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
            "/variants/tiled/prepare/0/repeat: the value is -64, expected at least 0\n"
            "  0 - N\n"
            "  with the defaults N = 64"},
        Break{
            "CounterIsAParameter", kManifest, kPrepare,
            R"("prepare": [{"repeat": 2, "counter": "FAST", "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]}])",
            "/variants/tiled/prepare/0/counter: 'FAST' is a counter and a parameter, problem quantity or "
            "buffer, "
            "too"},
        Break{
            "CounterOutsideItsLoop", kManifest, kPrepare,
            R"("prepare": [{"repeat": 2, "counter": "i", "launches": [{"kernel": "f", "grid": 1, "block": 1, "args": []}]},
                            {"kernel": "g", "grid": "1 + i", "block": 1, "args": []}])",
            "/variants/tiled/prepare/1/grid: unknown parameter 'i'\n"
            "  1 + i\n"
            "      ^ did you mean 'N'?"},
        Break{"UntilOfAnUnknownBuffer", kManifest,
              R"("launches": [{"function": "step", "args": ["cells", "DT", "N"]}])",
              R"("launches": [{"repeat": 9, "until": {"buffer": "cell", "at_most": 1},
                               "launches": [{"function": "step", "args": ["cells", "DT", "N"]}]}])",
              "/variants/cpu/launches/0/until/buffer: unknown buffer 'cell'\n"
              "  did you mean 'cells'?"},
        Break{"ChoiceOfTypes", kManifest, R"("args": ["sums"])",
              R"("args": [{"buffers": ["sums", "cells"], "index": 1}])",
              "/variants/tiled/prepare/0/args/0/buffers/1: the buffer 'cells' has the type float32, the "
              "first one "
              "float64"},
        Break{"ChoiceBeyondTheLast", kManifest, R"("args": ["sums"])",
              R"("args": [{"buffers": ["sums", "sums"], "index": "N"}])",
              "/variants/tiled/prepare/0/args/0/index: the value is 64, expected less than 2\n"
              "  N\n"
              "  with the defaults N = 64"},
        Break{"ChoiceWithAValue", kManifest, R"("args": ["sums"])",
              R"("args": [{"buffers": ["sums"], "index": 0, "type": "int32"}])",
              "/variants/tiled/prepare/0/args/0/type: 'type' has no meaning beside 'buffers'"},
        Break{"ArgumentWithoutItsType", kManifest, R"("args": ["sums"])", R"("args": [{"value": 1}])",
              "/variants/tiled/prepare/0/args/0: missing key 'type'"},
        Break{"NegativeTolerance", kManifest, R"("tolerance": 1e-5)", R"("tolerance": "N - 65")",
              "/reference/compare/cells/tolerance: the value is -1, expected a number from 0\n"
              "  N - 65\n"
              "  with the defaults N = 64"},
        Break{"RangeWithATolerance", kManifest, R"({"norm": "relative_l2", "tolerance": 1e-5})",
              R"({"norm": "range", "low": 0, "high": 1, "tolerance": 1e-5})",
              "/reference/compare/cells/tolerance: a range has no tolerance"},
        Break{"RangeUpsideDown", kManifest, R"({"norm": "relative_l2", "tolerance": 1e-5})",
              R"({"norm": "range", "low": 2, "high": 1})",
              "/reference/compare/cells/low: 'low' is 2, expected at most 'high', 1"},
        Break{"NormWithARange", kManifest, R"("tolerance": 1e-5)", R"("tolerance": 1e-5, "high": 1)",
              "/reference/compare/cells/high: 'high' has no meaning for the norm 'relative_l2'"},
        Break{"ConditionOnAParameter", kManifest, R"("tolerance": 1e-5)",
              R"("tolerance": 1e-5, "when": "FAST")",
              "/reference/compare/cells/when: unknown parameter 'FAST'\n"
              "  FAST\n"
              "  ^ one of 'DT', 'N'"},
        Break{"LimitWithAnUnknownRate", kManifest, R"("variants": {)",
              R"("limits": {"issue": {"seconds": "N / FP31_RATE"}}, "variants": {)",
              "/limits/issue/seconds: unknown parameter 'FP31_RATE'\n"
              "  N / FP31_RATE\n"
              "      ^ did you mean 'FP32_RATE'?"},
        Break{"QuantityWithTheNameOfARate", kManifest, R"("DT": {"type": "float", "default": 1})",
              R"("DT": {"type": "float", "default": 1}, "COPY_BANDWIDTH": {"type": "float", "default": 1})",
              "/problem/COPY_BANDWIDTH: the name 'COPY_BANDWIDTH' is a rate of the device, for limits"},
        Break{"UntilIsText", kManifest, R"("launches": [{"function": "step", "args": ["cells", "DT", "N"]}])",
              R"("launches": [{"repeat": 9, "until": {"buffer": "cells", "at_most": "'abc'"},
                               "launches": [{"function": "step", "args": ["cells", "DT", "N"]}]}])",
              "/variants/cpu/launches/0/until/at_most: the value is 'abc', expected a number\n"
              "  'abc'"},
        Break{"UnknownQuantityOnTheCpu", kSpec, R"("cpu": {"constraints")",
              R"("cpu": {"problem": {"M": [1]}, "constraints")",
              "/devices/cpu/problem/M: unknown problem quantity 'M'\n"
              "  did you mean 'N'?"}),
    name_of);

TEST(Experiment, CannotMakeAGraphOfALoopThatEndsOnAValue) {
  const SpecTree tree;
  tree.replace(kManifest, R"("launches": [{"function": "step", "args": ["cells", "DT", "N"]}])",
               R"("launches": [{"repeat": 9, "until": {"buffer": "cells", "at_most": 1},
                               "launches": [{"function": "step", "args": ["cells", "DT", "N"]}]}])");
  tree.replace(kSpec, R"("mode": "batched")", R"("mode": "graph")");
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: /measure/mode: the variant 'cpu' has a loop with 'until', "
            "which cannot "
            "be a graph\n"
            "  use the mode 'isolated' or 'batched'");
}

}  // namespace
}  // namespace tailwave
