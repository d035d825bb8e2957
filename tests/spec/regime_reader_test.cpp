#include "spec/regime_reader.h"

#include <gmock/gmock.h>

#include "core/hash.h"
#include "fakes/error_of.h"
#include "spec/broken_spec.h"
#include "spec/system_fields.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

// The spec with these regimes before its metric.
void write_regimes(const SpecTree& tree, const std::string& list) {
  tree.replace(kSpec, R"("metric": )", R"("regimes": )" + list + R"(, "metric": )");
}

std::string inputs_of(const System& system) {
  FieldHasher hasher;
  add_buffers(hasher, system);
  return hasher.digest();
}

TEST(Regimes, AreNamesOrObjects) {
  const SpecTree tree;
  write_regimes(tree, R"(["hot", "cold", {"name": "zeros", "fills": {"cells": {"kind": "zero"}}},
                          {"name": "streamed", "mode": "isolated", "cache": "rotate"}])");
  const Experiment experiment = tree.load();
  ASSERT_EQ(experiment.regimes.size(), 4U);
  EXPECT_EQ(describe(experiment.regimes[0]), "isolated, hot");
  EXPECT_EQ(describe(experiment.regimes[1]), "isolated, cold");
  EXPECT_EQ(describe(experiment.regimes[2]), "batched, hot; cells zeros") << "the mode of 'measure'";
  EXPECT_EQ(describe(experiment.regimes[3]), "isolated, rotate");
  EXPECT_EQ(experiment.regimes[0].system, nullptr);
  const System& zeros = *experiment.regimes[2].system;
  EXPECT_EQ(zeros.inputs, "zeros");
  EXPECT_EQ(zeros.buffers.at("cells").fill.kind, Fill::Kind::zero);
  EXPECT_EQ(experiment.system.buffers.at("cells").fill.kind, Fill::Kind::uniform);
  EXPECT_NE(inputs_of(zeros), inputs_of(experiment.system));
  EXPECT_TRUE(experiment.warnings.empty());
}

TEST(Regimes, HaveEveryFillOfManifests) {
  const SpecTree tree;
  tree.write("experiments/stencil/cells.bin", std::string(1024, 'x'));
  write_regimes(tree, R"([{"name": "all", "fills": {"cells": {"kind": "constant", "value": 0.5}}},
                          {"name": "wide", "fills": {"cells": {"kind": "uniform", "low": -9, "high": 9, "seed": 2}}},
                          {"name": "sorted", "fills": {"cells": {"kind": "generated", "element": "i / 256"}}},
                          {"name": "real", "fills": {"cells": {"kind": "file", "file": "cells.bin"}}}])");
  std::vector<std::string> described;
  for (const Regime& one : tree.load().regimes) described.push_back(describe(one));
  EXPECT_THAT(described,
              ElementsAre("batched, hot; cells all 0.5", "batched, hot; cells uniform -9 to 9, seed 2",
                          "batched, hot; cells i / 256", "batched, hot; cells file cells.bin"));
}

TEST(Regimes, WithTheManifestsOwnFillHaveNoInputsOfTheirOwn) {
  const SpecTree tree;
  write_regimes(
      tree, R"([{"name": "own", "fills": {"cells": {"kind": "uniform", "low": -1, "high": 1, "seed": 42}}},
                          "batched"])");
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: /regimes/1: the regime 'batched' is the same as 'own'\n"
            "  both measure batched, hot");
}

TEST(Regimes, WarnOfAGraphThatCannotBe) {
  const SpecTree tree;
  tree.replace(kManifest, R"("launches": [{"function": "step", "args": ["cells", "DT", "N"]}])",
               R"("launches": [{"repeat": 9, "until": {"buffer": "cells", "at_most": 1},
                               "launches": [{"function": "step", "args": ["cells", "DT", "N"]}]}])");
  write_regimes(tree, R"(["hot", "graph"])");
  const Experiment experiment = tree.load();
  ASSERT_EQ(experiment.warnings.size(), 1U);
  EXPECT_EQ(
      tree.without_root(to_string(experiment.warnings.front())),
      "experiments/stencil/block_size.json: /regimes/1: the variant 'cpu' has a loop with 'until', which cannot "
      "be a graph\n"
      "  it has no time in this regime");
}

TEST(Regimes, AreFoundByNameAmongThoseOfTheSpecAndTheUsualOnes) {
  const SpecTree tree;
  write_regimes(tree, R"([{"name": "zeros", "fills": {"cells": {"kind": "zero"}}}])");
  const Experiment experiment = tree.load();
  const std::vector<Regime> found = regimes_named({"graph", "zeros"}, experiment);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].mode, TimingMode::graph);
  EXPECT_EQ(found[1].system, experiment.regimes[0].system);
  EXPECT_EQ(samples::error_of([&] { regimes_named({"zero"}, experiment); }),
            "block_size has no regime 'zero'\n  did you mean 'zeros'?");
  EXPECT_EQ(samples::error_of([&] { regimes_named({"warm"}, experiment); }),
            "block_size has no regime 'warm'\n"
            "  there are 'hot', 'cold', 'rotate', 'batched', 'graph', 'zeros'");
  EXPECT_EQ(samples::error_of([&] {
              regimes_named({"hot", "hot"}, experiment);
            }),
            "--regimes names 'hot' twice");
}

constexpr const char* kBefore = R"("metric": )";

INSTANTIATE_TEST_SUITE_P(
    Regimes, BrokenSpec,
    testing::Values(
        Break{"NoRegimes", kSpec, kBefore, R"("regimes": [], "metric": )", "/regimes: the array is empty"},
        Break{"RegimeOfNoKind", kSpec, kBefore, R"("regimes": [3], "metric": )",
              "/regimes/0: expected a string or an object, found an integer\n"
              "  \"hot\", \"cold\", \"rotate\", \"batched\", \"graph\" or an object with a name"},
        Break{"UnknownRegime", kSpec, kBefore, R"("regimes": ["warm"], "metric": )",
              "/regimes/0: unknown regime 'warm'\n"
              "  one of 'hot', 'cold', 'rotate', 'batched', 'graph', or an object with a name of its own"},
        Break{"NearlyARegime", kSpec, kBefore, R"("regimes": ["hot", "colt"], "metric": )",
              "/regimes/1: unknown regime 'colt'\n"
              "  did you mean 'cold'?"},
        Break{"RegimeGivenTwice", kSpec, kBefore, R"("regimes": ["hot", "cold", "hot"], "metric": )",
              "/regimes/2: the regime 'hot' is given twice"},
        Break{"RegimeWithoutAName", kSpec, kBefore, R"("regimes": [{"mode": "graph"}], "metric": )",
              "/regimes/0: missing key 'name'\n  what it is called"},
        Break{"RegimeWithAUsualName", kSpec, kBefore, R"("regimes": [{"name": "cold"}], "metric": )",
              "/regimes/0/name: 'cold' is a regime of its own\n  give this one another name"},
        Break{
            "RegimeThatIsNoName", kSpec, kBefore, R"("regimes": [{"name": "a b"}], "metric": )",
            "/regimes/0/name: the regime name 'a b' is no name (letters, digits, '_' and '-', a letter first)"},
        Break{"RegimeOfNoMode", kSpec, kBefore, R"("regimes": [{"name": "x", "mode": "graf"}], "metric": )",
              "/regimes/0/mode: expected one of 'isolated', 'batched', 'graph', found 'graf'"},
        Break{
            "ColdRegimeThatIsBatched", kSpec, kBefore,
            R"("regimes": [{"name": "x", "cache": "cold"}], "metric": )",
            "/regimes/0: 'cold' has no meaning in the mode 'batched': only the first of several executions would "
            "find the caches cold\n"
            "  use the mode 'isolated', or the cache 'rotate'"},
        Break{"RegimeLikeAnother", kSpec, kBefore,
              R"("regimes": ["cold", {"name": "x", "mode": "isolated", "cache": "cold"}], "metric": )",
              "/regimes/1: the regime 'x' is the same as 'cold'\n  both measure isolated, cold"},
        Break{"FillOfAnUnknownBuffer", kSpec, kBefore,
              R"("regimes": [{"name": "x", "fills": {"cell": {"kind": "zero"}}}], "metric": )",
              "/regimes/0/fills/cell: unknown buffer 'cell'\n  did you mean 'cells'?"},
        Break{
            "FillBeyondItsType", kSpec, kBefore,
            R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "constant", "value": 1e39}}}], "metric": )",
            "/regimes/0/fills/cells/value: 1e+39 is no float32"},
        Break{"FillOfAnOutput", kSpec, kBefore,
              R"("regimes": [{"name": "x", "fills": {"sums": {"kind": "zero"}}}], "metric": )",
              "/regimes/0/fills/sums: the buffer 'sums' is 'output_only', so nothing fills it"},
        Break{
            "FillOfNoKind", kSpec, kBefore,
            R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "random"}}}], "metric": )",
            "/regimes/0/fills/cells/kind: expected one of 'zero', 'constant', 'uniform', 'generated', 'file', 'normal', "
            "'integers', 'permutation', 'function', found 'random'"},
        Break{"FillWithAnothersKey", kSpec, kBefore,
              R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "zero", "value": 1}}}], "metric": )",
              "/regimes/0/fills/cells/value: 'value' has no meaning for the fill 'zero'"},
        Break{"FillWithoutItsElement", kSpec, kBefore,
              R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "generated"}}}], "metric": )",
              "/regimes/0/fills/cells: missing key 'element'"},
        Break{
            "FillOfAnotherName", kSpec, kBefore,
            R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "generated", "element": "index"}}}], "metric": )",
            "/regimes/0/fills/cells/element: unknown parameter 'index'\n  index\n  ^"},
        Break{
            "FillFromNoFile", kSpec, kBefore,
            R"("regimes": [{"name": "x", "fills": {"cells": {"kind": "file", "file": "x.bin"}}}], "metric": )",
            "/regimes/0/fills/cells/file: no file 'x.bin' in experiments/stencil"}),
    name_of);

TEST(Regimes, RefuseAFileThatIsTooShortForTheLargestProblem) {
  const SpecTree tree;
  tree.write("experiments/stencil/cells.bin", std::string(1023, 'x'));
  write_regimes(tree, R"([{"name": "real", "fills": {"cells": {"kind": "file", "file": "cells.bin"}}}])");
  EXPECT_EQ(
      tree.problems(),
      "experiments/stencil/block_size.json: /regimes/0/fills/cells/file: the file has 1023 bytes, the buffer "
      "'cells' with N = 128 needs 1024");
}

}  // namespace
}  // namespace tailwave
