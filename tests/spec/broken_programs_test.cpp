// Broken variants that are programs of the user's own, each with exactly what is reported.
#include <memory>
#include <vector>

#include "spec/broken_spec.h"

namespace tailwave {
namespace {

constexpr const char* kFirstVariant = "\"cpu\": {\"target\"";

// A manifest with one more variant, `own`, of these members.
Break broken_program(const char* what, const std::string& members, const char* message) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(
      std::make_unique<std::string>("\"own\": {\"source\": \"cpu.cpp\", " + members + "}, " + kFirstVariant));
  return {what, kManifest, kFirstVariant, kept.back()->c_str(), message};
}

// A manifest with a program and these metrics.
Break broken_reports(const char* what, const std::string& metrics, const char* message) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>(
      "\"metrics\": {" + metrics +
      R"(}, "variants": {"own": {"source": "cpu.cpp", "target": "program", "launches": [{"command": ["{program}"]}]},)"));
  return {what, kManifest, "\"variants\": {", kept.back()->c_str(), message};
}

INSTANTIATE_TEST_SUITE_P(
    Program, BrokenSpec,
    testing::Values(
        broken_program("IsNotNamed",
                       R"("target": "program", "launches": [{"command": ["python3", "{cells}"]}])",
                       "/variants/own/launches/0/command: the command does not name {program}\n"
                       "  it is the variant's source, or what 'build' makes of it: [\"{program}\", ...] or "
                       "[\"python3\", \"{program}\", ...]"),
        broken_program("HasNoCommand", R"("target": "reporting_program", "launches": [{"when": "N > 1"}])",
                       "/variants/own/launches/0: missing key 'command'"),
        broken_program("NamesWhatIsNotThere",
                       R"("target": "program", "launches": [{"command": ["{program}", "--n={SIZE}"]}])",
                       "/variants/own/launches/0/command/1: unknown parameter 'SIZE'\n"
                       "  SIZE\n"
                       "  ^ one of 'DT', 'N'"),
        broken_program("LacksABrace",
                       R"("target": "program", "launches": [{"command": ["{program}", "{N"]}])",
                       "/variants/own/launches/0/command/1: a '{' without its other brace in '{N'\n"
                       "  a brace of the command's own is written twice: '{{' or '}}'"),
        broken_program("HasAnEmptyWord",
                       R"("target": "program", "launches": [{"command": ["{program}", ""]}])",
                       "/variants/own/launches/0/command/1: an empty word in a command"),
        broken_program("HasArguments",
                       R"("target": "program", "launches": [{"command": ["{program}"], "args": ["cells"]}])",
                       "/variants/own/launches/0/args: 'args' has no meaning for a program\n"
                       "  it gets what it needs in its 'command'"),
        broken_program("DividesByZero",
                       R"("target": "program", "launches": [{"command": ["{program}", "{N % 0}"]}])",
                       "/variants/own/launches/0/command/1: '%' by zero\n"
                       "  N % 0\n"
                       "    ^ with the defaults N = 64"),
        broken_program(
            "HasOptions",
            R"("target": "program", "options": {"-O3": true}, "launches": [{"command": ["{program}"]}])",
            "/variants/own/options: 'options' has no meaning for a program\n"
            "  its compiler gets what the words of 'build' say"),
        broken_program("HasKernels",
                       R"("target": "program", "main": ["k"], "launches": [{"command": ["{program}"]}])",
                       "/variants/own/main: a program has no kernels"),
        broken_program("HasProcessingElements",
                       R"("target": "program", "pes": 2, "launches": [{"command": ["{program}"]}])",
                       "/variants/own/pes: 'pes' has no meaning in a program\n"
                       "  a processing element is a process with a GPU of its own"),
        broken_program("HasKnownRaces",
                       R"("target": "program", "known_races": "x", "launches": [{"command": ["{program}"]}])",
                       "/variants/own/known_races: a program is not looked into for races"),
        broken_program(
            "IsBuiltIntoNothing",
            R"("target": "program", "build": ["cc", "{source}"], "launches": [{"command": ["{program}"]}])",
            "/variants/own/build: the command does not name {program}\n"
            "  it is the file that the command is to make"),
        broken_program(
            "TakesABufferToBeBuilt",
            R"("target": "program", "build": ["cc", "{cells}", "{program}"], "launches": [{"command": ["{program}"]}])",
            "/variants/own/build/1: unknown parameter 'cells'\n"
            "  cells\n"
            "  ^ one of 'DT', 'N'"),
        broken_program(
            "HasAParameterOfThatName",
            R"("target": "program", "parameters": {"program": 1}, "launches": [{"command": ["{program}"]}])",
            "/variants/own: 'program' is a word of commands and a parameter, problem quantity or buffer, too"),
        Break{"MetricsOfNoProgram", kManifest, "\"variants\": {",
              R"("metrics": {"steps": {"goal": "min"}}, "variants": {)",
              "/metrics: no variant is a program, which could report metrics\n"
              "  metrics of kernels stand in the experiment: docs/specs.md#metrics"},
        broken_reports("MetricCalledLikeTheTime", R"("time": {"goal": "min"})",
                       "/metrics/time: the name 'time' is what is measured"),
        broken_reports("MetricCalledLikeAQuantity", R"("N": {"goal": "min"})",
                       "/metrics/N: the name 'N' is a parameter or problem quantity, too"),
        broken_reports("MetricCalledLikeWork", R"("flop": {"goal": "min"})",
                       "/metrics/flop: the name 'flop' is of the manifest's work, too"),
        broken_reports(
            "MetricThatIsNoName", R"("a-b": {"goal": "min"})",
            "/metrics/a-b: the name 'a-b' is no identifier (letters, digits and '_', no digit first)"),
        broken_reports("MetricWithoutAGoal", R"("steps": {"unit": "1"})",
                       "/metrics/steps: missing key 'goal'\n  which end is best"),
        broken_reports("MetricWhoseUnitHasTwoLines", R"("steps": {"goal": "max", "unit": "a\nb"})",
                       "/metrics/steps/unit: the text has a line break or another control character"),
        Break{
            "IsTheReference", kManifest,
            "\"target\": \"host\", \"source\": \"cpu.cpp\", \"description\": \"serial\",\n"
            "      \"launches\": [{\"function\": \"step\", \"args\": [\"cells\", \"DT\", \"N\"]}]",
            "\"target\": \"program\", \"source\": \"cpu.cpp\", \"launches\": [{\"command\": [\"{program}\", "
            "\"{cells}\"]}]",
            "/reference/variant: the reference 'cpu' is a program\n"
            "  what is right is told by a host or cuda variant, whose source tailwave compiles itself"},
        Break{"HasAFunction", kManifest, "[{\"function\": \"step\", \"args\"",
              "[{\"command\": [\"{program}\"], \"function\": \"step\", \"args\"",
              "/variants/cpu/launches/0/command: 'command' has no meaning in a host variant\n"
              "  it is what a variant with \"target\": \"program\" runs"},
        Break{"OfAnotherVariantIsBuilt", kManifest, "\"description\": \"serial\"",
              "\"build\": [\"cc\", \"{program}\"]",
              "/variants/cpu/build: 'build' has no meaning in a host variant\n"
              "  tailwave compiles it; 'options' are what its compiler gets"}),
    name_of);

}  // namespace
}  // namespace tailwave
