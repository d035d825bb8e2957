#include "cli/measured_gpus.h"

#include <fmt/format.h>

#include <utility>

#include "cli/interrupt.h"
#include "report/section_text.h"

namespace tailwave {

MeasuredGpus::MeasuredGpus(std::vector<Tools> all, const Console& console) {
  std::vector<Measurer*> members;
  for (Tools& tools : all) {
    measurers_.push_back(measurers_.empty()
                             ? std::make_unique<Measurer>(std::move(tools))
                             : std::make_unique<Measurer>(std::move(tools), *measurers_.front()));
    members.push_back(measurers_.back().get());
  }
  team_ = std::make_unique<Team>(
      members, [&console](const std::string& text) { console.note(text); }, InterruptGuard::requested);
}

std::string gpus_text(const RunSummary& summary, const Team& team) {
  std::string text;
  for (const GpuFactor& one : summary.gpu_factors) {
    if (one.gpu == summary.gpu_factors.front().gpu) continue;
    text +=
        fmt::format("{} takes {:.4f} times as long as {}", team.tools_of(one.gpu).device->description().uuid,
                    one.factor, team.tools_of(summary.gpu_factors.front().gpu).device->description().uuid);
    if (one.interval) text += fmt::format(" ({:.4f} to {:.4f})", one.interval->low, one.interval->high);
    text += fmt::format(", by {}\n", plural(one.ratios, "pair") + " of times");
  }
  if (summary.leaders > 0)
    text += fmt::format(
        "{} measured again, those of a problem on one GPU, where they are held beside each other\n",
        plural(summary.leaders, "leader"));
  return text;
}

nlohmann::ordered_json gpus_json(const RunSummary& summary, const Team& team) {
  nlohmann::ordered_json gpus = nlohmann::ordered_json::array();
  for (const GpuFactor& one : summary.gpu_factors) {
    nlohmann::ordered_json& json =
        gpus.emplace_back(nlohmann::ordered_json{{"uuid", team.tools_of(one.gpu).device->description().uuid},
                                                 {"factor", one.factor},
                                                 {"ratios", one.ratios}});
    if (one.interval) json["interval"] = {one.interval->low, one.interval->high};
  }
  return gpus;
}

}  // namespace tailwave
