#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "measure/measurer.h"

namespace tailwave {

// The GPUs of a run, all of one model: a Measurer for each, which share what is to be measured. Looks like one of them
// that has room for more. What one GPU has begun of a candidate it also ends; variants that run on the CPU, on
// processing elements or as programs run at the first one.
//
// A GPU on which no process can be started any more is left out, with a remark; what it had begun is measured anew by
// others. The error of the last one that is left is thrown. With several GPUs, what was killed from outside, or failed
// right before its GPU was lost, is tried once more.
class Team {
 public:
  explicit Team(Measurer& only) : Team(std::vector<Measurer*>{&only}) {}
  // All are kept, and at least one; the later ones are made like the first.
  // `stop_requested`: then nothing is waited for that a Worker does not end by itself.
  explicit Team(
      const std::vector<Measurer*>& all,
      std::function<void(const std::string&)> tell = [](const std::string&) {},
      std::function<bool()> stop_requested = [] { return false; });

  // Whether it may run at any of them: what runs on the CPU, as a program or as processing elements runs at the first one.
  [[nodiscard]] static bool shares_gpus(const Candidate& candidate);

  // The first one that is left.
  [[nodiscard]] Measurer& first() const;
  [[nodiscard]] const Tools& tools() const { return first().tools(); }
  // Of the GPU at this place, which may be lost.
  [[nodiscard]] const Tools& tools_of(std::size_t gpu) const { return members_.at(gpu).measurer->tools(); }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::vector<std::size_t> left() const;  // places of those that are left

  // As those of Measurer.
  void prepare(const System& system, const Configuration& configuration);
  [[nodiscard]] bool has_room_for(const Candidate& candidate) const;
  void begin(Candidate candidate, const Rivals& rivals = {});
  // The one whose answer is there first, else the one that has been under way for the longest.
  Candidate finish();
  [[nodiscard]] bool is_idle() const;
  // Whether finish() has something to do now.
  [[nodiscard]] bool answer_is_there() const;
  // Readable when that may have changed.
  [[nodiscard]] std::vector<int> descriptors() const;
  void abandon();
  // Of a GPU in the mean.
  [[nodiscard]] PhaseTimes phases() const;
  // The candidate for each GPU that is left and may run it, to be begun there.
  [[nodiscard]] std::vector<Candidate> one_for_each(const Candidate& candidate) const;

 private:
  struct UnderWay {
    Candidate before;  // as it was given to begin(); only kept with several GPUs
    Rivals rivals;
  };
  struct Member {
    Measurer* measurer = nullptr;
    bool is_lost = false;
    std::size_t begun = 0;  // candidates in all
    std::deque<UnderWay> under_way;
  };
  [[nodiscard]] bool may_run(std::size_t gpu, const Candidate& candidate) const;
  [[nodiscard]] std::size_t with_room_for(const Candidate& candidate) const;  // members_.size(): none
  void begin_at(std::size_t gpu, UnderWay one);
  void begin_waiting();
  [[nodiscard]] std::size_t next_to_finish();
  void wait_for_answers() const;
  void lose(const LostDevice& lost);
  void wait_again(UnderWay one);
  [[nodiscard]] bool is_to_be_tried_again(std::size_t gpu, const UnderWay& one, const Candidate& ended);

  std::vector<Member> members_;
  std::function<void(const std::string&)> tell_;
  std::function<bool()> stop_requested_;
  std::deque<UnderWay> waiting_;   // for a GPU, after that which had begun them was lost
  std::deque<std::size_t> order_;  // of the members whose candidates are under way
};

}  // namespace tailwave
