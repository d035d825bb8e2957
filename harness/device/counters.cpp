#include "device/counters.h"

#include "core/outcome.h"

namespace tailwave {
namespace {

std::string_view remedy(CounterObstacle obstacle) {
  switch (obstacle) {
    case CounterObstacle::no_library:
      return "CUPTI comes with the CUDA Toolkit and with the wheel nvidia-cuda-cupti; TAILWAVE_CUPTI names its file";
    case CounterObstacle::too_old:
      return "the range profiler is part of CUPTI since CUDA 12.6 Update 2; TAILWAVE_CUPTI names another libcupti";
    case CounterObstacle::not_permitted:
      return "who administers the machine can let all users count, by 'options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d and a restart; else it takes root, with "
             "TAILWAVE_SANDBOX=off; what Nsight Compute counted elsewhere comes in by 'tailwave import --format ncu'";
    case CounterObstacle::in_use:
      return "only one program can count on a GPU at a time: end other profilers (ncu, nsys, DCGM: 'dcgmi profile "
             "--pause') and try again";
    case CounterObstacle::not_supported:
      return "what Nsight Compute counted elsewhere comes in by 'tailwave import --format ncu'";
    case CounterObstacle::failed:
      return "";
  }
  return "";
}

}  // namespace

std::string describe_obstacle(CounterObstacle obstacle, const std::string& cause) {
  return to_string(Diagnostic{.place = "counters",
                              .cause = std::string(to_string(obstacle)) + ": " + cause,
                              .hint = std::string(remedy(obstacle))});
}

CounterPlan RecordingSource::plan(const std::vector<std::string>& /*metrics*/) {
  throw Failure(Outcome::unavailable, why_not_counted_);
}

std::vector<CounterValue> RecordingSource::count(const CounterPlan& /*plan*/,
                                                 const std::function<void()>& /*prepare*/,
                                                 const std::function<void()>& /*work*/) {
  throw Failure(Outcome::unavailable, why_not_counted_);
}

}  // namespace tailwave
