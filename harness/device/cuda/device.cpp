#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/device.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace tailwave {
namespace {

class Attributes {
 public:
  Attributes(const DriverApi& api, CUdevice device) : api_(api), device_(device) {}

  int operator()(CUdevice_attribute attribute) const {
    int value = 0;
    const CUresult result = api_.device_attribute(&value, attribute, device_);
    if (result != CUDA_SUCCESS) throw Error("reading a device attribute: " + api_.describe(result));
    return value;
  }

 private:
  const DriverApi& api_;
  CUdevice device_;
};

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

Values limits(const Attributes& of) {
  const auto whole = [&of](CUdevice_attribute attribute) { return Value{std::int64_t{of(attribute)}}; };
  Values values;
  values["sms"] = whole(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  values["max_threads_per_block"] = whole(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  values["max_threads_per_sm"] = whole(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  values["max_blocks_per_sm"] = whole(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  values["registers_per_block"] = whole(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  values["registers_per_sm"] = whole(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  values["warp_size"] = whole(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  values["shared_bytes_per_block"] = whole(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  values["shared_bytes_per_block_opt_in"] = whole(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  values["shared_bytes_per_sm"] = whole(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  values["reserved_shared_bytes_per_block"] = whole(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  values["l2_bytes"] = whole(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  values["memory_bus_bits"] = whole(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  values["cooperative_launch"] = of(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  values["ecc"] = of(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  values["pci_bus_id"] =
      fmt::format("{:04x}:{:02x}:{:02x}", of(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                  of(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID), of(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  return values;
}

// The word after "Kernel Module" in the driver's version file; empty where there is none.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const bool version = word.find_first_not_of("0123456789.") == std::string::npos;
      if (version && word.find('.') != std::string::npos) return word;
    }
  }
  return "";
}

}  // namespace

std::string driver_text(const DriverApi& api) {
  int version = 0;
  api.driver_version(&version);
  std::string text = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  const std::string module = kernel_module_version();
  if (!module.empty()) text += " (" + module + ")";
  return text;
}

DeviceDescription describe_device(const DriverApi& api, int ordinal) {
  CUdevice device = 0;
  const CUresult result = api.device_get(&device, ordinal);
  if (result != CUDA_SUCCESS) throw Error(fmt::format("cuda:{}: {}", ordinal, api.describe(result)));
  const Attributes of(api, device);

  std::array<char, 256> name{};
  api.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  CUuuid uuid{};
  api.device_uuid(&uuid, device);
  std::size_t memory = 0;
  api.device_memory(&memory, device);

  DeviceDescription description;
  description.kind = DeviceKind::cuda;
  description.name = name.data();
  description.uuid = uuid_text(uuid);
  description.compute_capability = 10 * of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                   of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  description.sms = of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  description.memory_bytes = static_cast<std::int64_t>(memory);
  description.clock_mhz = of(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
  description.memory_clock_mhz = of(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1e3;
  description.driver = driver_text(api);
  description.properties = limits(of);
  description.properties["compute_capability"] = std::int64_t{description.compute_capability};
  description.properties["clock_mhz"] = description.clock_mhz;
  description.properties["l2_mib"] = of(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) / 1048576.0;
  const int bus_bits = of(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  description.properties["bandwidth_gb_per_s"] = 2 * description.memory_clock_mhz * bus_bits / 8 / 1e3;
  return description;
}

}  // namespace tailwave
#endif
