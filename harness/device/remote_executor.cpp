#include "device/remote_executor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/stopwatch.h"
#include "device/wire.h"
#include "device/worker_connection.h"
#include "device/worker_service.h"

namespace tailwave {
namespace {

// Something in the worker, by number.
class RemoteObject {
 public:
  RemoteObject(std::shared_ptr<WorkerConnection> connection, Operation forget)
      : connection_(std::move(connection)),
        forget_(forget),
        number_(connection_->new_number()),
        generation_(connection_->generation()) {}
  ~RemoteObject() { connection_->forget(forget_, number_, generation_); }
  RemoteObject(const RemoteObject&) = delete;
  RemoteObject& operator=(const RemoteObject&) = delete;

  // Throws Failure(crashed) when it was lost with its worker.
  [[nodiscard]] std::uint64_t number() const {
    if (generation_ == connection_->generation()) return number_;
    throw Failure(Outcome::crashed, "this buffer or program " + connection_->loss());
  }

 private:
  std::shared_ptr<WorkerConnection> connection_;
  Operation forget_;
  std::uint64_t number_;
  int generation_;
};

struct RemoteBuffer final : Buffer {
  RemoteBuffer(std::shared_ptr<WorkerConnection> connection, std::size_t size_bytes)
      : object(std::move(connection), Operation::release), bytes(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes; }

  RemoteObject object;
  std::size_t bytes;
};

struct RemoteProgram final : Program {
  explicit RemoteProgram(std::shared_ptr<WorkerConnection> connection)
      : object(std::move(connection), Operation::unload) {}

  RemoteObject object;
};

std::uint64_t number_of(const Buffer& buffer) {
  return dynamic_cast<const RemoteBuffer&>(buffer).object.number();
}
std::uint64_t number_of(const Program& program) {
  return dynamic_cast<const RemoteProgram&>(program).object.number();
}

void put_launches(Packet& packet, std::span<const Launch> launches) {
  packet << launches.size();
  for (const Launch& launch : launches) {
    WireLaunch wire{launch, {}};
    wire.launch.arguments.clear();
    if (launch.copied != nullptr) wire.copied_buffer = number_of(*launch.copied);
    if (launch.exit) wire.exit_buffer = number_of(*launch.exit->buffer);
    for (const LaunchArgument& argument : launch.arguments) {
      if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
        wire.arguments.emplace_back(*scalar);
      } else {
        wire.arguments.emplace_back(number_of(*std::get<Buffer*>(argument)));
      }
    }
    packet << wire;
  }
}

// "body_force, move"; each once.
std::string kernels_of(std::span<const Launch> launches) {
  std::vector<std::string> names;
  for (const Launch& launch : launches) {
    if (std::find(names.begin(), names.end(), launch.kernel) == names.end()) names.push_back(launch.kernel);
  }
  return names.empty() ? "an empty plan" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

RemoteExecutor::RemoteExecutor(const ExecutorFactory& factory, bool isolated)
    : connection_(std::make_shared<WorkerConnection>(factory)), isolated_(isolated) {}
RemoteExecutor::~RemoteExecutor() = default;

const DeviceDescription& RemoteExecutor::description() const {
  return connection_->description();
}
std::string RemoteExecutor::timer() const {
  return connection_->timer();
}
void RemoteExecutor::set_deadline_s(double seconds) {
  connection_->set_deadline_s(seconds);
}
pid_t RemoteExecutor::worker() const {
  return connection_->worker();
}
std::string RemoteExecutor::renew() {
  if (isolated_) return connection_->renew();
  connection_->end_of_configuration();
  return "";
}
void RemoteExecutor::set_meanwhile(const std::function<bool()>& work) {
  connection_->set_meanwhile(work);
}
void RemoteExecutor::set_cancelled(std::function<bool()> cancelled) {
  connection_->set_cancelled(std::move(cancelled));
}
void RemoteExecutor::set_call_limit_s(double seconds) {
  connection_->set_call_limit_s(seconds);
}

std::unique_ptr<Program> RemoteExecutor::load(const Artifact& artifact) {
  connection_->connect();
  auto program = std::make_unique<RemoteProgram>(connection_);
  constexpr std::size_t kMuch = std::size_t{1} << 30;  // it may run a host library's initialisers
  connection_->post_at_once(WorkerConnection::request(Operation::load, number_of(*program), artifact), kMuch);
  return program;
}

std::vector<std::optional<int>> RemoteExecutor::blocks_per_sm(Program& program,
                                                              std::span<const Launch> launches) {
  connection_->connect();
  Packet request = WorkerConnection::request(Operation::blocks_per_sm, number_of(program));
  put_launches(request, launches);
  Packet answer = connection_->exchange(request);
  std::vector<std::optional<int>> all(launches.size());
  for (std::optional<int>& blocks : all) {
    bool known = false;
    int number = 0;
    answer >> known >> number;
    if (known) blocks = number;
  }
  return all;
}

std::unique_ptr<Buffer> RemoteExecutor::allocate_on(int gpu, std::size_t size_bytes) {
  connection_->connect();
  auto buffer = std::make_unique<RemoteBuffer>(connection_, size_bytes);
  connection_->post(WorkerConnection::request(Operation::allocate, number_of(*buffer), size_bytes, gpu),
                    size_bytes);
  return buffer;
}

void RemoteExecutor::upload(Buffer& buffer, std::span<const std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  connection_->connect();
  connection_->post(WorkerConnection::request(Operation::upload, number_of(buffer)), bytes);
}

void RemoteExecutor::download(const Buffer& buffer, std::span<std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  connection_->connect();
  Packet answer = connection_->exchange(WorkerConnection::request(Operation::download, number_of(buffer)));
  const auto received = answer.take(bytes.size());
  std::memcpy(bytes.data(), received.data(), received.size());
}

void RemoteExecutor::copy(Buffer& to, const Buffer& from) {
  require_same_size(to.size_bytes(), from.size_bytes());
  connection_->connect();
  connection_->post(WorkerConnection::request(Operation::copy, number_of(to), number_of(from)),
                    to.size_bytes());
}

void RemoteExecutor::fill(Buffer& buffer, std::byte value) {
  connection_->connect();
  connection_->post(WorkerConnection::request(Operation::fill, number_of(buffer), value),
                    buffer.size_bytes());
}

std::string RemoteExecutor::guard_damage(const Buffer& buffer) {
  connection_->connect();
  Packet answer =
      connection_->exchange(WorkerConnection::request(Operation::guard_damage, number_of(buffer)));
  std::string damage;
  answer >> damage;
  return damage;
}

LaunchTrace RemoteExecutor::trace(Program& program, const Launch& launch) {
  connection_->connect();
  Packet request = WorkerConnection::request(Operation::trace, connection_->deadline_s(), number_of(program));
  put_launches(request, std::span(&launch, 1));
  Packet answer = connection_->exchange_run(request, launch.kernel);
  LaunchTrace trace;
  answer >> trace;
  return trace;
}

double RemoteExecutor::copy_bandwidth() {
  connection_->connect();
  Packet answer = connection_->exchange(WorkerConnection::request(Operation::copy_bandwidth));
  double bytes_per_second = 0;
  answer >> bytes_per_second;
  return bytes_per_second;
}

RunResult RemoteExecutor::run(Program& program, std::span<const Launch> launches, const RunOptions& options) {
  require_valid(options, launches);
  connection_->connect();
  Packet request = WorkerConnection::request(Operation::run, connection_->deadline_s(), number_of(program));
  put_launches(request, launches);
  Packet answer = connection_->exchange_run(request << options, kernels_of(launches));
  RunResult result;
  answer >> result;
  return result;
}

std::vector<RunResult> RemoteExecutor::run_fresh(Program& program, const FreshStart& start,
                                                 std::span<const Launch> launches, const RunOptions& options,
                                                 int times) {
  require_valid(options, launches);
  connection_->connect();
  Packet request =
      WorkerConnection::request(Operation::run_fresh, connection_->deadline_s(), number_of(program));
  put_launches(request, launches);
  put_launches(request, start.prepare);
  request << start.copies.size();
  for (const auto& [to, from] : start.copies) request << number_of(*to) << number_of(*from);
  constexpr double kLongS = 3e-4;
  const auto begin = std::chrono::steady_clock::now();
  Packet answer = connection_->exchange_run(request << options << times, kernels_of(launches),
                                            start.prepare.empty() ? 1 : 2, times * run_s_ > kLongS);
  run_s_ = seconds_since(begin) / times;
  std::vector<RunResult> results(static_cast<std::size_t>(times));
  for (RunResult& result : results) answer >> result;
  return results;
}

Readings RemoteExecutor::run_and_read(Program& program, const ReadingRun& reading) {
  // Each part has a deadline of its own, so only the last one shares its request with what is read.
  Readings readings;
  Stopwatch running(readings.run_s);
  std::span<const Launch> last = reading.launches;
  if (!reading.prepare.empty()) run(program, reading.prepare, {.timed = false});
  if (!reading.finish.empty()) {
    run(program, reading.launches, {.timed = false});
    last = reading.finish;
  }
  running.stop();
  connection_->connect();
  connection_->settle_much();  // before room is taken
  Packet request =
      WorkerConnection::request(Operation::run_and_read, connection_->deadline_s(), number_of(program));
  put_launches(request, last);
  request << reading.guarded.size();
  for (const Buffer* buffer : reading.guarded) request << number_of(*buffer);
  request << reading.read.size();
  std::size_t size_bytes = 0;
  for (const auto& [buffer, bytes] : reading.read) {
    require_same_size(buffer->size_bytes(), bytes.size());
    request << number_of(*buffer);
    size_bytes += bytes.size();
  }
  const std::size_t place = connection_->take_room(size_bytes);
  Packet answer = connection_->exchange_run(request << place, kernels_of(last));
  std::span<const std::byte> received =
      place == kInPacket ? answer.take(size_bytes) : connection_->shared().subspan(place, size_bytes);
  for (const auto& [buffer, bytes] : reading.read) {
    std::memcpy(bytes.data(), received.data(), bytes.size());
    received = received.subspan(bytes.size());
  }
  double last_s = 0;
  answer >> last_s;
  if (reading.finish.empty()) readings.run_s += last_s;
  readings.damage.resize(reading.guarded.size());
  for (std::string& damage : readings.damage) answer >> damage;
  return readings;
}

}  // namespace tailwave
