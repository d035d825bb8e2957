#include "report/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "report/charts.h"
#include "report/markdown.h"

namespace tailwave {
namespace {

SectionPictures section_of(const Study& study, const DeviceStudy& device, const ChartSet& set,
                           std::map<std::string, int>& used) {
  SectionPictures section;
  section.cut = set.cut;
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

std::vector<SectionPictures> pictures_of(Database& database, const Study& study,
                                         const std::filesystem::path& project) {
  std::map<std::string, int> used;
  std::vector<SectionPictures> sections;
  for (const DeviceStudy& device : study.devices) {
    ChartSet set = load_answer_charts(database, study, device, project);
    const std::size_t answers = set.charts.size();
    ChartSet others = load_charts(database, study, device, project);
    std::ranges::move(others.charts, std::back_inserter(set.charts));
    std::ranges::move(others.cut, std::back_inserter(set.cut));
    sections.push_back(section_of(study, device, set, used));
    sections.back().answers = answers;
  }
  return sections;
}

// What a picture of the spec ends with.
std::string mark_of(const std::string& spec, const ChartRenderer& renderer) {
  return fmt::format("\n<!-- {} -->\n", FieldHasher().add(spec).add(renderer.version()).digest());
}

// None where the earlier report has the same picture, which is taken.
std::optional<UndrawnPicture> take_earlier(Picture& picture, const std::string& file,
                                           const ChartRenderer& renderer, const EarlierFile& earlier) {
  std::string mark = mark_of(picture.spec, renderer);
  picture.drawn.svg = earlier(file);
  if (picture.drawn.svg.ends_with(mark)) return {};
  return UndrawnPicture{&picture, std::move(mark)};
}

void put_in(const std::vector<UndrawnPicture>& undrawn, std::vector<RenderedChart> drawn) {
  for (std::size_t i = 0; i < undrawn.size(); ++i) {
    RenderedChart& picture = undrawn[i].picture->drawn;
    picture = std::move(drawn[i]);
    if (picture.failure.empty()) picture.svg += undrawn[i].mark;
  }
}

}  // namespace

PictureDrawing::PictureDrawing(Database& database, const std::vector<const Study*>& studies,
                               ChartRenderer& renderer, const EarlierFile& earlier,
                               const std::filesystem::path& project) {
  for (const Study* study : studies) pictures_.push_back(pictures_of(database, *study, project));
  std::vector<std::string> specs;
  for (std::size_t i = 0; i < pictures_.size(); ++i)
    for (SectionPictures& section : pictures_[i])
      for (Picture& picture : section.pictures) {
        std::optional<UndrawnPicture> one =
            take_earlier(picture, studies[i]->system + "/" + picture.file, renderer, earlier);
        if (!one) continue;
        undrawn_.push_back(*std::move(one));
        specs.push_back(picture.spec);
      }
  if (!specs.empty())
    drawn_ = std::async(std::launch::async,
                        [&renderer, specs = std::move(specs)] { return renderer.render(specs); });
}

std::vector<std::vector<SectionPictures>> PictureDrawing::finish() {
  if (drawn_.valid()) put_in(undrawn_, drawn_.get());
  return std::move(pictures_);
}

SectionPictures draw_overall_pictures(Database& database, ChartRenderer& renderer, const EarlierFile& earlier,
                                      const std::filesystem::path& project) {
  SectionPictures section;
  std::map<std::string, int> used;
  for (const Chart& chart : load_overall_charts(database, project).charts) {
    const int number = ++used[chart.name];
    section.pictures.push_back(
        {chart.title, fmt::format("charts/{}_{}.svg", chart.name, number), chart.spec, {}});
  }
  std::vector<UndrawnPicture> undrawn;
  std::vector<std::string> specs;
  for (Picture& picture : section.pictures)
    if (std::optional<UndrawnPicture> one = take_earlier(picture, picture.file, renderer, earlier)) {
      undrawn.push_back(*std::move(one));
      specs.push_back(picture.spec);
    }
  if (!specs.empty()) put_in(undrawn, renderer.render(specs));
  return section;
}

std::string answer_picture(const SectionPictures& section, bool scripted) {
  const bool shows = section.answers > 0 && (scripted || section.pictures.front().drawn.failure.empty());
  return shows ? "\n" + image_of(section.pictures.front()) + "\n" : "";
}

std::string pictures_part(const SectionPictures& section, bool scripted) {
  std::string text;
  std::map<std::string, int> failures;
  for (std::size_t i = 0; i < section.pictures.size(); ++i) {
    const Picture& picture = section.pictures[i];
    if (!scripted && !picture.drawn.failure.empty())
      ++failures[picture.drawn.failure];
    else if (i > 0 || section.answers == 0)
      text += "\n" + image_of(picture) + "\n";
  }
  for (const auto& [name, count] : section.cut)
    text += fmt::format("\nThe first {} of {} charts `{}`.\n", kMostOfOneChart, count, name);
  for (const auto& [reason, count] : failures)
    text += fmt::format("\n{} left out: {}.\n",
                        count == 1 ? "1 chart is" : fmt::format("{} charts are", count), prose(reason));
  return text.empty() ? "" : "\n### Charts\n" + text;
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
