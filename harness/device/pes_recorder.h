#pragma once

#include <functional>
#include <vector>

#include "device/counters.h"

namespace tailwave {

class PesExecutor;

// What processing elements do on their GPUs, as each records it in its own process. Their begins and ends are of one clock
// where the records of several processes of a host are, as CUPTI's are. Counts nothing: a counted launch is executed
// several times, and one that waits for the others would wait for ever.
class PesRecorder final : public RecordingSource {
 public:
  explicit PesRecorder(PesExecutor& elements)
      : RecordingSource("processing elements are recorded, not counted"), elements_(elements) {}

  std::vector<Activity> record(const std::function<void()>& work) override;

 private:
  PesExecutor& elements_;
};

}  // namespace tailwave
