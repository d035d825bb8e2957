#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/toolchain.h"
#include "core/enum_names.h"
#include "core/temporary_folder.h"
#include "races/made_buffer.h"
#include "races/race.h"
#include "races/race_shape.h"

namespace tailwave {

// out_of_bounds: whatever races there are besides.
enum class RaceVerdict { clean, races, out_of_bounds, not_checked };

template <>
struct EnumNames<RaceVerdict> {
  static constexpr std::string_view noun = "verdict on races";
  static constexpr std::array<std::string_view, 4> names{"clean", "races", "out_of_bounds", "not_checked"};
};

struct RaceCheck {
  RaceVerdict verdict = RaceVerdict::not_checked;
  std::vector<Race> races;
  std::vector<StrayAccess> stray;
  bool may_miss_some = false;  // between threads that share a fiber
  std::string detail;          // why it was not checked, or what was left out; may be empty
};

// Looks for races, and for accesses outside of buffers: compiles templates as the CPU device does, for ThreadSanitizer, and runs them with each CUDA thread
// a fiber of it. Ordered are what __syncthreads(), __syncwarp(), warp operations and the barriers of cooperative groups
// order, atomics on the same address, and launches as their streams say; all else runs at the same time, blocks, too.
// Safe to call from several threads at once.
class RaceChecker {
 public:
  // Builds what all programs share. Throws Error, in one line, when the toolchain (null: there is none) makes no
  // programs with ThreadSanitizer that run here.
  explicit RaceChecker(std::shared_ptr<const HostToolchain> toolchain);

  [[nodiscard]] RaceCheck check(const RaceCandidate& candidate) const;

  static constexpr double kDeadlineS = 300;  // of one configuration's run

 private:
  void build_runner();
  void try_to_run();
  void build(const RaceCandidate& candidate, const std::filesystem::path& folder) const;
  [[nodiscard]] std::vector<std::string> command_of(const std::filesystem::path& program) const;

  std::shared_ptr<const HostToolchain> toolchain_;
  TemporaryFolder shared_;
  BufferMaker buffers_;
  bool needs_fixed_addresses_ =
      false;  // the system's random ones are not where ThreadSanitizer can have them
};

}  // namespace tailwave
