#include "device/cuda/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "device/cuda/dynamic_library.h"

namespace tailwave {
namespace {

// What a process is called, which everybody may know.
std::string name_of(unsigned process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

}  // namespace

// The few prototypes needed, as nvml.h declares them; the header is not part of every toolkit.
struct NvmlReader::Api {
  using Device = void*;
  using Number = unsigned;
  static constexpr int kSuccess = 0;
  static constexpr int kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t
  static constexpr int kGpuSensor = 0;                  // nvmlTemperatureSensors_t

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_by_uuid)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, Number*) = nullptr;
  int (*max_clock)(Device, int, Number*) = nullptr;
  int (*temperature)(Device, int, Number*) = nullptr;
  int (*power_mw)(Device, Number*) = nullptr;
  int (*power_limit_mw)(Device, Number*) = nullptr;
  int (*throttle)(Device, unsigned long long*) = nullptr;
  int (*energy_mj)(Device, unsigned long long*) = nullptr;
  // nvmlProcessInfo_t
  struct Process {
    Number id = 0;
    unsigned long long memory_bytes = 0;
    Number gpu_instance = 0, compute_instance = 0;
  };
  // Those that compute, and those that draw.
  std::array<int (*)(Device, Number*, Process*), 2> processes{};
  Device device = nullptr;
  bool started = false;

  // The first function that is missing, or "".
  std::string bind(const DynamicLibrary& library);
};

std::string NvmlReader::Api::bind(const DynamicLibrary& library) {
  if (!library.find(init, "nvmlInit_v2")) return "nvmlInit_v2";
  if (!library.find(shutdown, "nvmlShutdown")) return "nvmlShutdown";
  if (!library.find(error_string, "nvmlErrorString")) return "nvmlErrorString";
  if (!library.find(device_by_uuid, "nvmlDeviceGetHandleByUUID")) return "nvmlDeviceGetHandleByUUID";
  library.find(clock, "nvmlDeviceGetClockInfo");
  library.find(max_clock, "nvmlDeviceGetMaxClockInfo");
  library.find(temperature, "nvmlDeviceGetTemperature");
  library.find(power_mw, "nvmlDeviceGetPowerUsage");
  library.find(power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
  library.find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  library.find(energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
  library.find(processes[0], "nvmlDeviceGetComputeRunningProcesses_v3");
  library.find(processes[1], "nvmlDeviceGetGraphicsRunningProcesses_v3");
  return "";
}

NvmlReader::NvmlReader(const std::string& uuid, const std::string& library) : api_(std::make_unique<Api>()) {
  const auto opened = DynamicLibrary::open(library, obstacle_);
  if (!opened) return;
  if (const std::string missing = api_->bind(*opened); !missing.empty()) {
    obstacle_ = fmt::format("{} has no {}", library, missing);
    return;
  }
  int result = api_->init();
  api_->started = result == Api::kSuccess;
  if (api_->started) result = api_->device_by_uuid(uuid.c_str(), &api_->device);
  if (result != Api::kSuccess) obstacle_ = fmt::format("NVML: {}: {}", uuid, api_->error_string(result));
}

NvmlReader::~NvmlReader() {
  if (api_->started) api_->shutdown();
}

Values NvmlReader::read() const {
  Values values;
  if (!obstacle_.empty()) return values;
  const auto answer = [&values](const char* name, double scale, auto function, auto... arguments) {
    Api::Number number = 0;
    if (function == nullptr || function(arguments..., &number) != Api::kSuccess) return;
    values[name] = number * scale;
  };
  answer("sm_clock_mhz", 1, api_->clock, api_->device, Api::kSmClock);
  answer("memory_clock_mhz", 1, api_->clock, api_->device, Api::kMemoryClock);
  answer("max_sm_clock_mhz", 1, api_->max_clock, api_->device, Api::kSmClock);
  answer("power_w", 1e-3, api_->power_mw, api_->device);
  answer("power_limit_w", 1e-3, api_->power_limit_mw, api_->device);
  const GpuState now = state();
  if (now.temperature_c) values["temperature_c"] = *now.temperature_c;
  if (!now.throttle_reasons.empty()) values["throttle_reasons"] = now.throttle_reasons;
  return values;
}

std::optional<double> NvmlReader::energy_j() const {
  constexpr double kJPerMj = 1e-3;
  unsigned long long energy_mj = 0;
  if (!obstacle_.empty() || api_->energy_mj == nullptr ||
      api_->energy_mj(api_->device, &energy_mj) != Api::kSuccess)
    return std::nullopt;
  return static_cast<double>(energy_mj) * kJPerMj;
}

GpuState NvmlReader::state() const {
  GpuState state;
  if (!obstacle_.empty()) return state;
  Api::Number degrees = 0;
  if (api_->temperature != nullptr &&
      api_->temperature(api_->device, Api::kGpuSensor, &degrees) == Api::kSuccess) {
    state.temperature_c = degrees;
  }
  unsigned long long mask = 0;
  if (api_->throttle != nullptr && api_->throttle(api_->device, &mask) == Api::kSuccess) {
    state.throttle_reasons = throttle_reasons(mask);
  }
  return state;
}

// In a container NVML may name none of the processes, or all by the numbers that they have outside.
std::optional<std::int64_t> NvmlReader::other_processes() const {
  constexpr std::size_t kMost = 256;
  if (!obstacle_.empty()) return std::nullopt;
  std::map<Api::Number, Api::Process> named;  // many compute and draw
  for (const auto list : api_->processes) {
    if (list == nullptr) continue;
    std::array<Api::Process, kMost> some{};
    Api::Number count = kMost;
    if (list(api_->device, &count, some.data()) != Api::kSuccess || count > kMost) continue;
    for (const Api::Process& one : std::span(some.data(), count)) named.emplace(one.id, one);
  }
  const auto own = named.find(static_cast<Api::Number>(getpid()));
  if (own == named.end()) return std::nullopt;
  const std::string name = name_of(own->first);
  return std::ranges::count_if(named, [&](const auto& entry) {
    const std::string other = name_of(entry.first);  // "" of one that has just ended
    return entry.second.gpu_instance == own->second.gpu_instance && !other.empty() && other != name;
  });
}

const GpuState& GpuStatePoll::latest(Clock::time_point now) {
  if (!counted_ || now - *counted_ >= kProcessesInterval) {
    state_.other_processes = reader_.other_processes();
    counted_ = now;
  }
  if (!asked_ || now - *asked_ >= kInterval) {
    const std::optional<std::int64_t> others = state_.other_processes;
    state_ = reader_.state();
    state_.other_processes = others;
    asked_ = now;
  }
  return state_;
}

std::string read_clocks_json(const std::string& uuid) {
  const NvmlReader reader(uuid);
  nlohmann::json object = nlohmann::json::object();
  if (!reader.obstacle().empty()) object["unavailable"] = reader.obstacle();
  for (const auto& [name, value] : reader.read()) {
    std::visit([&object, &key = name](const auto& held) { object[key] = held; }, value);
  }
  return object.dump();
}

std::string throttle_reasons(unsigned long long mask) {
  constexpr std::array<const char*, 9> kNames{"gpu_idle",    "application_clocks", "sw_power_cap",
                                              "hw_slowdown", "sync_boost",         "sw_thermal",
                                              "hw_thermal",  "hw_power_brake",     "display_clocks"};
  std::string text;
  const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : "+") + name; };
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((mask >> bit & 1U) == 0) continue;
    add(kNames[bit]);
    mask &= ~(1ULL << bit);
  }
  if (mask != 0) add(fmt::format("{:#x}", mask));
  return text.empty() ? "none" : text;
}

}  // namespace tailwave
