#include "tune/compile_pool.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "core/error.h"
#include "core/sandbox.h"
#include "core/stopwatch.h"
#include "device/executor.h"
#include "device/packing.h"
#include "device/wire.h"

namespace tailwave {
namespace {

// What takes longer is no build from the cache. As long as one might be, no process is started for what waits.
constexpr double kFromCacheS = 0.003;

// Builds that take less are handed out two at a time, so that a process has something to do until its result has been
// read.
constexpr double kShortS = 0.02;
constexpr std::size_t kShortOnes = 2;

// How often it is asked whether to stop.
constexpr double kTurnS = 0.05;

void put_built(Packet& packet, const Built& built) {
  packet << true << built.outcome << built.detail << built.artifact.has_value();
  if (!built.artifact) return;
  packet << *built.artifact << built.artifact->record << built.artifact->resources << built.artifact->inputs;
}

// What put_built() put, or the text of an Error.
Built take_built(Packet& packet) {
  if (!take<bool>(packet)) throw Error(take<std::string>(packet));
  Built built;
  packet >> built.outcome >> built.detail;
  if (!take<bool>(packet)) return built;
  Artifact& artifact = built.artifact.emplace();
  packet >> artifact >> artifact.record >> artifact.resources >> artifact.inputs;
  return built;
}

// The seconds that it took, then what became of it.
Packet build_and_pack(const CompilePool::BuildTask& build, std::size_t index, const std::string& task) {
  const auto start = std::chrono::steady_clock::now();
  Packet answer;
  try {
    enter_sandbox(Confined::compiler);
    const Built built = build(index, task);
    answer << seconds_since(start);
    put_built(answer, built);
  } catch (const std::exception& error) {
    answer = Packet();
    answer << seconds_since(start) << false << std::string(error.what());
  }
  return answer;
}

void serve_builds(int socket, const CompilePool::BuildTask& build) {
  // The processes that measure come first: they need little time, but at once.
  constexpr int kLess = 10;
  setpriority(PRIO_PROCESS, 0, std::min(getpriority(PRIO_PROCESS, 0) + kLess, 19));
  try {
    for (;;) {
      Packet request = *receive(socket);
      const auto index = take<std::size_t>(request);
      send(socket, build_and_pack(build, index, take<std::string>(request)));
    }
  } catch (const ConnectionLost&) {
    return;
  }
}

}  // namespace

CompilePool::Worker::Worker(const BuildTask& build)
    : process([build](int socket) { serve_builds(socket, build); }, &printed) {}

CompilePool::CompilePool(unsigned processes, BuildTask build, double deadline_s)
    : processes_(std::max(1U, processes)), build_(std::move(build)), deadline_s_(deadline_s) {}

CompilePool::CompilePool(std::size_t count, unsigned processes, Build build, double deadline_s)
    : CompilePool(
          processes,
          [build = std::move(build)](std::size_t index, const std::string& /*task*/) { return build(index); },
          deadline_s) {
  for (std::size_t index = 0; index < count; ++index) waiting_.push_back(index);
  hand_out();
}

CompilePool::~CompilePool() {
  for (const auto& worker : workers_) worker->process.kill();
}

void CompilePool::ask(std::size_t index, std::string task) {
  if (!task.empty()) tasks_[index] = std::move(task);
  waiting_.push_back(index);
  receive();
}

std::size_t CompilePool::unfinished() const {
  std::size_t count = waiting_.size();
  for (const auto& worker : workers_) count += worker->builds.size();
  return count;
}

void CompilePool::order(const Worker& worker, std::size_t index) const {
  const auto task = tasks_.find(index);
  try {
    Packet request;
    send(worker.process.socket(), request << index << (task == tasks_.end() ? std::string() : task->second));
  } catch (const ConnectionLost&) {
    // It died of a build before this one. Its last answers come first, then receive_from() finds it gone.
  }
}

void CompilePool::hand_out(Worker& worker) {
  if (worker.builds.empty()) worker.since = Clock::now();
  worker.builds.push_back(waiting_.front());
  waiting_.pop_front();
  order(worker, worker.builds.back());
}

// First one to everybody: what waits behind another build could be the first of another process.
void CompilePool::hand_out() {
  for (const auto& worker : workers_)
    if (worker->builds.empty() && !waiting_.empty()) hand_out(*worker);
  start_others();
  if (typical_s_ > kShortS) return;
  for (const auto& worker : workers_)
    while (worker->builds.size() < kShortOnes && !waiting_.empty()) hand_out(*worker);
}

// As many as there would be if one had been started beside each whenever the time had passed.
void CompilePool::start_others() {
  if (!wants_processes()) return;
  const auto all = static_cast<double>(std::min(waiting_.size(), processes_ - workers_.size()));
  const double due = std::floor(least_age_s() / kFromCacheS) * static_cast<double>(workers_.size());
  for (auto left = static_cast<int>(workers_.empty() ? 1 : std::min(due, all)); left > 0; --left) {
    workers_.push_back(std::make_unique<Worker>(build_));
    workers_.back()->process.start();
    hand_out(*workers_.back());
  }
}

double CompilePool::least_age_s() const {
  double least_s = std::numeric_limits<double>::infinity();
  for (const auto& worker : workers_)
    if (!worker->builds.empty()) least_s = std::min(least_s, seconds_since(worker->since));
  return least_s;
}

// With the builds that it had.
void CompilePool::start_again(Worker& worker) const {
  worker.process.start();
  worker.since = Clock::now();
  for (const std::size_t index : worker.builds) order(worker, index);
}

// The build in hand fails; a fresh process takes over the others.
void CompilePool::end_build(Worker& worker, Outcome outcome, const std::string& detail) {
  Result& result = results_.emplace_back();
  result.index = worker.builds.front();
  result.built.outcome = outcome;
  result.built.detail = detail;
  worker.builds.pop_front();
  start_again(worker);
}

void CompilePool::see_to_death(Worker& worker) {
  const std::string end = worker.process.end();
  if (worker.process.signal() != 0 && try_again(worker.builds.front())) return start_again(worker);
  // Who kills it from outside is told from the end of the text.
  const bool is_killed = worker.process.signal() == SIGKILL;
  end_build(
      worker, Outcome::compile_error,
      "the compile process " + end + (is_killed ? "" : shown_below(", and printed", worker.printed.take())));
}

void CompilePool::see_to_deadline(Worker& worker) {
  if (worker.builds.empty() || seconds_since(worker.since) <= deadline_s_) return;
  worker.process.kill();
  end_build(worker, Outcome::compile_timeout,
            fmt::format("the compile process did not end within {:g} s and was killed", deadline_s_));
}

void CompilePool::receive_from(Worker& worker) {
  std::optional<Packet> answer;
  try {
    answer = tailwave::receive(worker.process.socket());
  } catch (const ConnectionLost&) {
    return see_to_death(worker);
  }
  Result result{.index = worker.builds.front(), .built = {}, .error = nullptr};
  worker.builds.pop_front();
  worker.since = Clock::now();
  double seconds = 0;
  *answer >> seconds;
  // Up at once, down slowly.
  constexpr double kKept = 0.75;
  const double before_s = std::isinf(typical_s_) ? seconds : typical_s_;
  typical_s_ = std::max(seconds, kKept * before_s + (1 - kKept) * seconds);
  try {
    result.built = take_built(*answer);
  } catch (const Error&) {
    result.error = std::current_exception();
  }
  if (was_killed_from_outside(result.built.outcome, result.built.detail) && try_again(result.index)) {
    waiting_.push_front(result.index);
  } else {
    results_.push_back(std::move(result));
  }
}

void CompilePool::receive() {
  for (const auto& worker : workers_) {
    while (!worker->builds.empty() && readable(worker->process.socket())) receive_from(*worker);
    see_to_deadline(*worker);
  }
  hand_out();
}

std::vector<pollfd> CompilePool::descriptors() const {
  std::vector<pollfd> busy;
  for (const auto& worker : workers_)
    if (!worker->builds.empty()) busy.push_back({worker->process.socket(), POLLIN, 0});
  return busy;
}

double CompilePool::due_s() const {
  double due_s = std::numeric_limits<double>::infinity();
  for (const auto& worker : workers_)
    if (!worker->builds.empty()) due_s = std::min(due_s, deadline_s_ - seconds_since(worker->since));
  if (wants_processes()) due_s = std::min(due_s, kFromCacheS - least_age_s());
  return std::max(0.0, due_s);
}

void CompilePool::wait(double seconds) {
  std::vector<pollfd> sockets = descriptors();
  poll(sockets.data(), sockets.size(), static_cast<int>(std::ceil(std::min(seconds, due_s()) * 1e3)));
  receive();
}

std::pair<std::size_t, Built> CompilePool::take_result(const std::deque<Result>::iterator& result) {
  Result taken = std::move(*result);
  results_.erase(result);
  tasks_.erase(taken.index);
  tried_again_.erase(taken.index);
  if (taken.error) std::rethrow_exception(taken.error);
  return {taken.index, std::move(taken.built)};
}

std::optional<std::pair<std::size_t, Built>> CompilePool::take_any(double wait_s,
                                                                   const std::function<bool()>& stop) {
  const Clock::time_point start = Clock::now();
  receive();
  for (;;) {
    if (!results_.empty()) return take_result(results_.begin());
    if (stop()) throw Cancelled();
    const double left_s = wait_s - seconds_since(start);
    if (left_s <= 0 || unfinished() == 0) return std::nullopt;
    wait(std::min(left_s, kTurnS));
  }
}

std::vector<std::size_t> CompilePool::there() const {
  std::vector<std::size_t> indices;
  for (const Result& one : results_) indices.push_back(one.index);
  return indices;
}

std::optional<Built> CompilePool::take_if_there(std::size_t index) {
  receive();
  const auto result =
      std::find_if(results_.begin(), results_.end(), [&](const Result& one) { return one.index == index; });
  if (result == results_.end()) return std::nullopt;
  return take_result(result).second;
}

Built CompilePool::take(std::size_t index, const std::function<bool()>& stop) {
  for (;;) {
    if (std::optional<Built> built = take_if_there(index)) return *std::move(built);
    if (stop()) throw Cancelled();
    wait(kTurnS);
  }
}

Built build_elsewhere(Compiler& compiler, const BuildRequest& request, const std::function<bool()>& stop) {
  CompilePool pool(
      1, 1, [&](std::size_t /*index*/) { return build_with(compiler, request); }, request.deadline_s);
  return pool.take(0, stop);
}

}  // namespace tailwave
