#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "compile/block_trace.h"
#include "compile/cpu/translator.h"
#include "compile/grid_cut.h"
#include "compile/include_scan.h"
#include "compile/ptx_text.h"
#include "core/outcome.h"
#include "space/expression.h"
#include "spec/source_outline.h"
#include "spec/tokens.h"
#include "target.h"

namespace tailwave::fuzz {
namespace {

// What a way of evaluating says: a value's text, or an error's.
template <class Evaluate>
std::string said(Evaluate evaluate) {
  try {
    return to_string(evaluate());
  } catch (const ExpressionError& error) {
    return std::string("refused: ") + error.what();
  }
}

class Expressions : public Subject {
 public:
  std::string feed(const std::string& input) override {
    std::string refusal = feed_list(input);
    try {
      check(Expression::parse(input));
      return "";
    } catch (const ExpressionError& error) {
      check_column(error, input);
      return refusal + error.what();
    }
  }

 private:
  static std::string feed_list(const std::string& input) {
    try {
      static_cast<void>(Expression::parse_list(input).evaluate_list());
      return "";
    } catch (const ExpressionError& error) {
      return error.what();
    }
  }

  // Messages put a caret there.
  static void check_column(const ExpressionError& error, const std::string& input) {
    if (error.column < -1 || error.column > static_cast<int>(input.size()))
      throw std::logic_error("the column of an error lies outside the expression");
  }

  static void check(const Expression& expression) {
    const Value kinds[] = {std::int64_t{3},      -0.5, true, std::string("a"), std::int64_t{0},
                           std::int64_t{1} << 62};
    for (const Value& kind : kinds) {
      Values scope;
      for (const std::string& name : expression.names()) scope[name] = kind;
      const std::vector<Value> slots(expression.names().size(), kind);
      const std::string by_name = said([&] { return expression.evaluate(scope); });
      const std::string by_slot = said([&] { return expression.evaluate(std::span<const Value>(slots)); });
      if (by_name != by_slot)
        throw std::logic_error("two ways to evaluate differ: " + by_name + ", " + by_slot);
    }
    std::map<std::string, Expression> replacements;
    for (const std::string& name : expression.names()) replacements[name] = expression;
    said([&] { return Value(expression.substitute(replacements).text()); });
  }
};

class Ptx : public Subject {
 public:
  std::string feed(const std::string& input) override {
    std::string refusal;
    for (const char* entry : {"first", "second"}) {
      for (const StartKept kept : {StartKept::in_register, StartKept::in_memory})
        refusal += failure([&] {
          return add_block_trace(input, {{entry, {.noted = {.blocks = 10}}}}, kept);
        });
      refusal += failure([&] { return limit_registers(input, {{entry, 32}}); });
      refusal += failure([&] { return cut_grid(input, entry, {3, 4, 5}); });
      refusal += failure([&] { return std::string(runs_cut_as_it_is(input, entry, {9}) ? "1" : "0"); });
      refusal += failure([&] { return std::to_string(cluster_blocks(input, entry)); });
    }
    return refusal;
  }

 private:
  template <class Action>
  static std::string failure(Action action) {
    try {
      static_cast<void>(action());
      return "";
    } catch (const Failure& failure) {
      return failure.what();
    }
  }
};

// What is told of C++ and CUDA source without a compiler; nothing is refused.
class Sources : public Subject {
 public:
  std::string feed(const std::string& input) override {
    static_cast<void>(include_directives(input));
    static_cast<void>(outline_of({input}));
    static_cast<void>(translate_for_cpu(input));
    for (const SourceToken& token : tokens_of(input).tokens)
      if (token.begin > token.end || token.end > input.size())
        throw std::logic_error("a token lies outside its text");
    return "";
  }
};

}  // namespace

std::vector<Target> text_targets() {
  const auto words_of = [](std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      words.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return words;
  };
  return {
      {"expressions",
       {Form::text,
        words_of(
            " or \n and \n not \n in \n if \n else \n for x in \nrange(\nmin(\nmax(\nabs(\nceil_div(\npow2(\n"
            "is_pow2(\nlog2(\ngcd(\nsqrt(\nfloor(\nceil(\nround(\nint(\nfloat(\nsum(\nlen(\nany(\nall(\nlist(\n"
            "tuple(\nsorted(\n**\n//\n%\n<=\n!=\n==\n(\n)\n[\n]\n,\n'\n\"\nTrue\nFalse\nN\n- \n1e308\n2**63")},
       {},
       [] { return std::make_unique<Expressions>(); },
       {}},
      {"ptx",
       {Form::text,
        words_of(
            ".entry \n.func \n.visible \n{\n}\n;\nret;\nexit;\nret.uni;\n.address_size 64\n.maxnreg 8\n(\n)\n"
            "//\n/*\n*/\n\"\n.loc \n.reg \nfirst\nsecond\n%nctaid\n.minnctapersm 2\n.address_size")},
       {},
       [] { return std::make_unique<Ptx>(); },
       {}},
      {"sources",
       {Form::text,
        words_of(
            "#include \"a.h\"\n#include <a>\n#embed\n#define A(x) x##x\n__global__ void \nextern __shared__ \n"
            "__shared__ alignas(16) \n__align__(\nR\"x(\n)x\"\n\\\r\n?\?/\n?\?=\n%:\n/*\n*/\n//\n'\n\"\n{\n}\n(\n)\n"
            "[]\n<\n>\ntemplate <\n...\n#if 0\n#endif\noperator()\nconst ")},
       {{"kernel_templates", ".cu"}, {"kernel_templates", ".cuh"}, {"tests/referee", ".cu"}},
       [] { return std::make_unique<Sources>(); },
       {}},
  };
}

}  // namespace tailwave::fuzz
