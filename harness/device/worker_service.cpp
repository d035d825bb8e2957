#include "device/worker_service.h"

#include <map>
#include <new>
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
  explicit Service(const ExecutorFactory& factory) : factory_(factory) {}

  Packet answer(Packet& request) {
    try {
      Packet result;
      result << Answer::result;
      perform(request, result);
      return result;
    } catch (const Failure& failure) {
      Packet text;
      text << Answer::failure << failure.outcome() << std::string(failure.what()) << usable();
      return text;
    } catch (const std::bad_alloc&) {
      return out_of_memory(usable());
    } catch (const std::exception& error) {
      Packet text;
      text << Answer::error << std::string(error.what());
      return text;
    }
  }

  // True before an executor is opened, too.
  [[nodiscard]] bool usable() const { return !executor_ || executor_->usable(); }

 private:
  void perform(Packet& request, Packet& result) {
    const auto operation = take<Operation>(request);
    switch (operation) {
      case Operation::open:
        executor_ = factory_();
        result << executor_->description() << executor_->timer();
        return;
      case Operation::load:
        programs_[++last_number_] = executor_->load(take<Artifact>(request));
        result << last_number_;
        return;
      case Operation::unload:
        programs_.erase(take<std::uint64_t>(request));
        return;
      case Operation::allocate:
        buffers_[++last_number_] = executor_->allocate(take<std::size_t>(request));
        result << last_number_;
        return;
      case Operation::release:
        buffers_.erase(take<std::uint64_t>(request));
        return;
      case Operation::upload:
      case Operation::download:
      case Operation::copy:
      case Operation::guard_damage:
        return move_data(operation, request, result);
      case Operation::blocks_per_sm:
      case Operation::run:
        return execute(operation, request, result);
    }
    throw Error("a device worker was asked for something unknown");
  }

  void move_data(Operation operation, Packet& request, Packet& result) {
    Buffer& buffer = take_buffer(request);
    if (operation == Operation::upload) {
      executor_->upload(buffer, request.take(buffer.size_bytes()));
    } else if (operation == Operation::download) {
      std::vector<std::byte> bytes(buffer.size_bytes());
      executor_->download(buffer, bytes);
      result.append(bytes);
    } else if (operation == Operation::copy) {
      executor_->copy(buffer, take_buffer(request));
    } else {
      result << executor_->guard_damage(buffer);
    }
  }

  void execute(Operation operation, Packet& request, Packet& result) {
    if (operation == Operation::run) executor_->set_deadline_s(take<double>(request));
    Program& program = *programs_.at(take<std::uint64_t>(request));
    std::vector<Launch> launches(take<std::size_t>(request));
    for (Launch& launch : launches) launch = take_launch(request);
    if (operation == Operation::run) {
      result << executor_->run(program, launches, take<RunOptions>(request));
      return;
    }
    const std::optional<int> blocks = executor_->blocks_per_sm(program, launches.at(0));
    result << blocks.has_value() << blocks.value_or(0);
  }

  Buffer& take_buffer(Packet& request) { return *buffers_.at(take<std::uint64_t>(request)); }

  Launch take_launch(Packet& request) {
    auto wire = take<WireLaunch>(request);
    for (const auto& argument : wire.arguments) {
      if (const auto* const scalar = std::get_if<ScalarBytes>(&argument)) {
        wire.launch.arguments.emplace_back(*scalar);
      } else {
        wire.launch.arguments.emplace_back(buffers_.at(std::get<std::uint64_t>(argument)).get());
      }
    }
    return std::move(wire.launch);
  }

  const ExecutorFactory& factory_;
  std::unique_ptr<WorkerExecutor> executor_;
  std::map<std::uint64_t, std::unique_ptr<Program>> programs_;
  std::map<std::uint64_t, std::unique_ptr<Buffer>> buffers_;
  std::uint64_t last_number_ = 0;
};

}  // namespace

void serve(int socket, const ExecutorFactory& factory) noexcept {
  try {
    Service service(factory);
    while (service.usable()) {
      std::optional<Packet> request = receive(socket);
      send(socket, service.answer(*request));
    }
  } catch (const ConnectionLost&) {
    return;
  } catch (const std::bad_alloc&) {  // of a request, the rest of which is not to be read
    try {
      send(socket, out_of_memory(false));
    } catch (const std::exception&) {
      return;
    }
  }
}

}  // namespace tailwave
