#include "core/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

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
            "Größe        µs\n"
            "--------  -----\n"
            "ä           1.5\n"
            "日本語 text  10.25\n");
}

TEST(Table, PutsCellsWithLineEndsOnOneLine) {
  EXPECT_EQ(render({{"log"}, {{"first\nsecond\tthird"}}}, TableFormat::table),
            "log\n------------------\nfirst second third\n");
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

}  // namespace
}  // namespace tailwave
