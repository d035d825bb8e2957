#include "device/cuda/cuda_device.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/error.h"

#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/driver_executor.h"
#include "device/packing.h"
#include "device/pes_executor.h"
#include "device/wire.h"
#include "device/worker_process.h"
#endif

namespace tailwave {

#ifndef TAILWAVE_WITH_CUDA

std::string cuda_obstacle() {
  return "this build has no CUDA support: it was built without the CUDA headers";
}

std::vector<DeviceDescription> list_cuda_devices() {
  return {};
}

ExecutorFactory cuda_device(const GpuPlace& /*place*/, int /*sms*/) {
  return []() -> std::unique_ptr<Executor> { throw Error(cuda_obstacle()); };
}

ExecutorFactory counting_cuda_device(const GpuPlace& place,
                                     std::vector<std::filesystem::path> /*libraries*/) {
  return cuda_device(place);
}

ExecutorFactory cuda_pes_device(int ordinal, DeviceDescription /*description*/, int /*gpus*/,
                                std::filesystem::path /*nvshmem*/,
                                std::vector<std::filesystem::path> /*recorders*/) {
  return cuda_device({.ordinal = ordinal});
}

#else

namespace {

void send_list(int socket) {
  DeviceList list;
  try {
    list = list_in_this_process();
  } catch (const std::exception& error) {
    list.obstacle = error.what();
  }
  Packet packet;
  send(socket, packet << list.obstacle << list.devices);
}

DeviceList ask_for_devices(WorkerProcess& lister) {
  lister.start();
  DeviceList list;
  try {
    Packet packet = *receive(lister.socket());
    packet >> list.obstacle >> list.devices;
  } catch (const ConnectionLost&) {
    list.obstacle = "the process that asked the CUDA driver for its devices " + lister.end();
  }
  return list;
}

// To open the driver takes about a second on a host of several GPUs, which are the same as long as a process lives. The
// process that did it keeps it open, since others then open it in half of that, and all of them at once.
DeviceList list_devices() {
  static std::optional<DeviceList> known;
  if (known) return *known;
  // Another process may come by it and by exit(), as code that is measured does.
  static const pid_t owner = getpid();
  const auto end = [](WorkerProcess* process) {
    if (getpid() == owner) std::default_delete<WorkerProcess>()(process);
  };
  static const std::unique_ptr<WorkerProcess, void (*)(WorkerProcess*)> lister(
      new WorkerProcess([](int socket) {
        try {
          send_list(socket);
          while (receive(socket)) continue;
        } catch (const ConnectionLost&) {
          return;
        }
      }),
      end);
  DeviceList list = ask_for_devices(*lister);
  if (list.obstacle.empty())
    known = list;
  else
    lister->end();
  return list;
}

}  // namespace

std::string cuda_obstacle() {
  return list_devices().obstacle;
}

std::vector<DeviceDescription> list_cuda_devices() {
  return list_devices().devices;
}

ExecutorFactory cuda_device(const GpuPlace& place, int sms) {
  return [place, sms] { return open_in_this_process(place, sms); };
}

ExecutorFactory counting_cuda_device(const GpuPlace& place, std::vector<std::filesystem::path> libraries) {
  return
      [place, libraries = std::move(libraries)] { return open_counting_in_this_process(place, libraries); };
}

ExecutorFactory cuda_pes_device(int ordinal, DeviceDescription description, int gpus,
                                std::filesystem::path nvshmem, std::vector<std::filesystem::path> recorders) {
  const PeEntry entry{.invite = [ordinal, nvshmem] { return invite_pes(ordinal, nvshmem); },
                      .join =
                          [ordinal, nvshmem = std::move(nvshmem), recorders = std::move(recorders)](
                              int pe, int pes, const std::string& invitation) {
                            return open_as_pe(ordinal, pe, pes, invitation, nvshmem, recorders);
                          }};
  return [description = std::move(description), gpus, entry] {
    return std::make_unique<PesExecutor>(description, gpus, entry);
  };
}

#endif

}  // namespace tailwave
