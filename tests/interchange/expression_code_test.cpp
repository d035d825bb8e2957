#include "interchange/expression_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "fakes/run_cpp.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

const NameCodes kNames{{"N", {"n"}}, {"BLOCK", {"block"}}, {"ORDER", {"order", true}}};

std::string number(const std::string& text) {
  return number_code(Expression::parse(text), kNames).value_or("none");
}
std::string truth(const std::string& text) {
  return truth_code(Expression::parse(text), kNames).value_or("none");
}

TEST(ExpressionCode, IsWhatCppSaysForIt) {
  EXPECT_EQ(number("ceil_div(N, BLOCK) * 4"), "(ceil_div(known, n, block) * 4.0)");
  EXPECT_EQ(number("N // 2 if N > 8 else -N"), "((n > 8.0) ? floor_divide(known, n, 2.0) : (-n))");
  EXPECT_EQ(number("max(1, N, 2 ** BLOCK)"), "std::max(std::max(1.0, n), std::pow(2.0, block))");
  EXPECT_EQ(truth("32 <= BLOCK <= N"), "((32.0 <= block) && (block <= n))");
  EXPECT_EQ(truth("ORDER == 'rows' and not N"), "((order == std::string_view(\"rows\")) && !(n != 0))");
  EXPECT_EQ(truth("N not in [1, 2] or ORDER"), "(!((n == 1.0) || (n == 2.0)) || !order.empty())");
}

TEST(ExpressionCode, HasNoneForWhatItCannotSay) {
  for (const char* text : {"M", "ORDER", "'rows'", "round(N)", "gcd(N, 2)", "log2(N)", "max([1, N])",
                           "sum([N, 1])", "N or 1", "[1, 2][N]", "N + ORDER"})
    EXPECT_EQ(number(text), "none") << text;
  for (const char* text : {"M > 1", "N == ORDER", "N in range(4)", "1 in [N] in [1]", "any([N > 1])"})
    EXPECT_EQ(truth(text), "none") << text;
}

// An expression with values of its names.
struct Case {
  Expression expression;
  Values scope;
  bool is_condition;
};

NameCodes literals(const Values& scope) {
  NameCodes names;
  for (const auto& [name, value] : scope) {
    const bool is_text = std::holds_alternative<std::string>(value);
    names[name] = {
        is_text ? "std::string_view(\"" + to_string(value) + "\")" : to_define(Value(to_double(value))),
        is_text};
  }
  return names;
}

// The grids and `requires` of all manifests of this repository, with several sizes.
std::vector<Case> cases_of_manifests() {
  std::vector<Case> cases;
  for (const auto& file : find_manifests(TAILWAVE_SOURCE_DIR)) {
    Diagnostics wrong;
    const std::optional<System> system = load_system(file, wrong);
    for (const VariantSpec& variant : system->variants) {
      for (const std::int64_t size : {1, 37, 1000, 4096, 65'537}) {
        Values scope = default_scope(*system, variant);
        for (const auto& [quantity, of] : system->problem)
          if (std::holds_alternative<std::int64_t>(of.default_value)) scope[quantity] = size;
        if (variant.domain) cases.push_back({*variant.domain, scope, true});
        for (const LaunchSpec& launch : variant.launches)
          if (launch.is_kernel())
            for (const Expression& grid : launch.grid) cases.push_back({grid, scope, false});
      }
    }
  }
  return cases;
}

TEST(ExpressionCode, HasTheValuesOfTheExpressionsInTheManifests) {
  std::string calls, expected;
  std::set<std::string> written;
  std::size_t without_code = 0;
  for (const Case& one : cases_of_manifests()) {
    const NameCodes names = literals(one.scope);
    const auto code =
        one.is_condition ? truth_code(one.expression, names) : number_code(one.expression, names);
    if (!code) ++without_code;
    if (!code || !written.insert(*code).second) continue;
    try {
      constexpr double kExact = 9007199254740992;  // 2^53, above which the code knows no whole number
      const double value = one.is_condition ? double(one.expression.evaluate_bool(one.scope))
                                            : one.expression.evaluate_double(one.scope);
      if (value > kExact) continue;
      expected += fmt::format("{:.17g}\n", value);
    } catch (const ExpressionError&) {
      continue;
    }
    calls += fmt::format("  std::printf(\"%.17g\\n\", static_cast<double>({}));\n", *code);
  }
  EXPECT_GT(written.size(), 300U);
  EXPECT_LT(without_code, written.size() / 20);
  const ScratchFolder folder;
  EXPECT_EQ(
      run_cpp(folder,
              "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <string_view>\n" +
                  std::string(kExpressionFunctions) + "int main() {\n  bool known = true;\n" + calls + "}\n",
              "-Wno-unused-function -Wno-unused-variable -Wno-tautological-compare"),
      expected);
}

TEST(ExpressionCode, RoundsAsPythonDoesAndHasNothingForWhatHasNoValue) {
  std::string calls, expected;
  for (const auto& [code, value] : std::vector<std::pair<std::string, std::optional<double>>>{
           {"floor_divide(known, -7, 2)", -4},
           {"floor_divide(known, 7, -2)", -4},
           {"modulo(known, -7, 2)", 1},
           {"modulo(known, 7, -2)", -1},
           {"ceil_div(known, -7, 2)", -3},
           {"ceil_div(known, 8, 2)", 4},
           {"floor_divide(known, 9007199254740991, 3)", 3002399751580330},
           {"pow2(known, 10)", 1024},
           {"is_pow2(1024)", 1},
           {"is_pow2(1023)", 0},
           {"is_pow2(0)", 0},
           {"divide(known, 1, 0)", std::nullopt},
           {"modulo(known, 1, 0)", std::nullopt},
           {"ceil_div(known, 1, 0)", std::nullopt},
           {"modulo(known, 1e17, 3)", std::nullopt},
           {"pow2(known, 63)", std::nullopt}}) {
    calls += fmt::format(
        "  {{\n    bool known = true;\n    const double value = {};\n"
        "    known ? std::printf(\"%.17g\\n\", value) : std::puts(\"nothing\");\n  }}\n",
        code);
    expected += value ? fmt::format("{:.17g}\n", *value) : "nothing\n";
  }
  const ScratchFolder folder;
  EXPECT_EQ(
      run_cpp(folder, "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <string_view>\n" +
                          std::string(kExpressionFunctions) + "int main() {\n" + calls + "}\n"),
      expected);
}

}  // namespace
}  // namespace tailwave
