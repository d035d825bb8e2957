#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tailwave {

// Text as HTML shows it, in attributes too: & < > " ' as character references.
std::string escape_html(std::string_view text);

// A Markdown page (markdown.h) as the body of an HTML page.
struct HtmlBody {
  std::string title;     // plain text of its first heading
  std::string contents;  // links to its sections, as a list; "" where there are fewer than two
  std::string text;
};

// What stands in the place of an image.
struct ChartFigure {
  std::string spec;   // of a chart: Vega-Lite
  bool drawn = true;  // there is a file of it
  std::string html;   // not a chart but this
};

// Whether sections with tables are folded (html_folds.h).
enum class Tables { open, folded };

// Markdown with pipe tables as HTML, by the library cmark-gfm. HTML in it is left out, but for <code> (see code() in
// markdown.h), and so are links that are not relative ones: their text stays. Links to pages, "claims.md", lead to
// "claims.html" and those to README.md to index.html; tables lie in boxes of their own; sections get an id.
//
// An image whose address is in `charts` is a figure: the image and a link to it, where there is such a file, and the
// Vega-Lite spec as JSON, from which the scripts of the page draw a chart in its place. Others may be other HTML. Images
// of which `charts` has nothing are left out.
HtmlBody html_body(const std::string& markdown, const std::map<std::string, ChartFigure>& charts = {},
                   Tables tables = Tables::open);

// A whole page. `root` leads from its folder to that of the index: "" or "../".
struct HtmlPage {
  std::string root;
  std::string markdown_address;  // of the same page as Markdown
  bool interactive = false;      // assets/vega.js is there
  bool explorer = false;         // an explorer is in it (report/explorer.h)
  bool gains = false;            // gains.html is there
  bool simulations = false;      // simulations.html is there
};

std::string html_page(const HtmlPage& page, const HtmlBody& body);

}  // namespace tailwave
