#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "device/lease.h"
#include "device/shared_memory.h"
#include "device/wire.h"
#include "device/worker_process.h"
#include "measure/repetition.h"
#include "measure/turn_note.h"
#include "measure/watch.h"

namespace tailwave {

class Worker;

// There is no way to have a process of this worker any more: its device is gone, or the system has no more processes.
class LostDevice : public Error {
 public:
  LostDevice(const Worker& worker, const std::string& why) : Error(why), worker_(&worker) {}
  [[nodiscard]] const Worker& worker() const { return *worker_; }

 private:
  const Worker* worker_;
};

// What else than a repetition a worker can be asked for, by name: takes the request apart and puts the answer together,
// in the worker's process. May throw Failure or Error, which then come out of Worker::call.
using Task = std::function<void(DeviceData& data, Watch& watch, Packet& request, Packet& answer)>;
using Tasks = std::map<std::string, Task>;

// Carries out repetitions on one device, in the order in which they begin. Seam: in tests they run in this process.
class Worker {
 public:
  virtual ~Worker() = default;
  [[nodiscard]] virtual const DeviceDescription& description() const = 0;

  // How many repetitions may be under way, so that the device need not wait for this process.
  [[nodiscard]] virtual std::size_t most_under_way() const = 0;
  // Does not wait for it.
  virtual void begin(Repetition repetition) = 0;
  // What came of the oldest that is under way; waits for it. Whatever happens to the process that works (a sticky
  // device error, a signal, a hang, nonsense as an answer) is an outcome of that repetition alone. Throws Cancelled,
  // and LostDevice.
  virtual RepetitionResult finish() = 0;
  // Whether finish() need not wait for long: there is an answer, or the time for it is over.
  [[nodiscard]] virtual bool is_done() { return true; }
  // Readable when there is an answer; -1: there is no such descriptor.
  [[nodiscard]] virtual int descriptor() const { return -1; }
  // Of a repetition: no other one that this worker is asked for has it.
  [[nodiscard]] std::uint64_t new_number() { return ++last_number_; }
  // Ends what is under way without a result.
  virtual void abandon() = 0;
  // What a task on a configuration begins with: a repetition without steps, see put().
  virtual void put_subject(Packet& packet, const Repetition& subject) const = 0;
  // Performs a task while no repetition is under way. Throws Failure, Error and Cancelled.
  virtual Packet call(const std::string& task, const Packet& request) = 0;
  // Called with each repetition before it begins, and with each task's, to add what functions fill. Empty: nothing does.
  void set_inputs(std::function<void(Repetition&)> complete) { complete_ = std::move(complete); }
  // Called about every half second that the worker works, not while it waits for its turn. What it returns unless it
  // is empty is why the worker need not go on: it is ended, and the outcome is a timeout.
  using Waiting = std::function<std::string(const Watch::Reading& reading)>;
  virtual void set_waiting(const Waiting& /*waiting*/) {}
  // Gives up the memory that it has, until it is needed again.
  virtual void rest() {}
  // Sees to it that there is a process. Throws LostDevice.
  virtual void revive() {}

 protected:
  void complete(Repetition& repetition) const {
    if (complete_ && repetition.system != nullptr && !repetition.system->makers.empty())
      complete_(repetition);
  }

 private:
  std::uint64_t last_number_ = 0;
  std::function<void(Repetition&)> complete_;
};

struct WorkerSetup {
  ExecutorFactory device;
  std::vector<const System*> systems;  // that repetitions may name; the processes inherit them
  Tasks tasks;
  // A process for each repetition, so that what one did to its process is not the next one's trouble: where the code
  // that is measured runs in it.
  bool isolated = false;
  // It runs nothing of a stranger's itself: each program that it starts is confined, for a GPU.
  bool confines_programs = false;
  // In the worker's process; may be empty, and may make none.
  std::function<std::unique_ptr<Examiner>()> examiner;
  // Each repetition and each task is a turn, for which the device is held in this folder (device/lease.h), by this
  // holder. Empty: the device is not held.
  std::filesystem::path leases;
  std::string holder;
  // What the device is called there (lease_name()) where that is known before it is open: a process that confines itself
  // as it opens the device can open no lease afterwards. Empty: found out.
  std::string held_device;
  // Told, in a line, who else holds the device when that takes a while, and that it cannot be held.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  // Of the device, where it is known: then no process is started before there is something to do.
  DeviceDescription description;
  double cancel_grace_s = 1;  // that an answer may take once the user wants to stop
  double overdue_s = 2;       // beyond what a watch allows
  double message_s = 5;       // that the rest of an answer may take of which a part is there
  double tell_wait_s = 1;     // of waiting for a turn, after which that is told
  // Told what was printed by anything but a repetition: while the device was opened, or by a task. May be empty: it goes
  // to standard error.
  std::function<void(const std::string& text)> hear;
};

// A worker in a process of its own, which is replaced when it has become unusable. To be made before other threads
// start.
class ProcessWorker final : public Worker {
 public:
  // Throws Error with the factory's message.
  explicit ProcessWorker(WorkerSetup setup);

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  [[nodiscard]] std::size_t most_under_way() const override { return setup_.isolated ? 1 : 2; }
  void begin(Repetition repetition) override;
  RepetitionResult finish() override;
  [[nodiscard]] bool is_done() override;
  [[nodiscard]] int descriptor() const override { return process_.socket(); }
  void abandon() override;
  void put_subject(Packet& packet, const Repetition& subject) const override {
    Repetition whole = subject;
    complete(whole);
    put(packet, whole, setup_.systems);
  }
  Packet call(const std::string& task, const Packet& request) override;

  // Polled while the worker works. Once it is true, a worker that does not answer within cancel_grace_s is killed:
  // Cancelled.
  void set_cancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
  void set_waiting(const Waiting& waiting) override { waiting_ = waiting; }
  void rest() override { end_process(); }
  void revive() override { send_waiting(); }  // with what waits for it
  // What is known of the device by now, which is the one that it was made with.
  void describe(DeviceDescription description) { description_ = std::move(description); }
  // Begins to open the device, and waits for nothing.
  void start_ahead();

  // Of what is not needed any more: its process ends from now on, while others do.
  void let_go() noexcept { process_.let_go(); }

  [[nodiscard]] pid_t process() const { return process_.worker(); }  // -1: there is none at the moment

  static constexpr double kEndLimitS = 10;  // for a process to end when it is asked to

 private:
  void start();
  bool try_to_start();
  void send_waiting();
  // Whether start() need not wait; else a process opens the device meanwhile.
  bool is_open();
  // False when the process has ended, which its answer then tells.
  bool try_to_send(const Packet& request);
  // To a process that has nothing to do; to another one when it died meanwhile, which is nobody's outcome.
  bool send_to_idle(const Packet& request);
  // The answer. Throws Failure for what became of the process instead, and Cancelled.
  Packet receive_answer(const std::string& kernels);
  void tell_whom_it_waits_for();
  // Why what the watch says cannot be true of a process in which the code that is measured runs and could have written
  // it; "" where it can.
  [[nodiscard]] std::string doubt(const Watch::Reading& reading) const;
  Failure lost(const std::string& kernels);
  Failure garbled(const std::string& kernels);
  Failure overdue(const std::string& kernels, const Watch::Reading& reading);
  Failure stopped(const std::string& why);
  // Of a repetition that had a process of its own: why what it says cannot be true. Code that runs there may have got
  // at its clock, which is held against the one here, and may have left other processes. Empty: no reason.
  [[nodiscard]] std::string doubt(const RepetitionResult& result) const;
  // After an answer: how a process that is not needed any more died, if it did.
  std::string end_if_over(bool usable);
  std::string end_process();
  void end_by_force();
  // What a worker printed that is no repetition's.
  void hear(const std::string& by);

  WorkerSetup setup_;
  SharedMemory memory_{sizeof(Watch)};  // a process forked before would not have it
  Watch& watch_;
  TurnNote turn_;
  PrintCapture printed_;
  WorkerProcess process_;
  bool running_ = false;
  bool is_ahead_ = false;  // a process was started, and has not said yet whether it has the device
  DeviceDescription description_;
  std::deque<Repetition> under_way_;
  std::size_t sent_ = 0;                         // of these, to the process that runs
  std::chrono::steady_clock::time_point begun_;  // when the oldest of them was sent to an idle process
  std::optional<std::chrono::steady_clock::time_point>
      in_turn_;  // when it was first seen that its turn has begun
  std::function<bool()> cancelled_ = [] { return false; };
  Waiting waiting_;                     // may be empty
  bool has_told_obstacle_ = false;      // of holding the device
  std::set<std::string> told_holders_;  // each is told once: turns are many
};

}  // namespace tailwave
