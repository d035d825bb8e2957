#include "report/html.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/printable.h"
#include "report/html_folds.h"
#include "report/markdown.h"
#include "report/sql_files.h"
#include "store/statement.h"

namespace tailwave {
namespace {

using Document = std::unique_ptr<cmark_node, Destroy<cmark_node_free>>;

Document parse_markdown(const std::string& markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, Destroy<cmark_parser_free>> parser(
      cmark_parser_new(CMARK_OPT_VALIDATE_UTF8));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  return Document(cmark_parser_finish(parser.get()));
}

std::vector<cmark_node*> nodes_of(cmark_node* root) {
  const std::unique_ptr<cmark_iter, Destroy<cmark_iter_free>> iterator(cmark_iter_new(root));
  std::vector<cmark_node*> nodes;
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;)
    if (event == CMARK_EVENT_ENTER) nodes.push_back(cmark_iter_get_node(iterator.get()));
  return nodes;
}

std::string literal_of(cmark_node* node) {
  const char* literal = cmark_node_get_literal(node);
  return literal == nullptr ? "" : literal;
}

std::string address_of(cmark_node* node) {
  const char* url = cmark_node_get_url(node);
  return url == nullptr ? "" : url;
}

std::string plain_text(cmark_node* root) {
  std::string text;
  for (cmark_node* node : nodes_of(root)) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) text += literal_of(node);
  }
  return text;
}

cmark_node* raw_html(cmark_node_type type, const std::string& enter, const std::string& leave = "") {
  cmark_node* node = cmark_node_new(type);
  cmark_node_set_on_enter(node, enter.c_str());
  cmark_node_set_on_exit(node, leave.c_str());
  return node;
}

// Takes the node away and leaves what it contains.
void unwrap(cmark_node* node) {
  while (cmark_node* child = cmark_node_first_child(node)) cmark_node_insert_before(node, child);
  cmark_node_free(node);
}

bool is_tag(cmark_node* node, std::string_view tag) {
  return cmark_node_get_type(node) == CMARK_NODE_HTML_INLINE && literal_of(node) == tag;
}

// What code() wrote as HTML, from its <code> on. The nodes taken out go to `left_over`.
void make_code(cmark_node* begin, std::vector<Document>& left_over) {
  std::string text;
  cmark_node* end = cmark_node_next(begin);
  for (; end != nullptr && !is_tag(end, "</code>"); end = cmark_node_next(end)) text += literal_of(end);
  if (end == nullptr) return;
  cmark_node* inline_code = cmark_node_new(CMARK_NODE_CODE);
  cmark_node_set_literal(inline_code, text.c_str());
  cmark_node_insert_before(begin, inline_code);
  for (bool more = true; more;) {
    cmark_node* node = cmark_node_next(inline_code);
    more = node != end;
    cmark_node_unlink(node);
    left_over.emplace_back(node);
  }
}

void box_table(cmark_node* table) {
  cmark_node* box = raw_html(CMARK_NODE_CUSTOM_BLOCK, "<div class=\"table\">", "</div>");
  cmark_node_insert_before(table, box);
  cmark_node_unlink(table);
  cmark_node_append_child(box, table);
}

bool is_relative(const std::string& address) {
  return !address.empty() && address.front() != '/' && address.find_first_of(":\\") == std::string::npos;
}

void redirect_link(cmark_node* link) {
  std::string address = address_of(link);
  if (!is_relative(address)) return unwrap(link);
  constexpr std::string_view kIndex = "README.md";
  if (address == kIndex || address.ends_with("/README.md"))
    address.replace(address.size() - kIndex.size(), kIndex.size(), "index.html");
  else if (address.ends_with(".md"))
    address.replace(address.size() - 3, 3, ".html");
  cmark_node_set_url(link, address.c_str());
}

// JSON that no "</script>" can end.
std::string json_in_html(const std::string& json) {
  std::string safe;
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string figure_of(const std::string& file, const std::string& title, const ChartFigure& chart) {
  const std::string name = escape_html(title), address = escape_html(file);
  const std::string picture =
      chart.drawn ? fmt::format("<img src=\"{}\" alt=\"{}\" loading=\"lazy\">\n", address, name)
                  : fmt::format("<noscript><p>{} (drawn by JavaScript)</p></noscript>\n", name);
  const std::string link = chart.drawn ? fmt::format("<a href=\"{}\" download>SVG</a>", address) : "";
  return fmt::format(
      "<figure class=\"chart\">\n<div class=\"plot\"></div>\n{}<figcaption>{}</figcaption>\n"
      "<script type=\"application/json\">{}</script>\n</figure>",
      picture, link, json_in_html(chart.spec));
}

void replace_image(cmark_node* image, const std::map<std::string, ChartFigure>& charts) {
  const auto chart = charts.find(address_of(image));
  cmark_node* paragraph = cmark_node_parent(image);
  const bool alone = cmark_node_get_type(paragraph) == CMARK_NODE_PARAGRAPH &&
                     cmark_node_first_child(paragraph) == image && cmark_node_last_child(paragraph) == image;
  if (chart == charts.end() || !alone) return unwrap(image);
  const std::string figure = chart->second.html.empty()
                                 ? figure_of(chart->first, plain_text(image), chart->second)
                                 : chart->second.html;
  cmark_node_insert_before(paragraph, raw_html(CMARK_NODE_CUSTOM_BLOCK, figure));
  cmark_node_free(paragraph);
}

// Gives the sections their ids and lists them.
class Sections {
 public:
  void add(cmark_node* heading) {
    const int level = cmark_node_get_heading_level(heading);
    const std::string name = plain_text(heading);
    if (level == 1) {
      title_ = name;
      return;
    }
    std::string id = slug(name, '-');
    if (id.empty()) id = "section";
    if (const int number = ++used_[id]; number > 1) id += fmt::format("-{}", number);
    cmark_node_prepend_child(heading,
                             raw_html(CMARK_NODE_CUSTOM_INLINE, fmt::format("<span id=\"{}\"></span>", id)));
    list_ += fmt::format("<li class=\"level{}\"><a href=\"#{}\">{}</a></li>\n", level, id, escape_html(name));
    ++count_;
  }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] std::string contents() const {
    return count_ < 2 ? "" : fmt::format("<nav class=\"contents\">\n<ul>\n{}</ul>\n</nav>", list_);
  }

 private:
  std::string title_, list_;
  std::map<std::string, int> used_;
  int count_ = 0;
};

// "{name}" in the template becomes the value of that name; the values themselves are left alone.
std::string fill_template(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const auto value =
        close == std::string::npos ? values.end() : values.find(text.substr(at + 1, close - at - 1));
    if (value == values.end()) {
      filled += text[at++];
    } else {
      filled += value->second;
      at = close + 1;
    }
  }
  return filled;
}

}  // namespace

std::string escape_html(std::string_view text) {
  return replace_characters(text,
                            {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

HtmlBody html_body(const std::string& markdown, const std::map<std::string, ChartFigure>& charts,
                   Tables tables) {
  const Document document = parse_markdown(markdown);
  Sections sections;
  std::vector<Document> left_over;
  for (cmark_node* node : nodes_of(document.get())) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        sections.add(node);
        break;
      case CMARK_NODE_LINK:
        redirect_link(node);
        break;
      default:
        if (is_tag(node, "<code>")) make_code(node, left_over);
        if (std::string_view(cmark_node_get_type_string(node)) == "table") box_table(node);
    }
  }
  // Only images, inner ones first: the paragraph of one that is replaced is freed.
  std::vector<cmark_node*> images = nodes_of(document.get());
  std::erase_if(images, [](cmark_node* node) { return cmark_node_get_type(node) != CMARK_NODE_IMAGE; });
  std::reverse(images.begin(), images.end());
  for (cmark_node* image : images) replace_image(image, charts);
  if (tables == Tables::folded) fold_sections(document.get());
  const std::unique_ptr<char, Destroy<std::free>> text(
      cmark_render_html(document.get(), CMARK_OPT_DEFAULT, nullptr));
  return {sections.title(), sections.contents(), text.get()};
}

std::string html_page(const HtmlPage& page, const HtmlBody& body) {
  std::string scripts =
      page.interactive ? fmt::format("<script defer src=\"{}assets/vega.js\"></script>\n", page.root) : "";
  if (page.explorer)
    scripts += fmt::format(
        "<link rel=\"stylesheet\" href=\"{0}assets/explorer.css\">\n"
        "<script defer src=\"{0}assets/explorer.js\"></script>\n",
        page.root);
  const auto link_to = [&](bool is_there, const char* file, const char* name) {
    return is_there ? fmt::format("<a href=\"{}{}\">{}</a>\n", page.root, file, name) : "";
  };
  return fill_template(analysis_file("html/page.html"),
                       {{"title", escape_html(body.title)},
                        {"root", escape_html(page.root)},
                        {"scripts", scripts},
                        {"gains", link_to(page.gains, "gains.html", "What tuning gained")},
                        {"simulations", link_to(page.simulations, "simulations.html", "Simulated searches")},
                        {"markdown", escape_html(page.markdown_address)},
                        {"contents", body.contents},
                        {"body", body.text}});
}

}  // namespace tailwave
