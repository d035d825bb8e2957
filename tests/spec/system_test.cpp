#include "spec/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hash.h"
#include "spec/spec_tree.h"
#include "spec/system_fields.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::Pair;

System load(const SpecTree& tree) {
  Diagnostics diagnostics;
  std::optional<System> system = load_system(tree.root() / kManifest, diagnostics);
  EXPECT_THAT(diagnostics, ElementsAre());
  return system.value();
}

TEST(ScalarType, HasANameASizeAndShortNames) {
  EXPECT_EQ(to_string(ScalarType::uint32), "uint32");
  EXPECT_EQ(parse_scalar_type("uint32"), ScalarType::uint32);
  EXPECT_EQ(parse_scalar_type("int"), ScalarType::int32);
  EXPECT_EQ(parse_scalar_type("float"), ScalarType::float32);
  EXPECT_EQ(parse_scalar_type("double"), ScalarType::float64);
  EXPECT_EQ(parse_scalar_type("half"), ScalarType::float16);
  EXPECT_EQ(parse_scalar_type("quarter"), std::nullopt);
  EXPECT_EQ(size_bytes(ScalarType::float64), 8);
  EXPECT_EQ(size_bytes(ScalarType::int64), 8);
  EXPECT_EQ(size_bytes(ScalarType::int32), 4);
}

TEST(ElementType, IsAScalarOrAVectorByItsNameOrCudas) {
  const auto text_of = [](std::string_view name) {
    const auto type = parse_element_type(name);
    return type ? to_string(*type) : "none";
  };
  EXPECT_EQ(text_of("bfloat16"), "bfloat16");
  EXPECT_EQ(text_of("float32x4"), "float32x4");
  EXPECT_EQ(text_of("float4"), "float32x4");
  EXPECT_EQ(text_of("half2"), "float16x2");
  EXPECT_EQ(text_of("uchar3"), "uint8x3");
  EXPECT_EQ(text_of("__nv_bfloat162"), "bfloat16x2");
  EXPECT_EQ(text_of("complex64"), "float32x2");
  EXPECT_EQ(text_of("complex128"), "float64x2");
  for (const char* none :
       {"", "4", "float5", "float32x5", "float322", "x4", "float32x", "size_tx2", "int322"})
    EXPECT_EQ(text_of(none), "none") << none;
  EXPECT_EQ(alignment_bytes({ScalarType::float32, 4}), 16U);
  EXPECT_EQ(alignment_bytes({ScalarType::float32, 3}), 4U);
  EXPECT_EQ(alignment_bytes({ScalarType::float64, 4}), 16U);
  EXPECT_EQ(alignment_bytes({ScalarType::float16, 2}), 4U);
}

// As a C++ compiler lays out struct { char c; float4 v; struct { short s; double d; } inner; void* p; };
TEST(ArgumentLayout, IsThatOfTheStructInCpp) {
  const auto scalar = [](ScalarType type) { return ScalarArgument{Expression(), type}; };
  struct alignas(16) Float4 {
    float x, y, z, w;
  };
  struct Inner {
    short s;
    double d;
  };
  struct Whole {
    char c;
    Float4 v;
    Inner inner;
    void* p;
  };
  const Argument vector = StructArgument{std::vector<Argument>(4, scalar(ScalarType::float32)), 16};
  const Argument inner = StructArgument{{scalar(ScalarType::int16), scalar(ScalarType::float64)}};
  const Argument whole = StructArgument{{scalar(ScalarType::int8), vector, inner, BufferArgument{"buffer"}}};
  EXPECT_EQ(layout_of(whole).bytes, sizeof(Whole));
  EXPECT_EQ(layout_of(whole).alignment, alignof(Whole));
  std::vector<std::size_t> offsets;
  for_each_placed_leaf(whole, [&](const Argument&, std::size_t offset) { offsets.push_back(offset); });
  EXPECT_THAT(offsets, ElementsAre(0, 16, 20, 24, 28, offsetof(Whole, inner) + offsetof(Inner, s),
                                   offsetof(Whole, inner) + offsetof(Inner, d), offsetof(Whole, p)));
}

TEST(System, HasProblemAndBuffers) {
  const SpecTree tree;
  const System system = load(tree);
  EXPECT_EQ(system.name, "stencil");
  EXPECT_EQ(system.title, "A stencil");
  EXPECT_EQ(system.file, tree.root() / kManifest);
  EXPECT_EQ(system.directory, tree.root() / "kernel_templates/stencil");
  EXPECT_EQ(system.problem.at("N").default_value, Value(std::int64_t{64}));
  EXPECT_EQ(system.problem.at("DT").type, ScalarType::float32);
  EXPECT_EQ(system.problem.at("DT").default_value, Value(1.0));
  const BufferSpec& cells = system.buffers.at("cells");
  EXPECT_EQ(cells.count.text(), "2 * N");
  EXPECT_EQ(cells.fill.kind, Fill::Kind::uniform);
  EXPECT_EQ(cells.fill.low.text(), "-1");
  EXPECT_EQ(cells.fill.seed.text(), "42");
  EXPECT_EQ(system.buffers.at("sums").type, ScalarType::float64);
  EXPECT_TRUE(system.buffers.at("sums").output_only);
  EXPECT_EQ(system.buffers.at("sums").fill.kind, Fill::Kind::zero);
  EXPECT_EQ(system.reference.variant, "cpu");
  EXPECT_EQ(system.reference.compare.at("cells").tolerance.evaluate_double({}), 1e-5);
}

TEST(System, FillsBuffersByExpressionAndFromFiles) {
  const SpecTree tree;
  tree.write("kernel_templates/stencil/cells.bin", std::string(512, 'x'));
  const auto fill_of = [&](const std::string& from, const std::string& to) {
    tree.replace(kManifest, from, to);
    Diagnostics diagnostics;
    const std::optional<System> system = load_system(tree.root() / kManifest, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << to_string(diagnostic);
    return system->buffers.at("cells").fill;
  };
  const std::string random = R"({"kind": "uniform", "low": -1, "high": 1, "seed": 42})",
                    sorted = R"({"kind": "generated", "element": "i // 2"})",
                    real = R"({"kind": "file", "file": "cells.bin"})";
  EXPECT_EQ(fill_of(random, sorted).element.text(), "i // 2");
  const Fill file = fill_of(sorted, real);
  EXPECT_EQ(file.file, std::filesystem::canonical(tree.root()) / "kernel_templates/stencil/cells.bin");
  tree.write("kernel_templates/stencil/cells.bin", std::string(512, 'y'));
  EXPECT_NE(fill_of(real, real).digest, file.digest);
}

TEST(System, KnowsAReferenceInPythonByAllThatItMayRead) {
  const SpecTree tree;
  const std::string folder = "kernel_templates/stencil/";
  for (const char* file :
       {"py/reference.py", "py/pkg/deep/helper.py", "data/w.npy", "data/more/w.npy", "w.txt"})
    tree.write(folder + file, "1");
  for (const char* file : {"py/notes.txt", "py/.git/x.py", "py/__pycache__/x.py", "py/venv/pyvenv.cfg",
                           "py/venv/x.py", "other.py"})
    tree.write(folder + file, "1");
  tree.replace(kManifest, R"({"variant": "cpu", "compare")",
               R"({"python": "py/reference.py", "function": "f", "reads": ["data", "w.txt"], "compare")");
  const System system = load(tree);
  const PythonReference& python = system.reference.python.value();
  EXPECT_THAT(python.files,
              ElementsAre(Pair("../data/more/w.npy", testing::_), Pair("../data/w.npy", testing::_),
                          Pair("../w.txt", testing::_), Pair("pkg/deep/helper.py", testing::_),
                          Pair("reference.py", testing::_)));
  const auto digest = [&] {
    FieldHasher hasher;
    add_reference(hasher, load(tree).reference);
    return hasher.digest();
  };
  const std::string before = digest();
  for (const char* file : {"py/pkg/deep/helper.py", "data/more/w.npy", "w.txt"}) {
    tree.write(folder + file, "2");
    EXPECT_NE(digest(), before) << file;
    tree.write(folder + file, "1");
  }
  EXPECT_EQ(digest(), before);
}

TEST(System, SubstitutesWorkThatNamesOtherWork) {
  const System system = load(SpecTree());
  EXPECT_EQ(system.work.at("flop").text(), "20 * (N * N)");
  EXPECT_EQ(system.work.at("flop").evaluate_int({{"N", std::int64_t{8}}}), 1280);
}

TEST(System, NamesTheKernelsThatDoTheWork) {
  const SpecTree tree;
  EXPECT_THAT(load(tree).find_variant("tiled")->main, ElementsAre());
  tree.replace(kManifest, "\"prepare\": [", "\"main\": [\"step\"], \"prepare\": [");
  EXPECT_THAT(load(tree).find_variant("tiled")->main, ElementsAre("step"));
}

TEST(System, HasVariantsInTheManifestsOrder) {
  const SpecTree tree;
  const System system = load(tree);
  ASSERT_EQ(system.variants.size(), 2);
  EXPECT_EQ(system.variants[0].name, "cpu");
  EXPECT_EQ(system.variants[0].target, VariantSpec::Target::host);
  EXPECT_EQ(system.variants[0].description, "serial");
  EXPECT_EQ(system.variants[0].launches.at(0).kernel, "step");
  const VariantSpec& tiled = *system.find_variant("tiled");
  EXPECT_EQ(tiled.source, tree.root() / "kernel_templates/stencil/tiled.cu");
  EXPECT_THAT(tiled.parameters,
              ElementsAre(Pair("BLOCK_SIZE", Value(std::int64_t{32})), Pair("FAST", Value(true)),
                          Pair("SCALE", Value(0.5)), Pair("MODE", Value(std::string("plain")))));
  EXPECT_TRUE(tiled.has_parameter("FAST"));
  EXPECT_FALSE(tiled.has_parameter("N"));
  EXPECT_EQ(tiled.options.at(1).first, "--maxrregcount={}");
  EXPECT_EQ(system.find_variant("basic"), nullptr);
}

TEST(System, HasLaunchesWithSizesAndTypedArguments) {
  const System system = load(SpecTree());
  const VariantSpec& tiled = *system.find_variant("tiled");
  const Values scope = default_scope(system, tiled);
  EXPECT_EQ(tiled.prepare.at(0).kernel, "setup::fill<4>");
  EXPECT_EQ(tiled.prepare.at(0).block[1].evaluate_int(scope), 8);
  EXPECT_EQ(tiled.prepare.at(0).block[2].evaluate_int(scope), 1);
  const LaunchSpec& launch = tiled.launches.at(0);
  EXPECT_EQ(launch.grid[0].evaluate_int(scope), 2);
  EXPECT_EQ(launch.grid[1].evaluate_int(scope), 2);
  EXPECT_EQ(launch.dynamic_shared_bytes.evaluate_int(scope), 128);
  EXPECT_EQ(launch.stream.evaluate_int(scope), 1);
  EXPECT_TRUE(launch.cooperative);
  std::vector<std::string> arguments;
  for (const Argument& argument : launch.arguments) {
    const auto* scalar = std::get_if<ScalarArgument>(&argument);
    arguments.push_back(scalar == nullptr
                            ? "buffer " + std::get<BufferArgument>(argument).buffer
                            : std::string(to_string(scalar->type)) + " " + scalar->value.text());
  }
  EXPECT_THAT(arguments, ElementsAre("buffer cells", "buffer sums", "float32 DT", "int32 BLOCK_SIZE",
                                     "float32 SCALE", "int64 N / 2"));
}

TEST(System, KnowsWhichBuffersAVariantUses) {
  const System system = load(SpecTree());
  EXPECT_THAT(used_buffers(system, *system.find_variant("cpu")), ElementsAre("cells"));
  EXPECT_THAT(used_buffers(system, *system.find_variant("tiled")), ElementsAre("cells", "sums"));
}

}  // namespace
}  // namespace tailwave
