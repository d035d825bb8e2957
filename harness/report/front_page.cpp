#include "report/front_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/answer.h"
#include "report/baseline.h"
#include "report/labels.h"
#include "report/markdown.h"
#include "report/question.h"
#include "report/section_text.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostBars = 8;

// The device that answers for an experiment, of those with a time: `wanted`, else the first GPU, else the first one; null:
// none has.
const DeviceStudy* answering(const Study& study, const std::string& wanted = "") {
  const auto weight = [&](const DeviceStudy& device) {
    return (device.device == wanted ? 2 : 0) + (device.kind == DeviceKind::cuda ? 1 : 0);
  };
  const DeviceStudy* found = nullptr;
  for (const DeviceStudy& device : study.devices)
    if (!device.contenders().empty() && (found == nullptr || weight(device) > weight(*found)))
      found = &device;
  return found;
}

std::string page_address(const Study& study) {
  return escape_html(address(study.name() + ".html"));
}

// What an experiment came to, in a few words.
std::string came_to(const Study& study, const std::string& wanted) {
  const DeviceStudy* device = answering(study, wanted);
  if (device == nullptr) return "observed only";
  const AnswerFigures figures = answer_figures(study, *device);
  std::string text = fmt::format("<code>{}</code> {}", escape_html(figures.best), escape_html(figures.value));
  if (!figures.problem.empty()) text += fmt::format(" ({})", escape_html(figures.problem));
  if (!figures.speedup.empty())
    text += fmt::format(", {} times <code>{}</code>", figures.speedup, escape_html(figures.over));
  return fmt::format("{} <span class=\"quiet\">on {}</span>", text, escape_html(figures.device));
}

std::string experiment_item(const Study& study, const std::string& wanted) {
  return fmt::format(
      "<li class=\"experiment\"><a href=\"{}\">{}</a> {}<br><span class=\"came\">{}</span></li>\n",
      page_address(study), escape_html(study.experiment), escape_html(study.question),
      came_to(study, wanted));
}

// Of steps the baseline, the winner and what comes last, in their order.
StudyRows bars_of(const StudyRows& steps, const StudyRow* baseline, const StudyRow* winner) {
  std::size_t others = kMostBars - (baseline == winner ? 1 : 2);
  StudyRows bars;
  for (std::size_t i = steps.size(); i-- > 0;)
    if (steps[i] == baseline || steps[i] == winner || (others > 0 && others-- > 0))
      bars.insert(bars.begin(), steps[i]);
  return bars;
}

// The steps of the last problem with their factors over the baseline.
std::string ladder(const Study& study, const DeviceStudy& device) {
  const StudyRow& winner = *device.best_of_problems().back();
  const StudyRows rows = with_problem(device.contenders(), winner);
  const Labels labels(rows_beside(device, winner), study.names);
  const StudyRow* const baseline = baseline_of(rows).row;
  const StudyRows bars = bars_of(steps_of(device, rows, kMostBars), baseline, &winner);
  const auto factor = [&](const StudyRow* row) {
    return times_better(device, *row->value, *baseline->value).value_or(0);
  };
  const double most = factor(&winner);
  if (most <= 0) return "";
  std::string text = "<ol class=\"ladder\">\n";
  for (const StudyRow* row : bars)
    if (factor(row) > 0)
      text += fmt::format("<li{}><span>{}</span><i style=\"--share: {:.4f}\"></i><b>{} ×</b></li>\n",
                          row == &winner ? " class=\"best\"" : "", escape_html(labels.short_line(*row)),
                          factor(row) / most, times_text(factor(row)));
  return text + "</ol>\n";
}

// Beside the other experiments of a study: by published figures, then by the number of steps.
std::pair<bool, std::size_t> weight(const Study& study) {
  const DeviceStudy* device = answering(study);
  if (device == nullptr) return {false, 0};
  const auto rows = device->contenders();
  if (rows.size() < 2 || question_of(rows).asks != Asks::steps) return {false, 0};
  return {!device->published.empty(), rows.size()};
}

const Study& main_experiment(const std::vector<const Study*>& studies) {
  return **std::max_element(studies.begin(), studies.end(),
                            [](const Study* a, const Study* b) { return weight(*a) < weight(*b); });
}

using Counts = std::array<int, 4>;  // by Judgement

// The device of a card, with its verdicts on the study: the one of which most can be told, of those with a time of the
// experiment that is shown where there is one.
std::pair<std::string, Counts> judged_device(const std::vector<ClaimVerdict>& verdicts, const Study& shown) {
  std::map<std::string, Counts> devices;
  for (const ClaimVerdict& verdict : verdicts)
    if (verdict.claim->system == shown.system)
      ++devices[verdict.device][static_cast<std::size_t>(verdict.verdict)];
  const auto rank = [&](const auto& one) {
    const DeviceStudy* const device = answering(shown, one.first);
    return std::pair(device == nullptr || device->device != one.first,
                     one.second[static_cast<std::size_t>(Judgement::not_testable)]);
  };
  return *std::min_element(devices.begin(), devices.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::string verdicts_text(const std::string& device, const Counts& counts) {
  const auto count = [&](Judgement verdict) { return counts[static_cast<std::size_t>(verdict)]; };
  return fmt::format(
      "<ul class=\"verdicts\" title=\"What the study says, judged on {}\">\n<li class=\"confirmed\"><b>{}</b> confirmed</li>\n"
      "<li class=\"differs\"><b>{}</b> differ here</li>\n<li class=\"refuted\"><b>{}</b> refuted</li>\n"
      "<li class=\"untested\"><b>{}</b> not testable</li>\n</ul>\n",
      escape_html(device.empty() ? "no GPU" : device), count(Judgement::confirmed),
      count(Judgement::differs_here), count(Judgement::refuted), count(Judgement::not_testable));
}

std::string figure_item(const std::string& value, const std::string& what) {
  return value.empty() ? "" : fmt::format("<li><b>{}</b> {}</li>\n", escape_html(value), escape_html(what));
}

std::string card(const std::string& system, const std::vector<const Study*>& studies,
                 const std::vector<ClaimVerdict>& verdicts, bool has_tables) {
  const Study& shown = main_experiment(studies);
  const auto [judged, counts] = judged_device(verdicts, shown);
  std::string text = fmt::format("<article class=\"card\">\n<h2>{}</h2>\n", escape_html(system));
  if (const DeviceStudy* device = answering(shown, judged); device != nullptr) {
    const AnswerFigures figures = answer_figures(shown, *device);
    text += fmt::format(
        "<p class=\"asked\"><a href=\"{}\">{}</a></p>\n<p class=\"came\">{}</p>\n", page_address(shown),
        escape_html(shown.question.empty() ? shown.experiment : shown.question), came_to(shown, judged));
    text += ladder(shown, *device);
    text += "<ul class=\"figures\">\n" +
            figure_item(figures.speedup.empty() ? "" : figures.speedup + " ×",
                        (is_speed(shown) ? "best speed-up, over " : "better than ") + figures.over) +
            figure_item(figures.limit, "of the limit") + "</ul>\n";
  }
  text += verdicts_text(judged, counts);
  text += "<p>";
  if (has_tables)
    text += fmt::format("<a href=\"{}/study.html\">The study's tables</a> · ", escape_html(address(system)));
  text += fmt::format("<a href=\"claims.html#{}\">What it claims</a></p>\n", slug(system, '-'));
  text += fmt::format("<details><summary>{}</summary>\n<ul class=\"experiments\">\n",
                      plural(studies.size(), "experiment"));
  for (const Study* study : studies) text += experiment_item(*study, judged);
  return text + "</ul>\n</details>\n</article>\n";
}

// "" for what was imported.
std::string measured_at(const Study& study) {
  std::string latest;
  for (const DeviceStudy& device : study.devices)
    for (const auto& [name, value] : device.environment)
      if (name == "started" && device.recorded_from.empty()) latest = std::max(latest, value);
  return latest;
}

std::string own_item(const Study& study) {
  std::string text =
      fmt::format("<li class=\"experiment\"><a href=\"{}\">{}</a> {} <span class=\"quiet\">{}</span>\n",
                  page_address(study), escape_html(study.name()), escape_html(study.question),
                  escape_html(measured_at(study)));
  for (const DeviceStudy& device : study.devices)
    text += html_body(fmt::format("On {}: {}.\n", prose(device.device), answer(study, device))).text;
  return text + "</li>\n";
}

std::string own_experiments(const std::vector<const Study*>& own) {
  if (own.empty()) return "";
  std::string text = "<h2 id=\"own\">Your own experiments</h2>\n<ul class=\"experiments\">\n";
  for (const Study* study : own) text += own_item(*study);
  return text + "</ul>\n";
}

// What the page has, with a way to what is new.
std::string first_sentence(std::size_t cards, const std::vector<const Study*>& own) {
  std::string text = "<p>What each experiment asked and came to";
  if (cards > 0) text += fmt::format(": {}", cards == 1 ? "a card for the study" : "a card for each study");
  if (own.empty()) return text + ".</p>\n";
  text += fmt::format("{}<a href=\"#own\">your own experiments</a>", cards > 0 ? ", then " : ": ");
  const std::string at = measured_at(*own.front());
  if (!at.empty())
    text += fmt::format(", of which <a href=\"{}\">{}</a> is the newest ({})", page_address(*own.front()),
                        escape_html(own.front()->name()), escape_html(at));
  return text + ".</p>\n";
}

}  // namespace

HtmlBody front_page(const std::vector<Study>& studies, const std::vector<ClaimVerdict>& verdicts,
                    const std::set<std::string>& tables, const std::string& below) {
  std::map<std::string, std::vector<const Study*>> of_studies;
  std::vector<const Study*> own;
  for (const Study& study : studies) {
    const bool claimed = std::any_of(verdicts.begin(), verdicts.end(), [&](const ClaimVerdict& verdict) {
      return verdict.claim->system == study.system;
    });
    if (claimed) of_studies[study.system].push_back(&study);
    if (!claimed || !measured_at(study).empty()) own.push_back(&study);
  }
  std::stable_sort(own.begin(), own.end(),
                   [](const Study* a, const Study* b) { return measured_at(*a) > measured_at(*b); });
  std::string text = "<h1>Results</h1>\n";
  if (studies.empty())
    text += "<p>There are no results yet: <code>tailwave run</code> makes some.</p>\n";
  else
    text += first_sentence(of_studies.size(), own) +
            "<p><input type=\"search\" id=\"search\" placeholder=\"Search studies and experiments\" "
            "aria-label=\"Search studies and experiments\"></p>\n";
  if (!of_studies.empty()) text += "<section class=\"cards\">\n";
  for (const auto& [system, of_study] : of_studies)
    text += card(system, of_study, verdicts, tables.contains(system));
  if (!of_studies.empty())
    text +=
        "</section>\n<p class=\"quiet\">What differs here is right of the study's own GPU and not of this one; what is refuted is "
        "wrong there too. <a href=\"claims.html\">All claims with their evidence</a></p>\n";
  text += own_experiments(own);
  return {"Results", "", text + html_body(below).text};
}

}  // namespace tailwave
