#pragma once

#include <cstddef>
#include <filesystem>
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
  std::vector<std::pair<std::string, std::size_t>> cut;  // as ChartSet::cut
};

// For each study and each of its devices the charts that its data give, all drawn by one call of `renderer`.
std::vector<std::vector<SectionPictures>> draw_pictures(Database& database,
                                                        const std::vector<const Study*>& studies,
                                                        ChartRenderer& renderer,
                                                        const std::filesystem::path& project = {});

// The charts of the whole database (load_overall_charts), in `charts` beside the index.
SectionPictures draw_overall_pictures(Database& database, ChartRenderer& renderer,
                                      const std::filesystem::path& project = {});

// The part of a section that shows them; "" without charts. Those that could not be drawn show where a browser draws
// them (`scripted`); else one line says how many are left out, and why.
std::string pictures_part(const SectionPictures& section, bool scripted = false);

// A Markdown page with pictures_part() in it as one that shows only what was drawn: the others are links to `html`,
// the same page.
std::string link_undrawn(std::string markdown, const std::vector<SectionPictures>& sections,
                         const std::string& html);

}  // namespace tailwave
