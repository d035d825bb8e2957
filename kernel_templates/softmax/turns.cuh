#pragma once

// The rows of a cluster, TOGETHER of them in each of its turns. They are each grid's worth of turns apart; with
// DRAW a cluster takes the next that nobody has. How many clusters run at once differs from GPU to GPU, also of
// one model: a cluster that has to wait for a place then finds little left, instead of a whole share.
// softmax and layer_norm have the same file; who includes this includes rows.cuh before.

#include "meeting.cuh"

class Turns {
 public:
  // Numbers of turns that a block knows: of this one, of STAGES after it, and one that is being drawn.
  static constexpr int kNumbers = STAGES + 2;

  // All threads of the cluster. `drawn` is of this grid alone, 0 when it begins and when it has ended. `numbers`, of the block,
  // is written by other blocks.
  __device__ Turns(const cg::cluster_group& cluster, const Meeting& meeting, int rows, unsigned* drawn,
                   int (&numbers)[kNumbers])
      : cluster_(cluster),
        meeting_(meeting),
        drawn_(drawn),
        numbers_(numbers),
        all_((rows - 1) / TOGETHER + 1),
        first_(blockIdx.x / CLUSTER),
        clusters_(gridDim.x / CLUSTER) {
    int first[STAGES + 1];
    if (DRAW) {
#pragma unroll
      for (int k = 0; k <= STAGES; ++k) first[k] = draw();
    }
    cluster_.sync();  // the others are there: their shared memory may be written
    if (DRAW) {
#pragma unroll
      for (int k = 0; k <= STAGES; ++k) {
        const int number = of_drawer(first[k]);
        if (draws() && threadIdx.x < CLUSTER)
          cluster_.map_shared_rank(numbers_, static_cast<int>(threadIdx.x))[k] = number;
      }
      cluster_.sync();
    }
  }

  // Of the turn `ahead` turns after this one, up to STAGES.
  __device__ int number(int ahead = 0) const {
    if (!DRAW) return first_ + (turn_ + ahead) * clusters_;
    return numbers_[place(ahead)];
  }
  // Also for a number that has become negative by overflow.
  __device__ bool exists(int number) const {
    return static_cast<unsigned>(number) < static_cast<unsigned>(all_);
  }

  // In each turn that exists, by all threads: draw() as early as can be, tell() with what it gave before the
  // cluster meets, next() after it. kBytes of what a block gets at a meeting are the number.
  static constexpr int kBytes = DRAW ? 4 : 0;
  __device__ int draw() const {
    // As many are drawn as there are turns, and STAGES + 1 more by each cluster: the last of them makes it 0.
    if (!draws() || threadIdx.x != 0) return 0;
    const unsigned last = static_cast<unsigned>(all_) + static_cast<unsigned>(clusters_) * (STAGES + 1) - 1;
    return static_cast<int>(atomicInc(drawn_, last));
  }
  __device__ void tell(int number) const {
    if (!draws()) return;
    number = of_drawer(number);
    if (threadIdx.x < CLUSTER)
      meeting_.send(&numbers_[place(STAGES + 1)], number, static_cast<int>(threadIdx.x));
  }
  __device__ void next() {
    ++turn_;
    place_ = place(1);
  }

 private:
  // A warp of the cluster.
  __device__ bool draws() const { return DRAW && cluster_.block_rank() == 0 && threadIdx.x < kLanes; }
  __device__ int place(int ahead) const {
    return place_ + ahead < kNumbers ? place_ + ahead : place_ + ahead - kNumbers;
  }
  // To the lanes of the warp that draws.
  __device__ int of_drawer(int number) const { return draws() ? __shfl_sync(kAllLanes, number, 0) : 0; }

  const cg::cluster_group& cluster_;
  const Meeting& meeting_;
  unsigned* drawn_;
  int* numbers_;
  int all_, first_, clusters_;
  int turn_ = 0, place_ = 0;
};
