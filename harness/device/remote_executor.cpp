#include "device/remote_executor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "device/wire.h"
#include "device/worker_service.h"

namespace tailwave {

class RemoteExecutor::Connection {
 public:
  explicit Connection(const ExecutorFactory& factory)
      : worker_([factory](int socket) { serve(socket, factory); }) {
    connect();
  }

  // Counts worker processes: what was made in an earlier one is lost.
  [[nodiscard]] int generation() const { return generation_; }
  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  [[nodiscard]] const std::string& timer() const { return timer_; }
  [[nodiscard]] pid_t worker() const { return worker_.worker(); }

  // To be called before a request is put together: afterwards there is a worker.
  void connect() {
    // A worker that says something unasked has died while it had nothing to do.
    if (connected_ && !readable(worker_.socket())) return;
    if (connected_) lost_ = worker_.end(call_limit_s_);
    // One that is killed from outside while it opens the device costs nothing; two are no accident.
    if (!open(true)) open(false);
  }

  // Why what an earlier worker made is not there any more.
  [[nodiscard]] std::string loss() const {
    return lost_.empty() || lost_ == "exited with status 0"
               ? "was lost when an earlier error reset the device"
               : "was lost: the device's worker process " + lost_;
  }

  // What was posted is under way then, though not done.
  void end_of_configuration() {
    if (!connected_) return;
    post(request(Operation::forgive));
    try {
      flush();
    } catch (const ConnectionLost&) {
      // The next connect() finds it gone.
    }
  }

  std::string renew() {
    end_of_configuration();
    std::string end = std::exchange(death_, "");
    if (connected_) end = worker_.end(call_limit_s_);
    connected_ = false;
    return end == "exited with status 0" ? "" : end;
  }

  template <class... Arguments>
  static Packet request(Operation operation, const Arguments&... arguments) {
    Packet packet;
    ((packet << operation) << ... << arguments);
    return packet;
  }

  std::uint64_t new_number() { return ++last_number_; }

  // For an operation that is not answered. It waits for the next exchange(), which throws what it failed with. `work`:
  // bytes that it moves or makes.
  void post(const Packet& request, std::size_t work = 0) {
    constexpr std::size_t kMost = 1 << 18;  // bytes kept waiting
    posted_work_ += work;
    try {
      if (posted_.size() + request.bytes().size() > kMost) {
        flush();
        if (request.bytes().size() > kMost) return send(worker_.socket(), request);
      }
      append_framed(posted_, request);
    } catch (const ConnectionLost&) {
      throw lost("");
    }
  }

  Packet exchange(const Packet& request) { return exchange(request, call_limit_s_); }
  // The deadline is for the kernels alone: what was posted before and takes a while is done first.
  Packet exchange_run(const Packet& request, const std::string& kernels) {
    constexpr std::size_t kShort = 1 << 24;
    if (posted_work_ > kShort) exchange(Connection::request(Operation::settle));
    return exchange(request, deadline_s_ + kRunGraceS, kernels + ": ");
  }

  // Lets the worker forget an object, if that worker is still there.
  void forget(Operation operation, std::uint64_t number, int generation) noexcept {
    if (!connected_ || generation != generation_) return;
    try {
      post(request(operation, number));
    } catch (const std::exception&) {
      // It is gone; the next connect() finds out.
    }
  }

  void set_deadline_s(double seconds) { deadline_s_ = seconds; }
  [[nodiscard]] double deadline_s() const { return deadline_s_; }
  void set_call_limit_s(double seconds) { call_limit_s_ = seconds; }
  void set_cancelled(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

 private:
  // Starts a worker. False when it died before the device was open, an Error unless that is `forgiven`.
  bool open(bool forgiven) {
    posted_.clear();
    posted_work_ = 0;
    worker_.start();
    connected_ = true;
    ++generation_;
    try {
      Packet answer = exchange(request(Operation::open), call_limit_s_);
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

  void flush() {
    send_bytes(worker_.socket(), posted_);
    posted_.clear();
  }

  // `doing` begins what is said of it.
  Failure lost(const std::string& doing) {
    connected_ = false;
    death_ = worker_.end(call_limit_s_);
    lost_ = death_;
    return {Outcome::crashed, doing + "the device's worker process " + death_};
  }

  // `doing` begins what is said of a worker that dies.
  Packet exchange(const Packet& request, double limit_s, const std::string& doing = "") {
    std::optional<Packet> answer;
    try {
      append_framed(posted_, request);
      flush();
      answer = receive_answer(limit_s);
    } catch (const ConnectionLost&) {
      throw lost(doing);
    }
    posted_work_ = 0;
    if (!answer) {
      connected_ = false;
      worker_.kill();
      if (cancelled_()) throw Cancelled();
      const double stated_s = doing.empty() ? limit_s : deadline_s_;
      throw Failure(Outcome::timeout,
                    fmt::format("{}not ended after {:g} s; its process was killed", doing, stated_s));
    }
    throw_unless_result(*answer);
    return std::move(*answer);
  }

  // Nothing when the time is over, or after a cancellation.
  std::optional<Packet> receive_answer(double limit_s) {
    constexpr double kTurnS = 0.1;
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed_s = [start] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    double end_s = limit_s;
    for (double now_s = 0; now_s < end_s; now_s = elapsed_s()) {
      if (cancelled_()) end_s = std::min(end_s, now_s + kCancelGraceS);
      // Nothing here may use a core that a kernel on the CPU could use.
      const bool at_once = now_s == 0 && description_.kind == "cuda";
      std::optional<Packet> answer = receive(worker_.socket(), std::min(kTurnS, end_s - now_s), at_once);
      if (answer) return answer;
    }
    return std::nullopt;
  }

  void throw_unless_result(Packet& answer) {
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

  double deadline_s_ = kDefaultDeadlineS;
  double call_limit_s_ = kDefaultCallLimitS;
  std::function<bool()> cancelled_ = [] { return false; };
  WorkerProcess worker_;
  bool connected_ = false;
  std::vector<std::byte> posted_;  // requests that wait for one with an answer
  std::size_t posted_work_ = 0;    // since the last answer, in bytes
  std::uint64_t last_number_ = 0;  // of a buffer or program
  std::string death_;              // how the last worker that died did, until renew() has told
  std::string lost_;               // how the last worker ended
  int generation_ = 0;
  DeviceDescription description_;
  std::string timer_;
};

namespace {

// Something in the worker, by number.
class RemoteObject {
 public:
  RemoteObject(std::shared_ptr<RemoteExecutor::Connection> connection, Operation forget)
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
  std::shared_ptr<RemoteExecutor::Connection> connection_;
  Operation forget_;
  std::uint64_t number_;
  int generation_;
};

struct RemoteBuffer final : Buffer {
  RemoteBuffer(std::shared_ptr<RemoteExecutor::Connection> connection, std::size_t size_bytes)
      : object(std::move(connection), Operation::release), bytes(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return bytes; }

  RemoteObject object;
  std::size_t bytes;
};

struct RemoteProgram final : Program {
  explicit RemoteProgram(std::shared_ptr<RemoteExecutor::Connection> connection)
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
    : connection_(std::make_shared<Connection>(factory)), isolated_(isolated) {}
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
  connection_->post(Connection::request(Operation::load, number_of(*program), artifact), kMuch);
  return program;
}

std::optional<int> RemoteExecutor::blocks_per_sm(Program& program, const Launch& launch) {
  connection_->connect();
  Packet request = Connection::request(Operation::blocks_per_sm, number_of(program));
  put_launches(request, std::span(&launch, 1));
  Packet answer = connection_->exchange(request);
  bool known = false;
  int blocks = 0;
  answer >> known >> blocks;
  return known ? std::optional(blocks) : std::nullopt;
}

std::unique_ptr<Buffer> RemoteExecutor::allocate(std::size_t size_bytes) {
  connection_->connect();
  auto buffer = std::make_unique<RemoteBuffer>(connection_, size_bytes);
  connection_->post(Connection::request(Operation::allocate, number_of(*buffer), size_bytes), size_bytes);
  return buffer;
}

void RemoteExecutor::upload(Buffer& buffer, std::span<const std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  connection_->connect();
  Packet request = Connection::request(Operation::upload, number_of(buffer));
  request.append(bytes);
  connection_->post(request, bytes.size());
}

void RemoteExecutor::download(const Buffer& buffer, std::span<std::byte> bytes) {
  require_same_size(buffer.size_bytes(), bytes.size());
  connection_->connect();
  Packet answer = connection_->exchange(Connection::request(Operation::download, number_of(buffer)));
  const auto received = answer.take(bytes.size());
  std::copy(received.begin(), received.end(), bytes.begin());
}

void RemoteExecutor::copy(Buffer& to, const Buffer& from) {
  require_same_size(to.size_bytes(), from.size_bytes());
  connection_->connect();
  connection_->post(Connection::request(Operation::copy, number_of(to), number_of(from)), to.size_bytes());
}

std::string RemoteExecutor::guard_damage(const Buffer& buffer) {
  connection_->connect();
  Packet answer = connection_->exchange(Connection::request(Operation::guard_damage, number_of(buffer)));
  std::string damage;
  answer >> damage;
  return damage;
}

RunResult RemoteExecutor::run(Program& program, std::span<const Launch> launches, const RunOptions& options) {
  require_valid(options, launches.size());
  connection_->connect();
  Packet request = Connection::request(Operation::run, connection_->deadline_s(), number_of(program));
  put_launches(request, launches);
  Packet answer = connection_->exchange_run(request << options, kernels_of(launches));
  RunResult result;
  answer >> result;
  return result;
}

}  // namespace tailwave
