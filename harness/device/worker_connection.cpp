#include "device/worker_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/stopwatch.h"

namespace tailwave {

WorkerConnection::WorkerConnection(const ExecutorFactory& factory)
    : worker_([factory, shared = shared_.bytes()](int socket) { serve(socket, factory, shared); }) {
  connect();
}

std::string WorkerConnection::loss() const {
  return lost_.empty() || lost_ == "exited with status 0" ? "was lost when an earlier error reset the device"
                                                          : "was lost: the device's worker process " + lost_;
}

void WorkerConnection::connect() {
  // A worker that says something unasked has died while it had nothing to do.
  if (connected_ && !readable(worker_.socket())) return;
  if (connected_) lost_ = worker_.end(call_limit_s_);
  // One that is killed from outside while it opens the device costs nothing; two are no accident.
  if (!open(true)) open(false);
}

void WorkerConnection::end_of_configuration() {
  if (!connected_) return;
  append_framed(posted_, request(Operation::forgive));
  try {
    flush();
  } catch (const ConnectionLost&) {
    // The next connect() finds it gone.
  }
}

std::string WorkerConnection::renew() {
  end_of_configuration();
  std::string end = std::exchange(death_, "");
  if (connected_) end = worker_.end(call_limit_s_);
  connected_ = false;
  return end == "exited with status 0" ? "" : end;
}

void WorkerConnection::post(const Packet& request, std::size_t work) {
  constexpr std::size_t kMost = 1 << 18;  // bytes kept waiting
  posted_work_ += work;
  append_framed(posted_, request);
  if (posted_.size() > kMost) flush_or_throw();
}

std::size_t WorkerConnection::take_room(std::size_t size_bytes) {
  if (size_bytes > kSharedBytes - shared_used_) return kInPacket;
  return std::exchange(shared_used_, shared_used_ + size_bytes);
}

void WorkerConnection::post(Packet request, std::span<const std::byte> payload) {
  const std::size_t place = take_room(payload.size());
  request << place;
  if (place != kInPacket) {
    if (!payload.empty()) std::memcpy(shared().subspan(place).data(), payload.data(), payload.size());
    return post(request, payload.size());
  }
  posted_work_ += payload.size();
  append_framed(posted_, request, payload.size());
  flush_or_throw();
  try {
    send_bytes(worker_.socket(), payload);
  } catch (const ConnectionLost&) {
    throw lost("");
  }
}

void WorkerConnection::post_at_once(const Packet& request, std::size_t work) {
  post(request, work);
  flush_or_throw();
}

void WorkerConnection::settle_much() {
  constexpr std::size_t kShort = 1 << 24;
  if (posted_work_ > kShort) exchange(request(Operation::settle));
}

Packet WorkerConnection::exchange_run(const Packet& request, const std::string& kernels, int parts,
                                      bool is_long) {
  settle_much();
  return exchange(request, parts * deadline_s_ + RemoteExecutor::kRunGraceS, kernels + ": ", is_long);
}

void WorkerConnection::forget(Operation operation, std::uint64_t number, int generation) noexcept {
  if (!connected_ || generation != generation_) return;
  try {
    post(request(operation, number));
  } catch (const std::exception&) {
    // It is gone; the next connect() finds out.
  }
}

bool WorkerConnection::open(bool forgiven) {
  posted_.clear();
  posted_work_ = 0;
  shared_used_ = 0;
  worker_.start();
  connected_ = true;
  ++generation_;
  try {
    Packet answer = exchange(request(Operation::open));
    DeviceDescription description;
    answer >> description >> timer_;
    if (description_.kind.empty()) description_ = std::move(description);
    return true;
  } catch (const Failure& failure) {
    connected_ = false;
    if (forgiven && failure.outcome() == Outcome::crashed) return false;
    throw Error(failure.what());
  }
}

void WorkerConnection::flush() {
  send_bytes(worker_.socket(), posted_);
  posted_.clear();
}

void WorkerConnection::flush_or_throw() {
  try {
    flush();
  } catch (const ConnectionLost&) {
    throw lost("");
  }
}

Failure WorkerConnection::lost(const std::string& doing) {
  connected_ = false;
  death_ = worker_.end(call_limit_s_);
  lost_ = death_;
  return {Outcome::crashed, doing + "the device's worker process " + death_};
}

Packet WorkerConnection::exchange(const Packet& request, double limit_s, const std::string& doing,
                                  bool is_long) {
  std::optional<Packet> answer;
  std::exception_ptr thrown;
  try {
    append_framed(posted_, request);
    flush();
    if (is_long) thrown = work_meanwhile();
    answer = receive_answer(limit_s, thrown);
  } catch (const ConnectionLost&) {
    const Failure failure = lost(doing);
    if (thrown) std::rethrow_exception(thrown);
    throw failure;
  }
  posted_work_ = 0;
  shared_used_ = 0;
  if (!answer) {
    connected_ = false;
    worker_.kill();
    if (thrown) std::rethrow_exception(thrown);
    if (cancelled_()) throw Cancelled();
    const double stated_s = doing.empty() ? limit_s : deadline_s_;
    throw Failure(Outcome::timeout,
                  fmt::format("{}not ended after {:g} s; its process was killed", doing, stated_s));
  }
  if (thrown) std::rethrow_exception(thrown);
  throw_unless_result(*answer);
  return std::move(*answer);
}

std::exception_ptr WorkerConnection::work_meanwhile() {
  if (!meanwhile_) return nullptr;
  try {
    while (!readable(worker_.socket()) && meanwhile_()) {
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::optional<Packet> WorkerConnection::receive_answer(double limit_s, std::exception_ptr& thrown) {
  constexpr double kTurnS = 0.1;
  const auto start = std::chrono::steady_clock::now();
  double end_s = limit_s;
  for (double now_s = 0; now_s < end_s; now_s = seconds_since(start)) {
    if (cancelled_()) end_s = std::min(end_s, now_s + RemoteExecutor::kCancelGraceS);
    // Nothing here may use a core that a kernel on the CPU could use.
    const bool at_once = now_s == 0 && description_.kind == "cuda";
    std::optional<Packet> answer = receive(worker_.socket(), std::min(kTurnS, end_s - now_s), at_once);
    if (answer) return answer;
    if (!thrown) thrown = work_meanwhile();
  }
  return std::nullopt;
}

void WorkerConnection::throw_unless_result(Packet& answer) {
  Answer kind{};
  answer >> kind;
  if (kind == Answer::result) return;
  if (kind == Answer::error) {
    std::string text;
    answer >> text;
    throw Error(text);
  }
  Outcome outcome{};
  std::string text;
  answer >> outcome >> text >> connected_;
  throw Failure(outcome, text);
}

}  // namespace tailwave
