#include "compile/device_linker.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "compile/cuda_toolkit.h"
#include "core/error.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 3> kLinkers{"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};

// As in nvJitLink.h, which need not be there to build with.
using LinkerHandle = void*;
constexpr int kLinked = 0, kCubinPart = 1, kPtxPart = 2, kLibraryPart = 6;

std::vector<std::string> linker_candidates(const fs::path& nvrtc) {
  if (const std::string own = environment_text("TAILWAVE_NVJITLINK"); !own.empty()) return {own};
  std::vector<fs::path> folders;
  if (nvrtc.has_parent_path()) folders.push_back(nvrtc.parent_path());
  for (const fs::path& root : toolkit_roots())
    for (const char* folder : {"lib64", "lib"}) folders.push_back(root / folder);
  std::vector<std::string> found;
  for (const fs::path& folder : folders)
    for (const char* name : kLinkers) found.push_back((folder / name).string());
  found.insert(found.end(), kLinkers.begin(), kLinkers.end());
  return found;
}

}  // namespace

struct DeviceLinker::Api {
  struct Close {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, Close> handle;
  int (*create)(LinkerHandle* linker, std::uint32_t count, const char** options) = nullptr;
  int (*destroy)(LinkerHandle* linker) = nullptr;
  int (*add_data)(LinkerHandle linker, int kind, const void* data, std::size_t size,
                  const char* name) = nullptr;
  int (*add_file)(LinkerHandle linker, int kind, const char* file) = nullptr;
  int (*complete)(LinkerHandle linker) = nullptr;
  int (*cubin_size)(LinkerHandle linker, std::size_t* size) = nullptr;
  int (*cubin)(LinkerHandle linker, void* cubin) = nullptr;
  int (*log_size)(LinkerHandle linker, std::size_t* size) = nullptr;
  int (*log)(LinkerHandle linker, char* log) = nullptr;

  // The name of the first function that is missing, or "". Before 13.0 names end in the version that has them.
  std::string bind() {
    std::string missing;
    const auto find = [&](auto& function, const std::string& name) {
      void* address = dlsym(handle.get(), name.c_str());
      for (int minor = 9; address == nullptr && minor >= 0; --minor)
        address = dlsym(handle.get(), fmt::format("__{}_12_{}", name, minor).c_str());
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
      if (function == nullptr && missing.empty()) missing = name;
    };
    find(create, "nvJitLinkCreate");
    find(destroy, "nvJitLinkDestroy");
    find(add_data, "nvJitLinkAddData");
    find(add_file, "nvJitLinkAddFile");
    find(complete, "nvJitLinkComplete");
    find(cubin_size, "nvJitLinkGetLinkedCubinSize");
    find(cubin, "nvJitLinkGetLinkedCubin");
    find(log_size, "nvJitLinkGetErrorLogSize");
    find(log, "nvJitLinkGetErrorLog");
    return missing;
  }
};

namespace {

// A text or code that is asked for by its size first.
template <class GetSize, class Get>
std::string taken_from(LinkerHandle linker, GetSize get_size, Get get) {
  std::size_t size = 0;
  if (get_size(linker, &size) != kLinked) return "";
  std::string bytes(size, '\0');
  if (size > 0 && get(linker, bytes.data()) != kLinked) return "";
  return bytes;
}

}  // namespace

DeviceLinker::DeviceLinker() = default;
DeviceLinker::~DeviceLinker() = default;

std::shared_ptr<const DeviceLinker> DeviceLinker::load(const fs::path& nvrtc, std::string& why_not) {
  auto api = std::make_unique<Api>();
  for (const std::string& candidate : linker_candidates(nvrtc)) {
    api->handle.reset(dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    if (api->handle) break;
  }
  if (!api->handle) {
    const std::string own = environment_text("TAILWAVE_NVJITLINK");
    why_not = own.empty()
                  ? "nvJitLink not found: no libnvJitLink.so.13 beside NVRTC, in CUDA_PATH, CUDA_HOME or "
                    "/usr/local/cuda, or on the loader's path; TAILWAVE_NVJITLINK can name it"
                  : fmt::format("nvJitLink cannot be loaded from TAILWAVE_NVJITLINK={}", own);
    return nullptr;
  }
  if (const std::string missing = api->bind(); !missing.empty()) {
    why_not = fmt::format("nvJitLink is too old: it has no {}", missing);
    return nullptr;
  }
  const std::shared_ptr<DeviceLinker> linker(new DeviceLinker);
  if (Dl_info where{}; dladdr(reinterpret_cast<void*>(api->create), &where) != 0)
    linker->file_ = where.dli_fname;
  linker->api_ = std::move(api);
  return linker;
}

// One program in the making; the first thing that fails is the end of it.
class DeviceLinker::Linking {
 public:
  Linking(const Api& api, const std::string& architecture) : api_(api) {
    const std::string option = "-arch=sm_" + architecture;
    std::array<const char*, 1> options{option.c_str()};
    if (const int status = api_.create(&handle_, options.size(), options.data()); status != kLinked)
      throw Error(fmt::format("nvJitLink cannot start: status {}", status));
  }
  ~Linking() { api_.destroy(&handle_); }
  Linking(const Linking&) = delete;
  Linking& operator=(const Linking&) = delete;

  void add(int kind, std::string_view bytes, const std::string& name) {
    if (status_ == kLinked) status_ = api_.add_data(handle_, kind, bytes.data(), bytes.size(), name.c_str());
  }
  void add_library(const fs::path& library) {
    if (status_ == kLinked) status_ = api_.add_file(handle_, kLibraryPart, library.c_str());
  }

  Result complete() {
    if (status_ == kLinked) status_ = api_.complete(handle_);
    Result result{status_ == kLinked, taken_from(handle_, api_.log_size, api_.log), ""};
    while (!result.log.empty() && (result.log.back() == '\0' || result.log.back() == '\n'))
      result.log.pop_back();
    if (result.succeeded) result.cubin = taken_from(handle_, api_.cubin_size, api_.cubin);
    if (!result.succeeded && result.log.empty())
      result.log = fmt::format("nvJitLink fails with status {}", status_);
    return result;
  }

 private:
  const Api& api_;
  LinkerHandle handle_ = nullptr;
  int status_ = kLinked;
};

DeviceLinker::Result DeviceLinker::assemble(const std::string& architecture, const std::string& ptx) const {
  Linking linking(*api_, architecture);
  linking.add(kPtxPart, {ptx.c_str(), ptx.size() + 1}, "ptx");
  return linking.complete();
}

DeviceLinker::Result DeviceLinker::link(int target, const std::vector<std::string_view>& parts,
                                        const fs::path& library) const {
  Linking linking(*api_, std::to_string(target));
  for (std::size_t i = 0; i < parts.size(); ++i) linking.add(kCubinPart, parts[i], fmt::format("part {}", i));
  linking.add_library(library);
  return linking.complete();
}

}  // namespace tailwave
