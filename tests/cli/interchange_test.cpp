// Import and export of other formats, as a person uses them.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

#include "cli/project_fixture.h"
#include "store/result_store.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kTunerFiles = std::string(TAILWAVE_SOURCE_DIR) + "/tests/data/tuners/";

class Interchange : public ProjectFixture {
 protected:
  // What a command of the shell prints, both ways.
  std::string shell(const std::string& command) const {
    const std::string in_project = "cd '" + project_.string() + "' && (" + command + ") 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(in_project.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 256> part{};
    while (fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
    return text;
  }

  void export_header(const std::string& experiment, const std::string& file) const {
    const CommandResult header =
        tailwave({"export", "--experiment", experiment, "--format", "header", "--out", file});
    ASSERT_EQ(header.exit_status, 0) << header.err;
  }

  // An experiment "tuning" of nbody on a GPU: the best BLOCK_SIZE for a size.
  void add_best(const std::string& device, int compute_capability, int sms, int n, int block_size) const {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    ResultStore store(database);
    RunRecord run;
    run.system = "nbody";
    run.experiment = "tuning";
    run.metric = "time";
    run.maximise = false;
    run.started_at = "2025-01-01T10:00:00Z";
    const DeviceDescription record{
        .kind = DeviceKind::cuda, .name = device, .compute_capability = compute_capability, .sms = sms};
    const std::int64_t id = store.begin_run(run, record);
    Trial trial;
    trial.key = "key";
    trial.configuration = {"nbody", "shared", {{"BLOCK_SIZE", block_size}}, {{"N", n}}};
    trial.samples.push_back({0, 0, 1000, 1, ""});
    store.add_trial(id, record, trial);
    store.finish_run(id, RunStatus::done, "2025-01-01T10:01:00Z");
  }

  // A trial of "header_sizes" of nbody, whose default is BLOCK_SIZE 128, on 4 SMs that hold one block each.
  void add_in_waves(int n, int block_size) const {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    ResultStore store(database);
    RunRecord run;
    run.system = "nbody";
    run.experiment = "header_sizes";
    run.metric = "time";
    run.maximise = false;
    run.started_at = "2025-01-01T10:00:00Z";
    run.spec_text = R"({"cases": [{"variant": "shared"}]})";
    run.defaults = R"({"shared": {"BLOCK_SIZE": 128}})";
    const DeviceDescription gpu{.kind = DeviceKind::cuda, .name = "GPU", .compute_capability = 90, .sms = 4};
    const std::int64_t id = store.begin_run(run, gpu);
    Trial trial;
    trial.key = std::to_string(n) + " " + std::to_string(block_size);
    trial.configuration = {"nbody", "shared", {{"BLOCK_SIZE", block_size}}, {{"N", n}}};
    const int blocks = (n + block_size - 1) / block_size;
    const double time_ns = 1.0 * n * ((blocks + 3) / 4) * block_size * (block_size == 64 ? 0.9 : 1);
    for (int i = 0; i < 10; ++i) trial.samples.push_back({0, i, time_ns * (1 + 1e-4 * i), 1, ""});
    LaunchRecord launch;
    launch.kernel = "step";
    launch.grid = {blocks, 1, 1};
    launch.block = {block_size, 1, 1};
    launch.driver_blocks_per_sm = 1;
    trial.launches.push_back(launch);
    store.add_trial(id, gpu, trial);
    store.finish_run(id, RunStatus::done, "2025-01-01T10:01:00Z");
  }
};

TEST_F(Interchange, ImportsRecordedSpacesAndSaysWhatItFound) {
  const std::string file = kTunerFiles + "pnpoly-RTX_2080_Ti.json";
  EXPECT_EQ(tailwave({"import", file}).out,
            file + ": pnpoly-RTX_2080_Ti on NVIDIA GeForce RTX 2080 Ti: 4 trials added, 0 already there\n");
  EXPECT_EQ(tailwave({"import", file}).out,
            file + ": pnpoly-RTX_2080_Ti on NVIDIA GeForce RTX 2080 Ti: 0 trials added, 4 already there\n");
  write("open.json", R"({"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": 2.5},)");
  EXPECT_EQ(tailwave({"import", "open.json"}).out,
            "open.json: open on GPU: 1 trials added, 0 already there; the run was still in progress, its "
            "file has no "
            "closing braces\n");
}

TEST_F(Interchange, RefusesADamagedFileWithItsPlace) {
  write("bad.json", R"({"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": -2.5}}})");
  const CommandResult result = tailwave({"import", "bad.json"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err, "bad.json: /cache/1/time: a time cannot be negative\n");
  EXPECT_FALSE(std::filesystem::exists(project_ / "results"));
}

TEST_F(Interchange, ImportsTheOthersWhereAFileIsDamagedAndNothingWhereOneIsMissing) {
  write("bad.json", R"({"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": -2.5}}})");
  const std::string good = kTunerFiles + "pnpoly-RTX_2080_Ti.json";
  const CommandResult missing = tailwave({"import", good, "none.json", "--db", "new.db"});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_EQ(missing.err, "none.json: there is no such file\n  nothing was imported\n");
  EXPECT_FALSE(std::filesystem::exists(project_ / "new.db"));
  const CommandResult damaged = tailwave({"import", "bad.json", good});
  EXPECT_EQ(damaged.exit_status, 2);
  EXPECT_EQ(damaged.err,
            "made the database results/tailwave.db\nbad.json: /cache/1/time: a time cannot be negative\n");
  EXPECT_THAT(damaged.out, HasSubstr("4 trials added"));
}

TEST_F(Interchange, ExportsWhatItImported) {
  ASSERT_EQ(tailwave({"import", kTunerFiles + "convolution_milo-A4000-T4.json"}).exit_status, 0);
  const CommandResult t4 = tailwave({"export", "--experiment", "convolution_milo-A4000", "--format", "t4"});
  EXPECT_EQ(t4.exit_status, 0) << t4.err;
  EXPECT_THAT(t4.out, HasSubstr("\"invalidity\": \"compile\""));
  const CommandResult cachefile = tailwave({"export", "--experiment", "convolution_milo-A4000", "--format",
                                            "kernel-tuner", "--out", "out/k.json"});
  EXPECT_EQ(cachefile.err, "out/k.json\n");
  EXPECT_EQ(tailwave({"import", "out/k.json"}).out,
            "out/k.json: k on A4000: 6 trials added, 0 already there\n");
}

TEST_F(Interchange, KnowsMoreOfARecordedDeviceThanItsNameWhereItIsListed) {
  ASSERT_EQ(tailwave({"import", kTunerFiles + "pnpoly-RTX_2080_Ti.json"}).exit_status, 0);
  const CommandResult wisdom =
      tailwave({"export", "--experiment", "pnpoly-RTX_2080_Ti", "--format", "wisdom"});
  EXPECT_THAT(wisdom.out, HasSubstr("\"compute_capability\": 75"));
  EXPECT_THAT(wisdom.out, HasSubstr("\"sms\": 68"));
}

TEST_F(Interchange, ExampleFindsTheNearestDeviceAndSize) {
  add_best("NVIDIA H200", 90, 132, 1024, 32);
  add_best("NVIDIA H200", 90, 132, 65536, 64);
  add_best("NVIDIA H100 PCIe", 90, 114, 1024, 96);
  add_best("NVIDIA A100-SXM4-40GB", 80, 108, 1024, 128);
  add_best("Tesla T4", 75, 40, 1024, 256);
  export_header("tuning", "nbody_tuning.h");
  ASSERT_EQ(
      shell("c++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. '" TAILWAVE_SOURCE_DIR
            "/docs/wisdom/example.cpp' -o example"),
      "");
  EXPECT_EQ(shell("./example 'NVIDIA H200' 90 132 1024"), "variant shared, BLOCK_SIZE 32\n");
  // 8192 is 8 times 1024 and an eighth of 65536; above it the larger one is nearer.
  EXPECT_EQ(shell("./example 'NVIDIA H200' 90 132 8000"),
            "variant shared, BLOCK_SIZE 32\nmeasured with N = 1024\n");
  EXPECT_EQ(shell("./example 'NVIDIA H200' 90 132 8400"),
            "variant shared, BLOCK_SIZE 64\nmeasured with N = 65536\n");
  EXPECT_EQ(shell("./example 'NVIDIA H100 NVL' 90 118 1024"),
            "variant shared, BLOCK_SIZE 96\nmeasured on NVIDIA H100 PCIe\n");
  EXPECT_EQ(shell("./example 'NVIDIA L4' 89 58 1024"),
            "variant shared, BLOCK_SIZE 256\nmeasured on Tesla T4\n");
  EXPECT_EQ(shell("./example 'NVIDIA L40S' 89 142 1024"),
            "variant shared, BLOCK_SIZE 32\nmeasured on NVIDIA H200\n");
}

TEST_F(Interchange, ChoosesOnlyWhatIsKnownToBeBetterThanTheDefault) {
  write("kernel_templates/nbody/shared.cu", "__global__ void step(float* x, int N) {}\n");
  write("kernel_templates/nbody/cpu.cpp", "extern \"C\" void step(float* x, int N) {}\n");
  write("kernel_templates/nbody/system.json", R"-({
    "problem": {"N": 1024}, "buffers": {"x": {"type": "float32", "count": "N"}},
    "reference": {"variant": "cpu", "compare": {"x": {"norm": "exact"}}},
    "variants": {"cpu": {"source": "cpu.cpp", "launches": [{"function": "step"}]},
      "shared": {"source": "shared.cu", "parameters": {"BLOCK_SIZE": [128, 64]},
        "launches": [{"kernel": "step", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE"}]}}})-");
  // On 4 SMs of one block each: 64 is a tenth faster but for its steps, which are at other sizes.
  for (int n = 1024; n < 12'000; n += 320)
    for (const int block_size : {128, 64}) add_in_waves(n, block_size);
  export_header("header_sizes", "nbody_header_sizes.h");
  ASSERT_EQ(
      shell("c++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. '" TAILWAVE_SOURCE_DIR
            "/docs/wisdom/choose.cpp' -o choose"),
      "");
  EXPECT_EQ(shell("./choose 'GPU' 4100"), "variant shared, BLOCK_SIZE 64\n");
  EXPECT_EQ(shell("./choose 'GPU' 4224"), "variant shared, BLOCK_SIZE 64\n");
  EXPECT_EQ(shell("./choose 'GPU' 999"), "variant shared, BLOCK_SIZE 128, the default\n");
  EXPECT_EQ(shell("./choose 'Other GPU' 4100"), "variant shared, BLOCK_SIZE 128, the default\n");
  EXPECT_THAT(text_of(project_ / "nbody_header_sizes.h"),
              HasSubstr("value = ceil_div(known, static_cast<double>(problem.N), "
                        "static_cast<double>(configuration.BLOCK_SIZE)) * 1.0 * 1.0;"));
  std::filesystem::remove_all(project_ / "kernel_templates/nbody");
  export_header("header_sizes", "without.h");
  EXPECT_THAT(text_of(project_ / "without.h"), testing::Not(HasSubstr("ceil_div(known, static_cast")));
}

TEST_F(Interchange, HeaderCompilesWhateverItsParametersAreCalled) {
  const std::vector<std::string> names{
      "alignas",     "and",      "bitor",    "break",     "catch",    "char8_t",       "class",
      "co_await",    "compl",    "concept",  "consteval", "decltype", "delete",        "dynamic_cast",
      "enum",        "explicit", "export",   "false",     "friend",   "goto",          "if",
      "inline",      "int",      "mutable",  "new",       "noexcept", "not_eq",        "nullptr",
      "operator",    "private",  "requires", "signed",    "sizeof",   "struct",        "switch",
      "throw",       "typename", "union",    "using",     "virtual",  "void",          "volatile",
      "wchar_t",     "xor",      "Device",   "Problem",   "Entry",    "Configuration", "variant",
      "std",         "entries",  "best",     "detail",    "distance", "NAN",           "M_PI",
      "INT64_MAX",   "UINT8_C",  "FP_ZERO",  "linux",     "unix",     "NULL",          "__LINE__",
      "_Bool",       "a b",      "a_b",      "2x",        "",         "\xc3\xa9",      "int64_t",
      "string_view", "WEOF",     "WNOHANG"};
  std::string configuration;
  for (std::size_t i = 0; i < names.size(); ++i)
    configuration += (i == 0 ? "\"" : ", \"") + names[i] + "\": " + std::to_string(i);
  configuration += R"(, "least": -9223372036854775808)";
  // The same names again as quantities of the problem.
  write("names.json", R"({"results": [{"configuration": {)" + configuration +
                          R"(}, "times": {"runtimes": [1]},
    "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 1, "unit": "ms"}]}],
    "metadata": {"device": "GPU", "kernel_name": "and kernel", "problem": {)" +
                          configuration + "}}}");
  ASSERT_EQ(tailwave({"import", "names.json"}).exit_status, 0);
  export_header("names", "names.h");
  write("use.cpp", R"(#include "names.h"
    int main() {
      const auto entry = tailwave_wisdom::and_kernel_names::best("GPU", 0, 0);
      return entry.configuration.class_ + entry.problem.class_ == 12 && entry.configuration.least < 0 ? 0 : 1;
    })");
  for (const char* standard : {"c++17", "gnu++17", "c++20"})
    EXPECT_EQ(shell("c++ -std=" + std::string(standard) +
                    " -Wall -Wextra -Wpedantic -Werror use.cpp -o use && ./use || echo wrong"),
              "")
        << standard;
}

// They are the project's, and not of a file of results.
TEST_F(Interchange, SaysWherePublishedFiguresAreNotThere) {
  add_best("NVIDIA H200", 90, 132, 4096, 64);
  Database(project_ / "results/tailwave.db", Database::Mode::read_write)
      .execute("UPDATE run SET spec_text = '{\"published\": \"study.json\"}'");
  ASSERT_EQ(tailwave({"export", "--experiment", "tuning", "--out", "tuning.json"}).exit_status, 0);
  const CommandResult imported = tailwave({"import", "tuning.json", "--db", "other.db"});
  EXPECT_EQ(imported.exit_status, 0) << imported.err;
  EXPECT_EQ(imported.err,
            "made the database other.db\nno published figures of nbody/tuning: they come from the specs in " +
                (project_ / "experiments").string() + ", and it has none of it\n");
}

TEST_F(Interchange, SaysNothingOfPublishedFiguresWhereTheSpecHasNone) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  Database(project_ / "results/tailwave.db", Database::Mode::read_write)
      .execute("UPDATE run SET spec_text = '{\"published\": \"study.json\"}'");
  ASSERT_EQ(tailwave({"export", "--experiment", "tile_size", "--out", "tile_size.json"}).exit_status, 0);
  const CommandResult imported = tailwave({"import", "tile_size.json", "--db", "other.db"});
  EXPECT_EQ(imported.exit_status, 0) << imported.err;
  EXPECT_EQ(imported.err, "made the database other.db\n");
}

TEST_F(Interchange, HelpHasAnExampleForEachFormat) {
  EXPECT_THAT(tailwave({"import", "--help"}).out, HasSubstr("tailwave import convolution-A4000.json.gz"));
  EXPECT_THAT(tailwave({"export", "--help"}).out,
              HasSubstr("--format header --over-sizes --keep 2 --out nbody_tuning.h"));
}

}  // namespace
}  // namespace tailwave
