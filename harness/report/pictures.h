#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "report/chart_renderer.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// A chart of a page, drawn or not.
struct Picture {
  std::string title;
  std::string file;  // relative to the page: "charts/variants/nvidia_h200_block_size.svg"
  std::string spec;  // Vega-Lite, one line
  RenderedChart drawn;
};

// Those of the section of one device.
struct SectionPictures {
  std::vector<Picture> pictures;
  std::size_t answers = 0;  // how many of these, the first ones, are the answer's (load_answer_charts)
  std::vector<std::pair<std::string, std::size_t>> cut;  // as ChartSet::cut
};

// What an earlier report has as a file, "nbody/charts/variants/nvidia_h200_block_size.svg"; "" where it has none.
using EarlierFile = std::function<std::string(const std::string& file)>;

// One that is to be drawn.
struct UndrawnPicture {
  Picture* picture = nullptr;
  std::string mark;  // what its file ends with
};

// For each study and each of its devices the charts that its data give, all drawn by one call of `renderer`, but for those that
// an earlier report drew from the same spec: a picture ends with a comment that has the spec's hash. A thread draws while the
// report goes on; only the constructor reads the database and asks for earlier files.
class PictureDrawing {
 public:
  PictureDrawing(Database& database, const std::vector<const Study*>& studies, ChartRenderer& renderer,
                 const EarlierFile& earlier, const std::filesystem::path& project = {});
  // Waits for them. To be called once.
  std::vector<std::vector<SectionPictures>> finish();

 private:
  std::vector<std::vector<SectionPictures>> pictures_;
  std::vector<UndrawnPicture> undrawn_;
  std::future<std::vector<RenderedChart>> drawn_;
};

// The charts of the whole database (load_overall_charts), in `charts` beside the index.
SectionPictures draw_overall_pictures(Database& database, ChartRenderer& renderer, const EarlierFile& earlier,
                                      const std::filesystem::path& project = {});

// The picture that stands below the answer of a page; "" where there is none. `scripted`: browsers draw it.
std::string answer_picture(const SectionPictures& section, bool scripted = false);

// The part of a section that shows the others; "" without charts. Those that could not be drawn show where a browser draws
// them (`scripted`); else one line says how many are left out, and why.
std::string pictures_part(const SectionPictures& section, bool scripted = false);

// A Markdown page with these in it as one that shows only what was drawn: the others are links to `html`, the same page.
std::string link_undrawn(std::string markdown, const std::vector<SectionPictures>& sections,
                         const std::string& html);

}  // namespace tailwave
