#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/remote_executor.h"

namespace tailwave {

// A GPU through the driver API, inside this process; works in the device's primary context. After a poisoning
// error or a missed deadline it is unusable, and so is CUDA in this process. Throws Error with one line that says
// what is missing.
std::unique_ptr<WorkerExecutor> open_in_this_process(int ordinal);

struct DeviceList {
  std::string obstacle;  // why there is none: "libcuda.so.1 not found"
  std::vector<DeviceDescription> devices;
};
DeviceList list_in_this_process();

}  // namespace tailwave
