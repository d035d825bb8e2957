#pragma once

// What the blocks of a cluster tell each other: words that each sends to all, and a meeting at which they are there.
//
// The cluster's barrier orders all memory: on a GPU a block comes to it only when what it has stored in global memory has
// arrived, and leaves it with an empty L1. With MESSAGES the words are sent asynchronously, and a barrier in the shared
// memory of who gets them counts their bytes: nothing else waits, but for the cluster's barrier where a block begins. On the
// CPU device they meet at the cluster's barrier.
// softmax and layer_norm have the same file.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

class Meeting {
 public:
  using Barrier = unsigned long long;

  // Two barriers, since the next meeting's words may come before all threads have left this one's.
  __device__ Meeting(const cg::cluster_group& cluster, Barrier (&barriers)[2])
      : cluster_(cluster), barriers_(barriers) {
#if defined(__CUDA_ARCH__) && MESSAGES
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 2; ++i)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barriers_[i])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  // By one thread for each `rank`, this block's own among them, once all blocks of the cluster have begun. `place` is in
  // shared memory, of this block; the value comes there in block `rank`. It is made of words of 4 bytes. Between two
  // meetings all threads pass a barrier of the block, having read what came, before one of its first warp sends: so a place
  // is free again in the meeting after the next, and no block is two meetings ahead of a thread that waits.
  template <class Value>
  __device__ void send(Value* place, const Value& value, int rank) const {
#if defined(__CUDA_ARCH__) && MESSAGES
    static_assert(sizeof(Value) % 4 == 0);
    constexpr int kWords = sizeof(Value) / 4;
    unsigned words[kWords];
    memcpy(words, &value, sizeof words);
    const unsigned barrier = in_block(address(&barriers_[half_]), rank);
    const unsigned to = in_block(address(place), rank);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                       to + 4 * i),
                   "r"(words[i]), "r"(barrier)
                   : "memory");
#else
    *cluster_.map_shared_rank(place, rank) = value;
#endif
  }

  // All threads: until what all blocks have sent is there, `bytes` to each.
  __device__ void meet(int bytes) {
#if defined(__CUDA_ARCH__) && MESSAGES
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&barriers_[half_])),
                   "r"(bytes)
                   : "memory");
    unsigned done;
    do {  // what was sent is in this block's shared memory, so that no cache has to be emptied
      asm volatile(
          "{\n"
          ".reg .pred ended;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
          "selp.u32 %0, 1, 0, ended;\n"
          "}"
          : "=r"(done)
          : "r"(address(&barriers_[half_])), "r"(parity_)
          : "memory");
    } while (!done);
    parity_ ^= half_;
    half_ ^= 1;
#else
    cluster_.sync();
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  static __device__ unsigned address(const void* place) {
    return static_cast<unsigned>(__cvta_generic_to_shared(place));
  }
  static __device__ unsigned in_block(unsigned address, int rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
  }
#endif

  const cg::cluster_group& cluster_;
  Barrier* barriers_;
  int half_ = 0, parity_ = 0;
};
