#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// NVIDIA's linker for device code, nvJitLink, loaded with dlopen.
class DeviceLinker {
 public:
  // The first that loads of: $TAILWAVE_NVJITLINK (nothing else is tried when it is set), what lies beside NVRTC, in lib64/
  // and lib/ of the toolkits that NVRTC is looked for in, and on the loader's path. Null when there is none, with one
  // line in `why_not`.
  static std::shared_ptr<const DeviceLinker> load(const std::filesystem::path& nvrtc, std::string& why_not);

  ~DeviceLinker();
  DeviceLinker(const DeviceLinker&) = delete;
  DeviceLinker& operator=(const DeviceLinker&) = delete;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }  // the library loaded

  struct Result {
    bool succeeded = false;
    std::string log, cubin;
  };
  // Machine code for sm_<architecture>, such as "90a", of PTX.
  [[nodiscard]] Result assemble(const std::string& architecture, const std::string& ptx) const;

  // One program for sm_<target> of relocatable machine code (--relocatable-device-code=true) and what that needs of a
  // library.
  [[nodiscard]] Result link(int target, const std::vector<std::string_view>& parts,
                            const std::filesystem::path& library) const;

 private:
  struct Api;
  class Linking;
  DeviceLinker();

  std::unique_ptr<Api> api_;
  std::filesystem::path file_;
};

}  // namespace tailwave
