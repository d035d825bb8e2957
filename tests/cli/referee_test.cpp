// The attacks of tests/referee.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/project_fixture.h"
#include "compile/nvrtc.h"
#include "compile/prelude.h"
#include "device/cuda/cuda_device.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

constexpr int kElements = 2048;

constexpr const char* kTurns =
    R"cpp(static double many_turns(double x) {
            double sum = x;
            for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5 + x;
            return sum;
          }
    )cpp";

// What attacks are variants of.
struct Pretence {
  const char* name;
  const char* reference;  // source
  const char* arguments;  // of the reference and, unless they have launches of their own, the attacks
  const char* buffers;
  const char* compare;
};

constexpr Pretence kPretences[] = {
    {"series",
     R"cpp(extern "C" void attack(float* out, int* mark, const float* x, int n) {
             for (int i = 0; i < n; ++i) {
               out[i] = static_cast<float>(many_turns(x[i]));
               mark[i] = -1;
             }
           }
     )cpp",
     R"("out", "mark", "x", "N")",
     R"("x": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
        "out": {"type": "float32", "count": "N", "output_only": true},
        "mark": {"type": "int32", "count": "N", "output_only": true},
        "scratch": {"type": "float32", "count": "N"},
        "notes": {"type": "int32", "count": "N"})",
     R"("out": {"norm": "max_rel", "tolerance": 1e-6}, "mark": {"norm": "exact"})"},
    {"in_place",
     R"cpp(extern "C" void attack(float* place, float* tiny_out, const float* tiny, int n) {
             for (int i = 0; i < n; ++i) {
               place[i] = static_cast<float>(-many_turns(place[i]));
               tiny_out[i] = 2 * tiny[i];
             }
           }
     )cpp",
     R"("place", "tiny_out", "tiny", "N")",
     R"("place": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 2}},
        "tiny": {"type": "float32", "count": "N",
                 "fill": {"kind": "uniform", "low": 1e-41, "high": 1e-40, "seed": 3}},
        "tiny_out": {"type": "float32", "count": "N", "output_only": true})",
     R"("place": {"norm": "max_rel", "tolerance": 1e-6}, "tiny_out": {"norm": "max_rel", "tolerance": 1e-2})"}};

struct Attack {
  std::string name, text;
  std::string members;  // of its variant, a JSON object; empty: the usual launch

  // What the line of its header that begins so says, without the reason; empty when there is none.
  [[nodiscard]] std::string says(const std::string& what) const {
    const std::string word = "// " + what + ": ";
    const std::size_t begin = text.find(word);
    if (begin == std::string::npos) return "";
    return text.substr(begin + word.size(), text.find_first_of(",\n", begin) - begin - word.size());
  }
  [[nodiscard]] bool is_of(const Pretence& pretence) const {
    return says("system") == (&pretence == kPretences ? "" : pretence.name);
  }
  [[nodiscard]] bool is_for(const std::string& device) const {
    return says("on").empty() || says("on") == (device == "cpu" ? "cpu" : "gpu");
  }
  [[nodiscard]] bool may_end_as(const std::string& outcome, const std::string& mode) const {
    return (" or " + says(mode) + " or ").find(" or " + outcome + " or ") != std::string::npos;
  }
};

void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t place = 0; (place = text.find(word, place)) != std::string::npos; place += by.size())
    text.replace(place, word.size(), by);
}

// With FIRST and ANSWERS in place.
std::vector<Attack> attacks() {
  const BufferSpec x{.type = ScalarType::float32,
                     .fill = {.kind = Fill::Kind::uniform, .low = 1, .high = 2, .seed = 1}};
  std::vector<float> first_draw(kElements);
  std::memcpy(first_draw.data(), make_input(x, kElements, 0).data(), kElements * sizeof(float));
  std::string answers;
  for (const float element : first_draw) answers += fmt::format("{:.9g}f,", 2 * element);
  std::vector<Attack> all;
  for (const auto& entry : fs::directory_iterator(TAILWAVE_SOURCE_DIR "/tests/referee")) {
    fs::path file = entry.path();
    if (file.extension() != ".cu") continue;
    Attack& attack = all.emplace_back(Attack{file.stem().string(), read_file(file), ""});
    replace_all(attack.text, "FIRST", fmt::format("{:.9g}f", first_draw.front()));
    replace_all(attack.text, "ANSWERS", answers);
    if (file.replace_extension(".json"); fs::exists(file)) attack.members = read_file(file);
  }
  std::ranges::sort(all, {}, &Attack::name);
  return all;
}

// In batches work has to be far more than what a launch takes beside it, also where other programs want the cores: on a
// GPU a launch took 5.6 us there. Both modes have the same kernels, which are then built once.
constexpr const char* kFewTurns = "turn < 250";
const char* many_turns(const std::string& device) {
  return device == "cpu" ? "turn < 1000" : "turn < 8000";
}

class Referee : public ProjectFixture {
 protected:
  void run_all(const std::string& mode, const std::string& device) {
    std::vector<Attack> all = attacks();
    if (!kSanitized)
      for (Attack& attack : all) replace_all(attack.text, kFewTurns, many_turns(device));
    std::erase_if(all, [&](const Attack& attack) { return !attack.is_for(device); });
    for (const Pretence& pretence : kPretences) {
      write_system(pretence, all);
      write_experiment_of(pretence, all, mode);
      const CommandResult result =
          tailwave({"run", fmt::format("experiments/{0}/{0}.json", pretence.name), "--device", device});
      ASSERT_EQ(result.exit_status, 0) << result.err;
    }
    for (const Attack& attack : all) expect_its_end(attack, mode, device);
  }

 private:
  void write_system(const Pretence& pretence, const std::vector<Attack>& all) const {
    const std::string folder = fmt::format("kernel_templates/{}/", pretence.name);
    std::string variants = fmt::format(
        R"("reference": {{"target": "host", "source": "reference.cpp",
                          "launches": [{{"function": "attack", "args": [{}]}}]}})",
        pretence.arguments);
    write(folder + "reference.cpp", std::string(kTurns) + pretence.reference);
    for (const Attack& attack : all) {
      if (!attack.is_of(pretence)) continue;
      write(folder + attack.name + ".cu", attack.text);
      const std::string usual = fmt::format(
          R"json({{"launches": [
            {{"kernel": "attack", "grid": "ceil_div(N, 256)", "block": 256, "args": [{}]}}]}})json",
          pretence.arguments);
      const std::string& members = attack.members.empty() ? usual : attack.members;
      variants += fmt::format(R"(,"{0}": {{"target": "cuda", "source": "{0}.cu", {1})", attack.name,
                              members.substr(members.find('{') + 1));
    }
    write(folder + "system.json",
          fmt::format(R"({{"schema_version": 1, "name": "{}", "title": "What attacks pretend to do",
                           "problem": {{"N": {{"type": "int", "default": {}}}}}, "buffers": {{{}}},
                           "reference": {{"variant": "reference", "compare": {{{}}}}},
                           "work": {{"elements": "N"}}, "variants": {{{}}}}})",
                      pretence.name, kElements, pretence.buffers, pretence.compare, variants));
  }

  // Batches of many executions, also where other work slows one of them down.
  void write_experiment_of(const Pretence& pretence, const std::vector<Attack>& all,
                           const std::string& mode) const {
    std::string cases;
    for (const Attack& attack : all)
      if (attack.is_of(pretence))
        cases += (cases.empty() ? "" : ",") + (R"({"variant": ")" + attack.name + "\"}");
    write(fmt::format("experiments/{0}/{0}.json", pretence.name),
          fmt::format(R"({{"schema_version": 1, "name": "{0}", "system": "{0}", "question": "Who cheats?",
                           "cases": [{1}], "metric": {{"name": "time"}},
                           "measure": {{"samples": 3, "warmup": 5, "batch_ms": 30, "mode": "{2}"}}}})",
                      pretence.name, cases, mode));
  }

  [[nodiscard]] std::string of(const std::string& column, const std::string& variant) const {
    return scalar(
        "SELECT coalesce(" + column +
        ", '') FROM trial JOIN configuration ON configuration.id = configuration_id LEFT JOIN sample "
        "ON trial.id = trial_id WHERE variant = '" +
        variant + "'");
  }

  [[nodiscard]] double number_of(const std::string& column, const std::string& variant) const {
    return std::stod(of(column, variant));
  }

  // Where other work slows all of them down a batch may be some executions alone, of which the first is one as of
  // `isolated`.
  void expect_its_end(const Attack& attack, const std::string& wanted_mode, const std::string& device) const {
    constexpr int kFewExecutions = 10;
    std::string end = of("outcome", attack.name);
    const std::string executions = of("max(executions)", attack.name);
    const bool are_few = !executions.empty() && std::stoi(executions) <= kFewExecutions;
    const std::string mode = are_few && attack.may_end_as(end, "isolated") ? "isolated" : wanted_mode;
    const std::string detail = of("detail", attack.name);
    if (kSanitized && end == "crashed" && attack.may_end_as("illegal_access", mode)) end = "illegal_access";
    const double of_honest =
        end == "correct" ? number_of("min(time_ns)", attack.name) / number_of("min(time_ns)", "honest") : 0;
    // What works once for a whole batch takes little more than an execution's part of it. In batches of the CPU device what takes
    // several times that is no cheat: it and the honest one were measured seconds apart, and other work slows either of them.
    const double some_work = executions.empty() ? 1 : std::clamp(3 / std::stod(executions), 0.125, 0.35);
    if (device == "cpu" && mode == "batched" && of_honest > some_work) return;
    EXPECT_TRUE(attack.may_end_as(end, mode))
        << attack.name << ": " << end << ": " << detail << "; " << executions << " executions a sample, each "
        << of_honest << " of an honest one";
    if (kSanitized) return;
    if (end != "correct") {
      EXPECT_THAT(detail, testing::HasSubstr(attack.says("detail"))) << attack.name;
      return;
    }
    constexpr int kShare = 8;
    EXPECT_GT(of_honest, 1.0 / kShare) << attack.name << " is correct with a time that is not true";
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

TEST(RefereesAttacks, SayWhatTheyTryAndHowTheyHaveToEnd) {
  const std::vector<Attack> all = attacks();
  EXPECT_GE(all.size(), 40U);
  for (const Attack& attack : all)
    for (const char* const what : {"tries", "isolated", "batched"})
      EXPECT_NE(attack.says(what), "") << attack.name << " does not say: " << what;
}

// As one source, each in a namespace: that takes a second, one by one they take ten.
TEST(RefereesAttacks, CompileForSm90) {
  std::string why_not;
  const std::shared_ptr<const NvrtcLibrary> nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  std::string source = "#include <cooperative_groups.h>\n";
  std::vector<std::string> kernels;
  for (const Attack& attack : attacks()) {
    source += fmt::format("namespace {0} {{\n#line 1 \"{0}.cu\"\n{1}}}\n", attack.name, attack.text);
    kernels.push_back(attack.name + "::attack");
  }
  std::vector<std::string> options = nvrtc->own_options();
  options.insert(options.end(), {"-std=c++17", "-arch=sm_90"});
  for (const fs::path& folder : nvrtc->include_folders()) options.push_back("-I" + folder.string());
  const NvrtcResult compiled = nvrtc->compile(source, "attacks.cu", kernels, options);
  EXPECT_EQ(compiled.symbols.size(), kernels.size()) << compiled.log;
}

}  // namespace
}  // namespace tailwave
