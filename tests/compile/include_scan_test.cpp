#include "compile/include_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "1 \"a.h\"" or "2 <b.h>" of each, the word before it where it is another than include, "?" for a macro.
std::vector<std::string> found(std::string_view source) {
  std::vector<std::string> texts;
  for (const IncludeDirective& one : include_directives(source)) {
    std::string text = std::to_string(one.line) + " ";
    if (one.word != "include") text += one.word + " ";
    if (one.name.empty())
      text += "?";
    else if (one.quoted)
      text += '"' + one.name + '"';
    else
      text += '<' + one.name + '>';
    texts.push_back(text);
  }
  return texts;
}

TEST(IncludeScan, FindsDirectivesHoweverTheyAreSpaced) {
  EXPECT_THAT(found("#include \"a.h\"\n  #  include <b.h>\n\t#include<c.h>\n#include\"d.h\" // again\n"),
              ElementsAre("1 \"a.h\"", "2 <b.h>", "3 <c.h>", "4 \"d.h\""));
  EXPECT_THAT(found("\f\v#include \"a.h\"\r\n"), ElementsAre("1 \"a.h\""));
  EXPECT_THAT(found("\xEF\xBB\xBF#include \"a.h\""), ElementsAre("1 \"a.h\""));
}

TEST(IncludeScan, FindsThemAmongComments) {
  EXPECT_THAT(found("#include/**/\"a.h\"\n/* */ # /* two\nlines */ include /**/ <b.h>\n"),
              ElementsAre("1 \"a.h\"", "2 <b.h>"));
  EXPECT_THAT(found("// #include \"a.h\"\n/* \n#include \"b.h\"\n*/\n// on \\\n#include \"c.h\"\n"),
              IsEmpty());
}

TEST(IncludeScan, JoinsLines) {
  EXPECT_THAT(found("#inc\\\nlude \\\r\n\"a\\\n.h\"\n#include <b.h>\n"), ElementsAre("1 \"a.h\"", "5 <b.h>"));
}

TEST(IncludeScan, KnowsTheOtherSpellingsOfTheSign) {
  EXPECT_THAT(found("%:include \"a.h\"\n?\?=include \"b.h\"\n#inc?\?/\nlude \"c.h\"\n"),
              ElementsAre("1 \"a.h\"", "2 \"b.h\"", "3 \"c.h\""));
}

TEST(IncludeScan, TellsOfMacrosAndOfOtherWords) {
  EXPECT_THAT(
      found(
          "#include NAME\n#include_next <a.h>\n#import \"b.h\"\n#embed \"c\"\n#included\n#define include\n"),
      ElementsAre("1 ?", "2 include_next <a.h>", "3 import \"b.h\"", "4 embed \"c\""));
}

TEST(IncludeScan, IsNotMisledByLiterals) {
  EXPECT_THAT(
      found(
          "const char* s = \"/*\";\n#include \"a.h\"\nchar c = '\"'; int n = 1'000'000; // '\n#include \"b.h\"\n"),
      ElementsAre("2 \"a.h\"", "4 \"b.h\""));
  EXPECT_THAT(found("auto s = R\"x( )\"\n#include \"a.h\"\n)x\";\n#include \"b.h\"\n"),
              ElementsAre("4 \"b.h\""));
  EXPECT_THAT(found("auto s = u8\\\nR\"(\\\n)\";\n#include \"a.h\"\n"), ElementsAre("4 \"a.h\""));
  // A word that only ends like the beginning of a raw string.
  EXPECT_THAT(found("auto s = xR\"(\";\n#include \"a.h\"\nauto t = \")\";\n"), ElementsAre("2 \"a.h\""));
}

TEST(IncludeScan, HasThoseOfEveryCompilerWhereTheyDisagree) {
  // Blanks after a backslash: the line goes on, or not.
  EXPECT_THAT(found("// on \\ \n#include \"a.h\"\n"), ElementsAre("2 \"a.h\""));
  EXPECT_THAT(found("#include \\ \n\"a.h\"\n"), testing::Contains("1 \"a.h\""));
  // What begins in a literal that nothing closes is a comment, or not.
  EXPECT_THAT(found("#if 0\nit's /*\nR\"(\n*/\n#endif\n#include \"a.h\"\n// )\"\n"),
              ElementsAre("6 \"a.h\""));
  EXPECT_THAT(found("#if 0\nit's /*\n#endif\n#include \"a.h\"\n"), ElementsAre("4 \"a.h\""));
}

TEST(IncludeScan, TakesAnyText) {
  for (const char* text : {"", "#", "%", "#include", "#include \"", "#include <a", "\\", "R\"", "R\"(", "'",
                           "/*", "??", "#include \"a.h\\", "/"})
    EXPECT_LE(found(text).size(), 1U) << text;
}

}  // namespace
}  // namespace tailwave
