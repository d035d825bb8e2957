#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "core/stopwatch.h"

namespace tailwave {

// Work on results that needs no device, put off until the process would only wait for one. It is done in the order in
// which it came; what it refers to has to live until then. What a piece throws comes out of the call that did it, and what
// is left is not done: it would go on with half a result.
class Backlog {
 public:
  void add(std::function<void()> work) { waiting_.push_back(std::move(work)); }

  // The oldest piece, while a device works; false when there is none.
  bool do_one() {
    if (waiting_.empty()) return false;
    const Hidden hidden(*this);
    do_oldest();
    return true;
  }

  // What was added before a moment at which added() was `until`.
  void finish(std::size_t until) {
    while (done_ < until) do_oldest();
  }
  void finish() { finish(added()); }

  void clear() {
    done_ += waiting_.size();
    waiting_.clear();
  }

  [[nodiscard]] std::size_t added() const { return done_ + waiting_.size(); }  // pieces so far
  // Whether the piece at hand costs the run no time of its own.
  [[nodiscard]] bool hidden() const { return hidden_; }
  // Wall-clock time of such pieces so far.
  [[nodiscard]] double hidden_s() const { return hidden_s_; }

 private:
  class Hidden {
   public:
    explicit Hidden(Backlog& backlog) : backlog_(backlog), working_(backlog.hidden_s_) {
      backlog_.hidden_ = true;
    }
    ~Hidden() { backlog_.hidden_ = false; }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

   private:
    Backlog& backlog_;
    Stopwatch working_;
  };

  void do_oldest() {
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++done_;
    try {
      work();
    } catch (...) {
      clear();
      throw;
    }
  }

  std::deque<std::function<void()>> waiting_;
  std::size_t done_ = 0;
  bool hidden_ = false;
  double hidden_s_ = 0;
};

}  // namespace tailwave
