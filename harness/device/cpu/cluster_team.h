#pragma once

#include <condition_variable>
#include <mutex>

#include "compile/cpu/include/tailwave_abi.h"

namespace tailwave {

// The threads that run the blocks of a cluster, one each, and of one cluster after another.
class ClusterTeam {
 public:
  explicit ClusterTeam(tailwave_cpu::Index3 size);

  [[nodiscard]] tailwave_cpu::Cluster& cluster() { return cluster_; }

  // Before a block, by its thread: waits until those of the cluster before have all left. False after abort().
  bool begin();
  // Waits for all blocks that have not left, as the hardware's barrier does. False after abort().
  bool arrive_and_wait();
  void leave();  // this block has finished
  void abort();  // lets all go that wait

 private:
  void pass_if_complete();

  tailwave_cpu::Cluster cluster_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned begun_ = 0, present_ = 0, arrived_ = 0;
  unsigned cluster_number_ = 0, generation_ = 0;
  bool aborted_ = false;
};

}  // namespace tailwave
