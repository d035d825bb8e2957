#include "report/experiment_page.h"

#include <fmt/format.h>

#include "report/advice_section.h"
#include "report/answer.h"
#include "report/counters.h"
#include "report/explanation_section.h"
#include "report/explorer.h"
#include "report/importance.h"
#include "report/section.h"

namespace tailwave {
namespace {

std::string answers(const Study& study, const std::vector<SectionPictures>& pictures, bool scripted) {
  const std::vector<DeviceStudy>& devices = study.devices;
  std::string text = "**Answer.**";
  if (devices.size() == 1)
    text += fmt::format(" On {}: {}.\n", prose(devices[0].device), answer(study, devices[0]));
  else
    text += "\n\n";
  for (std::size_t i = 0; devices.size() > 1 && i < devices.size(); ++i)
    text += fmt::format("- On {}: {}.\n", prose(devices[i].device), answer(study, devices[i]));
  return text + answer_picture(pictures.front(), scripted);
}

}  // namespace

std::string experiment_page(Database& database, const Study& study,
                            const std::vector<SectionPictures>& pictures, const PageFacts& facts,
                            bool explored, Footnotes& notes) {
  std::string text = fmt::format("# {}: {}\n\n", prose(study.system), prose(study.experiment));
  if (!study.question.empty()) text += fmt::format("**Question.** {}\n\n", prose(study.question));
  text += answers(study, pictures, facts.scripted) + side_by_side(study);
  if (explored) text += kExplorerPart;
  for (std::size_t i = 0; i < study.devices.size(); ++i) {
    const DeviceStudy& device = study.devices[i];
    const std::string charts = (i > 0 ? answer_picture(pictures[i], facts.scripted) : "") +
                               pictures_part(pictures[i], facts.scripted);
    text += device_section(study, device, charts, notes);
    text += importance_section(database, study, device);
    text += observed_waves(study, device, facts.traces, notes);
    text += wave_models(study, device, facts.errors);
    text += counters_section(database, study, device, notes);
    text += explanation_section(database, study, device);
    text += advice_section(study, device, facts.advice);
  }
  return text;
}

}  // namespace tailwave
