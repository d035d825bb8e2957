#include "device/cpu/cluster_team.h"

namespace tailwave {

ClusterTeam::ClusterTeam(tailwave_cpu::Index3 size) {
  cluster_.size = size;
  cluster_.blocks = size.x * size.y * size.z;
}

bool ClusterTeam::begin() {
  std::unique_lock lock(mutex_);
  const unsigned mine = cluster_number_;
  if (++begun_ == cluster_.blocks) {
    begun_ = 0;
    present_ = cluster_.blocks;
    ++cluster_number_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return cluster_number_ != mine || aborted_; });
  return !aborted_;
}

bool ClusterTeam::arrive_and_wait() {
  std::unique_lock lock(mutex_);
  const unsigned mine = generation_;
  ++arrived_;
  pass_if_complete();
  changed_.wait(lock, [&] { return generation_ != mine || aborted_; });
  return !aborted_;
}

void ClusterTeam::leave() {
  const std::lock_guard lock(mutex_);
  --present_;
  pass_if_complete();
}

void ClusterTeam::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  changed_.notify_all();
}

void ClusterTeam::pass_if_complete() {
  if (arrived_ == 0 || arrived_ < present_) return;
  arrived_ = 0;
  ++generation_;
  changed_.notify_all();
}

}  // namespace tailwave
