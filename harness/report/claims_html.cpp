#include "report/claims_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "report/claims_page.h"
#include "report/markdown.h"

namespace tailwave {
namespace {

using Verdicts = std::vector<const ClaimVerdict*>;

struct VerdictWords {
  Judgement verdict;
  const char* style;
  const char* heading;
};
constexpr std::array<VerdictWords, 4> kWords{
    {{Judgement::confirmed, "confirmed", "Confirmed"},
     {Judgement::differs_here, "differs", "Differs here: right on the study's GPU, not on this one"},
     {Judgement::refuted, "refuted", "Refuted: wrong as stated, there too"},
     {Judgement::not_testable, "untested", "Not testable here"}}};

std::string field(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_html(text));
}

std::string item(const ClaimVerdict& verdict, const char* style, bool is_first) {
  const Claim& claim = *verdict.claim;
  return fmt::format(
      "<details class=\"claim {}\"{}><summary>{} <span class=\"quiet\">{}</span></summary>\n<dl>\n{}{}{}{}{}{}</dl>\n"
      "</details>\n",
      style, is_first ? fmt::format(" id=\"{}\"", escape_html(claim.id)) : "", escape_html(claim.statement),
      escape_html(verdict.device.empty() ? "no GPU" : verdict.device), field("Evidence", verdict.evidence),
      field("Explanation", verdict.explanation), field("On the study's GPU", verdict.there),
      field("Source", claim.source + "; " + claim.place), field("Derived", claim.derived),
      field("Query", claim.id));
}

// Without those that have no data here where another GPU has.
Verdicts decided(const std::vector<ClaimVerdict>& verdicts, const std::string& system) {
  Verdicts listed;
  for (const ClaimVerdict& verdict : verdicts) {
    const auto tells = [&](const ClaimVerdict& other) {
      return other.claim == verdict.claim && other.verdict != Judgement::not_testable;
    };
    const bool idle = verdict.verdict == Judgement::not_testable;
    if (verdict.claim->system == system && !(idle && std::any_of(verdicts.begin(), verdicts.end(), tells)))
      listed.push_back(&verdict);
  }
  return listed;
}

std::string study_part(const std::vector<ClaimVerdict>& verdicts, const std::string& system) {
  const Verdicts listed = decided(verdicts, system);
  std::set<const Claim*> seen;
  std::string text = fmt::format("<h2 id=\"{}\">{}</h2>\n", slug(system, '-'), escape_html(system));
  for (const VerdictWords& words : kWords) {
    std::string items;
    int count = 0;
    for (const ClaimVerdict* verdict : listed)
      if (verdict->verdict == words.verdict) {
        items += item(*verdict, words.style, seen.insert(verdict->claim).second);
        ++count;
      }
    if (count > 0)
      text += fmt::format("<section class=\"verdict\">\n<h3 class=\"{}\"><b>{}</b> {}</h3>\n{}</section>\n",
                          words.style, count, words.heading, items);
  }
  return text;
}

}  // namespace

HtmlBody claims_html(const std::vector<ClaimVerdict>& verdicts) {
  std::set<std::string> systems;
  for (const ClaimVerdict& verdict : verdicts) systems.insert(verdict.claim->system);
  std::string text =
      "<h1>What the studies claim</h1>\n<p>Each claim is a query (analysis/claims); <code>tailwave query claims</code> gives the "
      "same verdicts.</p>\n";
  if (verdicts.empty()) text += "<p>There are none about the systems of this database.</p>\n";
  text += html_body(count_verdicts(verdicts)).text;
  if (!verdicts.empty())
    text +=
        "<p><input type=\"search\" id=\"search\" placeholder=\"Search claims\" aria-label=\"Search claims\"></p>\n";
  std::string links;
  for (const std::string& system : systems) {
    links += fmt::format("<li class=\"level2\"><a href=\"#{}\">{}</a></li>\n", slug(system, '-'),
                         escape_html(system));
    text += study_part(verdicts, system);
  }
  if (systems.size() > 1) links = "<nav class=\"contents\">\n<ul>\n" + links + "</ul>\n</nav>";
  return {"What the studies claim", systems.size() > 1 ? links : "", text};
}

}  // namespace tailwave
