#include "measure/lone_launch.h"

#include <algorithm>
#include <utility>

namespace tailwave {

std::optional<LoneLaunch> lone_launch(std::vector<Launch> plan, const LaunchRecord& record) {
  const auto place = std::find_if(plan.begin(), plan.end(), [&](const Launch& launch) {
    return launch.copied == nullptr && launch.gpu == 0 && launch.kernel == record.kernel &&
           launch.grid == record.grid && launch.block == record.block &&
           launch.sms == record.sms_asked.value_or(0);
  });
  if (place == plan.end()) return {};
  LoneLaunch lone{.before = {}, .launch = std::move(*place)};
  lone.launch.stream = 0;
  lone.launch.wait.clear();
  lone.launch.exit.reset();
  plan.erase(place, plan.end());
  for (Launch& before : plan) before.exit.reset();
  lone.before = std::move(plan);
  return lone;
}

void run_before(const LoneLaunch& lone, Executor& executor, Program& program, const Workspace& workspace) {
  executor.restore(workspace.fresh_start(0).restored);
  for (const std::vector<Launch>* part : {&workspace.prepare(), &lone.before})
    if (!part->empty()) executor.run(program, *part, {.timed = false});
}

}  // namespace tailwave
