#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tailwave {

// What NVRTC made of one program. `log` has warnings also when it succeeded.
struct NvrtcResult {
  bool succeeded = false;
  std::string log;
  std::string cubin;                           // for a target sm_XX
  std::string ptx;                             // for a target compute_XX
  std::map<std::string, std::string> symbols;  // name expression -> lowered name
};

// NVIDIA's run-time compiler, loaded with dlopen. Immutable after load(); compile() may be called from
// several threads at once, though NVRTC's front end lets in one at a time.
class NvrtcLibrary {
 public:
  // The first that loads of: $TAILWAVE_NVRTC (nothing else is tried when it is set), libnvrtc.so.13, .12 and .so on
  // the loader's path, then in lib64/ and lib/ of $CUDA_PATH, $CUDA_HOME, of where the CUDA headers of this build
  // are, of .deps/cuda in a folder above the program and of /usr/local/cuda, and beside the program. Null when there
  // is none, with one line in `why_not`. Removes NVRTC_PREPEND_FLAGS and NVRTC_APPEND_FLAGS from the environment,
  // since they change code silently; note() tells. Call it before other threads start.
  static std::shared_ptr<const NvrtcLibrary> load(std::string& why_not);

  ~NvrtcLibrary();
  NvrtcLibrary(const NvrtcLibrary&) = delete;
  NvrtcLibrary& operator=(const NvrtcLibrary&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }       // "NVRTC 13.0"
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }   // the library loaded
  [[nodiscard]] const std::vector<int>& targets() const { return targets_; }  // {75, 80, ...}, ascending
  [[nodiscard]] const std::string& note() const { return note_; }             // what load() changed, or ""
  // Options that every build needs: from 12.9 on NVRTC keeps results in the driver's cache and finds them again for the
  // same source with other options (seen with 13.0: with and without --use_fast_math), so that cache is turned off.
  [[nodiscard]] const std::vector<std::string>& own_options() const { return own_options_; }
  // Leaves out what few kernels use (textures, surfaces, launches from device code, the runtime's types), which takes a
  // tenth to a quarter of the time of a small build and changes no code; "" where NVRTC has no such option.
  [[nodiscard]] const std::string& lean_option() const { return lean_option_; }
  // Folders of the CUDA headers that templates may include (cuda_fp16.h, <cub/...>); empty when there are
  // none.
  [[nodiscard]] const std::vector<std::filesystem::path>& include_folders() const { return include_folders_; }
  // "CUDA 13000, CCCL 3000002": for content keys. Empty without headers.
  [[nodiscard]] const std::string& headers_version() const { return headers_version_; }

  // Throws Error when NVRTC itself does not work (its builtins library is missing, out of memory).
  // `headers`: what the source may include besides files, by name.
  [[nodiscard]] NvrtcResult compile(const std::string& source, const std::string& name,
                                    const std::vector<std::string>& kernels,
                                    const std::vector<std::string>& options,
                                    const std::map<std::string, std::string>& headers = {}) const;

 private:
  struct Api;
  NvrtcLibrary();

  std::unique_ptr<Api> api_;
  std::string version_;
  std::filesystem::path file_;
  std::vector<int> targets_;
  std::string note_;
  std::vector<std::string> own_options_;
  std::string lean_option_;
  std::vector<std::filesystem::path> include_folders_;
  std::string headers_version_;
};

// The target to build for when code for `compute_capability` is wanted: itself when it is in `targets`; else
// the largest lower one of the same major version, whose code runs there; else the next one above, or the
// largest, whose code does not run there but tells resources approximately. Throws Error when `targets` is
// empty.
int nearest_target(const std::vector<int>& targets, int compute_capability);

}  // namespace tailwave
