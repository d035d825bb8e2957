#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/value.h"

namespace tailwave {

// What may change between two runs.
struct GpuState {
  std::optional<double> temperature_c;
  std::string throttle_reasons;  // names joined by "+", "none"; "" when the card does not answer
  std::optional<std::int64_t> other_processes;  // see Sample
};

// Reads a GPU's clocks and temperature through NVIDIA's management library, which comes with the driver. It
// only reads; the card's settings are never changed.
class NvmlReader {
 public:
  // `uuid` as in DeviceDescription ("GPU-..."). Never throws: obstacle() says in one line what is missing.
  explicit NvmlReader(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");
  ~NvmlReader();
  NvmlReader(const NvmlReader&) = delete;
  NvmlReader& operator=(const NvmlReader&) = delete;

  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }  // empty: read() works

  // What the card answers of: sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz, temperature_c, power_w,
  // power_limit_w, throttle_reasons (names joined by "+", "none"). Empty when there is an obstacle.
  [[nodiscard]] Values read() const;
  // Since the driver was loaded, of the whole GPU; it goes up in steps. Nothing where NVML does not tell, as of an instance
  // of a GPU.
  [[nodiscard]] std::optional<double> energy_j() const;
  // Two of these, without the time that the others take; not other_processes.
  [[nodiscard]] GpuState state() const;
  // How many processes have a context on the GPU, or on this process's instance of it, that are not called like this
  // one. Nothing where NVML does not tell: where it does not name this process among those that have one.
  [[nodiscard]] std::optional<std::int64_t> other_processes() const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
  std::string obstacle_;
};

// A GPU's state, asked for at most every kInterval: NVML takes its time and wakes the driver. Its processes take longer.
class GpuStatePoll {
 public:
  static constexpr std::chrono::milliseconds kInterval{20}, kProcessesInterval{100};
  using Clock = std::chrono::steady_clock;

  explicit GpuStatePoll(const std::string& uuid) : reader_(uuid) {}
  const GpuState& latest(Clock::time_point now = Clock::now());
  // May be used by any thread.
  [[nodiscard]] const NvmlReader& reader() const { return reader_; }

 private:
  NvmlReader reader_;
  GpuState state_;
  std::optional<Clock::time_point> asked_, counted_;
};

// read() of one reader as a JSON object; {"unavailable": "<obstacle>"} when there is one.
std::string read_clocks_json(const std::string& uuid);

// Names of the set bits of NVML's clocks-event-reasons mask (nvml.h, nvmlClocksEventReason*): "gpu_idle",
// "sw_power_cap+sw_thermal", "none"; bits without a name as hexadecimal.
std::string throttle_reasons(unsigned long long mask);

}  // namespace tailwave
