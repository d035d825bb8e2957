#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/enum_names.h"
#include "core/outcome.h"
#include "core/trial.h"
#include "spec/system.h"

namespace tailwave {

// What a compiler makes of a configuration.
struct Artifact {
  enum class Kind {
    cubin,              // CUDA machine code for one sm_XX
    cpu_kernels,        // a .cu template as a shared object for the CPU executor
    ptx,                // for the driver to assemble
    host_library,       // a host variant as a shared object
    gpu_library,        // a library variant as one: its functions are called beside a GPU
    program,            // of the user's own, to be run
    reporting_program,  // one that says itself how long it took
  } kind = Kind::cubin;
  std::filesystem::path file;                  // in the cache
  std::map<std::string, std::string> symbols;  // manifest's kernel name -> symbol in the file
  std::vector<KernelResources> resources;      // cubin only, one per kernel of the manifest
  std::vector<std::string> variables;          // cubin only: Cubin::variables
  // Of host compilers: files that were read and whose contents are not in the key that the build is cached under, since
  // only the compiler finds them, with their hashes.
  std::map<std::string, std::string> inputs;
  BuildRecord record;
};

template <>
struct EnumNames<Artifact::Kind> {
  static constexpr std::string_view noun = "kind of artifact";
  static constexpr std::array<std::string_view, 7> names{
      "cubin", "cpu_kernels", "ptx", "host_library", "gpu_library", "program", "reporting_program"};
};

// Why a gpu_library is not for the CPU device.
inline constexpr const char* kQueuesOnGpu = "its functions queue work on a GPU, and the CPU device is none";

struct BuildRequest {
  const System* system = nullptr;
  const VariantSpec* variant = nullptr;
  Configuration configuration;
  double deadline_s = kDefaultBuildDeadlineS;  // for a compiler that is a program of its own
};

constexpr bool is_program(Artifact::Kind kind) {
  return kind == Artifact::Kind::program || kind == Artifact::Kind::reporting_program;
}

// All kernel names of a variant's prepare, launches and finish, each once.
std::vector<std::string> kernel_names(const VariantSpec& variant);

// A configuration's kernels as PTX, for a program that changes them before they are assembled.
struct Ptx {
  std::string text;
  std::map<std::string, std::string> symbols;  // manifest's kernel name -> entry
};

// Turns a configuration into an artifact. Seam: tests use a fake. Implementations are safe to call from
// several threads at once and keep artifacts in the cache, keyed by content.
class Compiler {
 public:
  virtual ~Compiler() = default;

  // Throws Failure(compile_error) with the compiler's words, places given in the user's file, and
  // Failure(compile_timeout); Failure(unavailable) for what has no form on the compiler's device.
  virtual Artifact build(const BuildRequest& request) = 0;
  // What tells builds apart: content hash of source, project headers it includes, defines, options, compiler version,
  // target, and the build's inputs as far as one that is cached tells them. Cheap; does not compile.
  virtual std::string key(const BuildRequest& request) = 0;
  // The same code as build() gets, not cached; empty from a compiler that makes no PTX. Throws as build() does.
  virtual std::optional<Ptx> ptx(const BuildRequest& /*request*/) { return std::nullopt; }
  // Why it can build nothing whatever is asked for: no compiler is there. "" where it can.
  [[nodiscard]] virtual std::string obstacle() const { return ""; }
  [[nodiscard]] virtual std::string version() const = 0;  // "NVRTC 13.0", "g++ (Debian 12.2.0-14) 12.2.0"
};

}  // namespace tailwave
