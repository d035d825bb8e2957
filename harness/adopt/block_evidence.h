#pragma once

#include <cstdint>
#include <optional>

#include "adopt/draft.h"
#include "adopt/kernel_scope.h"

namespace tailwave {

// What a kernel's code, without its launch, says of the number of threads of a block.
class BlockEvidence {
 public:
  // Both have to outlive it. `directions` of a block are used.
  BlockEvidence(Draft& draft, const DraftLaunch& launch, int directions)
      : draft_(draft), launch_(launch), scope_(launch, draft, false), directions_(directions) {}

  // What the code takes blockDim to be in a direction, in this order: the length of a __shared__ array that is indexed by
  // threadIdx itself, __launch_bounds__(M), M of blockIdx.x * M + threadIdx.x, and the M that a loop from threadIdx on steps
  // by. Empty: it does not say. Names that is_length_of_work() are left out, with a guess that says so.
  std::optional<Polynomial> size(int direction);

  // Whether threads are compared with it: "for (b = threadIdx.x; b < M; b += blockDim.x)", "if (threadIdx.x < M)". Then a
  // block may have more threads, or fewer.
  bool is_length_of_work(const Polynomial& size, int direction);

  // Threads that a block can have, as far as numbers in the code say; at most what every GPU allows.
  std::int64_t limit();

 private:
  std::optional<Polynomial> shared_size(int direction);
  std::optional<Polynomial> launch_bounds();
  std::optional<Polynomial> span_of_block(int direction);
  std::optional<Polynomial> step_of_threads(int direction);
  [[nodiscard]] bool is_plain(const CTerm& term, int depth = 0) const;
  bool holds(const std::optional<Polynomial>& size, int direction);

  Draft& draft_;
  const DraftLaunch& launch_;
  KernelScope scope_;
  int directions_;
};

}  // namespace tailwave
