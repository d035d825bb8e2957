#include "device/cuda/cuda_device.h"

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

ExecutorFactory cuda_device(int /*ordinal*/, int /*sms*/) {
  return []() -> std::unique_ptr<Executor> { throw Error(cuda_obstacle()); };
}

ExecutorFactory counting_cuda_device(int ordinal, std::vector<std::filesystem::path> /*libraries*/) {
  return cuda_device(ordinal);
}

ExecutorFactory cuda_pes_device(int ordinal, DeviceDescription /*description*/, int /*gpus*/,
                                std::filesystem::path /*nvshmem*/,
                                std::vector<std::filesystem::path> /*recorders*/) {
  return cuda_device(ordinal);
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

DeviceList ask_for_devices() {
  WorkerProcess worker([](int socket) {
    try {
      send_list(socket);
    } catch (const ConnectionLost&) {
      return;
    }
  });
  worker.start();
  DeviceList list;
  try {
    Packet packet = *receive(worker.socket());
    packet >> list.obstacle >> list.devices;
  } catch (const ConnectionLost&) {
    list.obstacle = "the process that asked the CUDA driver for its devices " + worker.end();
  }
  return list;
}

// To open the driver takes about a second on a machine of several GPUs, which are the same as long as a process lives.
DeviceList list_devices() {
  static std::optional<DeviceList> known;
  if (known) return *known;
  DeviceList list = ask_for_devices();
  if (list.obstacle.empty()) known = list;
  return list;
}

}  // namespace

std::string cuda_obstacle() {
  return list_devices().obstacle;
}

std::vector<DeviceDescription> list_cuda_devices() {
  return list_devices().devices;
}

ExecutorFactory cuda_device(int ordinal, int sms) {
  return [ordinal, sms] { return open_in_this_process(ordinal, sms); };
}

ExecutorFactory counting_cuda_device(int ordinal, std::vector<std::filesystem::path> libraries) {
  return [ordinal, libraries = std::move(libraries)] {
    return open_counting_in_this_process(ordinal, libraries);
  };
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
