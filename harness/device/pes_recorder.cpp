#include "device/pes_recorder.h"

#include "core/outcome.h"
#include "device/pes_executor.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse_counts_of_elements() {
  throw Failure(Outcome::unavailable, "processing elements are recorded, not counted");
}

}  // namespace

CounterPlan PesRecorder::plan(const std::vector<std::string>& /*metrics*/) {
  refuse_counts_of_elements();
}

std::vector<CounterValue> PesRecorder::count(const CounterPlan& /*plan*/,
                                             const std::function<void()>& /*prepare*/,
                                             const std::function<void()>& /*work*/) {
  refuse_counts_of_elements();
}

std::vector<Activity> PesRecorder::record(const std::function<void()>& work) {
  return elements_.record(work);
}

}  // namespace tailwave
