// What device/cuda/nvml.h loads in place of NVIDIA's library. $FAKE_NVML_PROCESSES names the processes that compute on
// its GPU, each with the instance that it uses, "12:0 13:1", $FAKE_NVML_GRAPHICS those that draw; $FAKE_NVML_ENERGY_MJ is
// its counter of energy.
#include <cstdlib>
#include <sstream>

extern "C" {

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

static int processes_of(const char* variable, unsigned* count, ProcessInfo* all) {
  const char* const named = std::getenv(variable);
  if (named == nullptr) return 1;
  std::istringstream words(named);
  *count = 0;
  char colon = 0;
  for (ProcessInfo one{}; words >> one.pid >> colon >> one.gpu_instance; ++*count) all[*count] = one;
  return 0;
}

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int /*result*/) {
  return "failed";
}
int nvmlDeviceGetHandleByUUID(const char* /*uuid*/, void** device) {
  *device = nullptr;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* energy_mj) {
  const char* const told = std::getenv("FAKE_NVML_ENERGY_MJ");
  if (told == nullptr) return 3;  // not supported
  *energy_mj = std::strtoull(told, nullptr, 10);
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* /*device*/, unsigned* count, ProcessInfo* all) {
  return processes_of("FAKE_NVML_PROCESSES", count, all);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* /*device*/, unsigned* count, ProcessInfo* all) {
  return processes_of("FAKE_NVML_GRAPHICS", count, all);
}

}  // extern "C"
