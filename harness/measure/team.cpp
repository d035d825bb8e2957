#include "measure/team.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tailwave {
namespace {

// Whether it may be the GPU that failed, and not what ran there.
bool may_be_its_gpu(Outcome outcome) {
  return outcome == Outcome::crashed || outcome == Outcome::launch_failed ||
         outcome == Outcome::illegal_access || outcome == Outcome::timeout ||
         outcome == Outcome::out_of_memory;
}

}  // namespace

Team::Team(const std::vector<Measurer*>& all, std::function<void(const std::string&)> tell,
           std::function<bool()> stop_requested)
    : tell_(std::move(tell)), stop_requested_(std::move(stop_requested)) {
  for (Measurer* const one : all) members_.push_back({.measurer = one});
}

Measurer& Team::first() const {
  const auto found = std::ranges::find(members_, false, &Member::is_lost);
  return *(found == members_.end() ? members_.front() : *found).measurer;
}

std::vector<std::size_t> Team::left() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!members_[i].is_lost) places.push_back(i);
  return places;
}

void Team::prepare(const System& system, const Configuration& configuration) {
  for (const std::size_t gpu : left()) members_[gpu].measurer->prepare(system, configuration);
}

bool Team::may_run(std::size_t gpu, const Candidate& candidate) const {
  if (members_[gpu].is_lost) return false;
  if (!shares_gpus(candidate)) return !candidate.is_alive() || members_[gpu].measurer == &first();
  return !candidate.gpu || members_[*candidate.gpu].is_lost || *candidate.gpu == gpu;
}

bool Team::shares_gpus(const Candidate& candidate) {
  const VariantSpec& variant = candidate.variant();
  return !variant.pes && !variant.is_program() && variant.target != VariantSpec::Target::host;
}

// The one that has the least to do, and of these has had the least.
std::size_t Team::with_room_for(const Candidate& candidate) const {
  std::size_t best = members_.size();
  const auto load = [this](std::size_t gpu) {
    return std::pair(members_[gpu].under_way.size(), members_[gpu].begun);
  };
  for (std::size_t gpu = 0; gpu < members_.size(); ++gpu) {
    if (!may_run(gpu, candidate) || !members_[gpu].measurer->has_room_for(candidate)) continue;
    if (best == members_.size() || load(gpu) < load(best)) best = gpu;
  }
  return best;
}

bool Team::has_room_for(const Candidate& candidate) const {
  return waiting_.empty() && with_room_for(candidate) < members_.size();
}

void Team::begin(Candidate candidate, const Rivals& rivals) {
  const std::size_t gpu = with_room_for(candidate);
  if (gpu == members_.size()) throw std::logic_error("no GPU has room for another candidate");
  if (candidate.gpu && members_[*candidate.gpu].is_lost) candidate.begin_anew();
  begin_at(gpu, {std::move(candidate), rivals});
}

void Team::begin_at(std::size_t gpu, UnderWay one) {
  Member& member = members_[gpu];
  if (members_.size() == 1) return member.measurer->begin(std::move(one.before), one.rivals);
  Candidate candidate = one.before;
  candidate.gpu = gpu;
  ++member.begun;
  try {
    member.measurer->begin(std::move(candidate), one.rivals);
  } catch (const LostDevice& lost) {
    lose(lost);
    return wait_again(std::move(one));
  }
  member.under_way.push_back(std::move(one));
  order_.push_back(gpu);
}

// Where a GPU is lost in this, what it had begun waits, too, and is tried with the rest.
void Team::begin_waiting() {
  for (std::size_t without_room = 0; without_room < waiting_.size();) {
    UnderWay one = std::move(waiting_.front());
    waiting_.pop_front();
    const std::size_t gpu = with_room_for(one.before), are_left = left().size();
    if (gpu == members_.size()) {
      waiting_.push_back(std::move(one));
      ++without_room;
      continue;
    }
    begin_at(gpu, std::move(one));
    if (left().size() != are_left) without_room = 0;
  }
}

// What a lost GPU had measured of it is not joined by what another one measures.
void Team::wait_again(UnderWay one) {
  if (one.before.gpu && members_[*one.before.gpu].is_lost) one.before.begin_anew();
  waiting_.push_back(std::move(one));
}

void Team::lose(const LostDevice& lost) {
  const auto has_lost = [&](const Member& member) {
    const Tools& tools = member.measurer->tools();
    return !member.is_lost && (tools.device == &lost.worker() || tools.reference.gpu == &lost.worker());
  };
  const auto found = std::ranges::find_if(members_, has_lost);
  if (found == members_.end() || left().size() == 1) {
    abandon();
    throw lost;
  }
  Member& member = *found;
  const auto gpu = static_cast<std::size_t>(found - members_.begin());
  const bool was_first = member.measurer == &first();
  member.is_lost = true;
  member.measurer->abandon();
  std::erase(order_, gpu);
  if (was_first) first().reference().use(first().tools().reference);
  tell_(fmt::format(
      "the GPU {} is left out from here on, {}: {}\n", member.measurer->tools().device->description().uuid,
      left().size() == 1 ? "and one is left" : fmt::format("and {} are left", left().size()), lost.what()));
  for (UnderWay& one : std::exchange(member.under_way, {})) wait_again(std::move(one));
}

// The GPU shows whether it still is one by starting a process, which the next candidate needs anyway.
bool Team::is_to_be_tried_again(std::size_t gpu, const UnderWay& one, const Candidate& ended) {
  if (one.before.is_second_try || ended.trial.outcome == Outcome::correct) return false;
  if (was_killed_from_outside(ended.trial.outcome, ended.trial.detail)) return true;
  if (!may_be_its_gpu(ended.trial.outcome)) return false;
  try {
    members_[gpu].measurer->tools().device->revive();
    return false;
  } catch (const LostDevice& lost) {
    lose(lost);
    return true;
  }
}

Candidate Team::finish() {
  if (members_.size() == 1) return members_.front().measurer->finish();
  for (;;) {
    begin_waiting();
    const std::size_t gpu = next_to_finish();
    Member& member = members_[gpu];
    try {
      Candidate ended = member.measurer->finish();
      order_.erase(std::ranges::find(order_, gpu));
      UnderWay one = std::move(member.under_way.front());
      member.under_way.pop_front();
      if (!is_to_be_tried_again(gpu, one, ended)) return ended;
      one.before.is_second_try = true;
      wait_again(std::move(one));
    } catch (const LostDevice& lost) {
      lose(lost);
    } catch (...) {
      abandon();
      throw;
    }
  }
}

std::size_t Team::next_to_finish() {
  if (order_.empty()) throw std::logic_error("nothing is under way");
  for (;;) {
    for (const std::size_t gpu : order_)
      if (members_[gpu].measurer->answer_is_there()) return gpu;
    // Its worker sees to it that this does not last.
    if (stop_requested_()) return order_.front();
    wait_for_answers();
  }
}

void Team::wait_for_answers() const {
  constexpr int kLongestMs = 20;  // in which no deadline is looked at
  std::vector<pollfd> wanted;
  for (const int descriptor : descriptors()) wanted.push_back({descriptor, POLLIN, 0});
  poll(wanted.data(), wanted.size(), kLongestMs);
}

bool Team::is_idle() const {
  return waiting_.empty() &&
         std::ranges::all_of(members_, [](const Member& one) { return one.measurer->is_idle(); });
}

// What waits for a GPU is begun by finish().
bool Team::answer_is_there() const {
  if (!waiting_.empty() && with_room_for(waiting_.front().before) < members_.size()) return true;
  return std::ranges::any_of(members_, [](const Member& one) { return one.measurer->answer_is_there(); });
}

std::vector<int> Team::descriptors() const {
  std::vector<int> all;
  for (const Member& one : members_) all.push_back(one.measurer->descriptor());
  return all;
}

void Team::abandon() {
  waiting_.clear();
  order_.clear();
  for (Member& one : members_) {
    one.measurer->abandon();
    one.under_way.clear();
  }
}

PhaseTimes Team::phases() const {
  PhaseTimes all;
  for (const Member& one : members_) all += one.measurer->phases();
  for_each_member<PhaseTimes>(
      [&](const auto& phase) { all.*phase.place /= static_cast<double>(members_.size()); });
  return all;
}

std::vector<Candidate> Team::one_for_each(const Candidate& candidate) const {
  std::vector<Candidate> all;
  for (const std::size_t gpu : left()) {
    if (!may_run(gpu, candidate)) continue;
    all.push_back(candidate);
    all.back().gpu = gpu;
  }
  return all;
}

}  // namespace tailwave
