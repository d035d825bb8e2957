#include "tune/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/stopwatch.h"
#include "device/executor.h"
#include "device/wire.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

// So that a process has something to do until its result has been read.
constexpr std::size_t kBuildsHandedOut = 2;

void put_resources(Packet& packet, const std::vector<KernelResources>& all) {
  packet << all.size();
  for (const KernelResources& one : all) {
    packet << one.kernel << one.registers << one.spill_bytes << one.stack_bytes << one.barriers
           << one.max_threads << one.static_shared_bytes;
  }
}

void take_resources(Packet& packet, std::vector<KernelResources>& all) {
  std::size_t count = 0;
  packet >> count;
  all.resize(count);
  for (KernelResources& one : all) {
    packet >> one.kernel >> one.registers >> one.spill_bytes >> one.stack_bytes >> one.barriers >>
        one.max_threads >> one.static_shared_bytes;
  }
}

Packet packed(const Built& built) {
  Packet packet;
  packet << true << built.outcome << built.detail << built.artifact.has_value();
  put_resources(packet, built.resources);
  if (!built.artifact) return packet;
  const BuildRecord& record = built.artifact->record;
  packet << *built.artifact << record.key << record.compiler << record.target << record.options
         << record.code_hash << record.log << record.seconds << record.from_cache;
  put_resources(packet, built.artifact->resources);
  return packet;
}

// What packed() made, or the text of an Error.
Built unpacked(Packet& packet) {
  bool fine = false;
  packet >> fine;
  if (!fine) {
    std::string text;
    packet >> text;
    throw Error(text);
  }
  Built built;
  bool has_artifact = false;
  packet >> built.outcome >> built.detail >> has_artifact;
  take_resources(packet, built.resources);
  if (!has_artifact) return built;
  Artifact& artifact = built.artifact.emplace();
  BuildRecord& record = artifact.record;
  packet >> artifact >> record.key >> record.compiler >> record.target >> record.options >>
      record.code_hash >> record.log >> record.seconds >> record.from_cache;
  take_resources(packet, artifact.resources);
  return built;
}

void serve_builds(int socket, const CompilePool::BuildTask& build) {
  // The processes that measure come first: they need little time, but at once.
  constexpr int kLess = 10;
  setpriority(PRIO_PROCESS, 0, std::min(getpriority(PRIO_PROCESS, 0) + kLess, 19));
  try {
    for (;;) {
      Packet request = *receive(socket);
      std::size_t index = 0;
      std::string task;
      request >> index >> task;
      Packet answer;
      try {
        answer = packed(build(index, task));
      } catch (const std::exception& error) {
        answer << false << std::string(error.what());
      }
      send(socket, answer);
    }
  } catch (const ConnectionLost&) {
    return;
  }
}

}  // namespace

struct CompilePool::Worker {
  explicit Worker(const BuildTask& build) : process([build](int socket) { serve_builds(socket, build); }) {}

  WorkerProcess process;
  std::deque<Order> builds;  // handed out, the first one being built
  Clock::time_point since;   // it is
};

CompilePool::CompilePool(std::size_t count, unsigned processes, Build build, double deadline_s)
    : CompilePool(
          processes,
          [build = std::move(build)](std::size_t index, const std::string&) { return build(index); },
          deadline_s) {
  for (std::size_t index = 0; index < count; ++index) ask(index);
}

CompilePool::CompilePool(unsigned processes, BuildTask build, double deadline_s)
    : processes_(std::max(1U, processes)), build_(std::move(build)), deadline_s_(deadline_s) {}

CompilePool::~CompilePool() {
  for (const auto& worker : workers_) worker->process.kill();
}

void CompilePool::ask(std::size_t index, std::string task) {
  waiting_.push_back({index, std::move(task)});
  if (workers_.empty()) {
    start_another();
    return;
  }
  const auto most_idle = std::min_element(
      workers_.begin(), workers_.end(),
      [](const auto& one, const auto& other) { return one->builds.size() < other->builds.size(); });
  hand_out(**most_idle);
}

bool CompilePool::start_another() {
  if (waiting_.empty() || workers_.size() == processes_) return false;
  workers_.push_back(std::make_unique<Worker>(build_));
  workers_.back()->process.start();
  hand_out(*workers_.back());
  return true;
}

void CompilePool::order(const Worker& worker, const Order& order) {
  try {
    Packet request;
    send(worker.process.socket(), request << order.index << order.task);
  } catch (const ConnectionLost&) {
    // It died of a build before this one. Its last answers come first, then receive_from() finds it gone.
  }
}

void CompilePool::hand_out(Worker& worker) {
  // What waits behind another build could be the first of a process that is not there yet.
  const std::size_t most = workers_.size() == processes_ ? kBuildsHandedOut : 1;
  while (worker.builds.size() < most && !waiting_.empty()) {
    if (worker.builds.empty()) worker.since = Clock::now();
    worker.builds.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    order(worker, worker.builds.back());
  }
}

// The build in hand fails; a fresh process takes over the others.
void CompilePool::give_up(Worker& worker, const std::string& why) {
  Built built;
  built.outcome = Outcome::compile_error;
  built.detail = "the compile process " + why;
  results_[worker.builds.front().index] = {std::move(built), nullptr};
  worker.builds.pop_front();
  worker.process.start();
  worker.since = Clock::now();
  for (const Order& one : worker.builds) order(worker, one);
  hand_out(worker);
}

void CompilePool::receive_from(Worker& worker) {
  std::optional<Packet> answer;
  try {
    answer = receive(worker.process.socket());
  } catch (const ConnectionLost&) {
    give_up(worker, worker.process.end());
    return;
  }
  const std::size_t index = worker.builds.front().index;
  worker.builds.pop_front();
  worker.since = Clock::now();
  try {
    results_[index] = {unpacked(*answer), nullptr};
  } catch (const Error&) {
    results_[index] = {{}, std::current_exception()};
  }
  hand_out(worker);
}

// Takes what has come, or comes within the time.
void CompilePool::wait(double seconds) {
  std::vector<pollfd> sockets;
  for (const auto& worker : workers_) {
    const bool busy = !worker->builds.empty();
    sockets.push_back({busy ? worker->process.socket() : -1, POLLIN, 0});
  }
  poll(sockets.data(), sockets.size(), static_cast<int>(seconds * 1e3));
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    Worker& worker = *workers_[i];
    if (sockets[i].revents != 0) {
      receive_from(worker);
    } else if (!worker.builds.empty() && seconds_since(worker.since) > deadline_s_) {
      worker.process.kill();
      worker.process.end();
      give_up(worker, fmt::format("did not end within {:g} s and was killed", deadline_s_));
    }
  }
}

std::optional<Built> CompilePool::take_if_there(std::size_t index) {
  wait(0);
  auto result = results_.extract(index);
  if (result.empty()) return std::nullopt;
  if (result.mapped().error) std::rethrow_exception(result.mapped().error);
  return std::move(result.mapped().built);
}

Built CompilePool::take(std::size_t index, const std::function<bool()>& stop) {
  constexpr double kTurnS = 0.05;
  for (;;) {
    if (std::optional<Built> built = take_if_there(index)) return *std::move(built);
    if (stop()) throw Cancelled();
    wait(start_another() ? 0 : kTurnS);
  }
}

}  // namespace tailwave
