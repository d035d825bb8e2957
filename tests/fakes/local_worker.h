#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <utility>

#include "measure/worker.h"

namespace tailwave::fakes {

// A worker in this process: what begins is done at once.
class LocalWorker : public Worker {
 public:
  explicit LocalWorker(Executor& device, Tasks tasks = {}) : device_(device), tasks_(std::move(tasks)) {}

  std::size_t room = 2;     // see most_under_way()
  bool looks_busy = false;  // until somebody waits for it
  [[nodiscard]] std::size_t begun() const { return begun_; }
  [[nodiscard]] const Repetition& last() const { return last_; }

  [[nodiscard]] const DeviceDescription& description() const override { return device_.description(); }
  [[nodiscard]] std::size_t most_under_way() const override {
    return device_.description().kind == DeviceKind::cuda ? room : 1;
  }
  void begin(Repetition repetition) override {
    ++begun_;
    complete(repetition);
    last_ = std::move(repetition);
    DeviceData data(device_);
    results_.push_back(measure_repetition(data, nullptr, watch_, last_));
  }
  RepetitionResult finish() override {
    RepetitionResult result = std::move(results_.front());
    results_.pop_front();
    return result;
  }
  [[nodiscard]] bool is_done() override { return !looks_busy; }
  [[nodiscard]] int descriptor() const override { return looks_busy ? never_readable_.number() : -1; }
  void abandon() override { results_.clear(); }
  // The tasks have to be those of the same systems.
  void put_subject(Packet& packet, const Repetition& subject) const override {
    const System* const systems[] = {subject.system};
    Repetition whole = subject;
    complete(whole);
    put(packet, whole, systems);
  }
  Packet call(const std::string& task, const Packet& request) override {
    DeviceData data(device_);
    Packet sent(Bytes(request.bytes().begin(), request.bytes().end()), {});
    Packet answer;
    tasks_.at(task)(data, watch_, sent, answer);
    std::vector<Descriptor> descriptors;
    for (const Blob& blob : answer.blobs()) descriptors.emplace_back(dup(blob.descriptor()));
    return Packet(Bytes(answer.bytes().begin(), answer.bytes().end()), std::move(descriptors));
  }

 private:
  Executor& device_;
  Tasks tasks_;
  Watch watch_;
  Descriptor never_readable_{eventfd(0, EFD_CLOEXEC)};
  std::deque<RepetitionResult> results_;
  std::size_t begun_ = 0;
  Repetition last_;
};

}  // namespace tailwave::fakes
