#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/advice_section.h"
#include "report/answer.h"
#include "report/claims_html.h"
#include "report/claims_page.h"
#include "report/experiment_page.h"
#include "report/explorer.h"
#include "report/front_page.h"
#include "report/gains_page.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/pictures.h"
#include "report/report_folder.h"
#include "report/section_text.h"
#include "report/selftest_section.h"
#include "report/simulations.h"
#include "report/sql_files.h"
#include "report/study_reader.h"
#include "report/study_tables.h"
#include "report/view_tables.h"

namespace tailwave {
namespace {

// What another tuner measured answers no question of ours, so it has no page.
std::string recorded_remark(Database& database) {
  const auto recorded = recorded_experiments(database);
  if (recorded.empty()) return "";
  std::string names;
  for (const auto& [system, experiment] : recorded)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", prose(system + "/" + experiment));
  return fmt::format("\nRecorded by another tuner: {}. `tailwave query best` lists them.\n", names);
}

std::string index(const std::vector<Study>& studies, const std::string& claims) {
  std::string text =
      fmt::format("{}; every number is the median of stored samples.\n\n{}", kIndexBegins, claims);
  if (studies.empty()) return text + "\nThere are no results yet: `tailwave run` makes some.\n";
  MarkdownTable table({"experiment", "question", "device", "answer"});
  for (const Study& study : studies) {
    for (const DeviceStudy& device : study.devices) {
      table.add({fmt::format("[{}]({})", prose(study.name()), address(study.name() + ".md")),
                 prose(study.question), prose(device.device), answer(study, device)});
    }
  }
  return text + "\n" + table.text();
}

// Of a Markdown page.
std::filesystem::path html_file(std::filesystem::path markdown) {
  if (markdown.filename() == "README.md") return markdown.replace_filename("index.html");
  return markdown.replace_extension(".html");
}

// Then a report on some experiments leaves the others alone, since answers take time.
constexpr std::int64_t kLargeDatabase = 20'000;  // trials

bool is_large(Database& database) {
  Statement statement = database.prepare("SELECT count(*) > ?1 FROM (SELECT 1 FROM trial LIMIT ?1 + 1)");
  statement.bind_all(kLargeDatabase);
  return statement.step() && statement.integer(0) == 1;
}

// The names of those that the index does not answer for, with links to the pages that earlier reports wrote.
std::string other_experiments(Database& database, const std::vector<Study>& answered,
                              const std::filesystem::path& folder) {
  std::string text;
  for (const auto& [system, experiment] : experiment_names(database)) {
    const auto is_this = [&, &system = system, &experiment = experiment](const Study& study) {
      return study.system == system && study.experiment == experiment;
    };
    if (std::any_of(answered.begin(), answered.end(), is_this)) continue;
    const std::string file = fmt::format("{}/{}.md", system, experiment);
    const std::string name = prose(system + "/" + experiment);
    text += std::filesystem::exists(folder / file) ? fmt::format("- [{}]({})\n", name, address(file))
                                                   : fmt::format("- {}\n", name);
  }
  if (text.empty()) return "";
  return "\n## Other experiments\n\nNot part of this report; `tailwave report` writes about all of them. "
         "Linked are the pages of earlier reports.\n\n" +
         text;
}

// Gathers the files of a report, and writes them when all of them are known.
class ReportWriter {
 public:
  ReportWriter(const ReportOptions& options, ReportFolder& folder, ReportSummary& summary)
      : options_(options), folder_(folder), summary_(summary) {}

  // `file` is that of the Markdown page, below the report's folder; its HTML page is made of `html`.
  // explorer: the data of the one in it (Explorer::json).
  void add_page(const std::string& file, const std::string& markdown, const std::string& html,
                const std::vector<SectionPictures>& sections = {}, Tables tables = Tables::open,
                const std::string& explorer = "") {
    std::map<std::string, ChartFigure> charts;
    for (const SectionPictures& section : sections)
      for (const Picture& picture : section.pictures)
        charts[address(picture.file)] = {picture.spec, picture.drawn.failure.empty()};
    Page page{
        file, link_undrawn(markdown, sections, html_file(file).filename().string()), {}, !charts.empty()};
    if (!explorer.empty()) {
      page.markdown.erase(page.markdown.find(kExplorerPart), kExplorerPart.size());
      charts["explorer"] = {.html = explorer_figure(explorer)};
      page.explores = true;
    }
    page.html = html_body(html, charts, tables);
    pages_.push_back(std::move(page));
  }

  // The same with an HTML page of its own.
  void add_page(const std::string& file, const std::string& markdown, HtmlBody html) {
    pages_.push_back({file, markdown, std::move(html), false});
  }

  // `folder` is that of the page: "" or "nbody/".
  void add_pictures(const SectionPictures& section, const std::string& folder) {
    for (const Picture& picture : section.pictures) {
      if (picture.drawn.failure.empty()) {
        files_.emplace(folder + picture.file, picture.drawn.svg);
        summary_.charts.push_back(options_.out_dir / (folder + picture.file));
      } else if (options_.renderer->draws() && summary_.charts_left_out++ == 0) {
        summary_.why_left_out = picture.drawn.failure;
      }
    }
  }

  // What an earlier report wrote there goes, unless this one writes it too.
  void replace(const std::string& place) { replaced_.push_back(place); }

  void write() {
    for (const char* const name : {"style.css", "charts.js", "page.js", "tables.js"})
      files_.emplace(fmt::format("assets/{}", name), analysis_file(fmt::format("html/{}", name)));
    if (std::any_of(pages_.begin(), pages_.end(), [&](const Page& page) { return draws(page); }))
      files_.emplace("assets/vega.js", options_.script);
    if (std::any_of(pages_.begin(), pages_.end(), [](const Page& page) { return page.explores; })) {
      files_.emplace("assets/explorer.css", analysis_file("html/explorer/explorer.css"));
      files_.emplace("assets/explorer.js", explorer_script());
    }
    std::set<std::string> names;
    for (const auto& [name, text] : files_) names.insert(name);
    for (const Page& page : pages_) names.insert({page.file, html_file(page.file).string()});
    folder_.begin(names);
    for (const auto& [name, text] : files_) folder_.write(name, text);
    for (const Page& page : pages_) write_page(page);
    // What could not be drawn is tried again.
    folder_.finish(replaced_, summary_.charts_left_out == 0 ? options_.inputs : "");
  }

 private:
  struct Page {
    std::string file, markdown;
    HtmlBody html;
    bool has_charts = false, explores = false;
  };

  [[nodiscard]] bool draws(const Page& page) const { return !options_.script.empty() && page.has_charts; }

  void write_page(const Page& page) const {
    const std::filesystem::path file(page.file);
    folder_.write(page.file, page.markdown);
    folder_.write(html_file(file).string(), html_page({.root = file.has_parent_path() ? "../" : "",
                                                       .markdown_address = address(file.filename().string()),
                                                       .interactive = draws(page),
                                                       .explorer = page.explores,
                                                       .gains = !summary_.gains.empty(),
                                                       .simulations = !summary_.simulations.empty()},
                                                      page.html));
  }

  const ReportOptions& options_;
  ReportFolder& folder_;
  ReportSummary& summary_;
  std::map<std::string, std::string> files_;
  std::vector<Page> pages_;
  std::vector<std::string> replaced_;
};

// "" without simulations; else the line of the index that leads to their page.
std::string add_simulations(Database& database, const ReportOptions& options, const EarlierFile& earlier,
                            ReportWriter& writer, ReportSummary& summary) {
  SectionPictures pictures;
  if (options.renderer != nullptr)
    pictures = draw_overall_pictures(database, *options.renderer, earlier, options.project);
  const std::string text = simulations_page(database, pictures_part(pictures, !options.script.empty()));
  for (const char* const place : {"charts", "simulations.md", "simulations.html"}) writer.replace(place);
  if (text.empty()) return "";
  summary.simulations = options.out_dir / "simulations.md";
  writer.add_pictures(pictures, "");
  writer.add_page("simulations.md", text, text, {pictures});
  return "\n[Simulated searches](simulations.md): what search strategies reach on recorded spaces.\n";
}

// "" where no experiment has several problems or variants; else the line of the index that leads to their page.
std::string add_gains(Database& database, const std::vector<Study>& studies, bool partly,
                      const ReportOptions& options, ReportWriter& writer, ReportSummary& summary) {
  options.doing("working out what tuning gained");
  const std::string text = gains_page(database, studies, partly);
  for (const char* const place : {"gains.md", "gains.html"}) writer.replace(place);
  if (text.empty()) return "";
  summary.gains = options.out_dir / "gains.md";
  writer.add_page("gains.md", text, text, {}, Tables::folded);
  return "\n[What tuning gained](gains.md): the best of each problem beside the default, the winners of other problems and "
         "other variants, and what limits it.\n";
}

void add_pages(Database& database, const std::vector<const Study*>& studies, const AllAdvice& advice,
               const ReportOptions& options, const std::vector<ClaimVerdict>& verdicts,
               PictureDrawing* drawing, ReportWriter& writer, ReportSummary& summary) {
  options.doing("reading traces and curves");
  const PageFacts facts{!options.script.empty(), load_traces(database, studies), load_curve_errors(database),
                        advice};
  std::vector<std::vector<SectionPictures>> pictures;
  for (const Study* study : studies) pictures.emplace_back(study->devices.size());
  options.doing("drawing the charts of " + plural(studies.size(), "page"));
  if (drawing != nullptr) pictures = drawing->finish();
  options.doing("writing " + plural(studies.size(), "page"));
  const Explorer explorer(database);
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const Study& study = *studies[i];
    writer.replace(fmt::format("{}/charts/{}", study.system, study.experiment));
    for (const SectionPictures& section : pictures[i]) writer.add_pictures(section, study.system + "/");
    Footnotes notes;
    const std::string explored = explorer.json(study);
    const std::string text = experiment_page(database, study, pictures[i], facts, !explored.empty(), notes);
    std::string list = notes.text();
    if (!list.empty()) list = "\n## Notes\n\n" + list;
    const std::string file = study.name() + ".md";
    writer.add_page(file, text + list, text + claims_section(verdicts, study.system) + list, pictures[i],
                    Tables::folded, explored);
    summary.pages.push_back(options.out_dir / file);
  }
}

// Of which the database has results, and of whose studies there are tables.
std::set<std::string> systems_with_tables(Database& database, const std::vector<StudyTable>& tables) {
  std::set<std::string> systems;
  for (const auto& [system, experiment] : experiment_names(database))
    if (std::any_of(tables.begin(), tables.end(),
                    [&, &system = system](const auto& table) { return table.system == system; }))
      systems.insert(system);
  return systems;
}

// The page of each such study; the line of the index that leads to them.
std::string add_study_pages(Database& database, const std::vector<StudyTable>& tables,
                            const std::set<std::string>& systems, ReportWriter& writer) {
  std::string links;
  for (const std::string& system : systems) {
    const std::string file = system + "/study.md", text = study_page(database, tables, system);
    writer.add_page(file, text, text);
    links += fmt::format("{}[{}]({})", links.empty() ? "" : ", ", prose(system), address(file));
  }
  return links.empty() ? "" : fmt::format("\nThe tables of the studies beside ours: {}.\n", links);
}

// Those about systems that the database has results of; all of them where it has no results.
std::vector<Claim> claims_of(Database& database, std::vector<Claim> claims) {
  const auto names = experiment_names(database);
  if (names.empty()) return claims;
  std::erase_if(claims, [&](const Claim& claim) {
    return std::none_of(names.begin(), names.end(),
                        [&](const auto& name) { return name.first == claim.system; });
  });
  return claims;
}

}  // namespace

ReportSummary render_report(Database& database, const ReportOptions& options) {
  ReportFolder folder(options.out_dir);
  ReportSummary summary;
  summary.index = options.out_dir / "README.md";
  summary.html = options.out_dir / "index.html";
  summary.claims = options.out_dir / "claims.md";
  summary.unchanged = folder.is_made_of(options.inputs);
  if (summary.unchanged) return summary;
  options.doing("reading the experiments");
  const bool partly = !options.experiments.empty() && is_large(database);
  const ViewTables tables(database, partly ? options.experiments : std::vector<std::string>{});
  const std::vector<Study> asked_for = load_studies(database, options.experiments);
  folder.lock();
  const std::vector<Study> all = options.experiments.empty() || partly ? asked_for : load_studies(database);
  std::vector<std::string> wanted;
  for (const Study& study : asked_for) wanted.push_back(study.name());
  std::vector<const Study*> written;
  for (const Study& study : all) {
    const std::filesystem::path file = options.out_dir / study.system / (study.experiment + ".md");
    const bool asked = std::find(wanted.begin(), wanted.end(), study.name()) != wanted.end();
    if (asked || !std::filesystem::exists(file) || !std::filesystem::exists(html_file(file)))
      written.push_back(&study);
  }
  ReportWriter writer(options, folder, summary);
  const EarlierFile earlier = [&](const std::string& file) { return folder.earlier(file); };
  const std::string simulations = add_simulations(database, options, earlier, writer, summary);
  std::optional<PictureDrawing> drawing;
  if (options.renderer != nullptr)
    drawing.emplace(database, written, *options.renderer, earlier, options.project);
  options.doing("judging what the studies claim");
  const std::vector<Claim> claims = claims_of(database, list_claims(options.project));
  const std::vector<ClaimVerdict> verdicts = judge(database, claims);
  options.doing("working out advice");
  std::vector<const Study*> answered;
  for (const Study& study : all) answered.push_back(&study);
  const AllAdvice advice = load_advice_of(database, answered);
  add_pages(database, written, advice, options, verdicts, drawing ? &*drawing : nullptr, writer, summary);
  writer.add_page("claims.md", claims_page(verdicts), claims_html(verdicts));
  std::string counts;
  if (!verdicts.empty())
    counts = fmt::format("[What the studies claim](claims.md):\n\n{}", count_verdicts(verdicts));
  const std::string gains = add_gains(database, all, partly, options, writer, summary);
  const std::vector<StudyTable> study_tables = list_study_tables(options.project);
  const std::set<std::string> with_tables = systems_with_tables(database, study_tables);
  const std::string study_links = add_study_pages(database, study_tables, with_tables, writer);
  const std::string others = partly ? other_experiments(database, all, options.out_dir) : "";
  const std::string below =
      recorded_remark(database) + others + advice_totals(advice) + selftest_section(database);
  writer.add_page("README.md", index(all, counts + gains + study_links + simulations) + below,
                  front_page(all, verdicts, with_tables, gains + simulations + below));
  writer.write();
  return summary;
}

}  // namespace tailwave
