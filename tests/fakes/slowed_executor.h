#pragma once

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "device/executor.h"

namespace tailwave::fakes {

// Another executor, all of whose runs take so many times as long as they do: a GPU of its own, also beside the other one.
class SlowedExecutor : public Executor {
 public:
  SlowedExecutor(std::unique_ptr<Executor> device, double factor)
      : device_(std::move(device)), description_(device_->description()), factor_(factor) {
    description_.uuid += fmt::format(", {} times as slow", factor);
  }

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] bool usable() const override { return device_->usable(); }
  std::unique_ptr<Program> load(const Artifact& artifact) override { return device_->load(artifact); }
  std::vector<std::optional<int>> blocks_per_sm(Program& program, std::span<const Launch> launches) override {
    return device_->blocks_per_sm(program, launches);
  }
  std::vector<std::optional<int>> active_clusters(Program& program,
                                                  std::span<const Launch> launches) override {
    return device_->active_clusters(program, launches);
  }
  std::vector<std::optional<int>> granted_sms(std::span<const Launch> launches) override {
    return device_->granted_sms(launches);
  }
  std::unique_ptr<Buffer> allocate_at(const Placement& place, std::size_t size_bytes) override {
    return device_->allocate_at(place, size_bytes);
  }
  void upload(Buffer& buffer, const Produce& produce) override { device_->upload(buffer, produce); }
  void restore(std::span<const Restoration> restored) override { device_->restore(restored); }
  std::vector<std::string> read(const Reading& reading) override { return device_->read(reading); }
  std::vector<std::byte> share(const Buffer& buffer) override { return device_->share(buffer); }
  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override {
    std::vector<RunResult> results = device_->repeat(program, start, launches, options, times);
    for (RunResult& result : results) result.time_ns *= factor_;
    return results;
  }
  MemoryRates memory_rates() override { return device_->memory_rates(); }
  PowerState power_state() override { return device_->power_state(); }
  void set_deadline_s(double seconds) override { device_->set_deadline_s(seconds); }
  void report_progress(std::atomic<double>* share) override { device_->report_progress(share); }

 private:
  std::unique_ptr<Executor> device_;
  DeviceDescription description_;
  double factor_;
};

}  // namespace tailwave::fakes
