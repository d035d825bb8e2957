// Kernels of tests/data/races, each with a race and, where SAFE is true, without it.
#include "races/race_check.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "fakes/scratch_folder.h"
#include "spec/experiment_reader.h"

namespace tailwave {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

#ifdef TAILWAVE_SANITIZE
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

// Null where races cannot be looked for, with the reason.
std::unique_ptr<RaceChecker> make_checker(std::string& why_not) {
  why_not = "processes of a program with other sanitizers run too slowly";
  if (kIsSanitized) return nullptr;
  try {
    return std::make_unique<RaceChecker>(HostToolchain::find());
  } catch (const Error& error) {
    why_not = error.what();
    return nullptr;
  }
}

// "read tiles.cu:9, write tiles.cu:7" of each, or the verdict and why.
std::string said_of(const RaceCheck& check) {
  const auto place = [](const RaceAccess& access) {
    return access.what + ' ' + access.file.substr(access.file.rfind('/') + 1) + ':' +
           std::to_string(access.line);
  };
  std::string text;
  for (const Race& race : check.races)
    text += race.memory + ": " + place(race.later) + ", " + place(race.earlier) + "; ";
  for (const StrayAccess& one : check.stray)
    text += one.buffer + ' ' + place(one.access) + " element " + std::to_string(one.element()) + "; ";
  if (check.verdict != RaceVerdict::races) text += to_string(check.verdict);
  return text + check.detail;
}

TEST(RaceChecker, FindsBothPlacesOfRacesAndNothingElse) {
  std::string why_not;
  const auto checker = make_checker(why_not);
  if (!checker) GTEST_SKIP() << why_not;
  const std::vector<Experiment> experiments{
      load_experiment(TAILWAVE_TEST_DATA "/races/experiments/races/all.json")};
  const std::vector<RaceCandidate> candidates = race_candidates(experiments);
  std::vector<std::string> said(candidates.size());
  for_each_at_once(candidates.size(),
                   [&](std::size_t i) { said[i] = said_of(checker->check(candidates[i])); });
  std::map<std::string, std::string> by_name;
  for (std::size_t i = 0; i < said.size(); ++i) by_name[candidates[i].configuration.name()] = said[i];
  // Six blocks of 64 threads in two streams.
  const std::string shared = "not between threads of a block that share one of its 39 fibers";
  const std::map<std::string, std::string> expected{
      {"races/tiles/SAFE:false/N:192", "shared memory: read tiles.cu:9, write tiles.cu:7; "},
      {"races/tiles/SAFE:true/N:192", "clean"},
      {"races/reduction/SAFE:false/N:192", "shared memory: write reduction.cu:9, read reduction.cu:9; "},
      {"races/reduction/SAFE:true/N:192", "clean"},
      {"races/blocks/SAFE:false/N:192", "buffer 'out': write blocks.cu:9, write blocks.cu:9; "},
      {"races/blocks/SAFE:true/N:192", "clean"},
      {"races/warp/SAFE:false/N:192", "shared memory: write warp.cu:5, read warp.cu:9; "},
      {"races/warp/SAFE:true/N:192", "clean"},
      {"races/streams/SAFE:false/N:192", "buffer 'out': read streams.cu:8, write streams.cu:3; " + shared},
      {"races/streams/SAFE:true/N:192", "clean" + shared},
      {"races/ordered/N:192", "clean"}};
  EXPECT_EQ(by_name, expected);
}

// A kernel of its own in a system of its own.
class OneKernel {
 public:
  OneKernel(const std::string& body, const std::string& problem, const std::string& block = "64") {
    folder_.write("kernel_templates/one/one.cu",
                  "__global__ void one(float* out, int n) {\n" + body + "\n}\n");
    folder_.write(
        "kernel_templates/one/system.json",
        R"({"schema_version": 1, "name": "one", "title": "One", "problem": {"N": {"type": "int", "default": )" +
            problem + R"json(}},
        "buffers": {"out": {"type": "float32", "count": "N", "output_only": true}},
        "reference": {"variant": "one", "compare": {"out": {"norm": "exact"}}}, "work": {"elements": "N"},
        "variants": {"one": {"target": "cuda", "source": "one.cu", "launches": [
          {"kernel": "one", "grid": "ceil_div(N, )json" +
            block + R"json()", "block": )json" + block + R"json(, "args": ["out", "N"]}]}}})json");
    const auto file = folder_.write("experiments/one/one.json",
                                    R"({"schema_version": 1, "name": "one", "system": "one", "question": "?",
        "cases": [{"variant": "one"}], "metric": {"name": "time"}})");
    experiments_.push_back(load_experiment(file));
  }

  [[nodiscard]] std::string said_by(const RaceChecker& checker) const {
    return said_of(checker.check(race_candidates(experiments_).at(0)));
  }

 private:
  ScratchFolder folder_;
  std::vector<Experiment> experiments_;
};

TEST(RaceChecker, FindsAccessesOutsideOfBuffers) {
  std::string why_not;
  const auto checker = make_checker(why_not);
  if (!checker) GTEST_SKIP() << why_not;
  const auto said = [&](const std::string& body) { return OneKernel(body, "64").said_by(*checker); };
  EXPECT_EQ(said("out[n + threadIdx.x] = 0;"), "out write one.cu:2 element 64; out_of_bounds");
  EXPECT_EQ(said("out[threadIdx.x] = threadIdx.x + 1 < n + 1 ? out[threadIdx.x + n] : 0;"),
            "out read one.cu:2 element 64; out_of_bounds");
  EXPECT_EQ(said("if (threadIdx.x == 63)\n  out[63] = out[64];"),
            "out read one.cu:3 element 64; out_of_bounds");
  EXPECT_EQ(said("if (threadIdx.x == 0)\n  out[0] = out[-1];"),
            "out read one.cu:3 element -1; out_of_bounds");
  EXPECT_EQ(said("out[threadIdx.x] = 0;"), "clean");
}

TEST(RaceChecker, SaysWhyAKernelWasNotChecked) {
  std::string why_not;
  const auto checker = make_checker(why_not);
  if (!checker) GTEST_SKIP() << why_not;
  EXPECT_EQ(OneKernel("if (threadIdx.x != 0) __syncthreads(); else __syncwarp();", "64").said_by(*checker),
            "not_checkedbarrier deadlock in 'one': 64 threads wait for others");
  EXPECT_THAT(OneKernel("*reinterpret_cast<volatile int*>(8) = 0;", "64").said_by(*checker),
              HasSubstr("not_checkedit crashed: SEGV on unknown address"));
  EXPECT_THAT(OneKernel("assert(n == 0);", "64").said_by(*checker), EndsWith("Assertion `n == 0` failed."));
  EXPECT_THAT(OneKernel("nonsense;", "64").said_by(*checker),
              HasSubstr("'nonsense' was not declared in this scope"));
}

// ThreadSanitizer tells apart some 250 of its threads at once.
TEST(RaceChecker, FindsRacesAmongThreadsOfLargeBlocks) {
  std::string why_not;
  const auto checker = make_checker(why_not);
  if (!checker) GTEST_SKIP() << why_not;
  const std::string own = "const int i = blockIdx.x * blockDim.x + threadIdx.x; ";
  EXPECT_EQ(
      OneKernel(own + "if (threadIdx.x > 0) out[i] = out[i - 1];", "1024", "512").said_by(*checker),
      "buffer 'out': read one.cu:2, write one.cu:2; not between threads of a block that share one of its 122 fibers");
  EXPECT_EQ(OneKernel(own + "__shared__ float tile[512]; tile[threadIdx.x] = n; __syncthreads(); "
                            "out[i] = tile[(threadIdx.x + 1) % 512];",
                      "1024", "512")
                .said_by(*checker),
            "cleannot between threads of a block that share one of its 122 fibers");
}

// Threads write where a buffer says, which a function fills: each its own place, or all but one.
TEST(RaceChecker, ReadsWhatAFunctionFills) {
  std::string why_not;
  const auto checker = make_checker(why_not);
  if (!checker) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  folder.write("kernel_templates/places/places.cu",
               "__global__ void places(float* out, const int* to) {\n"
               "  out[to[blockIdx.x * blockDim.x + threadIdx.x]] = 1;\n}\n");
  folder.write("kernel_templates/places/fill.cpp",
               "#include <stdexcept>\n#include \"lowest.h\"\n"
               "extern \"C\" void fill(int* to, int n, double share) {\n"
               "  if (n < 0) throw std::runtime_error(\"no places\");\n"
               "  for (int i = 0; i < n; ++i) to[i] = i < share * n ? i : kLowest;\n"
               "  if (share > 1) to[n] = 0;\n}\n");
  folder.write("kernel_templates/places/lowest.h", "constexpr int kLowest = 0;\n");
  const auto said = [&](const std::string& arguments) {
    folder.write("kernel_templates/places/system.json",
                 R"({"schema_version": 1, "name": "places", "problem": {"N": {"type": "int", "default": 128}},
      "buffers": {"out": {"type": "float32", "count": "N", "output_only": true},
                  "to": {"type": "int32", "count": "N", "fill": {"kind": "function", "source": "fill.cpp",
                         "function": "fill", "args": )" +
                     arguments + R"json(}}},
      "reference": {"variant": "places", "compare": {"out": {"norm": "exact"}}}, "work": {"elements": "N"},
      "variants": {"places": {"target": "cuda", "source": "places.cu", "launches": [
        {"kernel": "places", "grid": "ceil_div(N, 64)", "block": 64, "args": ["out", "to"]}]}}})json");
    const auto file =
        folder.write("experiments/places/places.json",
                     R"({"schema_version": 1, "name": "places", "system": "places", "question": "?",
      "cases": [{"variant": "places"}], "metric": {"name": "time"}})");
    const std::vector<Experiment> experiments{load_experiment(file)};
    return said_of(checker->check(race_candidates(experiments).at(0)));
  };
  EXPECT_EQ(said(R"(["to", "N", {"value": 1, "type": "double"}])"), "clean");
  EXPECT_EQ(said(R"(["to", "N", {"value": 0.5, "type": "double"}])"),
            "buffer 'out': write places.cu:2, write places.cu:2; ");
  EXPECT_EQ(said(R"(["to", {"value": -1, "type": "int"}, {"value": 1, "type": "double"}])"),
            "not_checkedfill(), which fills the buffer 'to', does not run: no places");
  EXPECT_EQ(said(R"(["to", "N", {"value": 2, "type": "double"}])"),
            "not_checkedfill(), which fills the buffer 'to', does not run: it writes beyond the buffer");
  EXPECT_EQ(
      said(R"(["to", "N", {"value": 1, "type": "float"}])"),
      "not_checkedfill(), which fills the buffer 'to', does not run: argument 3 is another kind of value than the "
      "function takes");
}

TEST(RaceChecker, NeedsAToolchainWithThreadSanitizer) {
  EXPECT_THROW(RaceChecker(nullptr), Error);
  const ScratchFolder folder;
  const auto compiler = folder.write("compiler", R"(#!/bin/sh
case " $* " in *" -c "*) : ;; *) echo "ld: cannot find -ltsan"; exit 1 ;; esac
)");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  try {
    const RaceChecker checker(
        std::make_shared<const HostToolchain>(std::vector{compiler.string()}, "a compiler 1.0"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "races cannot be looked for: a compiler 1.0 makes no programs with ThreadSanitizer: ld: cannot find "
        "-ltsan\n  it needs its library, which comes with g++ (libtsan) and, for clang++, with compiler-rt");
    EXPECT_EQ(error.exit_status(), Error::kRunFailed);
  }
}

}  // namespace
}  // namespace tailwave
