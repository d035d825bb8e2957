#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "adopt/draft.h"

namespace tailwave {

inline constexpr std::array<const char*, 3> kThreadNumbers{"threadIdx.x", "threadIdx.y", "threadIdx.z"};
inline constexpr std::array<const char*, 3> kBlockNumbers{"blockIdx.x", "blockIdx.y", "blockIdx.z"};
inline constexpr std::array<const char*, 3> kBlockSizes{"blockDim.x", "blockDim.y", "blockDim.z"};
inline constexpr std::array<const char*, 3> kGridSizes{"gridDim.x", "gridDim.y", "gridDim.z"};

// What terms of a kernel's code are. A local is what it is declared with; one that changes is that too where a thread or
// block begins with a number of its own, else a factor "~name" of its own.
class KernelScope : public NameMeanings {
 public:
  // Both have to outlive it, and may change meanwhile. Without `known_blocks` blockDim.x is a factor of its own.
  KernelScope(const DraftLaunch& launch, Draft& draft, bool known_blocks)
      : launch_(launch), draft_(draft), known_blocks_(known_blocks) {}

  std::optional<Polynomial> meaning(const std::string& name) override;
  bool is_type(const std::string& name) override { return draft_.is_scalar(name); }

  struct Range {
    Polynomial low, high;
    bool is_loose = false;  // wider than what is reached, or so it may be
  };
  // Of all threads and iterations, where guards hold; empty where it cannot be told.
  std::optional<Range> range(const CTerm& term);

  // Whether its value is known before a launch: neither a thread's nor of a loop.
  static bool is_constant(const Polynomial& value);
  // What indices, guards and locals are made of that depends on where a thread is.
  std::vector<Polynomial> coordinates();
  // Upper limits of what is in guards, exclusive: {value, limit} with a constant limit.
  struct Limit {
    Polynomial value, below;
  };
  std::vector<Limit> limits();

 private:
  std::optional<Polynomial> meaning_of_constant(const std::string& name);
  std::optional<Polynomial> meaning_of_local(const std::string& name, const LocalVariable& local);
  std::optional<Range> range_of_name(const std::string& name);
  std::optional<Range> range_of_binary(const CTerm& term);
  std::optional<Range> range_of_call(const CTerm& term);
  Polynomial least_divisor(const Range& range, bool is_shift);
  static Range range_of_quotient(const Range& whole, const Polynomial& divisor);
  std::optional<std::pair<Polynomial, Polynomial>> quotient_of(const CTerm& term);
  static Polynomial constant_part(const Polynomial& value);
  std::optional<Polynomial> limit_of(const Polynomial& value);
  [[nodiscard]] Polynomial larger(const Polynomial& left, const Polynomial& right) const;

  const DraftLaunch& launch_;
  Draft& draft_;
  bool known_blocks_;
  std::set<std::string> under_way_;  // locals, so that one that is made of itself ends
  int depth_ = 0;
  bool is_loose_ = false;  // of what range() is at
};

}  // namespace tailwave
