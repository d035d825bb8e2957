#include "report/pictures.h"

#include <fmt/format.h>

#include <map>

#include "report/charts.h"
#include "report/markdown.h"

namespace tailwave {
namespace {

SectionPictures section_of(const Study& study, const DeviceStudy& device, const ChartSet& set,
                           std::map<std::string, int>& used) {
  SectionPictures section{{}, set.cut};
  for (const Chart& chart : set.charts) {
    const std::string base =
        fmt::format("charts/{}/{}_{}", study.experiment, slug(device.device, '_'), chart.name);
    const int number = ++used[base];
    section.pictures.push_back(
        {chart.title, number == 1 ? base + ".svg" : fmt::format("{}_{}.svg", base, number), chart.spec, {}});
  }
  return section;
}

std::string image_of(const Picture& picture) {
  return fmt::format("![{}]({})", prose(picture.title), address(picture.file));
}

}  // namespace

std::vector<std::vector<SectionPictures>> draw_pictures(Database& database,
                                                        const std::vector<const Study*>& studies,
                                                        ChartRenderer& renderer,
                                                        const std::filesystem::path& project) {
  std::vector<std::vector<SectionPictures>> all;
  std::vector<std::string> specs;
  for (const Study* study : studies) {
    std::map<std::string, int> used;
    std::vector<SectionPictures>& sections = all.emplace_back();
    for (const DeviceStudy& device : study->devices) {
      const ChartSet set = load_charts(database, *study, device, project);
      sections.push_back(section_of(*study, device, set, used));
      for (const Chart& chart : set.charts) specs.push_back(chart.spec);
    }
  }
  if (specs.empty()) return all;
  std::vector<RenderedChart> drawn = renderer.render(specs);
  auto next = drawn.begin();
  for (auto& sections : all)
    for (SectionPictures& section : sections)
      for (Picture& picture : section.pictures) picture.drawn = std::move(*next++);
  return all;
}

SectionPictures draw_overall_pictures(Database& database, ChartRenderer& renderer,
                                      const std::filesystem::path& project) {
  SectionPictures section;
  std::vector<std::string> specs;
  std::map<std::string, int> used;
  for (const Chart& chart : load_overall_charts(database, project).charts) {
    const int number = ++used[chart.name];
    section.pictures.push_back(
        {chart.title, fmt::format("charts/{}_{}.svg", chart.name, number), chart.spec, {}});
    specs.push_back(chart.spec);
  }
  if (specs.empty()) return section;
  std::vector<RenderedChart> drawn = renderer.render(specs);
  for (std::size_t i = 0; i < drawn.size(); ++i) section.pictures[i].drawn = std::move(drawn[i]);
  return section;
}

std::string pictures_part(const SectionPictures& section, bool scripted) {
  if (section.pictures.empty()) return "";
  std::string text = "\n### Charts\n";
  std::map<std::string, int> failures;
  for (const Picture& picture : section.pictures) {
    if (scripted || picture.drawn.failure.empty())
      text += "\n" + image_of(picture) + "\n";
    else
      ++failures[picture.drawn.failure];
  }
  for (const auto& [name, count] : section.cut)
    text += fmt::format("\nThe first {} of {} charts `{}`.\n", kMostOfOneChart, count, name);
  for (const auto& [reason, count] : failures)
    text += fmt::format("\n{} left out: {}.\n",
                        count == 1 ? "1 chart is" : fmt::format("{} charts are", count), prose(reason));
  return text;
}

std::string link_undrawn(std::string markdown, const std::vector<SectionPictures>& sections,
                         const std::string& html) {
  for (const SectionPictures& section : sections) {
    for (const Picture& picture : section.pictures) {
      if (picture.drawn.failure.empty()) continue;
      const std::string image = image_of(picture);
      const std::string link = fmt::format("[Chart: {}]({})", prose(picture.title), address(html));
      for (std::size_t at = 0; (at = markdown.find(image, at)) != std::string::npos; at += link.size())
        markdown.replace(at, image.size(), link);
    }
  }
  return markdown;
}

}  // namespace tailwave
