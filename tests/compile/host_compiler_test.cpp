#include "compile/host_compiler.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compile/cpu/lacking.h"
#include "compile/prelude.h"
#include "core/hash.h"
#include "core/temporary_folder.h"
#include "fakes/called_function.h"
#include "fakes/one_variant.h"
#include "fakes/variable.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using fakes::called;
using fakes::failure_of;
using fakes::OneVariant;
using fakes::Variable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr auto kHost = VariantSpec::Target::host;
constexpr auto kCuda = VariantSpec::Target::cuda;

template <class AnyCompiler>
std::string compile_failure(const OneVariant& source) {
  return failure_of([&] { AnyCompiler(source.cache()).build(source.request()); });
}

TEST(HostCompiler, BuildsALibraryWithTheParametersAsDefines) {
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = SIZE * (FAST ? 10 : 1) + STEP; }",
                    {"value"}, {{"SIZE", std::int64_t{4}}, {"FAST", true}, {"STEP", 0.5}});
  HostCompiler compiler(source.cache());
  const Artifact artifact = compiler.build(source.request());
  EXPECT_EQ(artifact.kind, Artifact::Kind::host_library);
  EXPECT_THAT(artifact.symbols, ElementsAre(Pair("value", "value")));
  EXPECT_EQ(artifact.record.target, "host");
  EXPECT_EQ(artifact.record.compiler, compiler.version());
  EXPECT_EQ(artifact.record.key, compiler.key(source.request()));
  EXPECT_THAT(artifact.record.options, HasSubstr("-std=c++20 -ffp-contract=off"));
  EXPECT_THAT(artifact.record.options, Not(HasSubstr("fast-math")));
  EXPECT_FALSE(artifact.record.from_cache);
  EXPECT_EQ(called(artifact), 40.5);
}

TEST(HostCompiler, TakesTheSecondBuildFromTheCache) {
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = 7; }", {"value"});
  HostCompiler compiler(source.cache());
  const Artifact first = compiler.build(source.request());
  const Artifact second = compiler.build(source.request());
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.file, first.file);
  EXPECT_EQ(called(second), 7);
}

TEST(HostCompiler, GivesTheCompilersWordsWithTheUsersFileAndLine) {
  OneVariant source(kHost, "// one\nextern \"C\" void value(double* out) {\n  *out = SIZE + sise;\n}\n",
                    {"value"}, {{"SIZE", std::int64_t{4}}});
  EXPECT_THAT(compile_failure<HostCompiler>(source), HasSubstr(source.variant().source.string() + ":3:"));
  EXPECT_THAT(compile_failure<HostCompiler>(source), HasSubstr("sise"));
}

TEST(HostCompiler, NamesAFunctionThatTheSourceLacks) {
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = 1; }", {"value", "valve"});
  const std::string failure = compile_failure<HostCompiler>(source);
  EXPECT_THAT(failure, StartsWith("compile_error: function 'valve' not found in " +
                                  source.variant().source.string() + ": "));
}

TEST(HostCompiler, SaysThatThereIsNoCompiler) {
  OneVariant source(kHost, "extern \"C\" void value(double*) {}", {"value"});
  HostCompiler compiler(source.cache(), nullptr);
  EXPECT_EQ(failure_of([&] { compiler.build(source.request()); }),
            "compile_error: no host compiler found: none of $CXX, g++, clang++ and c++ answers to --version");
  EXPECT_EQ(compiler.version(), "none");
  EXPECT_EQ(compiler.key(source.request()).size(), 32);
}

// What a build ends with whose compiler is a shell script.
std::string failure_of_script(const std::string& script, double deadline_s) {
  const OneVariant source(VariantSpec::Target::host, "extern \"C\" void set(double* out) { *out = 7; }",
                          {"set"});
  const auto file = source.folder().write("compiler", "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  HostCompiler compiler(source.cache(),
                        std::make_shared<const HostToolchain>(std::vector{file.string()}, "script"));
  BuildRequest request = source.request();
  request.deadline_s = deadline_s;
  return failure_of([&] { compiler.build(request); });
}

TEST(HostCompiler, EndsACompilerThatTakesTooLong) {
  EXPECT_EQ(failure_of_script("sleep 600", 0.5), "compile_timeout: the host compiler took longer than 0.5 s");
}

TEST(HostCompiler, TellsACompilerThatWasKilled) {
  EXPECT_EQ(failure_of_script("kill -9 $$", 60),
            "compile_error: the host compiler was killed by signal 9 (Killed)");
  EXPECT_EQ(
      failure_of_script("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", 60),
      "compile_error: g++: fatal error: Killed signal terminated program cc1plus\n"
      "the host compiler was killed by signal 9 (Killed)");
}

TEST(HostCompiler, FindsTheCompilerThatCxxNames) {
  const Variable cxx("CXX", "env g++");
  const auto toolchain = HostToolchain::find();
  ASSERT_TRUE(toolchain);
  EXPECT_THAT(toolchain->version(), StartsWith("g++ "));
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = 3; }", {"value"});
  EXPECT_EQ(called(HostCompiler(source.cache(), toolchain).build(source.request())), 3);
}

// By whoever ends the run, too: another compiler would make other code of the same sources.
TEST(HostCompiler, AsksACompilerAgainThatWasKilledWhileItToldItsVersion) {
  const TemporaryFolder folder;
  const fs::path compiler = folder.path() / "c++";
  std::ofstream(compiler)
      << "#!/bin/sh\n[ -e $0.asked ] && exec echo mine 1.0\ntouch $0.asked\nkill -HUP $$\n";
  fs::permissions(compiler, fs::perms::owner_all);
  const Variable cxx("CXX", compiler.c_str());
  const auto toolchain = HostToolchain::find();
  ASSERT_TRUE(toolchain);
  EXPECT_EQ(toolchain->version(), "mine 1.0");
}

TEST(HostCompiler, FallsBackWhereCxxIsNoCompiler) {
  const Variable cxx("CXX", "/nowhere/g++");
  EXPECT_TRUE(HostToolchain::find());
}

TEST(HostCompiler, AddsTheUsersFlagsAndTellsThemInTheKey) {
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = EXTRA; }", {"value"});
  HostCompiler compiler(source.cache());
  const std::string plain = compiler.key(source.request());
  const Variable flags("TAILWAVE_HOST_CXXFLAGS", " -DEXTRA=5  -O1 ");
  EXPECT_NE(compiler.key(source.request()), plain);
  const Artifact artifact = compiler.build(source.request());
  EXPECT_THAT(artifact.record.options, HasSubstr("-DEXTRA=5 -O1"));
  EXPECT_EQ(called(artifact), 5);
}

TEST(HostCompiler, HasAKeyOfAllThatGoesIntoTheCode) {
  const auto key = [](const std::string& text, Values parameters, const std::string& header,
                      const char* option) {
    OneVariant source(kHost, "#include \"part.h\"\n" + text, {"value"}, std::move(parameters));
    const auto unused = source.folder().write("part.h", header);
    if (option != nullptr) source.variant().options.emplace_back(option, Expression::constant(true));
    return HostCompiler(source.cache()).key(source.request());
  };
  const std::string base = key("int x;", {{"A", std::int64_t{1}}}, "", nullptr);
  EXPECT_EQ(key("int x;", {{"A", std::int64_t{1}}}, "", nullptr), base);
  EXPECT_NE(key("int y;", {{"A", std::int64_t{1}}}, "", nullptr), base);
  EXPECT_NE(key("int x;", {{"A", std::int64_t{2}}}, "", nullptr), base);
  EXPECT_NE(key("int x;", {{"A", std::int64_t{1}}}, "int z;", nullptr), base);
  EXPECT_NE(key("int x;", {{"A", std::int64_t{1}}}, "", "-ffast-math"), base);
}

TEST(HostCompiler, HasTheSameKeysHoweverManyItMade) {
  OneVariant source(kHost, "int x;", {"value"}, {{"A", std::int64_t{1}}});
  HostCompiler one(source.cache());
  for (const char* text : {"int x;", "int y;", "int x;"}) {
    const auto unused = source.folder().write("host.cpp", text);
    for (const std::int64_t value : {1, 2, 1}) {
      source.configuration().parameters["A"] = value;
      EXPECT_EQ(one.key(source.request()), HostCompiler(source.cache()).key(source.request()));
    }
  }
}

TEST(HostCompiler, IncludesHeadersOfTheSystem) {
  OneVariant source(
      kHost, "#include \"parts/part.h\"\nextern \"C\" void value(double* out) { *out = kPart; }", {"value"});
  const auto part = source.folder().write("parts/part.h", "#pragma once\n#include \"deep.h\"\n");
  const auto deep = source.folder().write("parts/deep.h", "constexpr double kPart = 9;\n");
  EXPECT_EQ(called(HostCompiler(source.cache()).build(source.request())), 9);
}

// A source whose header lies in a folder of which no key can know.
OneVariant with_foreign_header(const ScratchFolder& elsewhere, const std::string& value) {
  const auto unused = elsewhere.write("foreign part.h", "#define VALUE " + value + "\n");
  return {
      kHost, "#include <foreign part.h>\nextern \"C\" void value(double* out) { *out = VALUE; }", {"value"}};
}

TEST(HostCompiler, BuildsAnewWhenAHeaderInAFolderOfAnOptionHasChanged) {
  const ScratchFolder elsewhere;
  OneVariant source = with_foreign_header(elsewhere, "1");
  source.variant().options.emplace_back("-I" + elsewhere.path().string(), Expression::constant(true));
  HostCompiler compiler(source.cache());
  const Artifact first = compiler.build(source.request());
  const std::string header = fs::canonical(elsewhere.path() / "foreign part.h").string();
  EXPECT_THAT(first.inputs, ElementsAre(Pair(header, content_hash("#define VALUE 1\n"))));
  EXPECT_EQ(first.record.key, compiler.key(source.request()));
  const Artifact again = compiler.build(source.request());
  EXPECT_TRUE(again.record.from_cache);
  EXPECT_EQ(again.record.key, first.record.key);

  const auto unused = elsewhere.write("foreign part.h", "#define VALUE 2\n");
  const Artifact changed = compiler.build(source.request());
  EXPECT_FALSE(changed.record.from_cache);
  EXPECT_EQ(called(changed), 2);
  EXPECT_NE(changed.record.key, first.record.key);
  EXPECT_EQ(changed.record.key, compiler.key(source.request()));
}

TEST(HostCompiler, DoesNotLookWhereTheEnvironmentSays) {
  const ScratchFolder elsewhere;
  const OneVariant source = with_foreign_header(elsewhere, "1");
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const Variable folder(name, elsewhere.path().c_str());
    EXPECT_THAT(compile_failure<HostCompiler>(source), HasSubstr("foreign part.h")) << name;
  }
}

TEST(HostCompiler, RefusesFilesThatOnlyItsCompilerFinds) {
  const ScratchFolder elsewhere;
  const std::string header = fs::canonical(elsewhere.write("a.h", "#define VALUE 1\n")).string();
  OneVariant source(kHost, "extern \"C\" void value(double* out) { *out = VALUE; }", {"value"});
  source.variant().options.emplace_back("-Wp,-include," + header, Expression::constant(true));
  EXPECT_EQ(compile_failure<HostCompiler>(source),
            "compile_error: " + display_path(source.variant().source) + " includes " + display_path(header) +
                ", in a way that does not show before it is compiled\n"
                "  include it by name, from the system's folder, or name its folder in an option: -I");
}

TEST(HostCompiler, KnowsAHeaderOfTheSystemByItsWholeName) {
  OneVariant source(kHost, "", {"value"});
  const std::string header = fs::canonical(source.folder().write("a.h", "#define VALUE 3\n")).string();
  const auto unused = source.folder().write(
      "host.cpp", "#include/**/\"" + header + "\"\nextern \"C\" void value(double* out) { *out = VALUE; }");
  HostCompiler compiler(source.cache());
  const Artifact first = compiler.build(source.request());
  EXPECT_THAT(first.inputs, testing::IsEmpty());
  const auto changed = source.folder().write("a.h", "#define VALUE 4\n");
  EXPECT_NE(compiler.key(source.request()), first.record.key);
  EXPECT_EQ(called(compiler.build(source.request())), 4);
}

TEST(CpuKernelCompiler, GivesTheCompilersWordsWithTheUsersFileAndLine) {
  OneVariant source(kCuda,
                    "// one\n__global__ void test(float* out) {\n  extern __shared__\n    float data[];\n"
                    "  out[threadIdx.x] = dada[0];\n}\n",
                    {"test"});
  const std::string place = source.variant().source.string();
  const std::string failure = compile_failure<CpuKernelCompiler>(source);
  EXPECT_THAT(failure, StartsWith("compile_error: " + place + ": In function 'void test(float*)':\n" + place +
                                  ":5:22: error: 'dada' was not declared in this scope"));
}

TEST(CpuKernelCompiler, SaysThatAParameterHasAnotherMeaningInTheSource) {
  OneVariant source(kCuda, "template <int V>\n__global__ void test(float* out) { out[0] = V; }\n",
                    {"test<V>"}, {{"V", std::int64_t{1}}});
  EXPECT_THAT(
      compile_failure<CpuKernelCompiler>(source),
      StartsWith("compile_error: 'V' is a parameter (#define V 1) and the name of a template parameter, " +
                 source.variant().source.string() + ":1; rename one\n"));
}

TEST(CpuKernelCompiler, NamesAKernelThatTheTemplateLacks) {
  OneVariant source(kCuda, "__global__ void test() {}\n", {"test", "tset"});
  EXPECT_THAT(compile_failure<CpuKernelCompiler>(source),
              StartsWith("compile_error: kernel 'tset' not found in " + source.variant().source.string() +
                         ": 'tset' was not declared in this scope"));
}

TEST(CpuKernelCompiler, SaysWhatHasNoFormOnTheCpu) {
  OneVariant source(kCuda, "#include <cub/block/block_reduce.cuh>\n__global__ void test(int* out) {}\n",
                    {"test"});
  source.variant().unavailable_on_cpu = "CUB is for GPUs";
  try {
    (void)CpuKernelCompiler(source.cache()).build(source.request());
    FAIL() << "was built";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::unavailable);
    EXPECT_STREQ(failure.what(), "CUB is for GPUs");
  }
}

TEST(CpuKernelCompiler, TakesNoHeaderOfTheToolkitFromAFolderOfTheSystem) {
  OneVariant source(kCuda, "#include <mma.h>\n__global__ void test(int* out) {}\n", {"test"});
  EXPECT_EQ(lacking_on_cpu(compile_failure<CpuKernelCompiler>(source)), "<mma.h>");
  OneVariant own(kCuda, "#include \"mma.h\"\n__global__ void test(int* out) { out[0] = ONE; }\n", {"test"});
  own.folder().write("mma.h", "#define ONE 1\n");
  EXPECT_EQ(CpuKernelCompiler(own.cache()).build(own.request()).record.log, "");
}

TEST(CpuKernelCompiler, SaysWhatTheSourceUsesAndNobodyDefines) {
  if (!HostToolchain::sanitizers().empty()) GTEST_SKIP() << "their own functions are found when it is loaded";
  OneVariant source(kCuda, "int nowhere(int);\n__global__ void test(int* out) { out[0] = nowhere(1); }\n",
                    {"test"});
  const std::string failure = compile_failure<CpuKernelCompiler>(source);
  EXPECT_THAT(failure, StartsWith("compile_error: "));
  EXPECT_EQ(lacking_on_cpu(failure), "nowhere");
}

TEST(LackingOnCpu, IsTheFirstThingThatTheCompilerDoesNotKnow) {
  EXPECT_EQ(
      lacking_on_cpu(
          "k.cu:1:1: error: 'tex2D' was not declared in this scope\nk.cu:2:1: error: 'b' was not declared"),
      "tex2D");
  EXPECT_EQ(lacking_on_cpu("k.cu:1:10: fatal error: cub/cub.cuh: No such file or directory"),
            "<cub/cub.cuh>");
  EXPECT_EQ(lacking_on_cpu("k.cu:1:10: fatal error: 'cub/cub.cuh' file not found"), "<cub/cub.cuh>");
  EXPECT_EQ(lacking_on_cpu("k.cu:4:2: error: 'elect' is not a member of 'cg'"), "elect");
  EXPECT_EQ(lacking_on_cpu("k.cu:4:2: error: use of undeclared identifier '__isShared'"), "__isShared");
  EXPECT_EQ(lacking_on_cpu("k.cu:4:2: error: no matching function for call to 'atomicAdd(char*, char)'"),
            "such a atomicAdd()");
  EXPECT_EQ(lacking_on_cpu("k.cu: Assembler messages:\nk.cu:3: Error: no such instruction: `mov.u32'"),
            "inline PTX");
  EXPECT_EQ(lacking_on_cpu("k.cu:3:1: error: cannot convert"), "something that it uses");
}

TEST(CpuKernelCompiler, TellsTheLineInAHeaderOfTheSystem) {
  OneVariant source(kCuda, "#include \"part.h\"\n__global__ void test() {}\n", {"test"});
  const auto part = source.folder().write("part.h", "#pragma once\n\n__device__ int f() { return g; }\n");
  EXPECT_THAT(compile_failure<CpuKernelCompiler>(source), HasSubstr(part.string() + ":3:"));
}

TEST(CpuKernelCompiler, TranslatesTheOptionsOfNvrtcThatConcernIt) {
  OneVariant source(kCuda, "__global__ void test(int* out) { *out = FIRST + SECOND; }\n", {"test"});
  for (const char* option : {"--use_fast_math", "--fmad=false", "--maxrregcount=32", "-std=c++20",
                             "-DFIRST=1", "--define-macro=SECOND=2", "-lineinfo"})
    source.variant().options.emplace_back(option, Expression::constant(true));
  const Artifact artifact = CpuKernelCompiler(source.cache()).build(source.request());
  EXPECT_EQ(artifact.kind, Artifact::Kind::cpu_kernels);
  EXPECT_THAT(
      artifact.record.options,
      HasSubstr(
          " -ffast-math -fno-finite-math-only -fsigned-zeros -ffp-contract=off -std=c++20 -DFIRST=1 -DSECOND=2"));
  EXPECT_THAT(artifact.record.options, Not(HasSubstr("maxrregcount")));
}

TEST(CpuKernelCompiler, LeavesTheFloatingPointModeOfTheProgramAlone) {
  OneVariant source(kCuda, "__global__ void test(float* out) { *out += 1; }\n", {"test"});
  source.variant().options.emplace_back("--use_fast_math", Expression::constant(true));
  const Artifact artifact = CpuKernelCompiler(source.cache()).build(source.request());
  void* library = dlopen(artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  volatile double smallest_normal = 2.2250738585072014e-308;
  EXPECT_GT(smallest_normal / 4, 0.0);
  dlclose(library);
}

TEST(CpuKernelCompiler, ToleratesPragmasAndSharedAlignment) {
  OneVariant source(
      kCuda,
      "__global__ void test(float* out) {\n  __shared__ alignas(16) float tile[32];\n"
      "#pragma unroll UNROLL\n  for (int i = 0; i < 32; ++i) tile[i] = i;\n  *out = tile[threadIdx.x];\n}\n",
      {"test"}, {{"UNROLL", std::int64_t{4}}});
  EXPECT_EQ(CpuKernelCompiler(source.cache()).build(source.request()).record.log, "");
}

TEST(CpuKernelCompiler, MakesTheSameCodeOfTheSameRequest) {
  const auto code_hash = [] {
    OneVariant source(kCuda, "__global__ void test(float* out) { *out = 1; }\n", {"test"});
    return CpuKernelCompiler(source.cache()).build(source.request()).record.code_hash;
  };
  if (!HostToolchain::sanitizers().empty()) GTEST_SKIP() << "debug information names the temporary folder";
  EXPECT_EQ(code_hash(), code_hash());
}

}  // namespace
}  // namespace tailwave
