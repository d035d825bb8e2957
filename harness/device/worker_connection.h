#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "device/remote_executor.h"
#include "device/shared_memory.h"
#include "device/wire.h"
#include "device/worker_process.h"
#include "device/worker_service.h"

namespace tailwave {

// A RemoteExecutor's way to its worker: starts and replaces workers, sends requests and waits for answers.
class WorkerConnection {
 public:
  // Throws Error with the factory's message.
  explicit WorkerConnection(const ExecutorFactory& factory);

  // Counts worker processes: what was made in an earlier one is lost.
  [[nodiscard]] int generation() const { return generation_; }
  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  [[nodiscard]] const std::string& timer() const { return timer_; }
  [[nodiscard]] pid_t worker() const { return worker_.worker(); }
  // Why what an earlier worker made is not there any more.
  [[nodiscard]] std::string loss() const;

  // To be called before a request is put together: afterwards there is a worker.
  void connect();
  // What was posted is under way then, though not done.
  void end_of_configuration();
  // Ends the worker; see RemoteExecutor.
  std::string renew();

  template <class... Arguments>
  static Packet request(Operation operation, const Arguments&... arguments) {
    Packet packet;
    ((packet << operation) << ... << arguments);
    return packet;
  }

  std::uint64_t new_number() { return ++last_number_; }  // of a buffer or program

  // For an operation that is not answered. It waits for the next exchange(), which throws what it failed with. `work`:
  // bytes that it moves or makes.
  void post(const Packet& request, std::size_t work = 0);
  // The same for a request that ends with many bytes.
  void post(Packet request, std::span<const std::byte> payload);
  // Where in shared() so many bytes can lie until the next answer has been looked at; kInPacket: nowhere.
  std::size_t take_room(std::size_t size_bytes);
  [[nodiscard]] std::span<std::byte> shared() const { return shared_.bytes(); }
  // For what takes so long that it should begin before the next exchange().
  void post_at_once(const Packet& request, std::size_t work);
  // Waits for what was posted where that takes a while. exchange_run() does it, too.
  void settle_much();
  // The answer. Throws Failure, Error or Cancelled.
  Packet exchange(const Packet& request) { return exchange(request, call_limit_s_); }
  // The deadline is for the kernels alone: what was posted before and takes a while is done first. `parts`: so many
  // deadlines one after another. `is_long`: it is worth doing something meanwhile from the beginning.
  Packet exchange_run(const Packet& request, const std::string& kernels, int parts = 1, bool is_long = false);
  // Lets the worker forget an object, if that worker is still there.
  void forget(Operation operation, std::uint64_t number, int generation) noexcept;

  void set_deadline_s(double seconds) { deadline_s_ = seconds; }
  [[nodiscard]] double deadline_s() const { return deadline_s_; }
  void set_call_limit_s(double seconds) { call_limit_s_ = seconds; }
  void set_cancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
  void set_meanwhile(std::function<bool()> work) { meanwhile_ = std::move(work); }

 private:
  // Starts a worker. False when it died before the device was open, an Error unless that is `forgiven`.
  bool open(bool forgiven);
  void flush();
  void flush_or_throw();  // Failure(crashed)
  // `doing` begins what is said of a worker that dies.
  Packet exchange(const Packet& request, double limit_s, const std::string& doing = "", bool is_long = false);
  // Until the answer is there. Returns what the work threw.
  std::exception_ptr work_meanwhile();
  Failure lost(const std::string& doing);
  // Nothing when the time is over, or after a cancellation. `thrown`: by the work that is done when it takes long.
  std::optional<Packet> receive_answer(double limit_s, std::exception_ptr& thrown);
  void throw_unless_result(Packet& answer);

  double deadline_s_ = RemoteExecutor::kDefaultDeadlineS;
  double call_limit_s_ = RemoteExecutor::kDefaultCallLimitS;
  std::function<bool()> cancelled_ = [] { return false; };
  std::function<bool()> meanwhile_;  // may be empty
  static constexpr std::size_t kSharedBytes = std::size_t{1} << 22;
  SharedMemory shared_{kSharedBytes};  // a process forked before would not have it
  std::size_t shared_used_ = 0;        // since the last answer
  WorkerProcess worker_;
  bool connected_ = false;
  Bytes posted_;                 // requests that wait for one with an answer
  std::size_t posted_work_ = 0;  // since the last answer, in bytes
  std::uint64_t last_number_ = 0;
  std::string death_;  // how the last worker that died did, until renew() has told
  std::string lost_;   // how the last worker ended
  int generation_ = 0;
  DeviceDescription description_;
  std::string timer_;
};

}  // namespace tailwave
