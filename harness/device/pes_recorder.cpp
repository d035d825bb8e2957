#include "device/pes_recorder.h"

#include "device/pes_executor.h"

namespace tailwave {

std::vector<Activity> PesRecorder::record(const std::function<void()>& work) {
  return elements_.record(work);
}

}  // namespace tailwave
