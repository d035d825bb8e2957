// `tailwave judge`, of one candidate and as a service.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/project_fixture.h"
#include "core/descriptor.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A kernel of the fixture's system with a statement of one's own in place of the copy.
std::string kernel(const std::string& statement) {
  return "__global__ void transpose(float* output, const float* input, int n) {\n"
         "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
         "  if (x < n && y < n) " +
         statement + "\n}\n";
}
const std::string kCopy = "output[x * n + y] = input[y * n + x];";

class JudgeTest : public ProjectFixture {
 protected:
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"judge", "--system", "transpose", "--device", "cpu", "--samples", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // The answer to a candidate of one's own.
  [[nodiscard]] json judge(const std::string& source, const std::vector<std::string>& more = {}) const {
    write("mine.cu", source);
    std::vector<std::string> all = words({"mine.cu"});
    all.insert(all.end(), more.begin(), more.end());
    const CommandResult result = tailwave(all);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.exit_status == 0 ? json::parse(result.out) : json();
  }
  // The answers of a service to lines on its standard input, by id.
  [[nodiscard]] std::map<json, json> serve(const std::string& lines, const std::string& options = "") const {
    write("requests", lines);
    const std::string line = fmt::format(
        "cd '{}' && '{}' judge --serve --system transpose --device cpu --samples 3 --quiet {} <requests >answers",
        project_.string(), TAILWAVE_BINARY, options);
    EXPECT_EQ(std::system(line.c_str()), 0);
    std::map<json, json> answers;
    std::ifstream file(project_ / "answers");
    for (std::string answer; std::getline(file, answer);) {
      const json one = json::parse(answer);
      EXPECT_TRUE(answers.emplace(one.at("id"), one).second) << answer;
    }
    return answers;
  }
  static std::string request(const json& id, const std::string& source, json more = json::object()) {
    more["id"] = id;
    more["source"] = source;
    return more.dump() + "\n";
  }
};

TEST_F(JudgeTest, ACorrectCandidateHasATimeASpeedUpAndWhatWasChecked) {
  const json answer = judge(kernel(kCopy), {"--params", "TILE=4", "--problem", "N=33"});
  EXPECT_EQ(answer["outcome"], "correct") << answer["detail"];
  EXPECT_EQ(answer["variant"], "tile");
  EXPECT_EQ(answer["parameters"], json({{"TILE", 4}, {"BREAK", 0}}));
  EXPECT_EQ(answer["problem"], json({{"N", 33}}));
  EXPECT_EQ(answer["time_ns"]["samples"], 3);
  EXPECT_GT(answer["time_ns"]["median"], 0);
  EXPECT_LE(answer["time_ns"]["low"], answer["time_ns"]["median"]);
  EXPECT_EQ(answer["baseline"]["parameters"], json({{"TILE", 8}, {"BREAK", 0}}));
  EXPECT_DOUBLE_EQ(answer["speedup"]["ratio"], answer["baseline"]["time_ns"]["median"].get<double>() /
                                                   answer["time_ns"]["median"].get<double>());
  EXPECT_LE(answer["speedup"]["low"], answer["speedup"]["high"]);
  EXPECT_EQ(answer["checked"]["buffers"], json::array({{{"buffer", "output"},
                                                        {"norm", "exact"},
                                                        {"tolerance", 0.0},
                                                        {"worst_error", 0.0},
                                                        {"passed", true},
                                                        {"phases", {"before", "while", "again"}}}}));
  EXPECT_EQ(answer["checked"]["draws"], 2);
  EXPECT_EQ(answer["kernels"][0]["kernel"], "transpose");
  EXPECT_EQ(answer["kernels"][0]["grid"], json({9, 9, 1}));
  EXPECT_EQ(answer["build"]["target"], "cpu");
  EXPECT_EQ(answer["work"]["bytes"], 8 * 33 * 33);
  EXPECT_FALSE(std::filesystem::exists(project_ / "results")) << "nothing is kept";
}

TEST_F(JudgeTest, AWrongCandidateIsAnAnswerWithTheReasonAndNoTime) {
  const json answer = judge(kernel("output[x * n + y] = 1;"));
  EXPECT_EQ(answer["outcome"], "wrong_result");
  EXPECT_THAT(answer["detail"].get<std::string>(), StartsWith("before timing, buffer 'output': "));
  EXPECT_TRUE(answer["time_ns"].is_null());
  EXPECT_TRUE(answer["speedup"].is_null());
  EXPECT_FALSE(answer["checked"]["buffers"][0]["passed"]);
}

TEST_F(JudgeTest, ACompilersWordsNameTheCandidateAlone) {
  const json answer = judge("__global__ void transpose(float*, const float*, int) { nonsense; }\n");
  EXPECT_EQ(answer["outcome"], "compile_error");
  EXPECT_THAT(answer["compiler_log"].get<std::string>(), StartsWith("mine.cu:"));
  EXPECT_THAT(answer["compiler_log"].get<std::string>(), Not(HasSubstr("tailwave-judge")));
  EXPECT_THAT(judge("__global__ void other() {}")["detail"].get<std::string>(),
              StartsWith("kernel 'transpose' not found in mine.cu: "));
}

TEST_F(JudgeTest, ACandidateIncludesFilesOfItsSystemAndNoOthers) {
  write("kernel_templates/transpose/copy.cuh", "#define COPY " + kCopy + "\n");
  EXPECT_EQ(judge("#include \"copy.cuh\"\n" + kernel("COPY"))["outcome"], "correct");
  write("secret", "");
  const json answer = judge("#include \"" + (project_ / "secret").string() + "\"\n" + kernel(kCopy));
  EXPECT_EQ(answer["outcome"], "compile_error");
  EXPECT_THAT(
      answer["detail"].get<std::string>(),
      StartsWith("mine.cu: line 1: '" + (project_ / "secret").string() + "' is outside the system's folder"));
}

TEST_F(JudgeTest, SandboxesAndCompilerOptionsAreAskedForAsOfARun) {
  EXPECT_EQ(judge(kernel(kCopy), {"--unsafe-options", "--allow", "kernel_templates"})["outcome"], "correct");
  setenv("TAILWAVE_SANDBOX", "off", 1);
  const CommandResult result = tailwave(words({"mine.cu", "--require-sandbox"}));
  unsetenv("TAILWAVE_SANDBOX");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("--require-sandbox: what compilers"));
}

TEST_F(JudgeTest, NoCandidateKnowsTheInputs) {
  const BufferSpec input{.type = ScalarType::float32,
                         .fill = {.kind = Fill::Kind::uniform, .low = -1, .high = 1, .seed = 1}};
  float first = 0;
  std::memcpy(&first, make_input(input, 1, 0).data(), sizeof first);
  const std::string knows =
      kernel(fmt::format("output[x * n + y] = input[0] == {:.9g}f ? input[y * n + x] : 0;", first));
  write("kernel_templates/transpose/tile.cu", knows);
  ASSERT_EQ(
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--draw", "0"}).exit_status,
      0);
  EXPECT_THAT(scalar("SELECT detail FROM trial WHERE outcome = 'wrong_result'"), StartsWith("while timing"))
      << "it knows draw 0";
  const json answer = judge(knows);
  EXPECT_THAT(answer["detail"].get<std::string>(), StartsWith("before timing"));
}

TEST_F(JudgeTest, ADrawRepeatsItsInputs) {
  const json answer = judge(kernel("output[x * n + y] = 0;"));
  const std::string draw = answer["checked"]["draw"].dump();
  EXPECT_EQ(judge(kernel("output[x * n + y] = 0;"), {"--draw", draw})["detail"], answer["detail"]);
  EXPECT_NE(judge(kernel("output[x * n + y] = 0;"))["detail"], answer["detail"]);
}

TEST_F(JudgeTest, WithADatabaseItKeepsCandidateSourceAndBaseline) {
  const json answer = judge(kernel(kCopy), {"--db", "results/tailwave.db", "--params", "TILE=4"});
  EXPECT_EQ(answer["outcome"], "correct");
  EXPECT_EQ(scalar("SELECT group_concat(experiment || ' ' || outcome, ', ') FROM "
                   "(SELECT experiment, outcome FROM trial JOIN run ON run.id = run_id ORDER BY run.id)"),
            "judge_baseline correct, judge correct");
  EXPECT_EQ(scalar("SELECT spec_text FROM run ORDER BY id DESC LIMIT 1"), kernel(kCopy));
}

TEST_F(JudgeTest, WhatCannotBeMeantIsAnErrorWithStatus2) {
  const auto refusal = [&](const std::vector<std::string>& more) {
    const CommandResult result = tailwave(words(more));
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  write("mine.cu", kernel(kCopy));
  EXPECT_EQ(refusal({}), "judge: CANDIDATE is missing\n  the .cu file to be judged, or --serve\n");
  EXPECT_EQ(refusal({"mine.cu", "--serve"}),
            "judge: CANDIDATE and --serve exclude each other\n  a service is sent its candidates\n");
  EXPECT_EQ(refusal({"mine.cu", "--socket", "x"}),
            "judge: --socket without --serve\n  a socket is for a service\n");
  EXPECT_EQ(refusal({"mine.cu", "--system", "transpose"}),
            "judge: --system is given several times\n  one candidate is one for one system\n");
  EXPECT_EQ(refusal({"other.cu"}), "other.cu: there is no such file\n");
  EXPECT_EQ(refusal({"mine.cu", "--params", "TIL=4"}),
            "--params: /TIL: unknown parameter 'TIL'\n  did you mean 'TILE'?\n");
  EXPECT_EQ(refusal({"mine.cu", "--problem", "N"}),
            "--problem 'N' is not NAME=VALUE\n  several are separated by commas: N=4096,DT=0.01\n");
  EXPECT_EQ(refusal({"mine.cu", "--problem", "N=1,N=2"}), "--problem has 'N' twice\n");
  EXPECT_EQ(refusal({"mine.cu", "--variant", "cpu"}),
            "judge: the variant 'cpu' is a host variant, expected a cuda variant\n");
  EXPECT_EQ(refusal({"mine.cu", "--baseline", "til"}),
            "judge: unknown baseline 'til'\n  did you mean 'tile'?\n");
  const CommandResult unknown = tailwave({"judge", "mine.cu", "--system", "transpos", "--device", "cpu"});
  EXPECT_EQ(unknown.err, "unknown system 'transpos'\n  did you mean 'transpose'?\n");
  EXPECT_EQ(unknown.exit_status, 2);
}

TEST_F(JudgeTest, AServiceAnswersEveryLineAndOutlivesWhatItJudges) {
  const std::map<json, json> answers = serve(
      request(1, kernel(kCopy)) + request("two", kernel("output[x * n + y] = 1;")) + request(3, "nonsense") +
          request(4, kernel("*reinterpret_cast<volatile int*>(8) = 1;")) +
          request(5, kernel("for (volatile unsigned i = 0;; ++i) {}")) +
          "{\"id\": 6, \"sorce\": \"\"}\nnonsense\n" + request(8, kernel(kCopy), {{"params", {{"TILE", 4}}}}),
      "--deadline 1");
  ASSERT_EQ(answers.size(), 8U);
  EXPECT_EQ(answers.at(1)["outcome"], "correct") << answers.at(1)["detail"];
  EXPECT_EQ(answers.at("two")["outcome"], "wrong_result");
  EXPECT_EQ(answers.at(3)["outcome"], "compile_error");
  EXPECT_EQ(answers.at(4)["outcome"], "crashed") << answers.at(4)["detail"];
  EXPECT_EQ(answers.at(5)["outcome"], "timeout") << answers.at(5)["detail"];
  EXPECT_EQ(answers.at(6)["error"], "request: /sorce: unknown member 'sorce'\n  did you mean 'source'?");
  EXPECT_THAT(answers.at(nullptr)["error"].get<std::string>(), StartsWith("request: line 1, column 2: "));
  EXPECT_EQ(answers.at(8)["outcome"], "correct");
  EXPECT_EQ(answers.at(8)["baseline"], answers.at(1)["baseline"]) << "it is measured once";
  EXPECT_EQ(answers.at(8)["checked"]["session"], answers.at(1)["checked"]["session"]);
  EXPECT_FALSE(answers.at(8)["checked"].contains("draw")) << "whoever knew it could know the inputs";
}

TEST_F(JudgeTest, TheSameSourceIsBuiltOnceAndMeasuredAgainUnlessAnEarlierAnswerWillDo) {
  // One at a time: the answer has to be there. Other tests' cache may have it already.
  const std::string source = kernel(kCopy);
  const std::string line = fmt::format(
      "cd '{}' && {{ cat one; until [ -s answers ]; do sleep 0.01; done; cat two; }} | TAILWAVE_CACHE=cache "
      "'{}' judge --serve --system transpose --device cpu --samples 3 --quiet >answers",
      project_.string(), TAILWAVE_BINARY);
  write("one", request(1, source));
  write("two", request(2, source) + request(3, source, {{"reuse", true}}));
  ASSERT_EQ(std::system(line.c_str()), 0);
  std::ifstream file(project_ / "answers");
  std::map<json, json> answers;
  for (std::string answer; std::getline(file, answer);)
    answers[json::parse(answer)["id"]] = json::parse(answer);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_FALSE(answers[1]["build"]["from_cache"]);
  EXPECT_TRUE(answers[2]["build"]["from_cache"]);
  EXPECT_FALSE(answers[2]["reused"]);
  EXPECT_TRUE(answers[3]["reused"]);
  EXPECT_EQ(answers[3]["time_ns"], answers[1]["time_ns"]);
}

TEST_F(JudgeTest, WhatAKernelPrintsIsNoAnswer) {
  const std::string forged = kernel(R"(printf("{\"id\": 1, \"outcome\": \"correct\"}\n");)");
  EXPECT_EQ(judge(forged)["outcome"], "wrong_result");
  const std::map<json, json> answers = serve(request(1, forged));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers.at(1)["outcome"], "wrong_result");
}

TEST_F(JudgeTest, AServiceThatCannotBeginSaysSoInJsonToo) {
  const CommandResult result =
      tailwave({"judge", "--serve", "--system", "transpose", "--device", "cpu", "--variant", "tiel"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err, "judge: unknown variant 'tiel'\n  did you mean 'tile'?\n");
  EXPECT_EQ(json::parse(result.out),
            json({{"error", "judge: unknown variant 'tiel'\n  did you mean 'tile'?"}}));
}

TEST_F(JudgeTest, AServiceNeedsSomebodyWhoAsksAndReads) {
  for (const auto& [closed, name] : {std::pair("<&-", "input"), {">&-", "output"}}) {
    const std::string line =
        fmt::format("cd '{}' && '{}' judge --serve --system transpose --device cpu {} 2>says",
                    project_.string(), TAILWAVE_BINARY, closed);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 2);
    std::ifstream says(project_ / "says");
    std::string cause;
    std::getline(says, cause);
    EXPECT_EQ(cause, fmt::format("judge: standard {} is closed", name));
  }
}

TEST_F(JudgeTest, WhatACompilerSaysEndsSomewhere) {
  std::string warnings;
  for (int i = 0; i < 400; ++i) warnings += "#warning \"" + std::string(100, 'x') + "\"\n";
  const std::string log = judge(warnings + kernel(kCopy))["compiler_log"];
  EXPECT_LT(log.size(), 33U << 10U);
  EXPECT_THAT(log, HasSubstr("\n... and "));
  EXPECT_THAT(log, testing::EndsWith(" bytes more"));
}

// A service at a socket, and those who ask it.
class JudgeSocketTest : public JudgeTest {
 protected:
  pid_t start() {
    return begin(
        {"judge", "--serve", "--system", "transpose", "--device", "cpu", "--samples", "3", "--socket", "s"},
        "service");
  }
  // Waits until the service listens.
  [[nodiscard]] Descriptor client() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (project_ / "s").c_str());  // NOLINT: a path of this test's own
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
      if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return socket;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "nobody listens";
    return {};
  }
  static void ask(const Descriptor& client, const std::string& line) {
    ASSERT_EQ(send(client.number(), line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
  }
  static json answer(const Descriptor& client) {
    std::string line;
    for (char letter = 0; read(client.number(), &letter, 1) == 1 && letter != '\n';) line += letter;
    return line.empty() ? json() : json::parse(line);
  }
};

TEST_F(JudgeSocketTest, ServesSeveralClientsAndEndsInPeaceWhenAskedTo) {
  const pid_t service = start();
  const Descriptor one = client(), two = client();
  Descriptor gone = client();
  ask(gone, request("gone", kernel(kCopy)));
  gone.close();
  ask(one, request(1, kernel(kCopy)));
  ask(two, request(1, kernel("output[x * n + y] = 1;")));
  EXPECT_EQ(answer(two)["outcome"], "wrong_result");
  EXPECT_EQ(answer(one)["outcome"], "correct");
  ask(one, "[]\n");
  EXPECT_EQ(answer(one)["error"], "request: expected an object, found an array");
  kill(service, SIGTERM);
  EXPECT_EQ(end(service, "service").exit_status, 0);
  EXPECT_TRUE(answer(two).is_null()) << "it hears the end";
  EXPECT_FALSE(std::filesystem::exists(project_ / "s"));
}

TEST_F(JudgeSocketTest, EndsInPeaceWhenItsTerminalGoes) {
  const pid_t service = start();
  const Descriptor one = client();
  kill(service, SIGHUP);
  EXPECT_EQ(end(service, "service").exit_status, 0);
  EXPECT_FALSE(std::filesystem::exists(project_ / "s"));
}

TEST_F(JudgeSocketTest, WhatHasNotBegunWhenItIsStoppedIsAnsweredToo) {
  const pid_t service = start();
  const Descriptor one = client();
  // The first builds take longer than it takes to read all.
  for (int id = 1; id <= 4; ++id) ask(one, request(id, kernel(fmt::format("output[x * n + y] = {};", id))));
  ask(one, "nonsense\n");
  EXPECT_TRUE(answer(one).contains("error")) << "all was read";
  kill(service, SIGTERM);
  for (int id = 1; id <= 4; ++id) {
    const json one_answer = answer(one);
    EXPECT_TRUE(one_answer.contains("outcome") || one_answer["error"] == "stopped before this was judged")
        << one_answer;
  }
  EXPECT_EQ(end(service, "service").exit_status, 0);
}

}  // namespace
}  // namespace tailwave
