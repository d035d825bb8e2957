#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_counters.h"

namespace tailwave::fakes {

// A processing element without a GPU, which records. A run takes 10,000 ns of a clock that all have: it begins and ends
// with a kernel "meet"; a launch takes 100 ns on the first one, 200 ns on the second, and so on; all end a "reduce", which
// is what it does for a sum, 5,000 ns after the run's begin.
class RecordingPe : public CountingExecutor {
 public:
  explicit RecordingPe(int pe) : recorder_(*this) {
    const std::int64_t longest_ns = 100 * (pe + 1);
    kernels["twice"] = [this, longest_ns](const Launch&) { add("twice", now_ns_ + longest_ns); };
    kernels["sum"] = [this](const Launch&) { add("reduce", run_ns_ + 5'000); };
    on_run = [this] {
      now_ns_ = run_ns_ += 10'000;
      add("meet", now_ns_ + 10);
    };
    time_of = [this](std::span<const Launch>) {
      add("meet", now_ns_ + 10);
      return 1000.0;
    };
  }
  std::unique_ptr<Buffer> allocate_at(const Placement& /*place*/, std::size_t size_bytes) override {
    return std::make_unique<FakeBuffer>(size_bytes);
  }
  CounterSource& counters() override { return recorder_; }

 private:
  class Recorder final : public FakeCounters {
   public:
    explicit Recorder(RecordingPe& pe) : FakeCounters(pe.runs), pe_(pe) {}
    std::vector<Activity> record(const std::function<void()>& work) override {
      pe_.done_.clear();
      work();
      return pe_.done_;
    }

   private:
    RecordingPe& pe_;
  };

  void add(const std::string& name, std::int64_t end_ns) {
    done_.push_back({.kind = ActivityKind::kernel,
                     .name = name,
                     .order = ++calls_,
                     .grid = {},
                     .block = {},
                     .begin_ns = now_ns_,
                     .end_ns = end_ns});
    now_ns_ = end_ns;
  }

  std::vector<Activity> done_;
  std::uint64_t calls_ = 0;
  std::int64_t run_ns_ = 0, now_ns_ = 0;
  Recorder recorder_;
};

}  // namespace tailwave::fakes
