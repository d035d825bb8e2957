#include "device/worker_service.h"

#include <map>
#include <new>
#include <optional>
#include <utility>

#include "core/error.h"
#include "device/wire.h"

namespace tailwave {
namespace {

template <class T>
T take(Packet& packet) {
  T value{};
  packet >> value;
  return value;
}

Packet out_of_memory(bool usable) {
  Packet text;
  text << Answer::failure << Outcome::out_of_memory
       << std::string("the device's worker process has no more memory") << usable;
  return text;
}

class Service {
 public:
  Service(const ExecutorFactory& factory, std::span<std::byte> shared) : factory_(factory), shared_(shared) {}

  // Nothing for an operation that is not answered.
  std::optional<Packet> answer(Packet& request) {
    const auto operation = take<Operation>(request);
    const bool releases = operation == Operation::unload || operation == Operation::release;
    if (operation == Operation::forgive) failure_.reset();
    if (!failure_ || releases) {
      Packet result;
      if (attempt(operation, request, result) && is_answered(operation)) return result;
    }
    return is_answered(operation) ? std::exchange(failure_, std::nullopt) : std::nullopt;
  }

  // Once false, nothing more can be asked. True before an executor is opened, and until a failure has been told.
  [[nodiscard]] bool goes_on() const { return usable() || failure_; }

 private:
  // Without success, the failure is the answer of this operation or a later one.
  bool attempt(Operation operation, Packet& request, Packet& result) {
    Packet text;
    try {
      result << Answer::result;
      perform(operation, request, result);
      return true;
    } catch (const Failure& failure) {
      text << Answer::failure << failure.outcome() << std::string(failure.what()) << usable();
    } catch (const std::bad_alloc&) {
      text = out_of_memory(usable());
    } catch (const std::exception& error) {
      text << Answer::error << std::string(error.what());
    }
    if (!failure_) failure_ = std::move(text);
    return false;
  }

  [[nodiscard]] bool usable() const { return !executor_ || executor_->usable(); }

  void perform(Operation operation, Packet& request, Packet& result) {
    switch (operation) {
      case Operation::forgive:
      case Operation::settle:
        return;
      case Operation::open:
        executor_ = factory_();
        result << executor_->description() << executor_->timer();
        return;
      case Operation::load: {
        const auto number = take<std::uint64_t>(request);
        programs_[number] = executor_->load(take<Artifact>(request));
        return;
      }
      case Operation::unload:
        programs_.erase(take<std::uint64_t>(request));
        return;
      case Operation::allocate: {
        const auto number = take<std::uint64_t>(request);
        const auto size_bytes = take<std::size_t>(request);
        buffers_[number] = executor_->allocate_on(take<int>(request), size_bytes);
        return;
      }
      case Operation::release:
        buffers_.erase(take<std::uint64_t>(request));
        return;
      case Operation::upload:
      case Operation::download:
      case Operation::copy:
      case Operation::fill:
      case Operation::guard_damage:
        return move_data(operation, request, result);
      case Operation::copy_bandwidth:
        result << executor_->copy_bandwidth();
        return;
      case Operation::blocks_per_sm:
      case Operation::trace:
      case Operation::run:
      case Operation::run_fresh:
      case Operation::run_and_read:
        return execute(operation, request, result);
    }
    throw Error("a device worker was asked for something unknown");
  }

  void move_data(Operation operation, Packet& request, Packet& result) {
    Buffer& buffer = take_buffer(request);
    if (operation == Operation::upload) {
      const auto place = take<std::size_t>(request);
      executor_->upload(buffer, place == kInPacket ? request.take(buffer.size_bytes())
                                                   : in_shared(place, buffer.size_bytes()));
    } else if (operation == Operation::download) {
      executor_->download(buffer, result.extend(buffer.size_bytes()));
    } else if (operation == Operation::copy) {
      executor_->copy(buffer, take_buffer(request));
    } else if (operation == Operation::fill) {
      executor_->fill(buffer, take<std::byte>(request));
    } else {
      result << executor_->guard_damage(buffer);
    }
  }

  void execute(Operation operation, Packet& request, Packet& result) {
    if (operation != Operation::blocks_per_sm) executor_->set_deadline_s(take<double>(request));
    Program& program = made(programs_, take<std::uint64_t>(request));
    if (operation == Operation::run_and_read) return run_and_read(program, request, result);
    const std::vector<Launch> launches = take_launches(request);
    if (operation == Operation::run_fresh) {
      const std::vector<Launch> prepare = take_launches(request);
      FreshStart start{{}, prepare};
      for (auto count = take<std::size_t>(request); count > 0; --count) {
        Buffer& to = take_buffer(request);
        start.copies.emplace_back(&to, &take_buffer(request));
      }
      const auto options = take<RunOptions>(request);
      const auto times = take<int>(request);
      for (const RunResult& run : executor_->run_fresh(program, start, launches, options, times))
        result << run;
      return;
    }
    if (operation == Operation::run) {
      result << executor_->run(program, launches, take<RunOptions>(request));
      return;
    }
    if (operation == Operation::trace) {
      result << executor_->trace(program, launches.at(0));
      return;
    }
    for (const std::optional<int>& blocks : executor_->blocks_per_sm(program, launches))
      result << blocks.has_value() << blocks.value_or(0);
  }

  // The answer is what is read, unless that goes elsewhere, the time and the damage.
  void run_and_read(Program& program, Packet& request, Packet& result) {
    const std::vector<Launch> launches = take_launches(request);
    ReadingRun reading{{}, launches, {}, {}, {}};
    for (auto count = take<std::size_t>(request); count > 0; --count)
      reading.guarded.push_back(&take_buffer(request));
    std::size_t size_bytes = 0;
    for (auto count = take<std::size_t>(request); count > 0; --count) {
      reading.read.emplace_back(&take_buffer(request), std::span<std::byte>());
      size_bytes += reading.read.back().first->size_bytes();
    }
    const auto place = take<std::size_t>(request);
    std::span<std::byte> room = place == kInPacket ? result.extend(size_bytes) : in_shared(place, size_bytes);
    for (auto& [buffer, bytes] : reading.read) {
      bytes = room.first(buffer->size_bytes());
      room = room.subspan(bytes.size());
    }
    const Readings readings = executor_->run_and_read(program, reading);
    result << readings.run_s;
    for (const std::string& damage : readings.damage) result << damage;
  }

  template <class Thing>
  static Thing& made(const std::map<std::uint64_t, std::unique_ptr<Thing>>& things, std::uint64_t number) {
    const auto found = things.find(number);
    if (found != things.end()) return *found->second;
    throw Failure(Outcome::crashed, "this buffer or program was not made, since a call before it failed");
  }

  [[nodiscard]] std::span<std::byte> in_shared(std::size_t place, std::size_t size_bytes) const {
    if (place > shared_.size() || size_bytes > shared_.size() - place)
      throw Error("a device worker was asked for bytes outside the shared memory");
    return shared_.subspan(place, size_bytes);
  }

  Buffer& take_buffer(Packet& request) { return made(buffers_, take<std::uint64_t>(request)); }

  std::vector<Launch> take_launches(Packet& request) {
    std::vector<Launch> launches(take<std::size_t>(request));
    for (Launch& launch : launches) launch = take_launch(request);
    return launches;
  }

  Launch take_launch(Packet& request) {
    auto wire = take<WireLaunch>(request);
    for (const auto& argument : wire.arguments) {
      if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
        wire.launch.arguments.emplace_back(*scalar);
      } else {
        wire.launch.arguments.emplace_back(&made(buffers_, std::get<std::uint64_t>(argument)));
      }
    }
    wire.launch.copied = wire.copied_buffer == 0 ? nullptr : &made(buffers_, wire.copied_buffer);
    if (wire.launch.exit) wire.launch.exit->buffer = &made(buffers_, wire.exit_buffer);
    return std::move(wire.launch);
  }

  const ExecutorFactory& factory_;
  std::span<std::byte> shared_;
  std::unique_ptr<WorkerExecutor> executor_;
  std::map<std::uint64_t, std::unique_ptr<Program>> programs_;
  std::map<std::uint64_t, std::unique_ptr<Buffer>> buffers_;
  std::optional<Packet> failure_;  // of an operation that is not answered
};

}  // namespace

void serve(int socket, const ExecutorFactory& factory, std::span<std::byte> shared) noexcept {
  try {
    Service service(factory, shared);
    while (service.goes_on()) {
      std::optional<Packet> request = receive(socket, 0, true);
      if (const std::optional<Packet> answer = service.answer(*request)) send(socket, *answer);
    }
  } catch (const std::bad_alloc&) {  // of a request, the rest of which is not to be read
    try {
      send(socket, out_of_memory(false));
    } catch (const std::exception&) {
      return;
    }
  } catch (const std::exception&) {  // ConnectionLost, or a request that nobody makes
    return;
  }
}

}  // namespace tailwave
