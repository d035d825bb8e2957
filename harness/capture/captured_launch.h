#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

constexpr std::size_t kPointerBytes = 8;

// What the injected library (injected/recorder.h) has written of a launch.
struct CapturedMemory {
  std::string memory;  // "device", "managed" or "pinned"
  std::size_t bytes = 0;
  std::filesystem::path before;                // what was there
  std::optional<std::filesystem::path> after;  // what was there then; none: the same
  std::size_t inner_pointers = 0;              // words in it that are addresses
  std::size_t first_inner = 0;                 // where the first is, in bytes
};
// A __constant__ or __device__ variable of the module, by its symbol.
struct CapturedVariable {
  std::string symbol;
  std::size_t bytes = 0;
  std::filesystem::path before;
  std::optional<std::filesystem::path> after;
};
// Eight bytes of an argument that are an address.
struct CapturedPointer {
  std::size_t at = 0;      // bytes from where the argument begins
  std::size_t memory = 0;  // which of the launch's
  std::size_t offset = 0;  // bytes into it
};
struct CapturedArgument {
  std::string bytes;
  std::vector<CapturedPointer> pointers;  // by `at`
};

struct CapturedLaunch {
  std::string device;     // "NVIDIA H200"; "": not known
  std::string kernel;     // symbol
  std::string demangled;  // what that stands for: "void blur<2>(float*, int)"
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::optional<std::array<std::int64_t, 3>> cluster;
  bool from_graph = false;  // launched once more after the graph had run
  int code_candidates = 1;  // modules whose code it may have been
  std::filesystem::path code;
  std::vector<CapturedArgument> arguments;
  std::vector<CapturedMemory> memory;
  std::vector<CapturedVariable> variables;
  std::vector<std::string> notes;  // what was not captured
};

// Of the folder that has launch.json. Throws Error for what is damaged.
CapturedLaunch read_captured_launch(const std::filesystem::path& folder);

// How long launches of one kernel and shape took in the application.
struct KernelTimes {
  std::string kernel, demangled;
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t dynamic_shared_bytes = 0, launches = 0;
  double total_ns = 0;
  std::vector<double> first_ns;  // of the first 1000
};
// Empty for a file that is not there, as where the application died. Throws Error for one that is damaged.
std::vector<KernelTimes> read_kernel_times(const std::filesystem::path& file);
// Adds what another process launched: one for each kernel and shape.
void add_times(std::vector<KernelTimes>& all, std::vector<KernelTimes> more);
// Those of the launch's kernel and shape; null: none are known.
const KernelTimes* times_of(const std::vector<KernelTimes>& all, const CapturedLaunch& launch);
// Whether both are launches of one size: of one shape, and with the same values but for addresses.
bool are_of_one_size(const CapturedLaunch& one, const CapturedLaunch& other);

// What a symbol stands for; itself where it stands for nothing.
std::string demangled_symbol(const std::string& symbol);
// "blur" of "void ns::blur<2>(float*, int)".
std::string base_name(const std::string& demangled);

}  // namespace tailwave
