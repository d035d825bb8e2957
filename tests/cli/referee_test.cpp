// The attacks of tests/referee.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/project_fixture.h"
#include "compile/prelude.h"
#include "device/cuda/cuda_device.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

constexpr const char* kReference =
    R"cpp(extern "C" void attack(float* out, int* mark, const float* x, int n) {
            for (int i = 0; i < n; ++i) {
              double sum = x[i];
              for (int turn = 0; turn < 1000; ++turn) sum = sum * 0.5 + x[i];
              out[i] = static_cast<float>(sum);
              mark[i] = -1;
            }
          }
    )cpp";

const std::string kBuffers = R"(
  "problem": {"N": {"type": "int", "default": 2048}},
  "buffers": {
    "x": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
    "out": {"type": "float32", "count": "N", "output_only": true},
    "mark": {"type": "int32", "count": "N", "output_only": true}},
  "reference": {"variant": "reference", "compare": {
    "out": {"norm": "max_rel", "tolerance": 1e-6}, "mark": {"norm": "exact"}}},
  "work": {"elements": "N"},)";

struct Attack {
  std::string name, text;

  // What its second and third line say, without the reason.
  [[nodiscard]] std::string end_in(const std::string& mode) const {
    const std::string word = "// " + mode + ": ";
    const std::size_t begin = text.find(word) + word.size();
    return text.substr(begin, text.find_first_of(",\n", begin) - begin);
  }
};

std::vector<Attack> attacks() {
  std::vector<Attack> all;
  for (const auto& entry : std::filesystem::directory_iterator(TAILWAVE_SOURCE_DIR "/tests/referee"))
    if (entry.path().extension() == ".cu")
      all.push_back({entry.path().stem().string(), read_file(entry.path())});
  std::ranges::sort(all, {}, &Attack::name);
  return all;
}

// FIRST is the first element of "x" in the first draw.
std::string with_first_element(std::string text) {
  const BufferSpec x{.type = ScalarType::float32,
                     .fill = {.kind = Fill::Kind::uniform, .low = 1, .high = 2, .seed = 1}};
  float first = 0;
  std::memcpy(&first, make_input(x, 1, 0).data(), sizeof first);
  if (const std::size_t place = text.find("FIRST"); place != std::string::npos)
    text.replace(place, std::strlen("FIRST"), fmt::format("{:.9g}f", first));
  return text;
}

class Referee : public ProjectFixture {
 protected:
  void run_all(const std::string& mode, const std::string& device) {
    std::string variants =
        R"("reference": {"target": "host", "source": "reference.cpp",
                         "launches": [{"function": "attack", "args": ["out", "mark", "x", "N"]}]})";
    std::string cases;
    write("kernel_templates/referee/reference.cpp", kReference);
    const std::vector<Attack> all = attacks();
    for (const Attack& attack : all) {
      write("kernel_templates/referee/" + attack.name + ".cu", with_first_element(attack.text));
      variants += fmt::format(
          R"json(,"{0}": {{"target": "cuda", "source": "{0}.cu", "launches": [
            {{"kernel": "attack", "grid": "ceil_div(N, 256)", "block": 256, "args": ["out", "mark", "x", "N"]}}]}})json",
          attack.name);
      cases += (cases.empty() ? "" : ",") + (R"({"variant": ")" + attack.name + "\"}");
    }
    write("kernel_templates/referee/system.json",
          R"({"schema_version": 1, "name": "referee", "title": "A series",)" + kBuffers + "\"variants\": {" +
              variants + "}}");
    // Batches of many executions, also where other work slows them down: one of a single execution is a true time.
    write(
        "experiments/referee/all.json",
        R"({"schema_version": 1, "name": "all", "system": "referee", "question": "Who cheats?", "cases": [)" +
            cases + R"(], "metric": {"name": "time"}, "measure": {"samples": 3, "batch_ms": 100, "mode": ")" +
            mode + "\"}}");
    const CommandResult result = tailwave({"run", "experiments/referee/all.json", "--device", device});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    for (const Attack& attack : all) {
      const std::string of =
          " FROM trial JOIN configuration ON configuration.id = configuration_id WHERE variant = '" +
          attack.name + "'";
      std::string end = attack.end_in(mode);
      if (kSanitized && end == "illegal_access") end = "crashed";
      EXPECT_EQ(scalar("SELECT outcome" + of), end) << attack.name << ": " << scalar("SELECT detail" + of);
    }
  }
};

class RefereeInMode : public Referee, public testing::WithParamInterface<const char*> {};

TEST_P(RefereeInMode, BelievesNobodyOnTheCpuDevice) {
  if (kSanitized && GetParam() == std::string("batched"))
    GTEST_SKIP()
        << "with sanitizers a kernel's work is a small part of its time, which skipping it does not shorten";
  run_all(GetParam(), "cpu");
}

TEST_P(RefereeInMode, BelievesNobodyOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  run_all(GetParam(), "cuda:0");
}

INSTANTIATE_TEST_SUITE_P(Modes, RefereeInMode, testing::Values("isolated", "batched"));

}  // namespace
}  // namespace tailwave
