#include "report/html.h"

#include <gmock/gmock.h>

#include "report/markdown.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string body_of(const std::string& markdown) {
  return html_body(markdown).text;
}

TEST(Html, PutsATableIntoABoxOfItsOwn) {
  MarkdownTable table({"name", "value:"});
  table.add({"a", "1"});
  EXPECT_EQ(
      body_of("Text.\n\n" + table.text()),
      "<p>Text.</p>\n<div class=\"table\">\n<table>\n<thead>\n<tr>\n<th>name</th>\n<th "
      "align=\"right\">value</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>a</td>\n<td align=\"right\">1</td>\n"
      "</tr>\n</tbody>\n</table>\n</div>\n");
}

TEST(Html, ShowsCodeAndProseAsTheTextTheyAreMadeOf) {
  for (const std::string text :
       {"a|b", "<script>alert(1)</script>", "`c`", "*d* _e_ [f](javascript:g) ![h](i.svg)", "\\", "\\*j*",
        "&lt;", "https://example.org", "</code>", "a\\|b", "a|*b*[c](d.md)", "~k~ # l", "http://<m>"}) {
    MarkdownTable table({"text", "code"});
    table.add({prose(text), code(text)});
    const std::string shown = escape_html(text);
    std::string html = body_of(table.text());
    for (std::size_t at = 0; (at = html.find('\'', at)) != std::string::npos;) html.replace(at, 1, "&#39;");
    EXPECT_THAT(html, HasSubstr("<td>" + shown + "</td>\n<td><code>" + shown + "</code></td>")) << text;
    EXPECT_THAT(body_of("Before " + prose(text) + "\n"), HasSubstr("<p>Before " + shown + "</p>")) << text;
  }
}

TEST(Html, LeavesOutHtmlAndLinksThatLeadOutOfTheReport) {
  EXPECT_EQ(body_of("a <b>c</b> <img src=x onerror=y>\n\n<script>z</script>\n"),
            "<p>a <!-- raw HTML omitted -->c<!-- raw HTML omitted --> <!-- raw HTML omitted --></p>\n"
            "<!-- raw HTML omitted -->\n");
  EXPECT_EQ(body_of("[a](javascript:b) [c](https://d) [e](//f) [g](/h) [i](data:j) [k](\\\\l)\n"),
            "<p>a c e g i k</p>\n");
  EXPECT_EQ(body_of("![a](https://b/c.svg) <https://d>\n"), "<p>a https://d</p>\n");
}

TEST(Html, LeadsToTheHtmlOfOtherPages) {
  EXPECT_EQ(body_of("[a](nbody/b.md) [c](README.md) [d](../README.md) [e](f.svg)\n"),
            "<p><a href=\"nbody/b.html\">a</a> <a href=\"index.html\">c</a> <a href=\"../index.html\">d</a> "
            "<a href=\"f.svg\">e</a></p>\n");
}

TEST(Html, ListsSectionsUnderIdsThatDiffer) {
  const HtmlBody body = html_body("# A <b> & `c`\n\n## NVIDIA H200\n\n### Charts\n\n## Test\n\n### Charts\n");
  EXPECT_EQ(body.title, "A  & c");
  EXPECT_EQ(
      body.contents,
      "<nav class=\"contents\">\n<ul>\n<li class=\"level2\"><a href=\"#nvidia-h200\">NVIDIA H200</a></li>\n"
      "<li class=\"level3\"><a href=\"#charts\">Charts</a></li>\n<li class=\"level2\"><a href=\"#test\">Test"
      "</a></li>\n<li class=\"level3\"><a href=\"#charts-2\">Charts</a></li>\n</ul>\n</nav>");
  EXPECT_THAT(body.text, HasSubstr("<h3><span id=\"charts-2\"></span>Charts</h3>"));
  EXPECT_EQ(html_body("# A\n\n## B\n").contents, "");
}

TEST(Html, ShowsAChartAsItsPictureWithTheSpecBesideIt) {
  const HtmlBody body =
      html_body("![A \"chart\"](charts/a.svg)\n",
                {{"charts/a.svg", {R"({"title": "</script><script>alert(1)</script>", "width": 3})"}}});
  EXPECT_EQ(body.text,
            "<figure class=\"chart\">\n<div class=\"plot\"></div>\n<img src=\"charts/a.svg\" alt=\"A "
            "&quot;chart&quot;\" loading=\"lazy\">\n<figcaption><a href=\"charts/a.svg\" download>SVG</a>"
            "</figcaption>\n<script type=\"application/json\">{\"title\": "
            "\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\", \"width\": 3}</script>\n</figure>\n");
}

TEST(Html, LeavesAChartThatNobodyDrewToTheScripts) {
  EXPECT_EQ(
      html_body("![A < B](charts/a.svg)\n", {{"charts/a.svg", {"{}", false}}}).text,
      "<figure class=\"chart\">\n<div class=\"plot\"></div>\n<noscript><p>A &lt; B (drawn by JavaScript)</p>"
      "</noscript>\n<figcaption></figcaption>\n<script type=\"application/json\">{}</script>\n</figure>\n");
}

TEST(Html, ShowsAPictureInTheMiddleOfATextAsItsName) {
  EXPECT_EQ(html_body("See ![a](b.svg) ![c](b.svg)\n", {{"b.svg", {"{}"}}}).text, "<p>See a c</p>\n");
}

TEST(Html, PageNeedsOnlyItsOwnFolder) {
  HtmlPage page{"../", "variants.md"};
  const HtmlBody body = html_body("# nbody: {body} <i>\n\n`{root}` {vega}\n");
  const std::string text = html_page(page, body);
  EXPECT_THAT(text, HasSubstr("<title>nbody: {body}  - tailwave</title>"));
  EXPECT_THAT(text, HasSubstr("<code>{root}</code> {vega}"));
  EXPECT_THAT(text, HasSubstr("<link rel=\"stylesheet\" href=\"../assets/style.css\">"));
  EXPECT_THAT(text, HasSubstr("<a href=\"variants.md\">"));
  EXPECT_THAT(text, Not(HasSubstr("http")));
  EXPECT_THAT(text, Not(HasSubstr("vega.js")));
  EXPECT_THAT(text, Not(HasSubstr("simulations.html")));
  EXPECT_THAT(text, Not(HasSubstr("gains.html")));
  page.interactive = page.gains = page.simulations = true;
  EXPECT_THAT(html_page(page, body), HasSubstr("<a href=\"../gains.html\">What tuning gained</a>"));
  EXPECT_THAT(html_page(page, body), HasSubstr("<script defer src=\"../assets/vega.js\"></script>"));
  EXPECT_THAT(html_page(page, body), HasSubstr("<a href=\"../simulations.html\">"));
}

}  // namespace
}  // namespace tailwave
