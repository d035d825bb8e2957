#include "measure/worker_server.h"

#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "core/sandbox.h"
#include "device/lease.h"
#include "device/packing.h"
#include "device/wire.h"

namespace tailwave {
namespace {

class Server {
 public:
  Server(int socket, const WorkerSetup& setup, Watch& watch, TurnNote& turn, PrintCapture& printed)
      : socket_(socket), setup_(setup), watch_(watch), turn_(turn), printed_(printed) {
    turn_.be_told_from_here();
  }

  // Until the other side closes the socket or the device is no longer usable.
  void serve() {
    watch_.begin(Watch::Doing::host_work, kLongestCallS);
    if (!open()) return;
    const std::unique_ptr<Examiner> examiner = setup_.examiner ? setup_.examiner() : nullptr;
    if (examiner) examiner->forget();  // what an earlier worker shared before it died
    DeviceData data(*device_, [&examiner] {
      if (examiner) examiner->forget();
    });
    while (device_->usable()) {
      watch_.begin(Watch::Doing::nothing, 0);
      Packet request = *receive(socket_, {.awake = true});
      send(socket_, in_turn([&] { return answer(data, examiner.get(), request); }));
    }
  }

 private:
  bool open() {
    Packet hello;
    try {
      std::string obstacle = setup_.held_device.empty() ? "" : open_lease(setup_.held_device);
      device_ = setup_.device();
      device_->report_progress(&watch_.share());
      if (setup_.held_device.empty()) obstacle = open_lease(lease_name(device_->description()));
      if (setup_.confines_programs)
        confine_programs(Confined::device_code);
      else
        enter_sandbox(
            Confined::device_code);  // does nothing in a worker of the CPU device, which is confined
      hello << WorkerAnswer::result << true << device_->description() << obstacle;
    } catch (const std::exception& error) {
      device_ = nullptr;
      hello << WorkerAnswer::error << false << std::string(error.what());
    }
    printed_.settle();
    send(socket_, hello);
    return device_ != nullptr;
  }

  // Why the device cannot be held.
  std::string open_lease(const std::string& device) {
    if (setup_.leases.empty()) return "";
    try {
      lease_.emplace(Lease::Terms{setup_.leases, device, setup_.holder});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // The device is free before the answer is sent, which waits for the one who reads it.
  template <class Work>
  Packet in_turn(const Work& work) {
    if (lease_) {
      watch_.begin(Watch::Doing::waiting, std::numeric_limits<double>::infinity());
      lease_->take();
      if (setup_.isolated) lease_->give_up_writing();  // the code that is measured has all descriptors
    }
    watch_.begin(Watch::Doing::host_work, kLongestCallS);
    turn_.tell();
    Packet result = work();
    if (lease_) lease_->release();
    return result;
  }

  Packet answer(DeviceData& data, Examiner* examiner, Packet& request) {
    if (take<WorkerRequest>(request) == WorkerRequest::task) {
      Packet done = perform(data, request);
      printed_.settle();
      return done;
    }
    const Repetition repetition = take_repetition(request, setup_.systems);
    RepetitionResult result = measure_repetition(data, examiner, watch_, repetition);
    printed_.settle();
    result.printed = printed_.take();
    Packet answer;
    answer << WorkerAnswer::result << device_->usable() << repetition.number << result;
    return answer;
  }

  Packet perform(DeviceData& data, Packet& request) {
    Packet result, text;
    try {
      const Task& task = setup_.tasks.at(take<std::string>(request));
      result << WorkerAnswer::result << true;
      task(data, watch_, request, result);
      return result;
    } catch (const Failure& failure) {
      data.drop();  // nobody has looked at what it wrote
      text << WorkerAnswer::failure << device_->usable() << failure.outcome() << std::string(failure.what());
    } catch (const std::bad_alloc&) {
      text << WorkerAnswer::failure << device_->usable() << Outcome::out_of_memory
           << std::string("the device's worker process has no more memory");
    } catch (const std::exception& error) {
      text << WorkerAnswer::error << device_->usable() << std::string(error.what());
    }
    return text;
  }

  int socket_;
  const WorkerSetup& setup_;
  Watch& watch_;
  TurnNote& turn_;
  PrintCapture& printed_;
  std::unique_ptr<Executor> device_;
  std::optional<Lease> lease_;
};

}  // namespace

void serve_worker(int socket, const WorkerSetup& setup, Watch& watch, TurnNote& turn, PrintCapture& printed) {
  try {
    Server(socket, setup, watch, turn, printed).serve();
  } catch (const std::exception&) {
    return;  // ConnectionLost, or a request that nobody makes
  }
}

}  // namespace tailwave
