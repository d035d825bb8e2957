#include "measure/lone_launch.h"

#include <algorithm>
#include <utility>

namespace tailwave {

namespace {

// What the code has as its cluster is in some records, and in no launch.
bool may_be_same(const std::optional<Dim3>& one, const std::optional<Dim3>& other) {
  return !one || !other || *one == *other;
}

}  // namespace

bool same_shape(const LaunchRecord& one, const LaunchRecord& other) {
  return one.kernel == other.kernel && one.grid == other.grid && one.block == other.block &&
         one.sms_asked == other.sms_asked && may_be_same(one.cluster, other.cluster);
}

std::optional<LoneLaunch> lone_launch(std::vector<Launch> plan, const LaunchRecord& record) {
  const auto place = std::find_if(plan.begin(), plan.end(), [&](const Launch& launch) {
    return launch.is_kernel() && launch.gpu == 0 && launch.kernel == record.kernel &&
           launch.grid == record.grid && launch.block == record.block &&
           launch.sms == record.sms_asked.value_or(0) && may_be_same(launch.cluster, record.cluster);
  });
  if (place == plan.end()) return {};
  LoneLaunch lone{.before = {}, .launch = std::move(*place)};
  lone.launch.stream = 0;
  lone.launch.dependent = false;
  lone.launch.wait.clear();
  lone.launch.exit.reset();
  plan.erase(place, plan.end());
  for (Launch& before : plan) before.exit.reset();
  lone.before = std::move(plan);
  return lone;
}

void run_before(const LoneLaunch& lone, Executor& executor, Program& program, const Workspace& workspace) {
  executor.repeat(program, workspace.fresh_start(0), lone.before, {.timed = false}, 1);
}

}  // namespace tailwave
