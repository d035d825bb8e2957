#include "device/pe_server.h"

#include <unistd.h>

#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "core/outcome.h"
#include "core/sandbox.h"
#include "device/packing.h"
#include "device/pe_message.h"
#include "device/wire.h"

namespace tailwave {
namespace {

class PeServer {
 public:
  PeServer(int socket, const PeEntry& entry) : socket_(socket), entry_(entry) {}

  void serve() {
    if (answered([this](Packet& answer) { open(answer); })) obey_until({});
  }

 private:
  // Until that is asked for; none: as long as the other side is there.
  void obey_until(std::optional<PeRequest> end) {
    while (executor_->usable()) {
      Packet request = *receive(socket_, {.awake = true});
      const auto what = take<PeRequest>(request);
      if (what == end) return;
      if (what == PeRequest::record) {
        record();
      } else if (what == PeRequest::unload) {
        programs_.erase(take<std::uint64_t>(request));
      } else if (what == PeRequest::free) {
        buffers_.erase(take<std::uint64_t>(request));
      } else {
        answered([&](Packet& answer) { obey(what, request, answer); });
      }
    }
    // What hangs could not be freed.
    _exit(0);
  }

  // What work() puts into the answer, or how it failed. Whether it did not.
  template <class Work>
  bool answered(const Work& work) {
    Packet answer, text;
    try {
      answer << PeAnswer::result;
      work(answer);
      send(socket_, answer);
      return true;
    } catch (const ConnectionLost&) {
      throw;
    } catch (const Failure& failure) {
      text << PeAnswer::failure << failure.outcome() << std::string(failure.what());
    } catch (const std::bad_alloc&) {
      text << PeAnswer::failure << Outcome::out_of_memory << std::string("its process has no more memory");
    } catch (const std::exception& error) {
      text << PeAnswer::error << std::string(error.what());
    }
    send(socket_, text);
    return false;
  }

  void open(Packet& answer) {
    Packet begin = *receive(socket_);
    const int pe = take<int>(begin), pes = take<int>(begin);
    if (pe == 0) {
      Packet invitation;
      send(socket_, invitation << PeAnswer::result << entry_.invite());
    }
    Packet invitation = *receive(socket_);
    executor_ = entry_.join(pe, pes, take<std::string>(invitation));
    enter_sandbox(Confined::device_code);
    answer << executor_->description();
  }

  void obey(PeRequest what, Packet& request, Packet& answer) {
    switch (what) {
      case PeRequest::load:
        return load(request);
      case PeRequest::blocks_per_sm:
      case PeRequest::active_clusters:
      case PeRequest::granted_sms:
        return ask(what, request, answer);
      case PeRequest::allocate:
        return allocate(request);
      case PeRequest::upload:
        return upload(request);
      case PeRequest::restore:
        return executor_->restore(take_all(request, take_restoration, find()));
      case PeRequest::read:
        return read(request, answer);
      case PeRequest::repeat:
        return repeat(request, answer);
      case PeRequest::unload:
      case PeRequest::free:
      case PeRequest::record:
      case PeRequest::recorded:
        return;
    }
  }

  void load(Packet& request) {
    const auto number = take<std::uint64_t>(request);
    programs_[number] = executor_->load(take<Artifact>(request));
  }

  void ask(PeRequest what, Packet& request, Packet& answer) {
    Program& program = *programs_.at(take<std::uint64_t>(request));
    const std::vector<Launch> launches = take_all(request, take_launch, find());
    answer << (what == PeRequest::granted_sms       ? executor_->granted_sms(launches)
               : what == PeRequest::active_clusters ? executor_->active_clusters(program, launches)
                                                    : executor_->blocks_per_sm(program, launches));
  }

  void allocate(Packet& request) {
    const auto number = take<std::uint64_t>(request);
    const auto memory = take<MemoryKind>(request);
    const auto before = take<std::size_t>(request);
    buffers_[number] = executor_->allocate_at({0, memory, before}, take<std::size_t>(request));
  }

  void upload(Packet& request) {
    Buffer& buffer = *buffers_.at(take<std::uint64_t>(request));
    executor_->upload(buffer, take<Blob>(request).bytes());
  }

  void read(Packet& request, Packet& answer) {
    Reading reading;
    for (const std::uint64_t number : take<std::vector<std::uint64_t>>(request))
      reading.guarded.push_back(buffers_.at(number).get());
    std::vector<Blob> contents;
    for (const std::uint64_t number : take<std::vector<std::uint64_t>>(request)) {
      const Buffer& buffer = *buffers_.at(number);
      contents.push_back(Blob::shared(buffer.size_bytes()));
      reading.contents.emplace_back(&buffer, contents.back().writable());
    }
    answer << executor_->read(reading) << contents;
  }

  void repeat(Packet& request, Packet& answer) {
    Program& program = *programs_.at(take<std::uint64_t>(request));
    FreshStart start;
    start.restored = take_all(request, take_restoration, find());
    const std::vector<Launch> prepare = take_all(request, take_launch, find());
    start.prepare = prepare;
    request >> start.others >> start.other_draws;
    const std::vector<Launch> launches = take_all(request, take_launch, find());
    const auto options = take<RunOptions>(request);
    const int times = take<int>(request);
    executor_->set_deadline_s(take<double>(request));
    answer << executor_->repeat(program, start, launches, options, times);
  }

  // Obeys as ever meanwhile. Each of the two requests has an answer, where it fails one that says so.
  void record() {
    answered([this](Packet& answer) {
      answer << executor_->counters().record([this] {
        answered([](Packet& /*began*/) {});
        obey_until(PeRequest::recorded);
      });
    });
  }

  FindNumbered find() {
    return [this](std::uint64_t number) { return number == 0 ? nullptr : buffers_.at(number).get(); };
  }

  int socket_;
  const PeEntry& entry_;
  std::unique_ptr<Executor> executor_;
  std::map<std::uint64_t, std::unique_ptr<Buffer>> buffers_;
  std::map<std::uint64_t, std::unique_ptr<Program>> programs_;
};

}  // namespace

void serve_as_pe(int socket, const PeEntry& entry) {
  try {
    PeServer(socket, entry).serve();
  } catch (const std::exception&) {
    return;  // ConnectionLost, or a request that nobody makes
  }
}

}  // namespace tailwave
