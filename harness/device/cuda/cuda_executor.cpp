#include "device/cuda/cuda_executor.h"

#include "core/error.h"

#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/driver_executor.h"
#include "device/wire.h"
#endif

namespace tailwave {

#ifndef TAILWAVE_WITH_CUDA

std::string cuda_obstacle() {
  return "this build has no CUDA support: it was built without the CUDA headers";
}

std::vector<DeviceDescription> list_cuda_devices() {
  return {};
}

std::unique_ptr<CudaExecutor> CudaExecutor::open(int /*ordinal*/) {
  throw Error(cuda_obstacle());
}

#else

namespace {

void send_list(int socket) {
  Packet packet;
  try {
    const DeviceList list = list_in_this_process();
    packet << list.obstacle << list.devices.size();
    for (const DeviceDescription& device : list.devices) packet << device;
  } catch (const std::exception& error) {
    packet = Packet();
    packet << std::string(error.what()) << std::size_t{0};
  }
  send(socket, packet);
}

DeviceList list_devices() {
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
    std::size_t count = 0;
    packet >> list.obstacle >> count;
    list.devices.resize(count);
    for (DeviceDescription& device : list.devices) packet >> device;
  } catch (const ConnectionLost&) {
    list.obstacle = "the process that asked the CUDA driver for its devices " + worker.end();
  }
  return list;
}

}  // namespace

std::string cuda_obstacle() {
  return list_devices().obstacle;
}

std::vector<DeviceDescription> list_cuda_devices() {
  return list_devices().devices;
}

std::unique_ptr<CudaExecutor> CudaExecutor::open(int ordinal) {
  return std::make_unique<CudaExecutor>([ordinal] { return open_in_this_process(ordinal); });
}

#endif

}  // namespace tailwave
