#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "measure/team.h"
#include "tune/pipeline.h"

namespace tailwave {

// The Measurers of a session's GPUs and their Team. What is lost is told on the console, which has to outlive it.
class MeasuredGpus {
 public:
  MeasuredGpus(std::vector<Tools> all, const Console& console);
  [[nodiscard]] Team& team() { return *team_; }

 private:
  std::vector<std::unique_ptr<Measurer>> measurers_;
  std::unique_ptr<Team> team_;
};

// A line for each GPU but the first: how many times as long it takes. And which leaders were measured again.
std::string gpus_text(const RunSummary& summary, const Team& team);
nlohmann::ordered_json gpus_json(const RunSummary& summary, const Team& team);

}  // namespace tailwave
