#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/nvshmem.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/outcome.h"
#include "device/cuda/dynamic_library.h"

namespace tailwave {

// NVSHMEM's own structures, version 1 of each, whose sizes are part of its interface.
namespace nvshmem_interface {

template <class Structure>
constexpr int kVersionOf = (1 << 16) + static_cast<int>(sizeof(Structure));

struct UniqueId {
  int version = 0;
  std::array<char, 124> bytes{};
};
struct UniqueIdArguments {
  int version = 0;
  UniqueId* id = nullptr;
  int pe = -1, pes = -1;
};
struct JoinArguments {
  int version = 0;
  UniqueIdArguments by_id;
  std::array<char, 96> unused{};
};
struct JoinAttributes {
  int version = 0;
  void* mpi = nullptr;
  JoinArguments arguments;
};
static_assert(sizeof(UniqueId) == 128 && sizeof(UniqueIdArguments) == 24 && sizeof(JoinArguments) == 128 &&
              sizeof(JoinAttributes) == 144);

}  // namespace nvshmem_interface

namespace {

using namespace nvshmem_interface;

constexpr unsigned kWithUniqueId = 1U << 3U;
constexpr int kTeamOfAll = 0;

using Sum = int(int team, void* to, const void* from, std::size_t count, CUstream stream);

std::string name_in_nvshmem(ScalarType type) {
  if (type == ScalarType::float32) return "float";
  if (type == ScalarType::float64) return "double";
  if (type == ScalarType::float16) return "half";
  return std::string(to_string(type));
}

void set_unless_set(const char* variable, const std::string& value) {
  setenv(variable, value.c_str(), 0);
}

void check_nvshmem(int status, const std::string& doing) {
  if (status != 0)
    throw Failure(Outcome::launch_failed, fmt::format("{}: NVSHMEM fails with status {}", doing, status));
}

}  // namespace

struct Nvshmem::Api {
  using UniqueId = nvshmem_interface::UniqueId;
  using JoinAttributes = nvshmem_interface::JoinAttributes;

  explicit Api(const DynamicLibrary& opened) : library(opened) {}

  // The name of the first function that is missing, or "".
  std::string bind() {
    std::string missing;
    const auto find = [&](auto& function, const char* name) {
      if (!library.find(function, name) && missing.empty()) missing = name;
    };
    find(version_info, "nvshmemx_vendor_get_version_info");
    find(get_unique_id, "nvshmemx_get_uniqueid");
    find(set_unique_id, "nvshmemx_set_attr_uniqueid_args");
    find(init, "nvshmemx_hostlib_init_attr");
    find(finalize, "nvshmemx_hostlib_finalize");
    find(module_init, "nvshmemx_cumodule_init");
    find(module_finalize, "nvshmemx_cumodule_finalize");
    find(allocate, "nvshmem_malloc");
    find(release, "nvshmem_free");
    find(barrier, "nvshmemx_barrier_all_on_stream");
    return missing;
  }

  // Null where it adds up no such elements.
  [[nodiscard]] Sum* sum(ScalarType type) const {
    Sum* found = nullptr;
    library.find(found, fmt::format("nvshmemx_{}_sum_reduce_on_stream", name_in_nvshmem(type)).c_str());
    return found;
  }

  DynamicLibrary library;
  void (*version_info)(int* major, int* minor, int* patch) = nullptr;
  int (*get_unique_id)(UniqueId* id) = nullptr;
  int (*set_unique_id)(int pe, int pes, const UniqueId* id, JoinAttributes* attributes) = nullptr;
  int (*init)(unsigned flags, JoinAttributes* attributes) = nullptr;
  void (*finalize)() = nullptr;
  int (*module_init)(CUmodule module) = nullptr;
  int (*module_finalize)(CUmodule module) = nullptr;
  void* (*allocate)(std::size_t size_bytes) = nullptr;
  void (*release)(void* memory) = nullptr;
  void (*barrier)(CUstream stream) = nullptr;
};

std::shared_ptr<Nvshmem> Nvshmem::load(const std::filesystem::path& host_library, std::size_t symmetric_bytes,
                                       std::string& why_not) {
  // Without multicast memory, which takes rights that processes in containers may lack.
  set_unless_set("NVSHMEM_DISABLE_NVLS", "1");
  set_unless_set("NVSHMEM_DISABLE_CUDA_VMM", "1");
  set_unless_set("NVSHMEM_DISABLE_NCCL", "1");
  set_unless_set("NVSHMEM_REMOTE_TRANSPORT", "none");
  set_unless_set("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo");
  set_unless_set("NVSHMEM_SYMMETRIC_SIZE", std::to_string(symmetric_bytes));
  const auto library = DynamicLibrary::open(host_library.string(), why_not);
  if (!library) return nullptr;
  auto api = std::make_unique<Api>(*library);
  if (const std::string missing = api->bind(); !missing.empty()) {
    why_not = fmt::format("{} has no {}", host_library.string(), missing);
    return nullptr;
  }
  return std::shared_ptr<Nvshmem>(new Nvshmem(std::move(api)));
}

Nvshmem::Nvshmem(std::unique_ptr<Api> api) : api_(std::move(api)) {
  int major = 0, minor = 0, patch = 0;
  api_->version_info(&major, &minor, &patch);
  version_ = fmt::format("{}.{}.{}", major, minor, patch);
}

Nvshmem::~Nvshmem() {
  if (joined_) api_->finalize();
}

std::string Nvshmem::unique_id() const {
  UniqueId id{.version = kVersionOf<UniqueId>};
  check_nvshmem(api_->get_unique_id(&id), "making a unique id");
  std::string bytes(sizeof id, '\0');
  std::memcpy(bytes.data(), &id, sizeof id);
  return bytes;
}

void Nvshmem::join(int pe, int pes, const std::string& unique_id) {
  UniqueId id;
  if (unique_id.size() != sizeof id) throw Failure(Outcome::crashed, "a unique id of another size");
  std::memcpy(&id, unique_id.data(), sizeof id);
  JoinAttributes attributes{.version = kVersionOf<JoinAttributes>};
  attributes.arguments.version = kVersionOf<JoinArguments>;
  attributes.arguments.by_id.version = kVersionOf<UniqueIdArguments>;
  check_nvshmem(api_->set_unique_id(pe, pes, &id, &attributes), "taking a unique id");
  check_nvshmem(api_->init(kWithUniqueId, &attributes), "starting");
  joined_ = true;
}

void Nvshmem::add(CUmodule module) const {
  check_nvshmem(api_->module_init(module), "preparing the machine code");
}

void Nvshmem::remove(CUmodule module) const noexcept {
  api_->module_finalize(module);
}

CUdeviceptr Nvshmem::allocate(std::size_t size_bytes) const {
  void* const memory = api_->allocate(size_bytes);
  if (memory == nullptr)
    throw Failure(Outcome::out_of_memory,
                  fmt::format("allocating {} symmetric bytes: NVSHMEM_SYMMETRIC_SIZE is {}", size_bytes,
                              std::getenv("NVSHMEM_SYMMETRIC_SIZE")));
  return reinterpret_cast<CUdeviceptr>(memory);
}

void Nvshmem::release(CUdeviceptr memory) const noexcept {
  api_->release(reinterpret_cast<void*>(memory));  // NOLINT(performance-no-int-to-ptr): as CUDA has it
}

void Nvshmem::barrier(CUstream stream) const {
  api_->barrier(stream);
}

void Nvshmem::sum(ScalarType type, CUdeviceptr memory, std::size_t count, CUstream stream) const {
  Sum* const add_up = api_->sum(type);
  if (add_up == nullptr)
    throw Failure(Outcome::launch_failed,
                  fmt::format("NVSHMEM adds up no elements of type {}", to_string(type)));
  void* const place = reinterpret_cast<void*>(memory);  // NOLINT(performance-no-int-to-ptr)
  check_nvshmem(add_up(kTeamOfAll, place, place, count, stream), "adding up");
}

}  // namespace tailwave
#endif
