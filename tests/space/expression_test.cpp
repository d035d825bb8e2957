#include "space/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>

namespace tailwave {
namespace {

using testing::ElementsAre;

const Values kScope{{"BLOCK_SIZE", std::int64_t{128}},
                    {"DT", 0.25},
                    {"FAST_MATH", true},
                    {"N", std::int64_t{4096}},
                    {"NEGATIVE", std::int64_t{-7}},
                    {"TRIG", std::string("sincos")},
                    {"ZERO", std::int64_t{0}}};

Value evaluate(const std::string& text) {
  return Expression::parse(text).evaluate(kScope);
}

// "cause" or "cause | column | hint".
std::string error_of(const std::string& text) {
  try {
    const Value value = evaluate(text);
    return "no error: " + to_string(value);
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.text, text);
    return std::string(error.what()) + " | " + std::to_string(error.column) + " | " + error.hint;
  }
}

class Computes : public testing::TestWithParam<std::tuple<const char*, Value>> {};

TEST_P(Computes, WhatPythonComputes) {
  const auto& [text, expected] = GetParam();
  EXPECT_EQ(evaluate(text), expected) << text;
}

Value whole(std::int64_t value) {
  return value;
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Computes,
    testing::Values(std::tuple("2 + 3 * 4", whole(14)), std::tuple("(2 + 3) * 4", whole(20)),
                    std::tuple("10 - 4 - 3", whole(3)), std::tuple("7 // 2", whole(3)),
                    std::tuple("NEGATIVE // 2", whole(-4)), std::tuple("7 // -2", whole(-4)),
                    std::tuple("NEGATIVE % 3", whole(2)), std::tuple("7 % -3", whole(-2)),
                    std::tuple("-8 // 4", whole(-2)), std::tuple("7 / 2", Value(3.5)),
                    std::tuple("8 / 2", Value(4.0)), std::tuple("7.5 // 2", Value(3.0)),
                    std::tuple("-7.5 // 2", Value(-4.0)), std::tuple("-7.5 % 2", Value(0.5)),
                    std::tuple("2 ** 10", whole(1024)), std::tuple("2 ** 3 ** 2", whole(512)),
                    std::tuple("-2 ** 2", whole(-4)), std::tuple("(-1) ** 99999999999", whole(-1)),
                    std::tuple("0 ** 0", whole(1)), std::tuple("2 ** -1", Value(0.5)),
                    std::tuple("2.0 ** 0.5 > 1.41", Value(true)), std::tuple("FAST_MATH + 1", whole(2)),
                    std::tuple("-FAST_MATH", whole(-1)), std::tuple("+FAST_MATH", whole(1)),
                    std::tuple("--3", whole(3)), std::tuple("1e3", Value(1000.0)),
                    std::tuple(".5 + 1.", Value(1.5)), std::tuple("N * DT", Value(1024.0)),
                    std::tuple("9007199254740993 + 0", whole(9007199254740993)),
                    std::tuple("NEGATIVE % -1", whole(0)), std::tuple("NEGATIVE // -1", whole(7))));

INSTANTIATE_TEST_SUITE_P(
    Logic, Computes,
    testing::Values(std::tuple("1 < 2 < 3", Value(true)), std::tuple("1 < 3 < 2", Value(false)),
                    std::tuple("32 <= BLOCK_SIZE <= 1024 != 3", Value(true)),
                    std::tuple("1 == 1.0", Value(true)), std::tuple("true == 1", Value(true)),
                    std::tuple("9007199254740993 == 9007199254740992.0", Value(false)),
                    std::tuple("9007199254740993 > 9007199254740992.0", Value(true)),
                    std::tuple("9007199254740992.0 < 9007199254740993", Value(true)),
                    std::tuple("1e300 > N", Value(true)), std::tuple("-1e300 < N", Value(true)),
                    std::tuple("-0.5 < 0", Value(true)), std::tuple("TRIG == 'sincos'", Value(true)),
                    std::tuple("TRIG == 1", Value(false)), std::tuple("TRIG != 1", Value(true)),
                    std::tuple("TRIG < \"table\"", Value(true)), std::tuple("0 or 5", whole(5)),
                    std::tuple("3 or 5", whole(3)), std::tuple("3 and 5", whole(5)),
                    std::tuple("0 and 5", whole(0)), std::tuple("'' or TRIG", Value(std::string("sincos"))),
                    std::tuple("not 0", Value(true)), std::tuple("not not 2", Value(true)),
                    std::tuple("not 1 == 2", Value(true)), std::tuple("1 or 0 and 0", whole(1)),
                    std::tuple("1 if FAST_MATH else 2", whole(1)),
                    std::tuple("1 if 0 else 2 if 0 else 3", whole(3)),
                    std::tuple("True and not False", Value(true))));

INSTANTIATE_TEST_SUITE_P(
    OfLists, Computes,
    testing::Values(std::tuple("N in [1, 4096]", Value(true)), std::tuple("N in (1, 2)", Value(false)),
                    std::tuple("N not in [1, 2]", Value(true)), std::tuple("not N in [1, 2]", Value(true)),
                    std::tuple("1 in [True]", Value(true)), std::tuple("2 in [2.0]", Value(true)),
                    std::tuple("TRIG in ['table', 'sincos']", Value(true)),
                    std::tuple("BLOCK_SIZE in range(0, 256, 32)", Value(true)),
                    std::tuple("N in () or 3", whole(3)), std::tuple("0 < 1 in [1]", Value(true)),
                    std::tuple("max([3, N, 5])", whole(4096)), std::tuple("min((3, 1.5))", Value(1.5)),
                    std::tuple("sum([1, 2, 0.5])", Value(3.5)), std::tuple("len([])", whole(0)),
                    std::tuple("sum(x * x for x in range(1, 4))", whole(14)),
                    std::tuple("any([N > 1, N // ZERO > 1] if ZERO else [True])", Value(true)),
                    std::tuple("all(x % 2 == 0 for x in [2, 3])", Value(false)),
                    std::tuple("[1, 2, 3][-1]", whole(3)), std::tuple("sorted([3, 1, 2])[0]", whole(1)),
                    std::tuple("len([1, 2] * 3 + list((4,)))", whole(7)),
                    std::tuple("len([a * b for a in [1, 2] for b in range(a) if b])", whole(1)),
                    std::tuple("sum([x for x in [x + N for x in [1]]])", whole(4097)),
                    std::tuple("1 if [] else 2", whole(2))));

TEST(Expression, MakesListsAsPythonDoes) {
  const auto list = [](const char* text) {
    std::string shown;
    for (const Value& value : Expression::parse_list(text).evaluate_list())
      shown += (shown.empty() ? "" : " ") + to_string(value);
    return shown;
  };
  EXPECT_EQ(list("[1, 2, 4]"), "1 2 4");
  EXPECT_EQ(list("range(3)"), "0 1 2");
  EXPECT_EQ(list("list(range(8, 2, -3))"), "8 5");
  EXPECT_EQ(list("[x*2 for x in range(1,9) if x % 2 == 0]"), "4 8 12 16");
  EXPECT_EQ(list("[2**i for i in range(3)] + [16] * 2"), "1 2 4 16 16");
  EXPECT_EQ(list("(1, 2.5)"), "1 2.5");
  EXPECT_EQ(list("1, 2,"), "1 2");
  EXPECT_EQ(list("['a', \"b\"]"), "a b");
  EXPECT_EQ(list("[True, False,]"), "true false");
  EXPECT_THROW(list("[[1], 2]"), ExpressionError);
  EXPECT_THROW(list("3"), ExpressionError);
}

TEST(Expression, TakesNamesThatMeanLists) {
  const Lists lists{{"width", {std::int64_t{3}, std::int64_t{15}}},
                    {"size", {std::int64_t{64}, std::int64_t{32}}}};
  EXPECT_EQ(Expression::parse("(size[0] + max(width) - 1) * size[1]").evaluate(lists), whole(2496));
  EXPECT_EQ(Expression::parse("width + size").evaluate_list(lists).size(), 4);
  EXPECT_THAT(Expression::parse("[w for w in width]").names(), ElementsAre("width"));
  EXPECT_THROW((void)Expression::parse("widht[0]").evaluate(lists), ExpressionError);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Computes,
    testing::Values(std::tuple("min(3, 1, 2)", whole(1)), std::tuple("max(3, 1.5, 2, 2, 2)", whole(3)),
                    std::tuple("abs(NEGATIVE)", whole(7)), std::tuple("abs(-0.5)", Value(0.5)),
                    std::tuple("abs(true)", whole(1)), std::tuple("ceil_div(N + 1, BLOCK_SIZE)", whole(33)),
                    std::tuple("ceil_div(N, BLOCK_SIZE)", whole(32)),
                    std::tuple("ceil_div(-7, 2)", whole(-3)), std::tuple("ceil_div(7, -2)", whole(-3)),
                    std::tuple("ceil_div(5, -1)", whole(-5)), std::tuple("ceil_div(4.0, 2)", whole(2)),
                    std::tuple("pow2(5)", whole(32)), std::tuple("is_pow2(64)", Value(true)),
                    std::tuple("is_pow2(63)", Value(false)), std::tuple("is_pow2(0)", Value(false)),
                    std::tuple("log2(8)", Value(3.0)), std::tuple("gcd(12, -18)", whole(6)),
                    std::tuple("sqrt(16)", Value(4.0)), std::tuple("floor(-1.5)", whole(-2)),
                    std::tuple("ceil(-1.5)", whole(-1)), std::tuple("round(2.5)", whole(2)),
                    std::tuple("round(3.5)", whole(4)), std::tuple("round(-0.4)", whole(0)),
                    std::tuple("int(-1.9)", whole(-1)), std::tuple("int(true)", whole(1)),
                    std::tuple("float(3)", Value(3.0))));

TEST(Expression, SkipsWhatPythonSkips) {
  EXPECT_EQ(evaluate("ZERO == 0 or N // ZERO > 1"), Value(true));
  EXPECT_EQ(evaluate("ZERO != 0 and N % ZERO == 0"), Value(false));
  EXPECT_EQ(evaluate("1 > 2 < N // ZERO"), Value(false));
  EXPECT_EQ(evaluate("N if ZERO == 0 else N // ZERO"), Value(std::int64_t{4096}));
}

TEST(Expression, KnowsItsNamesAndWhereTheyAre) {
  const Expression expression = Expression::parse("ceil_div(N, BLOCK_SIZE) * N + 'N'");
  EXPECT_THAT(expression.names(), ElementsAre("N", "BLOCK_SIZE"));
  EXPECT_EQ(expression.column_of("BLOCK_SIZE"), 12);
  EXPECT_EQ(expression.column_of("M"), -1);
}

TEST(Expression, EvaluatesValuesInTheOrderOfItsNames) {
  const std::vector<Value> values{std::int64_t{3}, 0.5};
  EXPECT_EQ(Expression::parse("b * a").evaluate(std::span<const Value>(values)), Value(1.5));
}

TEST(Expression, TakesMoreNamesThanItKeepsOnTheStack) {
  std::string text;
  Values scope;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "p" + std::to_string(i);
    text += (i == 0 ? "" : " + ") + name;
    scope.emplace(name, std::int64_t{i});
  }
  EXPECT_EQ(Expression::parse(text).evaluate_int(scope), 780);
}

TEST(Expression, ConvertsItsResult) {
  EXPECT_EQ(Expression::parse("N / 2").evaluate_int(kScope), 2048);
  EXPECT_EQ(Expression::parse("FAST_MATH").evaluate_int(kScope), 1);
  EXPECT_EQ(Expression::parse("N").evaluate_double(kScope), 4096.0);
  EXPECT_TRUE(Expression::parse("TRIG").evaluate_bool(kScope));
  EXPECT_FALSE(Expression::parse("''").evaluate_bool(kScope));
}

TEST(Expression, RefusesAResultOfAnotherKind) {
  try {
    (void)Expression::parse("DT * 10").evaluate_int(kScope);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "expected a whole number, found 2.5");
  }
  try {
    (void)Expression::parse("TRIG").evaluate_double(kScope);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "expected a number, found 'sincos'");
  }
}

TEST(Expression, IsAConstantWhenMadeFromAValueOrFromNothing) {
  EXPECT_EQ(Expression::constant(0.5).evaluate(Values{}), Value(0.5));
  EXPECT_EQ(Expression::constant(0.5).text(), "0.5");
  EXPECT_EQ(Expression::constant(std::string("a b")).text(), "'a b'");
  EXPECT_EQ(Expression().evaluate(Values{}), Value(std::int64_t{0}));
}

TEST(Expression, SubstitutesExpressionsForNames) {
  const Expression expression = Expression::parse("20 * pairs + min(pairs, pairs_2, 'pairs')");
  const Expression result = expression.substitute({{"pairs", Expression::parse("N + 1")}});
  EXPECT_EQ(result.text(), "20 * (N + 1) + min((N + 1), pairs_2, 'pairs')");
  EXPECT_THAT(result.names(), ElementsAre("N", "pairs_2"));
}

class Explains : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Explains, WhatIsWrongAndWhere) {
  const auto& [text, expected] = GetParam();
  EXPECT_EQ(error_of(text), expected) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, Explains,
    testing::Values(
        std::tuple("", "the expression is empty | 0 | "), std::tuple("  ", "the expression is empty | 0 | "),
        std::tuple("(N + 1", "expected ')', found the end | 6 | "),
        std::tuple("N + ", "expected a value, found the end | 4 | "),
        std::tuple("N 2", "expected an operator, found '2' | 2 | "),
        std::tuple("4N", "expected an operator, found 'N' | 1 | "),
        std::tuple("N < and", "expected a value, found 'and' | 4 | "),
        std::tuple("1 if N", "expected 'else', found the end | 6 | "),
        std::tuple("min(1, 2", "expected ',' or ')', found the end | 8 | "),
        std::tuple("min()", "'min' takes 1 or more arguments, found 0 | 0 | "),
        std::tuple("range()", "'range' takes 1 to 3 arguments, found 0 | 0 | "),
        std::tuple("N in [1, 2", "expected ',' or ']', found the end | 10 | "),
        std::tuple("max([x for x in [1] 2])", "expected ']', found '2' | 20 | "),
        std::tuple("max([x for 2 in [1]])", "expected a name, found '2' | 11 | "),
        std::tuple("max([x 2 for x in [1]])", "expected 'for', found '2' | 7 | "),
        std::tuple("N not 2", "expected an operator, found 'not' | 2 | "),
        std::tuple("1 + abs()", "'abs' takes 1 argument, found 0 | 4 | "),
        std::tuple("ceil_div(N)", "'ceil_div' takes 2 arguments, found 1 | 0 | "),
        std::tuple("cel_div(N, 2)", "unknown function 'cel_div' | 0 | did you mean 'ceil_div'?"),
        std::tuple("2 * wavefront(N)", "unknown function 'wavefront' | 4 | "),
        std::tuple("N && 1", "unexpected '&&' | 2 | write 'and'"),
        std::tuple("N || 1", "unexpected '||' | 2 | write 'or'"),
        std::tuple("!N", "unexpected '!' | 0 | write 'not'"),
        std::tuple("N = 1", "unexpected '=' | 2 | write '==' to compare"),
        std::tuple("N ^ 2", "unexpected '^' | 2 | write '**' for a power"),
        std::tuple("N ? 1", "unexpected '?' | 2 | write 'A if CONDITION else B'"),
        std::tuple("N & 1", "unexpected '&' | 2 | bitwise operators are not part of the language"),
        std::tuple("N >> 1",
                   "unexpected '>>' | 2 | shifts are not part of the language: write 'A // 2 ** B'"),
        std::tuple("N << 1", "unexpected '<<' | 2 | shifts are not part of the language: write 'A * 2 ** B'"),
        std::tuple("N $ 1", "unexpected '$' | 2 | "), std::tuple("N \x01", "unexpected character | 2 | "),
        std::tuple("TRIG == 'sin", "text without its closing quote | 8 | "),
        std::tuple("9223372036854775808", "number does not fit 64 bits | 0 | "),
        std::tuple("1e999", "number does not fit 64 bits | 0 | ")));

INSTANTIATE_TEST_SUITE_P(
    Lists, Explains,
    testing::Values(std::tuple("min(N)", "'min' of one value needs a list, found 4096 | 0 | "),
                    std::tuple("max([])", "'max' of an empty list | 0 | "),
                    std::tuple("[N, 2]", "expected a single value, found a list | 0 | "),
                    std::tuple("N in 3", "'in' needs a list, found 3 | 2 | "),
                    std::tuple("[1] == [1]", "'==' cannot compare lists | 4 | "),
                    std::tuple("len([1] - [2])",
                               "the operator cannot take [1] and [2] | 8 | lists have 'list + list' and "
                               "'list * number'"),
                    std::tuple("[1, 2][2]", "index 2 of a list with 2 items | 6 | "),
                    std::tuple("len(range(0, 9, ZERO))", "'range' with the step 0 | 4 | "),
                    std::tuple("len(range(2000000))", "a list has more than 1000000 items | 4 | "),
                    std::tuple("len([1] * 2000000)", "a list has more than 1000000 items | 8 | "),
                    std::tuple("len([1 for a in range(2000) for b in range(2000) if False])",
                               "a list has more than 1000000 items | 28 | "),
                    std::tuple("sum(item for y in [1])", "unknown name 'item' | 4 | "),
                    std::tuple("[item for item in [1]][0] + item", "unknown name 'item' | 28 | ")));

INSTANTIATE_TEST_SUITE_P(
    Evaluation, Explains,
    testing::Values(std::tuple("N // ZERO", "'//' by zero | 2 | "),
                    std::tuple("N % ZERO", "'%' by zero | 2 | "), std::tuple("N / 0.0", "'/' by zero | 2 | "),
                    std::tuple("DT % 0", "'%' by zero | 3 | "),
                    std::tuple("ceil_div(N, ZERO)", "'ceil_div' by zero | 0 | "),
                    std::tuple("9223372036854775807 + 1", "integer overflow | 20 | "),
                    std::tuple("-9223372036854775807 - 2", "integer overflow | 21 | "),
                    std::tuple("N ** 9", "integer overflow | 2 | "),
                    std::tuple("3037000500 * 3037000500", "integer overflow | 11 | "),
                    std::tuple("-(-9223372036854775807 - 1)", "integer overflow | 0 | "),
                    std::tuple("(-9223372036854775807 - 1) // -1", "integer overflow | 27 | "),
                    std::tuple("abs(-9223372036854775807 - 1)", "integer overflow | 0 | "),
                    std::tuple("int(1e300)", "integer overflow | 0 | "),
                    std::tuple("1e300 * 1e300", "the result is not a finite number | 6 | "),
                    std::tuple("0 ** -1", "0 to a negative power | 2 | "),
                    std::tuple("0.0 ** -1", "0 to a negative power | 4 | "),
                    std::tuple("(-2.0) ** 0.5", "a negative number to a fractional power | 7 | "),
                    std::tuple("sqrt(NEGATIVE)", "'sqrt' needs a number not below 0, found -7 | 0 | "),
                    std::tuple("log2(ZERO)", "'log2' needs a number above 0, found 0 | 0 | "),
                    std::tuple("pow2(63)", "'pow2' needs 0 to 62, found 63 | 0 | "),
                    std::tuple("gcd(DT, 2)", "'gcd' needs a whole number, found 0.25 | 0 | "),
                    std::tuple("TRIG + 1", "'+' needs numbers, found 'sincos' | 5 | "),
                    std::tuple("-TRIG", "'-' needs a number, found 'sincos' | 0 | "),
                    std::tuple("+TRIG", "'+' needs a number, found 'sincos' | 0 | "),
                    std::tuple("floor(TRIG)", "'floor' needs a number, found 'sincos' | 0 | "),
                    std::tuple("TRIG < 1", "'<' cannot compare 'sincos' with 1 | 5 | "),
                    std::tuple("BLOCK_SIZ * 2", "unknown name 'BLOCK_SIZ' | 0 | did you mean 'BLOCK_SIZE'?"),
                    std::tuple("2 * WAVES", "unknown name 'WAVES' | 4 | ")));

TEST(Expression, RefusesHostileTexts) {
  EXPECT_EQ(error_of(std::string(101, '(') + "1" + std::string(101, ')')),
            "the expression is nested too deeply | 100 | ");
  EXPECT_EQ(error_of(std::string(5000, '-') + "1"), "the expression has more than 4096 characters | -1 | ");
  EXPECT_EQ(error_of(std::string(2000, '-') + "1"), "the expression is nested too deeply | 298 | ");
  std::string sum = "1";
  for (int i = 0; i < 2000; ++i) sum += "+1";
  EXPECT_EQ(evaluate(sum), Value(std::int64_t{2001}));
}

TEST(Expression, ComparesNothingWithWhatIsNotANumber) {
  const Values scope{{"X", std::numeric_limits<double>::quiet_NaN()}};
  for (const char* text : {"X < 1", "X > 1", "X <= 1", "1 <= X", "X == X", "1 == X"}) {
    EXPECT_FALSE(Expression::parse(text).evaluate_bool(scope)) << text;
  }
  EXPECT_TRUE(Expression::parse("X != 1").evaluate_bool(scope));
}

TEST(ValuesOfNames, AreListedForMessages) {
  EXPECT_EQ(values_of_names(Expression::parse("N * (TRIG == 'x') + N + DT"), kScope),
            " (N = 4096, TRIG = 'sincos', DT = 0.25)");
  EXPECT_EQ(values_of_names(Expression::parse("1 + 1"), kScope), "");
}

TEST(ExpressionWord, IsAKeywordOrAFunction) {
  EXPECT_TRUE(is_expression_word("and"));
  EXPECT_TRUE(is_expression_word("True"));
  EXPECT_TRUE(is_expression_word("ceil_div"));
  EXPECT_FALSE(is_expression_word("BLOCK_SIZE"));
}

}  // namespace
}  // namespace tailwave
