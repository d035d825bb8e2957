#include "compile/nvrtc.h"

#include "core/error.h"

#ifdef TAILWAVE_WITH_CUDA
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include "compile/cuda_toolkit.h"
#endif

namespace tailwave {

int nearest_target(const std::vector<int>& targets, int compute_capability) {
  if (targets.empty()) throw Error("NVRTC names no target architectures");
  int below = 0, above = 0, largest = 0;
  for (const int target : targets) {
    if (target == compute_capability) return target;
    if (target < compute_capability && target / 10 == compute_capability / 10 && target > below)
      below = target;
    if (target > compute_capability && (above == 0 || target < above)) above = target;
    largest = target > largest ? target : largest;
  }
  if (below != 0) return below;
  return above != 0 ? above : largest;
}

#ifndef TAILWAVE_WITH_CUDA

struct NvrtcLibrary::Api {};
NvrtcLibrary::NvrtcLibrary() = default;
NvrtcLibrary::~NvrtcLibrary() = default;

std::shared_ptr<const NvrtcLibrary> NvrtcLibrary::load(std::string& why_not) {
  why_not = "NVRTC is not available: tailwave was built without the CUDA headers";
  return nullptr;
}

NvrtcResult NvrtcLibrary::compile(const std::string& /*source*/, const std::string& /*name*/,
                                  const std::vector<std::string>& /*kernels*/,
                                  const std::vector<std::string>& /*options*/,
                                  const std::map<std::string, std::string>& /*headers*/) const {
  throw Error("NVRTC is not available: tailwave was built without the CUDA headers");
}

#else

namespace fs = std::filesystem;

struct NvrtcLibrary::Api {
  struct Close {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, Close> handle;
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) target_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) targets = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;

  // The name of the first function that is missing, or "".
  std::string bind();

  void check(nvrtcResult result, const char* what) const {
    if (result != NVRTC_SUCCESS) throw Error(fmt::format("NVRTC cannot {}: {}", what, error_string(result)));
  }
};

namespace {

constexpr std::array<const char*, 3> kNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

std::vector<std::string> library_candidates() {
  if (const std::string own = environment_text("TAILWAVE_NVRTC"); !own.empty()) return {own};
  std::vector<std::string> candidates(kNames.begin(), kNames.end());
  std::vector<fs::path> folders;
  if (*TAILWAVE_CUDA_LIBRARY != '\0') folders.emplace_back(TAILWAVE_CUDA_LIBRARY);
  for (const fs::path& root : toolkit_roots())
    for (const char* folder : {"lib64", "lib"}) folders.push_back(root / folder);
  folders.push_back(program_folder());
  folders.push_back(program_folder().parent_path() / "lib");
  for (const fs::path& folder : folders)
    for (const char* name : kNames) candidates.push_back((folder / name).string());
  return candidates;
}

// NVRTC opens libnvrtc-builtins by its bare name, which the loader finds only on its own path or when it is loaded
// already. So what lies beside the library is loaded first, and stays.
void load_builtins_beside(const fs::path& library) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so")) {
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
}

void* open_library(std::string& why_not) {
  for (const std::string& candidate : library_candidates()) {
    load_builtins_beside(candidate);
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return handle;
  }
  if (const std::string own = environment_text("TAILWAVE_NVRTC"); !own.empty()) {
    const char* cause = dlerror();
    why_not = fmt::format("NVRTC cannot be loaded from TAILWAVE_NVRTC: {}", cause == nullptr ? own : cause);
  } else {
    why_not = fmt::format(
        "NVRTC not found: no {} on the loader's path, in CUDA_PATH, CUDA_HOME, "
        "/usr/local/cuda or beside the program; TAILWAVE_NVRTC can name it",
        fmt::join(kNames, ", "));
  }
  return nullptr;
}

bool has_cccl(const fs::path& folder) {
  return fs::is_directory(folder / "cuda" / "std");
}

// The toolkit headers: beside the library that was loaded, else of any toolkit. Wheels have CCCL in a package of its own,
// without which cooperative groups do not compile: where it is not there it is another toolkit's.
std::vector<fs::path> find_include_folders(const fs::path& library) {
  std::vector<fs::path> candidates{library.parent_path().parent_path() / "include"};
  if (const fs::path headers = TAILWAVE_CUDA_INCLUDE; !headers.empty()) candidates.push_back(headers);
  for (const fs::path& root : toolkit_roots()) candidates.push_back(root / "include");
  std::vector<fs::path> folders;
  for (const fs::path& folder : candidates) {
    if (folders.empty() && fs::exists(folder / "cuda.h")) {
      folders.push_back(folder);
      if (has_cccl(folder)) return folders;
    }
    if (!folders.empty() && has_cccl(folder / "cccl")) {
      folders.push_back(folder / "cccl");
      return folders;
    }
  }
  return folders;
}

// The value of `#define <name> <value>` in the first of the folders that has the file; "" if there is none.
std::string defined_in(const std::vector<fs::path>& folders, const char* file, const std::string& name) {
  for (const fs::path& folder : folders) {
    std::ifstream stream(folder / file);
    std::string directive, word, value;
    for (std::string line; std::getline(stream, line);) {
      if (!line.starts_with("#define " + name + ' ')) continue;
      return line.substr(line.find_last_of(' ') + 1);
    }
  }
  return "";
}

std::string read_headers_version(const std::vector<fs::path>& folders) {
  if (folders.empty()) return "";
  const std::string cccl = defined_in(folders, "cuda/std/__cccl/version.h", "CCCL_VERSION");
  return fmt::format("CUDA {}, CCCL {}", defined_in(folders, "cuda.h", "CUDA_VERSION"),
                     cccl.empty() ? "none" : cccl);
}

std::string remove_flag_variables() {
  std::string note;
  for (const char* variable : {"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"}) {
    const std::string value = environment_text(variable);
    if (value.empty()) continue;
    unsetenv(variable);
    note += fmt::format("{}{}='{}' was ignored", note.empty() ? "" : "; ", variable, value);
  }
  return note;
}

// A program that destroys itself.
class Program {
 public:
  Program(decltype(&nvrtcDestroyProgram) destroy, nvrtcProgram program)
      : destroy_(destroy), program_(program) {}
  ~Program() { destroy_(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  [[nodiscard]] nvrtcProgram get() const { return program_; }

 private:
  decltype(&nvrtcDestroyProgram) destroy_;
  nvrtcProgram program_;
};

}  // namespace

std::string NvrtcLibrary::Api::bind() {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)> >(dlsym(handle.get(), name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find(version, "nvrtcVersion");
  find(error_string, "nvrtcGetErrorString");
  find(target_count, "nvrtcGetNumSupportedArchs");
  find(targets, "nvrtcGetSupportedArchs");
  find(create, "nvrtcCreateProgram");
  find(destroy, "nvrtcDestroyProgram");
  find(add_name, "nvrtcAddNameExpression");
  find(compile, "nvrtcCompileProgram");
  find(lowered_name, "nvrtcGetLoweredName");
  find(log_size, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(cubin_size, "nvrtcGetCUBINSize");
  find(cubin, "nvrtcGetCUBIN");
  find(ptx_size, "nvrtcGetPTXSize");
  find(ptx, "nvrtcGetPTX");
  return missing;
}

NvrtcLibrary::NvrtcLibrary() = default;
NvrtcLibrary::~NvrtcLibrary() = default;

std::shared_ptr<const NvrtcLibrary> NvrtcLibrary::load(std::string& why_not) {
  const std::string note = remove_flag_variables();
  auto api = std::make_unique<Api>();
  api->handle.reset(open_library(why_not));
  if (!api->handle) return nullptr;
  if (const std::string missing = api->bind(); !missing.empty()) {
    why_not = fmt::format("NVRTC is too old: it has no {}", missing);
    return nullptr;
  }

  const std::shared_ptr<NvrtcLibrary> library(new NvrtcLibrary);
  int major = 0, minor = 0, count = 0;
  api->check(api->version(&major, &minor), "tell its version");
  library->version_ = fmt::format("NVRTC {}.{}", major, minor);
  if (major > 12 || (major == 12 && minor >= 9)) library->own_options_ = {"--no-cache"};
  if (major > 12 || (major == 12 && minor >= 4)) library->lean_option_ = "--minimal";
  api->check(api->target_count(&count), "count its targets");
  library->targets_.resize(static_cast<std::size_t>(count));
  api->check(api->targets(library->targets_.data()), "list its targets");
  std::sort(library->targets_.begin(), library->targets_.end());
  library->note_ = note;
  if (Dl_info where{}; dladdr(reinterpret_cast<void*>(api->version), &where) != 0)
    library->file_ = where.dli_fname;
  library->include_folders_ = find_include_folders(library->file_);
  library->headers_version_ = read_headers_version(library->include_folders_);
  library->api_ = std::move(api);
  return library;
}

NvrtcResult NvrtcLibrary::compile(const std::string& source, const std::string& name,
                                  const std::vector<std::string>& kernels,
                                  const std::vector<std::string>& options,
                                  const std::map<std::string, std::string>& headers) const {
  nvrtcProgram handle = nullptr;
  std::vector<const char*> texts, names;
  for (const auto& [header, text] : headers) {
    names.push_back(header.c_str());
    texts.push_back(text.c_str());
  }
  api_->check(api_->create(&handle, source.c_str(), name.c_str(), static_cast<int>(names.size()),
                           texts.data(), names.data()),
              "create a program");
  const Program program(api_->destroy, handle);
  for (const std::string& kernel : kernels)
    api_->check(api_->add_name(handle, kernel.c_str()), "take a kernel's name");
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());

  const nvrtcResult status = api_->compile(handle, static_cast<int>(arguments.size()), arguments.data());
  if (status == NVRTC_ERROR_OUT_OF_MEMORY || status == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    api_->check(status, "compile");
  NvrtcResult result;
  std::size_t size = 0;
  api_->check(api_->log_size(handle, &size), "give its log");
  result.log.resize(size);
  api_->check(api_->log(handle, result.log.data()), "give its log");
  while (!result.log.empty() && (result.log.back() == '\0' || result.log.back() == '\n'))
    result.log.pop_back();
  result.succeeded = status == NVRTC_SUCCESS;
  if (!result.succeeded) {
    if (result.log.empty()) result.log = api_->error_string(status);
    return result;
  }
  for (const std::string& kernel : kernels) {
    const char* lowered = nullptr;
    api_->check(api_->lowered_name(handle, kernel.c_str(), &lowered), "name a kernel");
    result.symbols.emplace(kernel, lowered);
  }
  api_->check(api_->cubin_size(handle, &size), "give machine code");
  result.cubin.resize(size);
  if (size > 0) {
    api_->check(api_->cubin(handle, result.cubin.data()), "give machine code");
    return result;
  }
  api_->check(api_->ptx_size(handle, &size), "give PTX");
  result.ptx.resize(size);
  api_->check(api_->ptx(handle, result.ptx.data()), "give PTX");
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  return result;
}

#endif

}  // namespace tailwave
