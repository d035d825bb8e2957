#include "core/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/terminal_table.h"

namespace tailwave {
namespace {

Table example() {
  return {{"variant", "BLOCK_SIZE", "rate"},
          {{"shared", std::int64_t{128}, 1.155e12}, {"basic|1", std::int64_t{8}, {}}}};
}

TEST(Table, AlignsColumnsWithNumbersToTheRight) {
  EXPECT_EQ(render(example(), TableFormat::table),
            "variant  BLOCK_SIZE       rate\n"
            "-------  ----------  ---------\n"
            "shared          128  1.155e+12\n"
            "basic|1           8          -\n");
}

TEST(Table, AlignsTextThatIsNotAscii) {
  const Table table{{"Größe", "µs"}, {{"ä", 1.5}, {"日本語 text", 10.25}}};
  EXPECT_EQ(render(table, TableFormat::table),
            "Größe           µs\n"
            "-----------  -----\n"
            "ä              1.5\n"
            "日本語 text  10.25\n");
}

TEST(Table, WordsBesideItAreWrappedAtTheTerminalsWidth) {
  const std::string text =
      "all: variant basic, N 4096, MODE fast\n\nlist: 'tailwave query best --limit 24' has all\n";
  EXPECT_EQ(wrapped(text, 24),
            "all: variant basic, N\n"
            "  4096, MODE fast\n"
            "\n"
            "list:\n"
            "  'tailwave query best --limit 24'\n"
            "  has all\n");
  EXPECT_EQ(wrapped(text, 0), text);
}

TEST(Table, PutsCellsWithLineEndsOnOneLine) {
  EXPECT_EQ(render({{"log"}, {{"first\nsecond\tthird"}}}, TableFormat::table),
            "log\n------------------\nfirst second third\n");
}

TEST(Table, ShowsWhatWouldSteerATerminalAndLeavesDataAsItIs) {
  const Table table{{"na\x1bme"}, {{"\x1b[2J\x7f"}}};
  EXPECT_EQ(render(table, TableFormat::table), "na\\x1bme\n-----------\n\\x1b[2J\\x7f\n");
  EXPECT_EQ(render(table, TableFormat::markdown), "| na\\x1bme |\n| --- |\n| \\x1b[2J\\x7f |\n");
  EXPECT_EQ(render(table, TableFormat::csv), "na\x1bme\n\x1b[2J\x7f\n");
  EXPECT_EQ(render(table, TableFormat::json), "[\n  {\"na\\u001bme\": \"\\u001b[2J\\u007f\"}\n]\n");
}

TEST(Table, NumbersColumnsOfOneNameInJson) {
  EXPECT_EQ(
      render({{"a", "a", "a_2", "a"}, {{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}}}},
             TableFormat::json),
      "[\n  {\"a\": 1, \"a_3\": 2, \"a_2\": 3, \"a_4\": 4}\n]\n");
}

TEST(Table, ShowsHeadersWhenThereAreNoRows) {
  EXPECT_EQ(render({{"a", "b"}, {}}, TableFormat::table), "a  b\n-  -\n");
  EXPECT_EQ(render({{"a", "b"}, {}}, TableFormat::csv), "a,b\n");
  EXPECT_EQ(render({{"a", "b"}, {}}, TableFormat::json), "[]\n");
}

TEST(Table, TreatsMissingCellsAsNoValue) {
  EXPECT_EQ(render({{"a", "b"}, {{std::int64_t{1}}}}, TableFormat::csv), "a,b\n1,\n");
}

TEST(Table, WritesMarkdownThatShowsTextAsItIs) {
  EXPECT_EQ(render({{"name", "n"}, {{"a|b <script> & c\nd", std::int64_t{2}}}}, TableFormat::markdown),
            "| name | n |\n| --- | ---: |\n| a\\|b &lt;script&gt; &amp; c d | 2 |\n");
}

TEST(Table, WritesCsvWithFullPrecisionAndQuotes) {
  const Table table{{"a,b", "c"}, {{"say \"hi\"", 0.1}, {"two\nlines", 1.0 / 3}, {{}, std::int64_t{-7}}}};
  EXPECT_EQ(render(table, TableFormat::csv),
            "\"a,b\",c\n\"say \"\"hi\"\"\",0.1\n\"two\nlines\",0.3333333333333333\n,-7\n");
}

TEST(Table, WritesJsonInColumnOrderWithNullForWhatIsNoNumber) {
  const Table table{{"z", "a"}, {{"x\"y", std::nan("")}, {{}, INFINITY}, {std::int64_t{1}, 2.5}}};
  EXPECT_EQ(
      render(table, TableFormat::json),
      "[\n  {\"z\": \"x\\\"y\", \"a\": null},\n  {\"z\": null, \"a\": null},\n  {\"z\": 1, \"a\": 2.5}\n]\n");
}

TEST(Table, NamesTheFormatsForAnUnknownOne) {
  EXPECT_EQ(parse_table_format("csv"), TableFormat::csv);
  EXPECT_EQ(parse_table_format("markdown"), TableFormat::markdown);
  try {
    parse_table_format("jsn");
    FAIL() << "accepted 'jsn'";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown format 'jsn': use table, csv, json or markdown\n  did you mean 'json'?");
    EXPECT_EQ(error.exit_status(), Error::kBadUsage);
  }
}

Table wide_table() {
  return {{"configuration", "outcome", "median us", "detail"},
          {{std::string("tile/BREAK=0,TILE=16,N=70"), std::string("correct"), 1.5, Cell{}},
           {std::string("tile/BREAK=1,TILE=4,N=70"), std::string("compile_error"), Cell{},
            std::string("tile.cu(9): error: identifier \"nonsense\" is undefined")}}};
}

Table alike(std::int64_t last) {
  Table table{{"variant", "BLOCK_SIZE", "median us", "limiter"}, {}};
  for (std::int64_t size = 32; size <= last; size += 32)
    table.rows.push_back({std::string("basic"), size, 1.5, std::string("registers+warps")});
  return table;
}

TEST(Table, SaysOnceWhatIsTheSameInAllRows) {
  const FactoredTable factored = without_constant_columns(alike(64));
  EXPECT_EQ(factored.common, "variant basic, median us 1.5, limiter registers+warps");
  EXPECT_EQ(render(factored.rest, TableFormat::csv), "BLOCK_SIZE\n32\n64\n");
  EXPECT_EQ(without_constant_columns(alike(32)).common, "");
  const Table same{{"a", "b"}, {{std::int64_t{1}, Cell{}}, {std::int64_t{1}, Cell{}}}};
  EXPECT_EQ(without_constant_columns(same).common, "a 1");
  EXPECT_EQ(without_constant_columns(same).rest.columns, std::vector<std::string>{"b"});
}

TEST(TerminalTable, FoldsLongTextsToTheWidth) {
  EXPECT_EQ(render_for_terminal(wide_table(), {.columns = 80}),
            "configuration              outcome        median us  detail\n"
            "-------------------------  -------------  ---------  ---------------------------\n"
            "tile/BREAK=0,TILE=16,N=70  correct              1.5  -\n"
            "tile/BREAK=1,TILE=4,N=70   compile_error          -  tile.cu(9): error:\n"
            "                                                     identifier \"nonsense\" is\n"
            "                                                     undefined\n");
}

TEST(TerminalTable, BecomesSeveralThatRepeatTheFirstColumn) {
  EXPECT_EQ(render_for_terminal(wide_table(), {.columns = 52}),
            "configuration              outcome        median us\n"
            "-------------------------  -------------  ---------\n"
            "tile/BREAK=0,TILE=16,N=70  correct              1.5\n"
            "tile/BREAK=1,TILE=4,N=70   compile_error          -\n"
            "\n"
            "configuration              detail\n"
            "-------------------------  -------------------------\n"
            "tile/BREAK=0,TILE=16,N=70  -\n"
            "tile/BREAK=1,TILE=4,N=70   tile.cu(9): error:\n"
            "                           identifier \"nonsense\" is\n"
            "                           undefined\n");
}

TEST(TerminalTable, RepeatsAsManyColumnsAsTellTheRowsApart) {
  EXPECT_EQ(render_for_terminal(alike(64), {.columns = 40}),
            "variant  BLOCK_SIZE  median us\n"
            "-------  ----------  ---------\n"
            "basic            32        1.5\n"
            "basic            64        1.5\n"
            "\n"
            "variant  BLOCK_SIZE  limiter\n"
            "-------  ----------  ---------------\n"
            "basic            32  registers+warps\n"
            "basic            64  registers+warps\n");
}

TEST(TerminalTable, NumbersRowsWhereWhatTellsThemApartLeavesNoRoom) {
  EXPECT_EQ(render_for_terminal(alike(64), {.columns = 30}),
            "#  variant  BLOCK_SIZE\n"
            "-  -------  ----------\n"
            "1  basic            32\n"
            "2  basic            64\n"
            "\n"
            "#  median us  limiter\n"
            "-  ---------  ---------------\n"
            "1        1.5  registers+warps\n"
            "2        1.5  registers+warps\n");
}

TEST(TerminalTable, KeepsEveryCharacterAtAnyWidth) {
  const auto without_layout = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '-'; });
    return text;
  };
  const Table one{{"detail"},
                  {{std::string("\u00fcber \u03bc: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")}}};
  for (std::size_t columns = 1; columns < 70; ++columns)
    EXPECT_EQ(without_layout(render_for_terminal(one, {.columns = columns})),
              without_layout(render(one, TableFormat::table)))
        << columns;
}

TEST(TerminalTable, ColoursHeadingsOutcomesAndVerdicts) {
  const Table table{{"outcome", "verdict", "name"},
                    {{std::string("correct"), std::string("unclear"), std::string("correct")},
                     {std::string("crashed"), Cell{}, 1.0}}};
  EXPECT_EQ(render_for_terminal(table, {.colour = true}),
            "\x1b[1moutcome\x1b[0m  \x1b[1mverdict\x1b[0m  \x1b[1mname\x1b[0m\n"
            "-------  -------  -------\n"
            "\x1b[32mcorrect\x1b[0m  \x1b[33munclear\x1b[0m  correct\n"
            "\x1b[31mcrashed\x1b[0m  -              1\n");
}

}  // namespace
}  // namespace tailwave
